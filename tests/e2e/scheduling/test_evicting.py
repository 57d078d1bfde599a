"""Actions that evict, with the roles of deploy/overlays/evicting: what goes, and what is told."""

import datetime

import pytest

from support.poll import always, until

CONF = """\
actions: "enqueue, allocate, {action}, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: predicates
  - name: proportion
  - name: nodeorder
"""

SHUFFLE = """\
actions: "enqueue, allocate, shuffle"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: tdm
    arguments:
      tdm.revocable-zone.lent: {window}
      tdm.evict.period: 1s
"""

GATES = CONF.replace("proportion", "capacity").replace(" {action},", "")
GATE = "scheduling.volcano.sh/queue-allocation-gate"


def events(world, name, reason):
    path = f"/api/v1/namespaces/{world.namespace}/events"
    found = world.rest.get(path, fieldSelector=f"involvedObject.name={name}").expect(200)
    return [e["message"] for e in found["items"] if e["reason"] == reason]


def transactions(daemon, action):
    return daemon.metrics().get(f'volcano_eviction_transactions_total{{action="{action}"}}', 0)


def running(world, names):
    """Waits until these pods run."""
    until(
        lambda: all(world.read_pod(n)["status"].get("phase") == "Running" for n in names),
        30,
        lambda: f"running: {names}",
    )


def left(world, names):
    """Those of them that are still there and stay."""
    there = {p["metadata"]["name"]: p["metadata"] for p in world.pods()}
    return [n for n in names if n in there and "deletionTimestamp" not in there[n]]


def one_went(world, names, action, beneficiary):
    """One of these pods has been evicted, and its event says for whom."""
    gone = until(
        lambda: set(names) - set(left(world, names)), 30, lambda: f"one of {names} is evicted"
    )
    assert len(gone) == 1, gone
    text = f"Pod is evicted, because of {action}, for {world.namespace}/{beneficiary}"
    told = lambda: events(world, min(gone), "Evict")
    until(lambda: told() == [text], 10, lambda: f"{text}: {told()}")


class Classes:
    def __init__(self, world):
        self.low, self.high = world.priority_class(1), world.priority_class(1000)

    def gang(self, world, name, size, which, **more):
        group = {"priorityClassName": which}
        return world.gang(name, size, 1, group=group, priorityClassName=which, **more)


@pytest.mark.parametrize("action", ["preempt", "gangpreempt"])
def test_room_is_made_inside_a_queue(world, nodesim, new_scheduler, evicting, action):
    world.node(cpu=2)
    daemon = new_scheduler(conf=CONF.format(action=action), kubeconfig=evicting)
    classes = Classes(world)
    low = classes.gang(world, "low", 2, classes.low)
    world.wait_placed(low)
    running(world, low)
    assert transactions(daemon, action) == 0
    high = classes.gang(world, "high", 1, classes.high)
    world.wait_placed(high)
    one_went(world, low, action, "high-0")
    assert transactions(daemon, action) == 1


@pytest.mark.parametrize("action", ["reclaim", "gangreclaim"])
def test_a_queue_gets_back_what_it_deserves(world, nodesim, new_scheduler, evicting, action):
    world.node(cpu=2)
    daemon = new_scheduler(conf=CONF.format(action=action), kubeconfig=evicting)
    greedy, late = world.queue(), world.queue()
    taken = world.gang("taken", 2, 1, group={"queue": greedy})
    world.wait_placed(taken)
    running(world, taken)
    wanted = world.gang("wanted", 1, group={"queue": late})
    world.wait_placed(wanted)
    one_went(world, taken, action, "wanted-0")
    assert transactions(daemon, action) == 1


def test_shuffle_clears_nodes_that_were_lent(world, nodesim, new_scheduler, evicting):
    now = datetime.datetime.now()
    begin, end = (now + datetime.timedelta(hours=h) for h in (2, 3))
    node = world.node(cpu=2, labels={"volcano.sh/revocable-zone": "lent"})
    world.pod_group("guest", 1)
    preemptable = {"annotations": {"volcano.sh/preemptable": "true"}}
    world.pod("guest-0", group="guest", metadata=preemptable, nodeName=node)
    running(world, ["guest-0"])
    window = f"{begin:%H:%M}-{end:%H:%M}"
    new_scheduler(conf=SHUFFLE.format(window=window), kubeconfig=evicting)
    until(lambda: not left(world, ["guest-0"]), 30, "the guest is evicted")
    until(
        lambda: events(world, "guest-0", "Evict") == ["Pod is evicted, because of shuffle"],
        10,
        lambda: f"the event: {events(world, 'guest-0', 'Evict')}",
    )


def test_the_gate_of_the_queue_is_taken_off(world, new_scheduler, evicting):
    world.node(cpu=2)
    gates = "--feature-gates=SchedulingGatesQueueAdmission=true"
    new_scheduler(conf=GATES, flags=[gates], kubeconfig=evicting)
    world.pod_group("gated", 1)
    asked = {"annotations": {GATE: "true"}}
    world.pod("gated-0", group="gated", metadata=asked, schedulingGates=[{"name": GATE}])
    world.wait_placed(["gated-0"])
    assert not world.read_pod("gated-0")["spec"].get("schedulingGates")


def test_what_a_budget_forbids_is_not_counted(world, nodesim, new_scheduler, evicting):
    world.node(cpu=1)
    daemon = new_scheduler(conf=CONF.format(action="preempt"), kubeconfig=evicting)
    classes = Classes(world)
    app = {"labels": {"app": "kept"}}
    low = classes.gang(world, "low", 1, classes.low, metadata=app)
    world.wait_placed(low)
    running(world, low)
    world.budget("kept", app["labels"], maxUnavailable=0)
    classes.gang(world, "high", 1, classes.high)
    told = lambda: events(world, "low-0", "EvictionRefused")
    until(told, 30, lambda: f"the refusal is told: {daemon.process.tail()}")
    assert left(world, low) == low
    assert transactions(daemon, "preempt") == 0


@pytest.mark.backend("kube")
def test_the_base_role_evicts_nobody(world, nodesim, new_scheduler):
    world.node(cpu=1)
    daemon = new_scheduler(conf=CONF.format(action="preempt"), refusals=True)
    classes = Classes(world)
    low = classes.gang(world, "low", 1, classes.low)
    world.wait_placed(low)
    running(world, low)
    classes.gang(world, "high", 1, classes.high)
    said = lambda: [line for line in daemon.warnings() if " eviction.forbidden " in line]
    until(said, 30, lambda: f"the log names the right: {daemon.process.tail()}")
    assert "cannot create resource" in said()[0] and "deploy/overlays/evicting" in said()[0]

    def told():
        listed = world.rest.get("/api/v1/namespaces/default/events").expect(200)["items"]
        return [e["message"] for e in listed if e["reason"] == "EvictionForbidden"]

    until(told, 30, lambda: f"the root queue has the event: {daemon.process.tail()}")
    assert "create pods/eviction" in told()[-1], told()
    # Each further refusal is counted, not told.
    always(lambda: len(said()) <= 2, 5, "the log stays quiet")
    assert not events(world, "low-0", "EvictionRefused")
    assert not [line for line in daemon.process.log().splitlines() if " cycle.acted " in line and "evicted=0" not in line]
    assert left(world, low) == low
    assert transactions(daemon, "preempt") == 0
