"""Pods with device claims go where the devices are, and nobody gets what another has."""

import pytest

from support import objects
from support.controllers import Controllers
from support.devices import RESOURCE, Devices, claims
from support.jobs import BATCH, job_spec, task
from support.objects import SCHEDULING
from support.poll import until


@pytest.fixture
def devices(world):
    return Devices(world)


def test_a_claim_that_does_not_exist_is_named(world, scheduler, devices):
    world.node()
    world.gang("g", 1, **claims("nowhere"))
    entry = world.wait_pod_condition("g-0", status="False", reason="Unschedulable")
    assert 'resourceclaim.resource.k8s.io "nowhere" not found' in entry["message"], entry


def test_the_devices_of_a_node_draw_the_pod_there(world, scheduler, devices):
    world.node()
    node = world.node()
    numa = [{"name": f"d{i}", "attributes": {"numa": {"int": n}}} for i, n in enumerate([0, 1, 1])]
    devices.slice(node, *numa)
    same = [{"matchAttribute": f"{devices.driver}/numa"}]
    devices.claim("c", 2, constraints=same)
    world.gang("g", 1, **claims("c"))
    assert world.wait_placed(["g-0"])["g-0"] == node
    assert devices.given("c") == [f"{node}/d1", f"{node}/d2"]
    assert devices.users("c") == ["g-0"]
    selector = devices.read("c")["status"]["allocation"]["nodeSelector"]
    assert selector["nodeSelectorTerms"][0]["matchFields"][0]["values"] == [node]


def test_a_gang_with_one_device_too_few_takes_none(world, scheduler, devices):
    node = world.node()
    devices.slice(node, "d0")
    world.pod_group("g", 2)
    for i in range(2):
        devices.claim(f"c-{i}")
        world.pod(f"g-{i}", group="g", **claims(f"c-{i}"))
    world.wait_group_condition("g", "Unschedulable", status="True")
    assert world.placement() == {}
    assert devices.given("c-0") == devices.given("c-1") == []
    other = world.node()
    devices.slice(other, "d0")
    placed = world.wait_placed(["g-0", "g-1"])
    assert {placed["g-0"], placed["g-1"]} == {node, other}


def test_pods_share_a_claim_and_a_third_device_is_not_there(world, scheduler, devices):
    node = world.node()
    world.node()
    devices.slice(node, "d0")
    devices.claim("shared")
    devices.claim("more")
    world.gang("g", 3, **claims("shared"))
    placed = world.wait_placed(["g-0", "g-1", "g-2"])
    assert set(placed.values()) == {node}
    assert sorted(devices.users("shared")) == ["g-0", "g-1", "g-2"]
    world.gang("h", 1, **claims("more"))
    entry = world.wait_pod_condition("h-0", status="False", reason="Unschedulable")
    assert "cannot allocate all claims" in entry["message"], entry


def test_a_scheduler_that_starts_anew_gives_nothing_twice(world, new_scheduler, devices):
    node = world.node()
    devices.slice(node, "d0", "d1")
    devices.claim("a")
    devices.claim("b")
    devices.claim("c")
    first = new_scheduler()
    world.gang("g", 1, **claims("a"))
    world.wait_placed(["g-0"])
    first.close()
    new_scheduler()
    world.gang("h", 1, **claims("b"))
    world.wait_placed(["h-0"])
    assert sorted(devices.given("a") + devices.given("b")) == [f"{node}/d0", f"{node}/d1"]
    world.gang("i", 1, **claims("c"))
    entry = world.wait_pod_condition("i-0", status="False", reason="Unschedulable")
    assert "cannot allocate all claims" in entry["message"], entry


def template(device_class):
    request = {"name": "r", "exactly": {"deviceClassName": device_class}}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpu"},
        "spec": {"spec": {"devices": {"requests": [request]}}},
    }


@pytest.fixture
def whole(request, installed, tmp_path):
    """A cluster with four devices on two nodes and all that makes claims from templates and takes
    them back: a client, a namespace, and the class of the devices."""
    if installed.kind == "embedded":
        start = request.getfixturevalue("standalone_with")
        _, api = start("--nodes", 2, "--node-device", "gpu.example.com=2")
        yield api, "default", "gpu.example.com"
        return
    world = request.getfixturevalue("world")
    devices = Devices(world)
    for node in world.nodes(2):
        devices.slice(node, "d0", "d1")
    for fixture in ("scheduler", "nodesim"):
        request.getfixturevalue(fixture)
    controllers = Controllers(installed.kubeconfig, tmp_path)
    yield world.rest, world.namespace, devices.device_class
    controllers.close()


def test_a_job_that_is_deleted_gives_its_devices_back(whole):
    api, namespace, device_class = whole
    home = f"{RESOURCE}/namespaces/{namespace}"
    api.post(f"{home}/resourceclaimtemplates", template(device_class)).expect(201)
    jobs = f"{BATCH}/namespaces/{namespace}/jobs"
    wanted = {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]}

    def make(name, pods):
        head = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job"}
        body = {**head, "metadata": {"name": name}}
        spec = job_spec([task("t", pods, spec=wanted)])
        api.post(jobs, {**body, "spec": spec}).expect(201)

    def running(name):
        return (api.get(f"{jobs}/{name}").expect(200).get("status") or {}).get("running")

    def allocated():
        items = api.get(f"{home}/resourceclaims").expect(200)["items"]
        return [i for i in items if i.get("status", {}).get("allocation")]

    # The first one is made when the programs are there: whoever validates it may just be starting.
    until(lambda: api.get(jobs).status == 200, 30, "jobs are known")
    make("first", 4)
    until(lambda: running("first") == 4, 60, lambda: f"first runs: {running('first')}")
    assert len(allocated()) == 4
    make("second", 3)
    pods = f"/api/v1/namespaces/{namespace}/pods"

    def told():
        items = api.get(pods, labelSelector="volcano.sh/job-name=second").expect(200)["items"]
        conditions = [c for p in items for c in p.get("status", {}).get("conditions") or []]
        return [c for c in conditions if "cannot allocate all claims" in c.get("message", "")]

    until(told, 30, "the second one is told why it waits")
    api.delete(f"{jobs}/first", propagationPolicy="Background").expect(200)
    until(lambda: running("second") == 3, 60, lambda: f"second runs: {running('second')}")
    api.delete(f"{jobs}/second", propagationPolicy="Background").expect(200)
    until(
        lambda: api.get(f"{home}/resourceclaims").expect(200)["items"] == [],
        90,
        lambda: f"all claims are gone: {api.get(f'{home}/resourceclaims').text[:2000]}",
    )


@pytest.mark.backend("embedded")
def test_simulated_devices_from_a_template_to_the_end_of_their_pods(standalone_with):
    process, api = standalone_with("--nodes", 2, "--node-device", "gpu.example.com=2")
    home = f"{RESOURCE}/namespaces/default"
    api.post(f"{home}/resourceclaimtemplates", template("gpu.example.com")).expect(201)
    api.post(f"{SCHEDULING}/namespaces/default/podgroups", objects.pod_group("g", 1)).expect(201)
    wanted = {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]}
    ends = {"command": ["sleep", "1"]}
    for i in range(5):
        body = objects.pod(f"g-{i}", group="g", container=ends if i == 0 else None, **wanted)
        api.post("/api/v1/namespaces/default/pods", body).expect(201)

    def running():
        pods = api.get("/api/v1/namespaces/default/pods").expect(200)["items"]
        return sorted(p["status"]["phase"] for p in pods)

    # Four devices for five pods: the fifth gets the one of the pod that ends.
    until(
        lambda: running() == ["Running"] * 4 + ["Succeeded"],
        60,
        lambda: f"all had a device: {running()}; its log:\n{process.tail()}",
    )
    items = api.get(f"{home}/resourceclaims").expect(200)["items"]
    given = [r for c in items for r in c["status"]["allocation"]["devices"]["results"]]
    assert len({(r["pool"], r["device"]) for r in given}) == len(given) == 4
