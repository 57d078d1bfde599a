"""vcctl doctor on an installation, in order and out of it."""

import datetime
import json

import pytest

from support import accounts, quick_yaml
from support.poll import until
from support.processes import ROOT
from support.rest import MERGE_PATCH
from support.vcctl import Vcctl

GROUPS = {
    "ServiceAccount": "/api/v1",
    "ConfigMap": "/api/v1",
    "Service": "/api/v1",
    "Deployment": "/apis/apps/v1",
}
RBAC = "/apis/rbac.authorization.k8s.io/v1"
PARTS = ("scheduler", "controllers", "admission", "agent_scheduler")
FILES = [f"{part}/{name}.yaml" for part in PARTS for name in ("rbac", "configmap", "deployment")]


def path_of(body):
    kind, namespace = body["kind"], body["metadata"].get("namespace")
    place = f"/namespaces/{namespace}" if namespace else ""
    return f"{GROUPS.get(kind, RBAC)}{place}/{kind.lower()}s"


@pytest.fixture
def deployed(installed):
    """The objects of deploy/, as far as the doctor looks at them."""
    rest = installed.rest()
    made = []
    for name in FILES:
        for body in quick_yaml.load_all((ROOT / "deploy" / name).read_text()):
            if rest.post(path_of(body), body).status == 201:
                made.append(f"{path_of(body)}/{body['metadata']['name']}")
    yield rest
    for path in reversed(made):
        rest.delete(path)


@pytest.fixture
def look(installed, tmp_path):
    vcctl = Vcctl(installed.kubeconfig, tmp_path)

    def points(area, level=None):
        done = vcctl("doctor", "-o", "json")
        told = json.loads(done.out)
        assert done.code == (255 if told["faults"] else 0), done
        chosen = [p for p in told["points"] if p["area"] == area]
        return {p["subject"]: p for p in chosen if level in (None, p["level"])}

    return points


def set_ready(rest, name, ready):
    path = f"/apis/apps/v1/namespaces/volcano-system/deployments/{name}/status"
    status = {"replicas": 2, "readyReplicas": ready}
    rest.patch(path, {"status": status}, MERGE_PATCH).expect(200)


def test_definitions_and_server_are_in_order(look):
    assert set(look("server")) == {"version", "clock"}
    assert {p["level"] for p in look("server").values()} == {"ok"}
    found = look("definitions")
    assert {p["level"] for p in found.values()} == {"ok"}, found
    assert len(found) == len(list((ROOT / "deploy/crds").glob("*.yaml")))


# On the real server a controller writes these statuses, and nobody runs the pods.
@pytest.mark.backend("embedded")
def test_daemons_that_have_ready_pods(deployed, look):
    name = "volcano-system/volcano-scheduler"
    for ready, level in ((2, "ok"), (1, "warning"), (0, "fault")):
        set_ready(deployed, "volcano-scheduler", ready)
        assert look("daemons")[name]["level"] == level


def test_daemons_leases_and_policy(deployed, look):
    name = "volcano-system/volcano-scheduler"
    assert look("daemons")[name]["level"] == "fault"
    assert look("policy")["volcano-system/volcano-scheduler-configmap"]["found"] == "accepted"
    of_agent = "volcano-system/volcano-agent-scheduler-configmap"
    assert look("policy")[of_agent]["found"] == "accepted"
    for name in ("volcano", "agent-scheduler"):
        lease = look("leases")[f"volcano-system/{name}"]
        assert (lease["level"], lease["found"]) == ("fault", "is not there: nobody ever led")
    now = datetime.datetime.now(datetime.timezone.utc)
    path = "/apis/coordination.k8s.io/v1/namespaces/volcano-system/leases"
    spec = {"holderIdentity": "pod-1_x", "leaseDurationSeconds": 15}
    spec["renewTime"] = now.strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": spec}
    deployed.post(path, {**body, "metadata": {"name": "volcano"}}).expect(201)
    try:
        lease = look("leases")["volcano-system/volcano"]
        assert "there is no such pod" in lease["found"], lease
        old = {"spec": {"renewTime": "2026-01-01T00:00:00.000000Z"}}
        deployed.patch(f"{path}/volcano", old, MERGE_PATCH).expect(200)
        assert look("leases")["volcano-system/volcano"]["level"] == "fault"
    finally:
        deployed.delete(f"{path}/volcano")


def test_two_schedulers_of_one_name(deployed, look):
    [body] = quick_yaml.load_all((ROOT / "deploy/scheduler/deployment.yaml").read_text())
    body["metadata"]["name"] = "second"
    container = body["spec"]["template"]["spec"]["containers"][0]
    container["args"] = [a for a in container["args"] if "leader-elect" not in a]
    container["args"] += ["--leader-elect=false"]
    path = path_of(body)
    deployed.post(path, body).expect(201)
    try:
        pair = look("daemons")["volcano-system/second and volcano-system/volcano-scheduler"]
    finally:
        deployed.delete(f"{path}/second")
    assert pair["level"] == "fault" and "nothing keeps them apart" in pair["found"], pair


def test_roles_are_those_of_the_manifests(deployed, look):
    found = look("roles")
    assert set(found) == {f"volcano-system/volcano-{p.replace('_', '-')}" for p in PARTS}
    assert {p["level"] for p in found.values()} == {"ok"}, found


@pytest.mark.backend("kube")
def test_a_right_that_a_role_lacks_is_named(deployed, look):
    path = f"{RBAC}/clusterroles/volcano-scheduler"
    whole = deployed.get(path).expect(200)["rules"]
    rules = [r for r in whole if r["resources"] != ["pods/binding"]]
    assert len(rules) == len(whole) - 1
    deployed.patch(path, {"rules": rules}, MERGE_PATCH).expect(200)
    name = "volcano-system/volcano-scheduler"
    until(lambda: look("roles")[name]["level"] == "fault", 30, "the fault is seen")
    assert look("roles")[name]["found"] == "may not create pods/binding"
    deployed.patch(path, {"rules": whole}, MERGE_PATCH).expect(200)


@pytest.mark.backend("kube")
def test_who_may_read_nothing_is_told_what_was_not_checked(installed, deployed, tmp_path):
    body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "nobody"}}
    deployed.post("/api/v1/namespaces/default/serviceaccounts", body).expect(201)
    kubeconfig = accounts.kubeconfig_of(installed, "default", "nobody", tmp_path)
    told = json.loads(Vcctl(kubeconfig, tmp_path)("doctor", "-o", "json").out)
    assert told["faults"] == 0 and told["notChecked"] >= 8, told
    assert all(
        "forbidden" in p["found"] for p in told["points"] if p["level"] == "notChecked"
    ), told
