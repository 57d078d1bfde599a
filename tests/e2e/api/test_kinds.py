"""The kinds of deploy/crds: what is accepted, refused, filled in and kept."""

import pytest

from support.poll import until
from support.rest import MERGE_PATCH, TABLE

BATCH = "/apis/batch.volcano.sh/v1alpha1"
BUS = "/apis/bus.volcano.sh/v1alpha1"
FLOW = "/apis/flow.volcano.sh/v1alpha1"
SCHEDULING = "/apis/scheduling.volcano.sh/v1beta1"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

TEMPLATE = {
    "metadata": {"labels": {"a": "b"}, "creationTimestamp": None},
    "spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": "A", "value": "1"}]}]},
}


@pytest.fixture(scope="session")
def kinds(backend):
    """The backend with the kinds of deploy/crds, served."""
    backend.install_crds()
    rest = backend.rest()
    for path in (f"{BATCH}/cronjobs", f"{BUS}/commands", f"{FLOW}/jobtemplates"):
        until(lambda p=path: rest.get(p).status == 200, 30, f"{path} is served")
    return rest


@pytest.fixture
def make(kinds, namespace):
    """Creates an object in the test's namespace and answers what the server said."""

    def post(api, plural, name, **members):
        kind = {
            "jobs": "Job", "cronjobs": "CronJob", "commands": "Command", "jobflows": "JobFlow",
            "jobtemplates": "JobTemplate", "podgroups": "PodGroup",
        }[plural]
        body = {"apiVersion": api.removeprefix("/apis/"), "kind": kind,
                "metadata": {"name": name}, **members}
        return kinds.post(f"{api}/namespaces/{namespace}/{plural}", body)

    return post


def task(**more):
    return {"name": "t", "replicas": 1, "template": TEMPLATE, **more}


def test_every_definition_is_structural_and_served(kinds):
    found = {c["metadata"]["name"]: c for c in kinds.get(DEFINITIONS).expect(200)["items"]}
    ours = {name: c for name, c in found.items() if name.endswith(".volcano.sh")}
    assert len(ours) == 11
    for name, definition in ours.items():
        conditions = {c["type"]: c["status"] for c in definition["status"]["conditions"]}
        assert conditions.get("Established") == "True", name
        assert conditions.get("NamesAccepted") == "True", name
        assert conditions.get("NonStructuralSchema", "False") == "False", (name, conditions)


def test_a_job_gets_its_defaults_and_keeps_its_template(make):
    spec = {
        "tasks": [task(futureField=1, partitionPolicy={"totalPartitions": 1, "partitionSize": 1})],
        "networkTopology": {"highestTierAllowed": 1},
        "plugins": {"env": [], "ssh": ["--ssh-port=2222"]},
        "policies": [{"event": "*", "action": "AbortJob", "timeout": "1h"}],
        "unknown": 1,
    }
    made = make(BATCH, "jobs", "j", spec=spec).expect(201)["spec"]
    assert made["queue"] == "default" and made["maxRetry"] == 3
    assert made["networkTopology"]["mode"] == "hard"
    assert made["plugins"] == {"env": [], "ssh": ["--ssh-port=2222"]}
    assert "unknown" not in made and "futureField" not in made["tasks"][0]
    assert made["tasks"][0]["partitionPolicy"]["minPartitions"] == 0
    assert made["tasks"][0]["template"]["spec"] == TEMPLATE["spec"]
    assert made["tasks"][0]["template"]["metadata"]["labels"] == {"a": "b"}


@pytest.mark.parametrize(
    "spec, field",
    [
        ({"tasks": []}, "spec.tasks"),
        ({"minAvailable": -1}, "spec.minAvailable"),
        ({"queue": "Upper"}, "spec.queue"),
        ({"minSuccess": 0}, "spec.minSuccess"),
        ({"maxRetry": "3"}, "spec.maxRetry"),
        ({"tasks": [task(replicas=-1)]}, "spec.tasks[0].replicas"),
        ({"tasks": [task(name="Ps")]}, "spec.tasks[0].name"),
        ({"tasks": [task(topologyPolicy="some")]}, "spec.tasks[0].topologyPolicy"),
        ({"tasks": [task(template=[])]}, "spec.tasks[0].template"),
        (
            {"tasks": [task(template={"metadata": {"labels": {"a": 1}}})]},
            "spec.tasks[0].template.metadata.labels.a",
        ),
        (
            {"tasks": [task(partitionPolicy={"totalPartitions": 2})]},
            "spec.tasks[0].partitionPolicy.partitionSize",
        ),
        (
            {"tasks": [task(policies=[{"events": ["PodFailed", "Lunch"]}])]},
            "spec.tasks[0].policies[0].events[1]",
        ),
        ({"policies": [{"event": "Lunch"}]}, "spec.policies[0].event"),
        ({"volumes": [{"mountPath": "a:b"}]}, "spec.volumes[0].mountPath"),
        ({"volumes": [{"volumeClaimName": "c"}]}, "spec.volumes[0].mountPath"),
        ({"networkTopology": {"mode": "firm"}}, "spec.networkTopology.mode"),
    ],
)
def test_a_wrong_job_is_refused_by_its_field(make, spec, field):
    failure = make(BATCH, "jobs", "j", spec=spec).expect_failure(422, "Invalid")
    assert field in [c["field"] for c in failure["details"]["causes"]], failure


def test_the_status_of_a_job_is_a_subresource(kinds, make, namespace):
    made = make(BATCH, "jobs", "j", spec={"tasks": [task()]}, status={"running": 3}).expect(201)
    assert "status" not in made
    path = f"{BATCH}/namespaces/{namespace}/jobs/j"
    status = {
        "state": {"phase": "Running", "lastTransitionTime": "2026-01-02T03:04:05Z"},
        "running": 1,
        "minAvailable": 1,
        "taskStatusCount": {"t": {"phase": {"Running": 1}}},
        "runningDuration": "1m30s",
        "controlledResources": {"plugin-env": "env"},
        "conditions": [{"status": "Running", "lastTransitionTime": "2026-01-02T03:04:05Z"}],
    }
    kept = kinds.patch(f"{path}/status", {"status": status}, MERGE_PATCH).expect(200)
    assert kept["status"] == status
    kinds.patch(f"{path}/status", {"status": {"running": -1}}, MERGE_PATCH).expect_failure(
        422, "Invalid"
    )
    table = kinds.get(f"{BATCH}/namespaces/{namespace}/jobs", accept=TABLE).expect(200)
    columns = [(c["name"], c["priority"]) for c in table["columnDefinitions"]]
    assert columns == [
        ("Name", 0), ("STATUS", 0), ("minAvailable", 0), ("RUNNINGS", 0), ("AGE", 0), ("QUEUE", 1),
    ]
    cells = table["rows"][0]["cells"]
    assert cells[:4] == ["j", "Running", 1, 1] and cells[5] == "default"


def test_a_pod_group_has_no_status_subresource(kinds, make, namespace):
    made = make(SCHEDULING, "podgroups", "g", spec={}, status={"phase": "Pending"}).expect(201)
    assert made["status"]["phase"] == "Pending"
    assert kinds.get(f"{SCHEDULING}/namespaces/{namespace}/podgroups/g/status").status == 404


def test_a_cron_job_gets_its_defaults(make):
    template = {
        "metadata": {"labels": {"a": "b"}, "uid": "x", "name": "n"},
        "spec": {"tasks": [task()]},
    }
    spec = {"schedule": "@hourly", "jobTemplate": template}
    made = make(BATCH, "cronjobs", "c", spec=spec).expect(201)["spec"]
    assert made["concurrencyPolicy"] == "Allow" and made["suspend"] is False
    assert made["successfulJobsHistoryLimit"] == 3 and made["failedJobsHistoryLimit"] == 1
    assert made["jobTemplate"]["metadata"] == {"labels": {"a": "b"}, "name": "n"}
    assert made["jobTemplate"]["spec"]["queue"] == "default"
    assert made["jobTemplate"]["spec"]["tasks"][0]["template"]["spec"] == TEMPLATE["spec"]


@pytest.mark.parametrize(
    "spec, field",
    [
        ({"jobTemplate": {}}, "spec.schedule"),
        ({"schedule": "@hourly"}, "spec.jobTemplate"),
        ({"schedule": "", "jobTemplate": {}, "concurrencyPolicy": "Maybe"},
         "spec.concurrencyPolicy"),
        ({"schedule": "", "jobTemplate": {"spec": {"tasks": []}}},
         "spec.jobTemplate.spec.tasks"),
        ({"schedule": "", "jobTemplate": {}, "failedJobsHistoryLimit": -1},
         "spec.failedJobsHistoryLimit"),
    ],
)
def test_a_wrong_cron_job_is_refused_by_its_field(make, spec, field):
    failure = make(BATCH, "cronjobs", "c", spec=spec).expect_failure(422, "Invalid")
    assert field in [c["field"] for c in failure["details"]["causes"]], failure


def test_a_command_names_what_it_is_for(make):
    target = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "j", "uid": "u"}
    made = make(BUS, "commands", "c", action="OpenQueue", target=target, reason="r").expect(201)
    assert made["action"] == "OpenQueue" and made["target"] == target
    assert make(BUS, "commands", "e", action="AnyWord", target=target).expect(201)
    failure = make(BUS, "commands", "d", action="ResumeJob", target={"kind": "Job"})
    causes = failure.expect_failure(422, "Invalid")["details"]["causes"]
    assert {"target.apiVersion", "target.name", "target.uid"} <= {c["field"] for c in causes}


def test_flows_and_templates_are_checked(make):
    make(FLOW, "jobtemplates", "t", spec={"tasks": [task()]}).expect(201)
    flows = [{"name": "t"}, {"name": "u", "dependsOn": {"targets": ["t"]}}]
    make(FLOW, "jobflows", "f", spec={"flows": flows, "jobRetainPolicy": "delete"}).expect(201)
    for spec, field in [
        ({"flows": [{"name": ""}]}, "spec.flows[0].name"),
        ({"flows": [{}]}, "spec.flows[0].name"),
        ({"flows": [], "jobRetainPolicy": "burn"}, "spec.jobRetainPolicy"),
    ]:
        failure = make(FLOW, "jobflows", "g", spec=spec).expect_failure(422, "Invalid")
        assert field in [c["field"] for c in failure["details"]["causes"]], failure
    failure = make(FLOW, "jobtemplates", "v", spec={"tasks": []}).expect_failure(422, "Invalid")
    assert "spec.tasks" in [c["field"] for c in failure["details"]["causes"]]


@pytest.mark.parametrize(
    "api, plural, kind, good, bad, field",
    [
        ("shard.volcano.sh/v1alpha1", "nodeshards", "NodeShard",
         {"spec": {"nodesDesired": ["a"]}}, {"spec": {}}, "spec.nodesDesired"),
        ("nodeinfo.volcano.sh/v1alpha1", "numatopologies", "Numatopology",
         {"spec": {"numares": {"cpu": {"allocatable": "0-3", "capacity": 4}},
                   "cpuDetail": {"0": {"numa": 0, "socket": 0, "core": 0}},
                   "podAllocations": [{"uid": "u", "containerAllocations": [
                       {"name": "c", "allocations": {"cpu": "0"}}]}]}},
         {"spec": {"cpuDetail": {"0": {"numa": -1}}}}, "spec.cpuDetail.0.numa"),
        ("topology.volcano.sh/v1alpha1", "hypernodes", "HyperNode",
         {"spec": {"tier": 1, "members": [
             {"type": "Node", "selector": {"exactMatch": {"name": "a"}}}]}},
         {"spec": {"tier": 1, "members": []}}, "spec.members"),
        ("scheduling.volcano.sh/v1beta1", "queues", "Queue",
         {"spec": {"weight": 1, "capability": {"cpu": 4, "memory": "1Gi"}}},
         {"spec": {"weight": 0}}, "spec.weight"),
    ],
)
def test_cluster_wide_kinds_are_checked(kinds, api, plural, kind, good, bad, field):
    path = f"/apis/{api}/{plural}"
    until(lambda: kinds.get(path).status == 200, 30, f"{path} is served")
    body = {"apiVersion": api, "kind": kind, "metadata": {"name": f"e2e-{plural}"}}
    failure = kinds.post(path, {**body, **bad}).expect_failure(422, "Invalid")
    assert field in [c["field"] for c in failure["details"]["causes"]], failure
    try:
        made = kinds.post(path, {**body, **good}).expect(201)
        for key, value in good["spec"].items():
            assert made["spec"][key] == value
    finally:
        kinds.delete(f"{path}/e2e-{plural}")


def test_colocation_settings_get_their_defaults(kinds, namespace):
    path = f"/apis/config.volcano.sh/v1alpha1/namespaces/{namespace}/colocationconfigurations"
    until(lambda: kinds.get(path).status == 200, 30, f"{path} is served")
    body = {"apiVersion": "config.volcano.sh/v1alpha1", "kind": "ColocationConfiguration",
            "metadata": {"name": "c"}, "spec": {"selector": {}, "memoryQos": {"lowRatio": 10}}}
    made = kinds.post(path, body).expect(201)
    assert made["spec"] == {
        "selector": {}, "memoryQos": {"highRatio": 100, "lowRatio": 10, "minRatio": 0},
    }
    body["metadata"]["name"] = "d"
    body["spec"]["memoryQos"]["highRatio"] = 101
    failure = kinds.post(path, body).expect_failure(422, "Invalid")
    assert "spec.memoryQos.highRatio" in [c["field"] for c in failure["details"]["causes"]]


@pytest.mark.parametrize(
    "path, columns",
    [
        (f"{BATCH}/jobs", ["Name", "STATUS", "minAvailable", "RUNNINGS", "AGE"]),
        (f"{BATCH}/cronjobs", ["Name", "SCHEDULE", "SUSPEND", "LAST SCHEDULE", "AGE"]),
        (f"{FLOW}/jobflows", ["Name", "Status", "Age"]),
        (f"{FLOW}/jobtemplates", ["Name", "Age"]),
    ],
)
def test_kubectl_shows_the_columns_that_people_expect(kinds, path, columns):
    table = kinds.get(path, accept=TABLE).expect(200)
    shown = [c["name"] for c in table["columnDefinitions"] if c["priority"] == 0]
    assert [c.upper() for c in shown] == [c.upper() for c in columns]


def test_a_cron_job_shows_its_schedule(kinds, make, namespace):
    template = {"spec": {"tasks": [{"name": "a", "replicas": 1, "template": TEMPLATE}]}}
    spec = {"schedule": "0 0 1 1 *", "jobTemplate": template}
    make(BATCH, "cronjobs", "c", spec=spec).expect(201)
    make(FLOW, "jobtemplates", "t", spec=template["spec"]).expect(201)

    def cells(api, plural):
        path = f"{api}/namespaces/{namespace}/{plural}"
        return kinds.get(path, accept=TABLE).expect(200)["rows"][0]["cells"]

    assert cells(BATCH, "cronjobs")[:3] == ["c", "0 0 1 1 *", False]
    assert cells(FLOW, "jobtemplates")[0] == "t"
