"""Why nobody is evicted, as the one who waits is told."""

import json

import yaml

from support import clock
from support.objects import SCHEDULING
from support.poll import until
from support.processes import ROOT
from support.scheduler import CONF

PREEMPTS = CONF.replace("allocate, backfill", "allocate, preempt, backfill")


def wait_running(world, names):
    until(
        lambda: all(world.read_pod(n)["status"].get("phase") == "Running" for n in names),
        30,
        lambda: f"pods run: {[world.read_pod(n)['status'] for n in names]}",
    )


def explain(scheduler, world, job):
    text = scheduler.explain(world.namespace, job)
    return json.loads(text) if text else {}


def test_a_job_that_is_not_admitted_says_that_evictions_are_not_for_it(
    world, new_scheduler, nodesim, evicting
):
    world.node(cpu=4)
    low, high = world.priority_class(10), world.priority_class(1000)
    running = world.gang(
        "low", 4, min_member=1, group={"priorityClassName": low}, priorityClassName=low
    )
    daemon = new_scheduler(kubeconfig=evicting)
    world.wait_placed(running)
    wait_running(world, running)
    group = {"priorityClassName": high, "minResources": {"cpu": "2"}}
    waiting = world.gang("high", 2, group=group, priorityClassName=high)
    world.wait_group_condition("high", "Unschedulable", status="True")

    # A policy that evicts does not help as long as the job is kept out, and that is said.
    daemon.write_conf(PREEMPTS)
    words = (
        "; evictions (preempt) are only for admitted jobs: raise overcommit-factor, or take enqueue "
        "out of the policy's actions"
    )
    until(
        lambda: words in (world.group_condition("high", "Unschedulable") or {})["message"],
        30,
        lambda: f"the group says so: {world.group_condition('high', 'Unschedulable')}",
    )
    until(
        lambda: words in (world.pod_condition(waiting[0]) or {}).get("message", ""),
        30,
        lambda: f"the pod says so: {world.pod_condition(waiting[0])}",
    )
    page = explain(daemon, world, "high")
    assert page["gate"] == "NotEnqueued" and page["message"].endswith(words)

    # What it says is true.
    daemon.write_conf(PREEMPTS.replace("enqueue, ", ""))
    world.wait_placed(waiting)


def test_a_policy_without_reclaim_says_so_to_a_queue_below_its_share(
    world, new_scheduler, nodesim, evicting
):
    world.node(cpu=4)
    mine, other = world.queue("mine", state="Open"), world.queue("other", state="Open")
    daemon = new_scheduler(kubeconfig=evicting)
    running = [n for i in range(4) for n in world.gang(f"o{i}", 1, group={"queue": other})]
    world.wait_placed(running)
    wait_running(world, running)
    waiting = world.gang("m", 2, group={"queue": mine})
    world.wait_group_condition("m", "Unschedulable", status="True")
    until(
        lambda: explain(daemon, world, "m").get("advice")
        == f"queue {mine} holds 0 of 2 cpu, 0 of 128Mi memory that it deserves; the policy has no action reclaim, so "
        "nothing that other queues hold beyond their share is taken back",
        20,
        lambda: str(explain(daemon, world, "m")),
    )
    daemon.write_conf((ROOT / "examples/policies/share.conf").read_text())
    world.wait_placed(waiting)
    assert "advice" not in explain(daemon, world, "m")


def test_the_words_about_a_gang_add_up(world, new_scheduler):
    """Four of six pods would fit."""
    world.nodes(2, cpu=2)
    names = world.gang("g", 6)
    new_scheduler()
    message = world.wait_group_condition("g", "Unschedulable", status="True")["message"]
    assert message.startswith(
        "2/6 tasks in gang unschedulable: pod group is not ready, 6 Pending, 6 minAvailable; "
        "Pending: 2 Unschedulable, 4 Schedulable. Origin reason is "
    )
    assert message.endswith(": 0/2 nodes are unavailable: 2 Insufficient cpu.")
    assert "already predicated failed" not in message

    def told():
        found = [world.pod_condition(n) or {} for n in names]
        return found if all(c.get("reason") for c in found) else None

    conditions = until(told, 30, "every pod has its condition")
    reasons = sorted(c["reason"] for c in conditions)
    assert reasons == ["Schedulable"] * 4 + ["Unschedulable"] * 2
    for condition in conditions:
        if condition["reason"] == "Unschedulable":
            assert "2 Insufficient cpu" in condition["message"], condition
    path = f"/api/v1/namespaces/{world.namespace}/events"

    def events():
        found = world.rest.get(path, fieldSelector="involvedObject.name=g").expect(200)["items"]
        return {e["message"] for e in found if e["reason"] == "Unschedulable"}

    until(lambda: message in events(), 20, lambda: f"the event says the same: {events()}")


def create_queues(world):
    """Those of examples/queues.yaml."""
    for body in yaml.safe_load_all((ROOT / "examples/queues.yaml").read_text()):
        made = world.rest.post(f"{SCHEDULING}/queues", body).expect(201)
        world.removes_later(f"{SCHEDULING}/queues/{made['metadata']['name']}")
        world.set_queue_state(made["metadata"]["name"], "Open")


def policy(name):
    return (ROOT / f"examples/policies/{name}.conf").read_text()


def test_share_gives_two_teams_three_to_one(world, new_scheduler, nodesim, evicting):
    world.nodes(4, cpu=4)
    create_queues(world)
    new_scheduler(conf=policy("share"), kubeconfig=evicting)

    def jobs(team, count):
        group = {"queue": team, "minResources": {"cpu": "1"}}
        return [n for i in range(count) for n in world.gang(f"{team}-{i}", 1, group=group)]

    night = jobs("night", 16)
    world.wait_placed(night)  # Alone, it may have everything.
    wait_running(world, night)
    research = jobs("research", 16)

    def held():
        placed = [n.partition("-")[0] for n in world.placement()]
        return placed.count("research"), placed.count("night")

    until(lambda: held() == (12, 4), 60, lambda: f"three to one: {held()}")
    assert set(world.placement()) <= set(research) | set(night)


def test_priority_makes_room_for_the_urgent_job(world, new_scheduler, nodesim, evicting):
    world.nodes(2, cpu=4)
    low, high = world.priority_class(10), world.priority_class(1000)
    new_scheduler(conf=policy("priority"), kubeconfig=evicting)
    group = {"priorityClassName": low, "minResources": {"cpu": "4"}}
    running = world.gang("low", 4, group=group, priorityClassName=low)
    running += world.gang("elastic", 4, min_member=1, group=group, priorityClassName=low)
    world.wait_placed(running)
    wait_running(world, running)
    group = {"priorityClassName": high, "minResources": {"cpu": "3"}}
    urgent = world.gang("high", 3, group=group, priorityClassName=high)
    placed = world.wait_placed(urgent)
    assert set(urgent) <= set(placed)

    def left(gang):
        return len([n for n in world.placement() if n.startswith(gang)])

    until(lambda: left("elastic") == 1, 30, lambda: f"three made room: {world.placement()}")
    assert left("low") == 4
    # Now nobody has a pod to spare.
    world.wait_placed(world.gang("next", 3, group=group, priorityClassName=high))
    until(lambda: left("low") == 0, 30, lambda: f"a gang went whole: {world.placement()}")
    assert left("elastic") == 1


def zone_of(world, name):
    node = world.rest.get(f"/api/v1/nodes/{world.placement()[name]}").expect(200)
    return node["metadata"]["labels"]["topology.kubernetes.io/zone"]


def test_topology_keeps_a_gang_in_one_zone_and_spreads_a_service(world, new_scheduler):
    for zone in ("a", "b"):
        world.nodes(3, cpu=2, labels={"topology.kubernetes.io/zone": zone})
    new_scheduler(conf=policy("topology"))
    key = "topology.kubernetes.io/zone"
    labelled = {"matchLabels": {"app": "train"}}
    term = {"labelSelector": labelled, "topologyKey": key}
    preferred = [{"weight": 100, "podAffinityTerm": term}]
    affinity = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    gang = world.gang("train", 6, metadata={"labels": {"app": "train"}}, affinity=affinity)
    world.wait_placed(gang)
    assert len({zone_of(world, n) for n in gang}) == 1
    for name in gang:
        world.delete_pod(name)
    until(lambda: not world.placement(), 30, "the gang is gone")

    labelled = {"matchLabels": {"app": "web"}}
    spread = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"}
    web = world.gang(
        "web",
        4,
        min_member=1,
        metadata={"labels": {"app": "web"}},
        topologySpreadConstraints=[{**spread, "labelSelector": labelled}],
    )
    world.wait_placed(web)
    assert sorted(zone_of(world, n) for n in web) == ["a", "a", "b", "b"]


def test_latency_keeps_room_for_a_gang_that_waited_too_long(world, new_scheduler, nodesim):
    world.node(cpu=4)
    conf = policy("latency")
    assert conf.count("sla-waiting-time: 10m") == 1
    daemon = new_scheduler(conf=conf)
    running = [n for i in range(4) for n in world.gang(f"running-{i}", 1)]
    world.wait_placed(running)
    wait_running(world, running)
    large = world.gang("large", 4)
    world.wait_group_condition("large", "Unschedulable", status="True")
    until(lambda: clock.age_s(world.read_group("large")) > 1, 10, "the others are younger")
    small = [n for i in range(4) for n in world.gang(f"small-{i}", 1)]
    world.wait_group_condition("small-3", "Unschedulable", status="True")

    # Before its time is over, whoever fits goes first.
    world.delete_pod(running.pop())
    until(lambda: set(small) & set(world.placement()), 30, "a small one takes the free core")
    running += set(small) & set(world.placement())
    wait_running(world, running)
    daemon.write_conf(conf.replace("sla-waiting-time: 10m", "sla-waiting-time: 1s"))
    until(lambda: "policy.reloaded" in daemon.process.log(), 20, daemon.process.tail)

    for name in running:
        world.delete_pod(name)
        # Each core that becomes free is kept for it.
        assert not (set(small) - set(running)) & set(world.placement())
    placed = world.wait_placed(large)
    assert not (set(small) - set(running)) & set(placed)
