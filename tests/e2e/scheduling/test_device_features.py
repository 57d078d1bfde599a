"""What claims may ask for beside devices of one node, each for itself: on both servers, with objects as
the real one takes them."""

import pytest

from support.devices import ADMIN_LABEL, Devices, claims
from support.poll import until

NONE_LEFT = "cannot allocate all claims"
EXTENDED = "resource.kubernetes.io/extended-resource-claim"


@pytest.fixture
def devices(world):
    return Devices(world)


def test_administrators_look_at_devices_that_others_have(world, scheduler, devices):
    node = world.node()
    devices.slice(node, "d0")
    looks = {"adminAccess": True, "allocationMode": "All"}
    refused = devices.claim_with("looks", expect=422, **looks)
    assert ADMIN_LABEL in refused["message"], refused
    devices.allow_admin_access()
    devices.claim_with("looks", **looks)
    world.gang("looks", 1, **claims("looks"))
    world.wait_placed(["looks-0"])
    (result,) = devices.results("looks")
    assert (result["device"], result["adminAccess"]) == ("d0", True)
    # It keeps nobody off, and is not kept off by who has the device.
    devices.claim("uses")
    world.gang("uses", 1, **claims("uses"))
    world.wait_placed(["uses-0"])
    devices.claim_with("too", **looks)
    world.gang("too", 1, **claims("too"))
    world.wait_placed(["too-0"])
    assert devices.given("looks") == devices.given("uses") == devices.given("too") == [f"{node}/d0"]
    devices.claim("more")
    world.gang("more", 1, **claims("more"))
    world.wait_pod_told("more-0", NONE_LEFT)


def test_claims_share_a_device_as_far_as_its_capacity_goes(world, scheduler, devices):
    node = world.node()
    capacity = {"memory": {"value": "10Gi"}}
    devices.slice(node, {"name": "d0", "allowMultipleAllocations": True, "capacity": capacity})

    def wants(name, memory):
        devices.claim_with(name, capacity={"requests": {"memory": memory}})
        world.gang(name, 1, **claims(name))

    wants("a", "4Gi")
    wants("b", "4Gi")
    world.wait_placed(["a-0", "b-0"])
    wants("c", "4Gi")
    world.wait_pod_told("c-0", NONE_LEFT)
    wants("d", "2Gi")
    world.wait_placed(["d-0"])
    results = [devices.results(name)[0] for name in "abd"]
    assert {(r["pool"], r["device"]) for r in results} == {(node, "d0")}
    assert len({r["shareID"] for r in results}) == 3
    consumed = [r["consumedCapacity"] for r in results]
    assert consumed == [{"memory": "4Gi"}, {"memory": "4Gi"}, {"memory": "2Gi"}]
    # A part that comes back is somebody else's.
    world.delete_pod("a-0")
    devices.wait_collected(lambda: "c-0" in world.placement(), "c-0 gets what a-0 had")
    assert devices.given("c") == [f"{node}/d0"]


def test_devices_serve_an_extended_resource(world, scheduler, devices):
    world.node()
    node = world.node()
    devices.slice(node, "d0", "d1")
    resource = devices.extended_class()
    amounts = {resource: "2"}
    container = {"resources": {"requests": amounts, "limits": amounts}}
    asks = {"cpu": None, "memory": None, "container": container}
    world.gang("g", 1, **asks)
    assert world.wait_placed(["g-0"])["g-0"] == node
    told = world.read_pod("g-0")["status"]["extendedResourceClaimStatus"]
    name = told["resourceClaimName"]
    claim = devices.read(name)
    assert claim["metadata"]["annotations"][EXTENDED] == "true"
    (owner,) = claim["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("Pod", "g-0")
    assert devices.users(name) == ["g-0"]
    assert sorted(devices.given(name)) == [f"{node}/d0", f"{node}/d1"]
    (mapping,) = told["requestMappings"]
    assert (mapping["containerName"], mapping["resourceName"]) == ("main", resource)
    assert {r["request"] for r in devices.results(name)} == {mapping["requestName"]}
    # Nothing is left for another one, until the first one goes, and its claim with it.
    world.gang("h", 1, **asks)
    world.wait_pod_condition("h-0", status="False", reason="Unschedulable")
    world.delete_pod("g-0")
    devices.wait_collected(lambda: "h-0" in world.placement(), "h-0 gets what g-0 had", 60)
    devices.wait_collected(
        lambda: world.rest.get(f"{devices.claims}/{name}").status == 404, f"{name} is gone", 60
    )


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_a_rule_taints_devices_from_when_it_appears_until_it_goes(
    world, new_scheduler, devices, effect
):
    if not devices.serves_taint_rules():
        pytest.skip("the server does not serve DeviceTaintRules: resource.k8s.io/v1beta2 is off")
    new_scheduler(flags=["--feature-gates=DRADeviceTaintRules=true"]).wait_ready()
    node = world.node()
    devices.slice(node, *[f"d{i}" for i in range(12)])
    devices.claim("before")
    world.gang("before", 1, **claims("before"))
    world.wait_placed(["before-0"])
    rule = devices.taint_rule(effect, pool=node)

    def answer(name):
        devices.claim(name)
        world.gang(name, 1, **claims(name))
        pod = f"{name}-0"
        until(
            lambda: world.placement().get(pod) or none_left(world, pod), 30, f"{pod} has an answer"
        )
        return world.placement().get(pod)

    # The rule may come to the scheduler a moment after a pod that was made later.
    waiting = next((f"c{i}" for i in range(8) if not answer(f"c{i}")), None)
    assert waiting, "the rule counts"
    tolerations = [{"key": "example.com/broken", "operator": "Exists"}]
    devices.claim_with("bears", tolerations=tolerations)
    world.gang("bears", 1, **claims("bears"))
    assert world.wait_placed(["bears-0"])["bears-0"] == node
    assert f"{waiting}-0" not in world.placement()
    assert devices.given("before") == [f"{node}/d0"]
    devices.drop_taint_rule(rule)
    world.wait_placed([f"{waiting}-0"])


def none_left(world, pod):
    return NONE_LEFT in ((world.pod_condition(pod) or {}).get("message") or "")


def pinned(world, name, node, claim):
    """A pod with the claim that can go to that node only."""
    world.pod_group(name, 1)
    selector = {"kubernetes.io/hostname": node}
    world.pod(name, group=name, nodeSelector=selector, **claims(claim))


def test_devices_that_every_node_reaches(world, scheduler, devices):
    first, second = world.nodes(2)
    pool = devices.wide_slice("d0", "d1", allNodes=True)
    devices.claim("shared")
    pinned(world, "p", first, "shared")
    pinned(world, "q", second, "shared")
    assert world.wait_placed(["p", "q"]) == {"p": first, "q": second}
    assert "nodeSelector" not in devices.read("shared")["status"]["allocation"]
    assert sorted(devices.users("shared")) == ["p", "q"]
    devices.claim("own")
    pinned(world, "r", second, "own")
    world.wait_placed(["r"])
    assert sorted(devices.given("shared") + devices.given("own")) == [f"{pool}/d0", f"{pool}/d1"]
    devices.claim("more")
    world.gang("more", 1, **claims("more"))
    world.wait_pod_told("more-0", NONE_LEFT)


def test_devices_of_one_pool_that_are_each_somewhere_else(world, scheduler, devices):
    first, second = world.nodes(2)
    pool = devices.wide_slice(
        {"name": "d0", "nodeName": first},
        {"name": "d1", "nodeName": second},
        {"name": "d2", "allNodes": True},
        perDeviceNodeSelection=True,
    )
    devices.claim("two", 2)
    pinned(world, "p", second, "two")
    world.wait_placed(["p"])
    assert devices.given("two") == [f"{pool}/d1", f"{pool}/d2"]
    devices.claim("there")
    pinned(world, "q", second, "there")
    world.wait_pod_told("q", NONE_LEFT)
    devices.claim("here")
    pinned(world, "r", first, "here")
    world.wait_placed(["r"])
    assert devices.given("here") == [f"{pool}/d0"]


def test_claims_from_a_template_are_made_for_their_pods_and_go_with_them(
    world, scheduler, devices
):
    node = world.node()
    devices.slice(node, "d0", "d1")
    devices.template("one")
    asks = {"resourceClaims": [{"name": "d", "resourceClaimTemplateName": "one"}]}
    world.gang("g", 2, min_member=1, **asks)
    devices.wait_collected(lambda: len(world.placement()) == 2, "both have a place")
    made = [devices.made_for(f"g-{i}") for i in range(2)]
    given = [device for name in made for device in devices.given(name)]
    assert sorted(given) == [f"{node}/d0", f"{node}/d1"]
    assert [devices.users(name) for name in made] == [["g-0"], ["g-1"]]
    world.gang("h", 1, **asks)
    devices.wait_collected(lambda: none_left(world, "h-0"), "h-0 has a claim, and waits")
    world.delete_pod("g-0")
    devices.wait_collected(lambda: "h-0" in world.placement(), "h-0 gets what g-0 had", 60)
    assert devices.given(devices.made_for("h-0")) + devices.given(made[1]) == given
    devices.wait_collected(
        lambda: world.rest.get(f"{devices.claims}/{made[0]}").status == 404, "its claim is gone", 60
    )
