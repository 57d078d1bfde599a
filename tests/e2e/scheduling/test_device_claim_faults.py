"""Device claims when something goes wrong: refusals, crashes, drivers that fail, claims that go."""

import pytest

from support.bind_gate import BindGate
from support.devices import Devices, claims
from support.poll import always, until
from support.rest import MERGE_PATCH
from support.vcctl import explained

NONE_LEFT = "cannot allocate all claims"
# Kubernetes' own search for devices may cost that much; an expression that loops over a list of lists
# of its own making costs more.
LOOPS = "[0,1,2,3,4,5,6,7,8,9]"


@pytest.fixture
def devices(world):
    return Devices(world)


@pytest.fixture
def gate(world, tmp_path):
    made = BindGate(world, tmp_path)
    yield made
    made.close()


def test_a_refused_binding_gives_its_devices_back(world, scheduler, devices, gate):
    node = world.node()
    devices.slice(node, "d0")
    devices.claim("a")
    devices.claim("b")
    gate.refuse("g-0")
    world.gang("g", 1, **claims("a"))
    gate.wait_refused()
    devices.wait_free("a")
    # Somebody else may have it while the gang pauses.
    world.gang("h", 1, **claims("b"))
    world.wait_placed(["h-0"])
    assert devices.given("b") == [f"{node}/d0"]
    gate.open()
    world.wait_pod_told("g-0", NONE_LEFT)
    assert devices.given("a") == []
    world.delete_pod("h-0")
    devices.wait_collected(lambda: "g-0" in world.placement(), "g-0 gets what h-0 had")
    assert devices.users("a") == ["g-0"]


@pytest.fixture
def crashed(world, new_scheduler, devices, gate):
    """A scheduler that died when the claim was allocated and its pod was not bound; the node."""
    daemon = new_scheduler()
    node = world.node()
    devices.slice(node, "d0")
    devices.claim("a")
    gate.hold()
    world.gang("g", 1, **claims("a"))
    gate.wait_held()
    daemon.kill()
    gate.refuse()
    until(lambda: not gate.waiting, 30, "nothing waits at the gate")
    gate.open()
    assert (devices.given("a"), devices.users("a")) == ([f"{node}/d0"], ["g-0"])
    assert "g-0" not in world.placement()
    return daemon, node


def test_what_was_allocated_before_a_crash_is_used(world, devices, crashed):
    daemon, node = crashed
    devices.claim("b")
    world.gang("h", 1, **claims("b"))
    daemon.restart()
    assert world.wait_placed(["g-0"])["g-0"] == node
    assert (devices.given("a"), devices.users("a")) == ([f"{node}/d0"], ["g-0"])
    world.wait_pod_told("h-0", NONE_LEFT)


def test_what_was_allocated_for_a_pod_that_went_is_free(world, devices, crashed):
    daemon, node = crashed
    devices.claim("b")
    world.gang("h", 1, **claims("b"))
    world.delete_pod("g-0")
    daemon.restart()
    devices.wait_collected(lambda: "h-0" in world.placement(), "h-0 gets what g-0 had")
    assert devices.given("b") == [f"{node}/d0"] and devices.given("a") == []


def test_what_was_allocated_where_the_pod_cannot_go_any_more_is_given_up(world, devices, crashed):
    daemon, node = crashed
    world.rest.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}}, MERGE_PATCH)
    other = world.node()
    devices.slice(other, "d0")
    daemon.restart()
    assert world.wait_placed(["g-0"])["g-0"] == other
    assert (devices.given("a"), devices.users("a")) == ([f"{other}/d0"], ["g-0"])


def test_a_claim_that_is_deleted_in_use_keeps_its_device_until_its_pod_goes(
    world, scheduler, devices
):
    node = world.node()
    devices.slice(node, "d0")
    devices.claim("a")
    world.gang("g", 1, **claims("a"))
    world.wait_placed(["g-0"])
    world.rest.delete(f"{devices.claims}/a")
    assert devices.read("a")["metadata"]["deletionTimestamp"]
    devices.claim("b")
    world.gang("h", 1, **claims("b"))
    world.wait_pod_told("h-0", NONE_LEFT)
    # Nobody new may come to it.
    world.gang("i", 1, **claims("a"))
    world.wait_pod_told("i-0", 'resourceclaim "a" is being deleted')
    world.delete_pod("g-0")
    devices.wait_collected(lambda: "h-0" in world.placement(), "h-0 gets what g-0 had")
    until(lambda: world.rest.get(f"{devices.claims}/a").status == 404, 30, "a is gone")


def test_a_claim_that_is_deleted_before_the_binding_makes_the_pod_wait(
    world, scheduler, devices, gate
):
    node = world.node()
    devices.slice(node, "d0")
    devices.claim("a")
    gate.refuse()
    world.gang("g", 1, **claims("a"))
    gate.wait_refused()
    devices.wait_free("a")
    world.rest.delete(f"{devices.claims}/a")
    world.wait_pod_told("g-0", 'resourceclaim.resource.k8s.io "a" not found')
    gate.open()
    devices.claim("a")
    assert world.wait_placed(["g-0"])["g-0"] == node


def prepared(name):
    return {
        "name": name,
        "bindsToNode": True,
        "bindingConditions": ["x.io/ready"],
        "bindingFailureConditions": ["x.io/broken"],
    }


def test_a_driver_that_does_not_answer_holds_nobody_else_up(
    world, scheduler, devices, installed, tmp_path
):
    node = world.node()
    devices.slice(node, prepared("d0"))
    devices.claim("a")
    world.gang("g", 1, **claims("a"))
    until(lambda: devices.given("a"), 30, "it is allocated")
    results = devices.read("a")["status"]["allocation"]["devices"]["results"]
    assert results[0]["bindingConditions"] == ["x.io/ready"], results
    others = world.gang("others", 3)
    world.wait_placed(others)
    assert "g-0" not in world.placement()
    told = f"device {devices.driver}/{node}/d0", "is not ready: waits for x.io/ready"
    world.wait_pod_told("g-0", *told)
    assert told[1] in explained(installed, tmp_path, world, "g")
    devices.tell("a", "x.io/ready")
    assert world.wait_placed(["g-0"])["g-0"] == node


def test_a_device_that_cannot_be_made_ready_is_given_up(world, scheduler, devices):
    node = world.node()
    devices.slice(node, prepared("d0"))
    devices.claim("a")
    world.gang("g", 1, **claims("a"))
    until(lambda: devices.given("a"), 30, "it is allocated")
    devices.tell("a", "x.io/broken")
    world.wait_pod_told("g-0", "cannot be used: x.io/broken")
    assert "g-0" not in world.placement()


def test_a_crash_while_the_driver_is_at_work_loses_nothing(world, new_scheduler, devices):
    daemon = new_scheduler()
    node = world.node()
    devices.slice(node, prepared("d0"))
    devices.claim("a")
    world.gang("g", 1, **claims("a"))
    until(lambda: devices.users("a"), 30, "it is allocated")
    daemon.kill()
    devices.tell("a", "x.io/ready")
    daemon.restart()
    assert world.wait_placed(["g-0"])["g-0"] == node
    assert devices.users("a") == ["g-0"]


BAD_EXPRESSIONS = {
    "errs": ('device.attributes["nobody.io"].speed > 5', "no such key"),
    "errs in the end": (f"{LOOPS}.all(i, i < 20) && 1 / 0 > 0", "division by zero"),
    "costs too much": (
        "&&".join(
            [f"{LOOPS}.all(a,{LOOPS}.all(b,{LOOPS}.all(c,{LOOPS}.all(d,{LOOPS}.all(e,a+b+c+d+e>=0)))))"]
            * 2
        ),
        "cost",
    ),
}


def test_expressions_that_err_or_cost_too_much_make_their_pods_wait(world, scheduler, devices):
    node = world.node()
    devices.slice(node, *[f"d{i}" for i in range(8)])
    accepted = []
    for i, (text, word) in enumerate(BAD_EXPRESSIONS.values()):
        selectors = [{"cel": {"expression": text}}]
        body = {"requests": [devices.request(selectors=selectors)]}
        head = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}
        claim = {**head, "metadata": {"name": f"bad-{i}"}, "spec": {"devices": body}}
        answer = devices.rest.post(devices.claims, claim)
        if answer.status == 422:  # The server counts what an expression may cost.
            assert word in answer.text, answer.text
            continue
        answer.expect(201)
        accepted.append((i, word))
        world.gang(f"bad-{i}", 1, **claims(f"bad-{i}"))
    assert accepted
    for i, word in accepted:
        world.wait_pod_told(f"bad-{i}-0", "CEL", word)
    devices.claim("good")
    world.gang("good", 1, **claims("good"))
    world.wait_placed(["good-0"])


def test_of_two_generations_of_a_pool_the_younger_counts_when_it_is_whole(
    world, scheduler, devices
):
    node = world.node()
    old = devices.slice(node, "old-0", "old-1")
    devices.claim("a")
    world.gang("a", 1, **claims("a"))
    world.wait_placed(["a-0"])
    # One slice of two of the next generation: the old devices are no more, the new ones not all.
    devices.slice(node, "new-0", generation=2, of=2)
    devices.claim("all", selectors=[{"cel": {"expression": "true"}}])
    devices.claim("b", count=2)
    world.gang("b", 1, **claims("b"))
    world.wait_pod_told("b-0", NONE_LEFT)
    devices.slice(node, "new-1", generation=2, of=2)
    world.wait_placed(["b-0"])
    assert devices.given("b") == [f"{node}/new-0", f"{node}/new-1"]
    devices.drop_slice(old)
    devices.claim("c")
    world.gang("c", 1, **claims("c"))
    world.wait_pod_told("c-0", NONE_LEFT)
    always(lambda: devices.given("a") == [f"{node}/old-0"], 0.1, "who has one keeps it")


def test_devices_named_twice_are_lent_once(world, scheduler, devices):
    """By two drivers' slices, or by one driver in two pools: those are others. In one pool: one."""
    node = world.node()
    devices.slice(node, "d0", of=2)
    devices.slice(node, "d0", of=2)
    for name in "ab":
        devices.claim(name)
        world.gang(name, 1, **claims(name))
    waits = until(
        lambda: [n for n in "ab" if (world.pod_condition(f"{n}-0") or {}).get("message")],
        30,
        lambda: f"somebody waits: {world.placement()}",
    )
    given = devices.given("a") + devices.given("b")
    assert len(given) == len(set(given)) < 2, (given, waits)
