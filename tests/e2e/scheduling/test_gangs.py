"""Gangs are placed whole or not at all, and what waits says why."""

import re

import pytest

from support import handbook
from support.poll import always, until


@pytest.fixture
def person(backend, world, tmp_path):
    """What somebody sees who describes things there."""
    return handbook.terminal(backend, world.namespace, tmp_path)


def explained(scheduler, world, job, *words):
    """Waits until the debug endpoint names the job's reason."""
    until(
        lambda: all(w in scheduler.explain(world.namespace, job) for w in words),
        20,
        lambda: f"/debug/explain names {words}: {scheduler.explain(world.namespace, job)}",
    )


def test_a_gang_that_fits_is_bound_whole(world, scheduler):
    world.nodes(2, cpu=2)
    placement = world.wait_placed(world.gang("g", 4))
    assert len(set(placement.values())) == 2, "four pods of one core need both nodes"
    world.wait_group_condition("g", "Scheduled", status="True")


def test_a_gang_that_does_not_fit_waits_as_a_whole_and_says_why(world, scheduler):
    world.nodes(2, cpu=2)
    names = world.gang("g", 6)
    shape = (
        r"\d+/6 tasks in gang unschedulable: pod group is not ready, .*6 minAvailable; Pending: .+"
    )

    def condition():
        return world.wait_group_condition(
            "g", "Unschedulable", status="True", reason="NotEnoughResources"
        )

    # The first words may stem from before all six pods were there.
    until(
        lambda: re.match(shape, condition()["message"])
        and "2 Insufficient cpu" in condition()["message"],
        20,
        lambda: f"the condition counts six pods and two nodes: {condition()['message']}",
    )
    entry = condition()
    assert entry["transitionID"] and entry["lastTransitionTime"]

    def hopeless():
        found = [world.pod_condition(n) for n in names]
        return [c for c in found if c and c["reason"] == "Unschedulable"]

    until(
        hopeless, 20, lambda: f"a pod says Unschedulable: {[world.pod_condition(n) for n in names]}"
    )
    assert {c["status"] for c in hopeless()} == {"False"}
    assert "0/2 nodes are unavailable: 2 Insufficient cpu." in {c["message"] for c in hopeless()}
    explained(scheduler, world, "g", "Insufficient cpu")
    assert world.placement() == {}

    world.nodes(1, cpu=2)
    world.wait_placed(names)


def test_a_gang_of_pods_without_requests_starts_whole(world, scheduler):
    world.nodes(1, cpu=2, pods=2)
    names = world.gang("g", 3, cpu=None, memory=None)
    world.wait_group_condition("g", "Unschedulable", status="True", reason="NotEnoughResources")
    explained(scheduler, world, "g", "pod number exceeded")
    always(lambda: world.placement() == {}, 1, lambda: f"two of three: {world.placement()}")
    world.nodes(1, cpu=2, pods=2)
    world.wait_placed(names)


def test_members_beyond_the_minimum_are_optional(world, scheduler):
    world.node(cpu=3)
    world.gang("g", 5, min_member=2)
    until(lambda: len(world.placement()) == 3, 30, lambda: f"three of five: {world.placement()}")
    world.node(cpu=2)
    until(lambda: len(world.placement()) == 5, 30, lambda: f"all five: {world.placement()}")


def test_a_gang_waits_for_its_last_pod(world, scheduler):
    world.node(cpu=4)
    world.pod_group("g", 3)
    for i in range(2):
        world.pod(f"g-{i}", group="g")
    explained(scheduler, world, "g", "g")
    always(lambda: world.placement() == {}, 1, lambda: f"two of three: {world.placement()}")
    world.pod("g-2", group="g")
    world.wait_placed(["g-0", "g-1", "g-2"])


def test_two_gangs_that_exclude_each_other_do_not_share_the_room(world, new_scheduler):
    world.nodes(4, cpu=1)
    first, second = world.gang("a", 3), world.gang("b", 3)
    new_scheduler()
    until(lambda: len(world.placement()) == 3, 30, lambda: f"one of them: {world.placement()}")
    placed = set(world.placement())
    assert placed in (set(first), set(second))
    loser = "b" if placed == set(first) else "a"
    world.wait_group_condition(loser, "Unschedulable", status="True")
    for name in placed:
        world.delete_pod(name)
    world.wait_placed(first if loser == "a" else second)


def test_a_pod_waits_until_its_group_exists(world, scheduler):
    world.node(cpu=4)
    world.pod("early", group="late")
    explained(scheduler, world, "late", "late")
    always(lambda: world.placement() == {}, 1, "nothing is placed without its group")
    world.pod_group("late", 1)
    world.wait_placed(["early"])


def test_many_gangs_fill_the_cluster_to_the_last_core(world, scheduler):
    world.nodes(5, cpu=8)
    names = [n for i in range(8) for n in world.gang(f"g{i}", 5)]
    world.wait_placed(names)


def test_a_gang_for_another_scheduler_is_left_alone(world, scheduler):
    world.node(cpu=8)
    world.gang("other", 1, scheduler="somebody-else")
    world.wait_placed(world.gang("mine", 1))
    assert set(world.placement()) == {"mine-0"}


def test_conditions_say_since_when_they_hold(world, scheduler, person):
    world.node(cpu=2)
    world.gang("g", 2, cpu="3")

    def condition(kind, **wanted):
        found = world.group_condition("g", kind) or {}
        return found if all(w in found.get(k, "") for k, w in wanted.items()) else None

    shown = lambda: world.read_group("g").get("status")
    first = until(lambda: condition("Unschedulable", status="True", message="0/1"), 30, shown)
    # Other words in a later second are no transition.
    always(lambda: condition("Unschedulable", message="0/1"), 1.5, shown)
    world.node(cpu=2)
    again = until(lambda: condition("Unschedulable", status="True", message="0/2"), 30, shown)
    assert again["lastTransitionTime"] == first["lastTransitionTime"]
    assert again["transitionID"] == first["transitionID"]
    world.node(cpu=8)
    ended = until(lambda: condition("Unschedulable", status="False"), 30, shown)
    placed = until(lambda: condition("Scheduled", status="True"), 30, shown)
    assert ended["lastTransitionTime"] > first["lastTransitionTime"]
    assert placed["lastTransitionTime"] == ended["lastTransitionTime"]
    flat = " ".join(person("describe", "podgroup", "g").split())
    assert placed["lastTransitionTime"] in flat
