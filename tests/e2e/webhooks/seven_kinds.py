"""Good and bad objects of all kinds that the webhooks look at, and the hands that make them."""

import dataclasses
import json

from kubernetes import client

from support.jobs import job_spec, task
from support.objects import pod
from support.verdict_cases import merged

# The resource group of --admission-conf, and the node that it leads to.
SHELF = "shelf"
ADMISSION_CONF = f"""
resourceGroups:
- resourceGroup: {SHELF}
  object: {{key: annotation, value: ["volcano.sh/resource-group: {SHELF}"]}}
  schedulerName: volcano
  labels: {{place: {SHELF}}}
  tolerations: [{{key: place, operator: Equal, value: {SHELF}, effect: NoSchedule}}]
"""
# Of the namespaces whose pod groups are tried.
QUEUE = "of-namespace"
# Its runs are far away.
NEW_YEAR = "0 0 1 1 *"


@dataclasses.dataclass(frozen=True)
class Kind:
    """`good` lacks a name alone, and has then what is `filled` in. `bad` and the changes are merge
    patches of it; of a refusal there is who says it, and what. Where no webhook has a say, the API
    server itself refuses."""

    version: str
    kind: str
    good: dict
    filled: dict
    bad: dict
    change: dict
    bad_change: dict
    told: str
    told_of_change: str
    webhook: str
    webhook_of_change: str
    namespaced: bool = True

    @property
    def plural(self):
        return self.kind.lower() + "s"

    @property
    def group(self):
        return self.version.rpartition("/")[0]

    @property
    def resource(self):
        """As kubectl takes it, whatever else has that name."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace, name=None):
        root = f"/apis/{self.version}" if self.group else f"/api/{self.version}"
        place = f"/namespaces/{namespace}" if self.namespaced else ""
        return f"{root}{place}/{self.plural}" + (f"/{name}" if name else "")

    def body(self, name, *patches):
        body = {"apiVersion": self.version, "kind": self.kind, **self.good}
        for patch in [{"metadata": {"name": name}}, *patches]:
            body = merged(body, patch)
        return body

    def __str__(self):
        return self.plural


def spec(**fields):
    return {"spec": fields}


def notes(**annotations):
    return {"metadata": {"annotations": annotations}}


def flows(**targets_of):
    entries = [{"name": name, "dependsOn": {"targets": targets_of[name]}} for name in targets_of]
    return spec(flows=entries)


def members(pattern):
    return spec(members=[{"type": "Node", "selector": {"regexMatch": {"pattern": pattern}}}])


# Said in full, so that it can be applied again: a list is applied as a whole.
WORK = task("work", 2, minAvailable=2, maxRetry=3)
# The resource group says who schedules it.
POD_SPEC = {k: v for k, v in pod("any", cpu="100m")["spec"].items() if k != "schedulerName"}
GROUP_NOTE = "volcano.sh/resource-group"
BUDGET_NOTE = "volcano.sh/jdb-min-available"

KINDS = [
    Kind(
        version="batch.volcano.sh/v1alpha1",
        kind="Job",
        good=spec(tasks=[WORK]),
        filled=spec(queue="default", schedulerName="volcano", maxRetry=3, minAvailable=2),
        bad=spec(minAvailable=5),
        webhook="validatejob.volcano.sh",
        told="job 'minAvailable' should not be greater than total replicas in tasks;",
        change=spec(minAvailable=1),
        bad_change=spec(queue="other"),
        webhook_of_change="validatejob.volcano.sh",
        told_of_change="job updates may not change fields other than `minAvailable`",
    ),
    Kind(
        version="v1",
        kind="Pod",
        good={**notes(**{GROUP_NOTE: SHELF, BUDGET_NOTE: "1"}), **spec(**POD_SPEC)},
        filled=spec(schedulerName="volcano", nodeSelector={"place": SHELF}),
        bad=notes(**{BUDGET_NOTE: "0%"}),
        webhook="validatepod.volcano.sh",
        told='invalid value <"0%"> for volcano.sh/jdb-min-available',
        change={"metadata": {"labels": {"changed": "yes"}}},
        bad_change=spec(nodeSelector={"place": "elsewhere"}),
        webhook_of_change="",
        told_of_change="pod updates may not change fields other than",
    ),
    Kind(
        version="scheduling.volcano.sh/v1beta1",
        kind="PodGroup",
        good=spec(minMember=1),
        filled=spec(queue=QUEUE),
        bad=spec(queue="nowhere"),
        webhook="validatepodgroup.volcano.sh",
        told='unable to find queue: queue.scheduling.volcano.sh "nowhere" not found',
        change=spec(minMember=2),
        bad_change=spec(minMember=-1),
        webhook_of_change="",
        told_of_change="spec.minMember: Invalid value: -1",
    ),
    Kind(
        version="scheduling.volcano.sh/v1beta1",
        kind="Queue",
        namespaced=False,
        good=spec(capability={"cpu": "8"}),
        filled=spec(weight=1, reclaimable=True),
        bad=spec(deserved={"cpu": "9"}),
        webhook="validatequeue.volcano.sh",
        told="deserved[cpu]=9 must be <= capability[cpu]=8",
        change=spec(weight=2),
        bad_change=spec(capability={"cpu": "-1"}),
        webhook_of_change="validatequeue.volcano.sh",
        told_of_change="must be greater than or equal to 0",
    ),
    Kind(
        version="flow.volcano.sh/v1alpha1",
        kind="JobFlow",
        good=flows(a=[], b=["a"]),
        filled={},
        bad=flows(a=["b"], b=["a"]),
        webhook="validatejobflow.volcano.sh",
        told="jobflow Flow is not DAG",
        change=flows(a=[], b=["a"], c=["a", "b"]),
        bad_change=flows(a=[], b=["z"]),
        webhook_of_change="validatejobflow.volcano.sh",
        told_of_change="jobflow Flow is not DAG: vertex is not defined: z",
    ),
    Kind(
        version="batch.volcano.sh/v1alpha1",
        kind="CronJob",
        good=spec(schedule=NEW_YEAR, jobTemplate=spec(**job_spec([task()]))),
        filled=spec(concurrencyPolicy="Allow", suspend=False, successfulJobsHistoryLimit=3),
        bad=spec(schedule="every day"),
        webhook="validatecronjob.volcano.sh",
        told="schedule is not a valid cron expression",
        change=spec(schedule="0 0 2 1 *"),
        bad_change=spec(timeZone="Amerrica/New_York"),
        webhook_of_change="validatecronjob.volcano.sh",
        told_of_change="invalid timeZone",
    ),
    Kind(
        version="topology.volcano.sh/v1alpha1",
        kind="HyperNode",
        namespaced=False,
        good=merged(spec(tier=1), members("^rack-[0-9]+$")),
        filled={},
        bad=members("a(b"),
        webhook="validatehypernodes.volcano.sh",
        told="member regexMatch pattern is invalid: error parsing regexp: missing closing )",
        change=members("^shelf-[0-9]+$"),
        bad_change=members("x[a"),
        webhook_of_change="validatehypernodes.volcano.sh",
        told_of_change="error parsing regexp: missing closing ]: `[a`",
    ),
]


class ByKubectl:
    """As a user does it: what is refused is on stderr, and the code is 1."""

    def __init__(self, kubectl):
        self._kubectl = kubectl

    def make(self, kind, body):
        self._kubectl("apply", "-f", "-", stdin=_manifest(body))

    def change(self, kind, body, patch):
        said = self._kubectl("apply", "-f", "-", stdin=_manifest(merged(body, patch)))
        assert said.endswith(" configured\n"), said

    def refusal(self, kind, body):
        return self._refused("create", "-f", "-", stdin=_manifest(body))

    def refusal_of_change(self, kind, body, patch):
        name = body["metadata"]["name"]
        return self._refused("patch", kind.resource, name, "--type=merge", "-p", json.dumps(patch))

    def _refused(self, *args, stdin=None):
        done = self._kubectl.run(*args, stdin=stdin)
        assert (done.returncode, done.stdout) == (1, ""), done
        return done.stderr


class ByClient:
    """As a program does it, with the official client."""

    def __init__(self, api_client, namespace):
        self._namespace = namespace
        self._core = client.CoreV1Api(api_client)
        self._custom = client.CustomObjectsApi(api_client)

    def _place(self, kind):
        """Where objects of a custom kind are, for the methods that speak of them."""
        version = kind.version.rpartition("/")[2]
        return (kind.group, version, *([self._namespace] if kind.namespaced else []), kind.plural)

    def make(self, kind, body):
        if not kind.group:
            return self._core.create_namespaced_pod(self._namespace, body)
        if kind.namespaced:
            return self._custom.create_namespaced_custom_object(*self._place(kind), body)
        return self._custom.create_cluster_custom_object(*self._place(kind), body)

    def change(self, kind, body, patch):
        name = body["metadata"]["name"]
        if not kind.group:
            return self._core.patch_namespaced_pod(name, self._namespace, patch)
        if kind.namespaced:
            return self._custom.patch_namespaced_custom_object(*self._place(kind), name, patch)
        return self._custom.patch_cluster_custom_object(*self._place(kind), name, patch)

    def refusal(self, kind, body):
        return self._refused(self.make, kind, body)

    def refusal_of_change(self, kind, body, patch):
        return self._refused(self.change, kind, body, patch)

    @staticmethod
    def _refused(method, *args):
        try:
            made = method(*args)
        except client.ApiException as refusal:
            assert refusal.status in (400, 422), refusal
            return json.loads(refusal.body)["message"]
        raise AssertionError(f"allowed: {made}")


def _manifest(body):
    # A leading mark: kubectl before 1.33 takes a stream that begins with a brace for JSON alone.
    return f"---\n{json.dumps(body)}\n"
