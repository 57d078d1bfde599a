"""Asks a server for its verdict on a case, without leaving anything behind."""

from support.poll import until
from support.rest import MERGE_PATCH
from support.verdict_cases import merged, missing_from
from support.world import unique

QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"
# Changes of queues reach those who judge a little later.
SEEN_WITHIN_S = 10


class Judge:
    def __init__(self, rest):
        self.rest = rest

    def until_as_told(self, case, way, within=SEEN_WITHIN_S):
        """Brings the case about as a trial until the verdict is the one that is told of `way`."""
        answers = []

        def as_told():
            answers.append(ask())
            return not self._faults(case, way, answers[-1])

        with _Scene(self.rest, case) as ask:
            until(as_told, within, lambda: "; ".join(self._faults(case, way, answers[-1])))

    @staticmethod
    def _faults(case, way, answer):
        told = case.told(way)
        if case.allowed(way):
            if answer.status not in (200, 201):
                return [f"refused: {answer.text[:2000]}"]
            return missing_from(answer.body, case.made)
        if answer.status in (200, 201):
            return [f"allowed, instead of {told!r}"]
        # Line breaks of long messages in policies are those of YAML.
        said = " ".join(answer.body["message"].split())
        return [] if " ".join(told.split()) in said else [f"{said!r} instead of {told!r}"]


class _Scene:
    """A namespace and queues for one case; entered, it is a function that asks once."""

    def __init__(self, rest, case):
        self._rest = rest
        self._case = case
        self._namespace = case.namespace or unique("verdict")
        self._made = []

    def __enter__(self):
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self._ask

    def __exit__(self, *_):
        for path in reversed(self._made):
            # Those that judge may not have seen yet that a child is gone.
            gone = (200, 202, 404)
            until(
                lambda path=path: self._rest.delete(path).status in gone,
                SEEN_WITHIN_S,
                f"{path} is deleted",
            )

    def _build(self):
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._namespace}}
        if self._case.annotations:
            body["metadata"]["annotations"] = self._case.annotations
        if self._case.namespace:  # It is there, or stays.
            assert self._rest.post("/api/v1/namespaces", body).status in (201, 409)
        else:
            self._post("/api/v1/namespaces", body)
        self._path = self._case.path.format(namespace=self._namespace)
        if self._case.before is not None:
            self._post(self._path, self._case.before)
        for queue in self._case.queues:
            self._queue(queue)

    def _post(self, path, body):
        answer = []

        def accepted():  # Those that judge may not have seen a parent yet.
            answer.append(self._rest.post(path, body))
            return answer[-1].status == 201

        until(accepted, SEEN_WITHIN_S, lambda: f"{path}: {answer[-1].text[:1000]}")
        self._made.append(f"{path}/{body['metadata']['name']}")

    def _queue(self, queue):
        head = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
        self._post(QUEUES, {**head, **queue})
        state = queue.get("status", {}).get("state", "Open")
        path = f"{QUEUES}/{queue['metadata']['name']}/status"
        self._rest.patch(path, {"status": {"state": state}}, MERGE_PATCH).expect(200)

    def _ask(self):
        case = self._case
        name = case.body.get("delete")
        if name:
            return self._rest.delete(f"{self._path}/{name}", dryRun="All")
        if case.before is None and "existing" not in case.body:
            return self._rest.post(self._path, case.object, dryRun="All")
        name = case.body.get("existing", case.base["metadata"]["name"])
        stored = self._rest.get(f"{self._path}/{name}").expect(200)
        changed = merged(stored, case.body.get("with", {}))
        return self._rest.put(f"{self._path}/{name}", changed, dryRun="All")
