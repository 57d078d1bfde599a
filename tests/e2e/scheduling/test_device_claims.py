"""Pods with device claims go where the devices are, and nobody gets what another has."""

import pytest

from support import objects
from support.devices import RESOURCE, Devices, claims
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


@pytest.mark.backend("embedded")
def test_simulated_devices_from_a_template_to_the_end_of_their_pods(standalone_with):
    process, api = standalone_with("--nodes", 2, "--node-device", "gpu.example.com=2")
    request = {"name": "r", "exactly": {"deviceClassName": "gpu.example.com"}}
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpu"},
        "spec": {"spec": {"devices": {"requests": [request]}}},
    }
    home = f"{RESOURCE}/namespaces/default"
    api.post(f"{home}/resourceclaimtemplates", template).expect(201)
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
