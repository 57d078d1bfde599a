"""vc-standalone fills in and checks every kind by itself, in the words of a cluster."""

import pytest
from kubernetes import config

from support import objects, rest
from support.jobs import BATCH, task
from support.objects import SCHEDULING
from support.poll import until
from support.processes import Process, free_port, ours
from support.rest import MERGE_PATCH
from support.verdict_cases import missing_from
from support.world import unique
from webhooks.seven_kinds import KINDS, QUEUE

pytestmark = pytest.mark.backend("embedded")
NAMESPACE = "of-a-queue"
each_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


class Standalone:
    def __init__(self, folder, *flags):
        kubeconfig = folder / "kubeconfig"
        argv = [ours("vc-standalone"), "--port", free_port(), "--nodes", 1, "--no-controllers"]
        argv += ["--write-kubeconfig", kubeconfig, *flags]
        self.process = Process("vc-standalone", argv, folder)
        try:
            until(self._is_ready, 30, self.process.tail)
        except BaseException:
            self.process.close()
            raise
        self.rest = rest.Rest(config.new_client_from_config(str(kubeconfig)))

    def _is_ready(self):
        return self.process.check() and "ready" in self.process.log().splitlines()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Its scheduler makes queue `default`."""
    made = Standalone(tmp_path_factory.mktemp("standalone"))
    try:
        server = made.rest
        until(lambda: server.get(f"{SCHEDULING}/queues/default").status == 200, 20, "queue default")
        server.post(f"{SCHEDULING}/queues", objects.queue(QUEUE)).expect(201)
        head = {"name": NAMESPACE, "annotations": {"scheduling.volcano.sh/queue-name": QUEUE}}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": head}
        server.post("/api/v1/namespaces", body).expect(201)
        yield server
    finally:
        made.process.close()


def ours_to_place(kind, name, *patches):
    """Pods have no resource groups here: they name their scheduler themselves."""
    if kind.kind == "Pod":
        patches = ({"spec": {"schedulerName": "volcano"}}, *patches)
    return kind.body(name, *patches)


@each_kind
def test_a_good_one_is_filled_in(server, kind):
    body = ours_to_place(kind, unique("good"))
    made = server.post(kind.path(NAMESPACE), body, dryRun="All").expect(201)
    assert missing_from(made, {} if kind.kind == "Pod" else kind.filled) == []


@each_kind
def test_a_bad_one_is_refused(server, kind):
    answer = server.post(kind.path(NAMESPACE), ours_to_place(kind, unique("bad"), kind.bad))
    said = answer.expect(400)["message"]
    assert said.startswith(f'admission webhook "{kind.webhook}" denied the request: '), said
    assert kind.told in said


@each_kind
def test_a_change_is_judged(server, kind):
    name = unique("changed")
    server.post(kind.path(NAMESPACE), ours_to_place(kind, name)).expect(201)
    path = kind.path(NAMESPACE, name)
    try:
        server.patch(path, kind.change, MERGE_PATCH).expect(200)
        answer = server.patch(path, kind.bad_change, MERGE_PATCH)
        said = answer.expect(400 if kind.webhook_of_change else 422)["message"]
        assert kind.told_of_change in said
        if kind.webhook_of_change:
            assert f'admission webhook "{kind.webhook_of_change}" denied' in said
    finally:
        server.delete(path)


def test_what_is_stored_already_stays_as_it_is(tmp_path):
    spec = {"queue": "nowhere", "tasks": [task(replicas=2)]}
    head = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "old"}}
    path = f"{BATCH}/namespaces/default/jobs"
    stored = []
    for admission in ("false", "true"):
        folder = tmp_path / admission
        folder.mkdir()
        flags = ["--no-scheduler", "--data-dir", tmp_path / "data", f"--admission={admission}"]
        made = Standalone(folder, *flags)
        try:
            if not stored:
                made.rest.post(path, {**head, "spec": spec}).expect(201)
            stored.append(made.rest.get(f"{path}/old").expect(200))
        finally:
            made.process.close()
    assert stored[0] == stored[1]
    assert "schedulerName" not in stored[1]["spec"]
