"""The placement checker judges whole courses: orders, gangs, and pods that wait."""

import pytest

from checks.cases import DB, HOST, WEB, ZONE, avoids, cluster, node, pod, seeks, spread, term
from support.objects import GROUP_ANNOTATION
from support.placement_checker import RULES, Course, judge
from support.placement_checker.replay import Replay

NODES = [node("a1", "a", cpu=4), node("b1", "b", cpu=4), node("c1", "c", cpu=4)]


def member(gang, name, *args, **more):
    made = pod(name, *args, **more)
    made.body["metadata"]["annotations"] = {GROUP_ANNOTATION: gang}
    return made


def verdict(seen, waiting=(), minimums=None, nodes=NODES, there=(), slack=64):
    kept = {"nodes": nodes}
    names = {("ns", gang): number for gang, number in (minimums or {}).items()}
    return judge(Course(kept, kept, list(there), list(seen), list(waiting), names), slack)


def found(*args, **more):
    return verdict(*args, **more).violations


def test_nothing_wrong_is_nothing_found():
    assert found([(pod("p", cpu="4"), "a1"), (pod("q", cpu="4"), "b1")]) == []


@pytest.mark.parametrize(
    "pods, rule",
    [
        ([(pod("p", cpu="3"), "a1"), (pod("q", cpu="2"), "a1")], "room"),
        ([(pod("p", nodeSelector={ZONE: "b"}), "a1")], "node affinity"),
        ([(pod("p", WEB), "a1"), (pod("q", **avoids(term())), "a1")], "pod anti-affinity"),
        ([(pod("q", **avoids(term())), "a1"), (pod("p", WEB), "a1")], "anti-affinity of others"),
        ([(pod("p", **seeks(term())), "a1")], "pod affinity"),
        ([(pod("p", WEB), "b1"), (pod("q", **seeks(term())), "a1")], "pod affinity"),
        ([(pod(f"p{i}", WEB, **spread()), "a1") for i in range(2)], "spread"),
    ],
)
def test_what_is_wrong_is_found_with_its_rule(pods, rule):
    assert any(rule in violation for violation in found(pods))


def test_a_node_that_is_gone_is_found():
    assert any("no such node" in violation for violation in found([(pod("p"), "gone")]))


# --- order ------------------------------------------------------------------------------------


def test_a_follower_may_be_seen_before_its_leader():
    leader, follower = (pod("w", WEB), "a1"), (pod("p", **seeks(term())), "a1")
    result = verdict([follower, leader])
    assert (result.violations, result.moved) == ([], 1)


def test_but_not_long_before():
    leader, follower = (pod("w", WEB), "a1"), (pod("p", **seeks(term())), "a1")
    others = [(pod(f"o{i}"), "b1") for i in range(5)]
    assert found([follower, *others, leader], slack=6) == []
    assert len(found([follower, *others, leader], slack=4)) == 1


def free_webs(where, count):
    return [(pod(f"free-{where}-{i}", WEB), where) for i in range(count)]


def test_one_that_spreads_may_be_seen_after_those_that_do_not():
    """Placed first it was right; after two more in its zone it would not have been."""
    spreading = (pod("p", WEB, **spread()), "a1")
    assert found([*free_webs("a1", 2), spreading]) == []
    others = [(pod(f"o{i}"), "b1") for i in range(5)]
    late = [*free_webs("a1", 2), *others, spreading]
    assert found(late, slack=10) == []
    assert len(found(late, slack=3)) == 1


def test_an_order_is_not_found_where_there_is_none():
    first = [(pod("x", DB), "a1")]
    # Two against none in b and c, whoever came first.
    assert len(found(first + [(pod(f"p{i}", WEB, **spread()), "a1") for i in range(2)])) == 1


def test_the_members_of_a_gang_are_placed_in_any_order():
    """Seen in the worst order, with others in between that were placed after the gang."""

    def one(i, where):
        return member("g", f"g-{i}", WEB, **spread()), where

    gang = [one(0, "a1"), one(1, "a1"), one(2, "b1"), one(3, "b1"), one(4, "c1"), one(5, "c1")]
    assert found([gang[0], gang[1], *free_webs("a1", 3), *gang[2:]]) == []
    # Three in one zone and one in another is no order's fault.
    uneven = [one(0, "a1"), one(1, "a1"), one(2, "a1"), one(3, "b1"), one(4, "c1")]
    assert len(found(uneven)) == 1


def test_the_first_of_a_gang_may_be_the_first_of_its_kind():
    gang = [(member("g", f"g-{i}", WEB, **seeks(term())), "a1") for i in range(3)]
    assert found(gang) == []
    split = gang[:2] + [(member("g", "g-9", WEB, **seeks(term())), "b1")]
    assert len(found(split)) == 1


def test_a_wrong_one_does_not_hide_the_others():
    here = cluster(NODES)
    wrong = [(pod("p", **seeks(term())), "a1"), (pod("q", **seeks(term(DB))), "a1")]
    replay = Replay(here, 8, lambda p: p.name).run([*wrong, (pod("r"), "b1")])
    assert len(replay.problems) == 2 and len(replay.order) == 3


# --- those that wait --------------------------------------------------------------------------


def test_a_pod_that_waits_though_it_fits_is_found():
    (violation,) = found([], waiting=[member("g", "p", cpu="1")])
    assert "p waits" in violation and "a1" in violation


def test_a_pod_that_fits_nowhere_waits_rightly():
    result = verdict([], waiting=[member("g", "p", cpu="5")])
    assert (result.violations, result.hopeless) == ([], 1)
    assert result.alone["room"] == 3


def test_a_gang_with_too_few_that_fit_waits_rightly():
    waiting = [member("g", "p", cpu="1"), member("g", "q", cpu="5")]
    assert verdict([], waiting, {"g": 2}).hopeless == 2
    assert len(found([], waiting, {"g": 1})) == 1


def test_a_gang_that_is_whole_leaves_nobody_out_who_fits():
    placed = [(member("g", "p", cpu="1"), "a1")]
    assert len(found(placed, [member("g", "q", cpu="1")], {"g": 1})) == 1
    # It lacks one, and that one fits.
    assert len(found(placed, [member("g", "q", cpu="1")], {"g": 2})) == 1


def test_gangs_that_fit_one_by_one_are_tried_together():
    large = [member("g", f"g-{i}", cpu="3") for i in range(4)]
    result = verdict([], large, {"g": 4})
    assert (result.violations, result.undecided, result.chances) == ([], 4, [])
    result = verdict([], large[:3], {"g": 3})
    assert (result.violations, result.undecided, result.chances) == ([], 0, [("ns", "g")])


def told(waiting, node_name):
    """The pod's condition names the place that is kept for it."""
    message = f"Pod ns/p can possibly be assigned to {node_name}, once resource is released"
    entry = {"type": "PodScheduled", "status": "False", "message": message}
    waiting.body["status"] = {"conditions": [entry]}
    return waiting


def leaving(name, **more):
    made = pod(name, **more)
    made.terminating = True
    return made


def test_room_is_kept_for_a_gang_that_waits_for_leaving_pods():
    there = [(leaving("x", cpu="4"), "a1")]
    gang = [told(member("g", "g-0", cpu="4"), "a1"), told(member("g", "g-1", cpu="4"), "b1")]
    behind = member("h", "p", cpu="1", nodeSelector={ZONE: "b"})
    result = verdict([], [*gang, behind], {"g": 2}, there=there)
    assert (result.violations, result.behind) == ([], 1)


def test_room_is_not_kept_for_nothing():
    there = [(leaving("x", cpu="4"), "a1")]
    behind = member("h", "p", cpu="1", nodeSelector={ZONE: "b"})
    # Other room is free.
    gang = [told(member("g", "g-0", cpu="4"), "a1"), told(member("g", "g-1", cpu="4"), "c1")]
    assert len(found([], [*gang, behind], {"g": 2}, there=there)) == 1
    # The gang would not be whole there.
    gang = [told(member("g", "g-0", cpu="4"), "a1"), told(member("g", "g-1", cpu="5"), "b1")]
    assert len(found([], [*gang, behind], {"g": 2}, there=there)) == 1
    # Nobody is leaving: it could be bound.
    gang = [told(member("g", "g-0", cpu="4"), "a1"), told(member("g", "g-1", cpu="4"), "b1")]
    assert len(found([], [*gang, behind], {"g": 2})) == 1


def test_the_first_of_its_kind_waits_for_nobody():
    assert len(found([], [member("g", "p", WEB, **seeks(term(key=HOST)))])) == 1


def test_a_course_survives_being_written():
    seen = [(member("g", "p", cpu="1"), "a1")]
    for one, node_name in seen:
        one.spec["nodeName"] = node_name
    waiting = [member("h", "q", cpu="5")]
    kept = {"nodes": NODES}
    course = Course(kept, kept, [], seen, waiting, {("ns", "g"): 1})
    read = judge(Course.from_json(course.to_json()))
    assert str(read) == str(judge(course))
    assert {rule.name for rule in RULES} >= set(read.alone)
