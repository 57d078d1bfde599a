"""Those who judge clusters under faults (`faults/`) find what they are there to find."""

import math
import random
import threading

import pytest

from checks.test_checks import placed
from faults import at_rest, promises
from faults.ledger import Change, Ledger
from faults.maps import Maps
from faults.samples import Allowed, trend
from support import objects


def pod(name="a", node="n", group=None, cpu="1", phase="Running", **meta):
    body = placed(name, node, phase=phase, cpu=cpu, group=group, metadata={**meta})
    if not node:
        del body["spec"]["nodeName"]
    return body


def job(phase, name="j", **status):
    head = {"name": name, "namespace": "ns", "uid": f"uid-{name}"}
    return {"metadata": head, "status": {"state": {"phase": phase}, **status}, "spec": {}}


def gang(minimum, name="g", phase="Running", uid=None, **status):
    head = {"name": name, "namespace": "ns", "uid": uid or f"uid-{name}"}
    spec = {"minMember": minimum, "queue": "q"}
    return {"metadata": head, "spec": spec, "status": {"phase": phase, **status}}


def told(promise, *changes, at=0.0, gap=False):
    """What the promise says after (kind, before, after) …"""
    for kind, before, after in changes:
        promise.on(Change(kind, before, after, gap, at))
    return promise.breaches


# --- always -----------------------------------------------------------------------------------


def test_a_pod_that_moves_is_noticed():
    once = promises.BoundOnce()
    assert told(once, ("pods", pod(node=""), pod()), ("pods", pod(), pod(phase="Failed"))) == []
    assert told(once, ("pods", pod(), pod(node="m"))) == ["bound-once: pod ns/a was on n, now on m"]
    assert once.looks == 1


def room(*changes, gap=False):
    promise = promises.Room()
    told(promise, ("nodes", None, objects.node("n", cpu=2)))
    told(promise, *changes, gap=gap)
    promise.settled("pods")
    return promise.breaches


def test_a_node_with_too_much_is_noticed():
    full = [("pods", None, pod("a")), ("pods", None, pod("b"))]
    assert room(*full) == []
    assert room(*full, ("pods", None, pod("c", node=""))) == []
    assert "3 cpu of 2" in room(*full, ("pods", None, pod("c")))[0]
    assert "3 cpu of 2" in room(*full, ("pods", None, pod("c")), gap=True)[0]


@pytest.mark.parametrize("end", [None, pod("a", phase="Succeeded"), pod("a", phase="Failed")])
def test_who_ends_makes_room(end):
    changes = [("pods", None, pod("a")), ("pods", None, pod("b")), ("pods", pod("a"), end)]
    assert room(*changes, ("pods", None, pod("c"))) == []
    # In a list, who ends may stand behind who comes.
    late = [*changes[:2], ("pods", None, pod("c")), changes[2]]
    assert room(*late, gap=True) == [] and room(*late) != []


def half_gang(*more):
    weather = promises.Weather()
    weather.fair_since = 0
    whole = promises.WholeGangs(weather)
    told(whole, ("podgroups", None, gang(2)), ("pods", None, pod("a", group="g")), *more)
    return weather, whole


def test_half_a_gang_is_noticed_in_fair_weather():
    weather, whole = half_gang()
    assert whole.parts() == ["gang ns/g holds 1 of 2 places"]
    weather.turns_bad()
    whole.tick(1000)
    assert whole.breaches == []
    weather.fair_since = 950
    whole.tick(1000)
    assert whole.breaches == []
    whole.tick(1011)
    assert whole.breaches == ["whole-gangs: gang ns/g is held in part since 1011 s"]


def test_a_gang_that_was_whole_may_lose_members_but_not_begin_anew_in_part():
    both = ("pods", None, pod("b", group="g"))
    a_ends = ("pods", pod("a", group="g"), None)
    b_ends = ("pods", pod("b", group="g"), None)
    assert half_gang(both, a_ends)[1].parts() == []
    again = half_gang(both, a_ends, b_ends, ("pods", None, pod("c", group="g")))[1]
    assert again.parts() == ["gang ns/g holds 1 of 2 places"]


@pytest.mark.parametrize(
    "before, after, fine",
    [
        (job("Pending"), job("Running"), True),
        (job("Running"), job("Restarting", retryCount=1), True),
        (job("Running"), job("Restarting", retryCount=2), False),
        (job("Running", retryCount=1), job("Running"), False),
        (job("Running", version=1), job("Running"), False),
        (job("Completed"), job("Running"), False),
        (job("Restarting"), job("Completed"), False),
        (job("Aborted"), job("Pending"), False),
    ],
)
def test_jobs_follow_their_graph(before, after, fine):
    assert (told(promises.JobPhases(), ("jobs", before, after)) == []) == fine


def test_what_lay_in_a_gap_is_not_held_against_a_job():
    jump = ("jobs", job("Running"), job("Completed", retryCount=2))
    assert told(promises.JobPhases(), jump, gap=True) == []
    back = ("jobs", job("Running", retryCount=2), job("Running"))
    assert told(promises.JobPhases(), back, gap=True) != []


def lease(holder):
    spec = {"holderIdentity": holder, "leaseDurationSeconds": 4}
    return {"metadata": {"name": "l", "namespace": "ns"}, "spec": spec}


@pytest.mark.parametrize(
    "before, after, at, fine",
    [
        ("a", "a", 1, True),
        ("a", "b", 4.1, True),
        ("a", "b", 2.5, False),
        ("a", "", 1, True),
        ("", "b", 1, True),
    ],
)
def test_a_lease_that_is_taken_too_early_is_noticed(before, after, at, fine):
    leader = promises.OneLeader()
    told(leader, ("leases", None, lease(before)))
    assert (told(leader, ("leases", lease(before), lease(after)), at=at) == []) == fine


# --- durable ----------------------------------------------------------------------------------


class Lists:
    """Answers with lists of pods, one after the other."""

    def __init__(self, *lists):
        self._lists = list(lists)

    def get(self, path, **_):
        return self

    def expect(self, _):
        reached, items = self._lists.pop(0)
        return {"metadata": {"resourceVersion": str(reached)}, "items": items}


def versioned(version, **more):
    return pod(resourceVersion=str(version), **more)


def ledger_of(*lists):
    ledger = Ledger.__new__(Ledger)
    ledger.rest = Lists(*lists)
    ledger.lock = threading.RLock()
    ledger.objects = {"pods": {}}
    ledger.onlookers, ledger.breaches = [], []
    ledger.changes = ledger.lists = 0
    ledger._versions = {}
    for turn in range(len(lists)):
        ledger._list("pods", gap=turn > 0)
    return ledger


@pytest.mark.parametrize(
    "second, fine",
    [
        ((9, [versioned(7)]), True),
        ((9, [versioned(8)]), True),
        ((9, []), True),
        ((9, [versioned(6)]), False),
        ((6, []), False),
    ],
)
def test_what_a_server_forgets_is_noticed(second, fine):
    assert (ledger_of((7, [versioned(7)]), second).breaches == []) == fine


class MapServer:
    """Keeps ConfigMaps, and loses what it is told to."""

    def __init__(self):
        self.held, self.status = {}, 200

    def patch(self, path, body, _):
        return self._answer(path, body["data"]["value"])

    def post(self, path, body):
        raise AssertionError("not asked for")

    def delete(self, path):
        return self._answer(path, None)

    def _answer(self, path, value):
        if self.status == 200:
            self.held[path.rpartition("/")[2]] = value
        return type("Answer", (), {"status": self.status})

    def get(self, path):
        items = [
            {"metadata": {"name": n}, "data": {"value": v}} for n, v in self.held.items() if v
        ]
        return type("Answer", (), {"expect": lambda self, _: {"items": items}})()


def test_a_write_that_was_acknowledged_and_is_lost_is_noticed():
    server = MapServer()
    maps = Maps(type("Backend", (), {"rest": lambda self: server})(), "ns", seed=1)
    maps.stop()
    for _ in range(200):
        maps._write("map-1")
    assert maps.problems() == [] and maps.acknowledged >= 200
    kept = dict(server.held)
    server.held["map-1"] = "older"
    assert len(maps.problems()) == 1
    server.held = kept
    server.status = 500
    for _ in range(3):
        maps._write("map-1")
    assert maps.problems() == []
    # Without an answer nobody knows: the last write may have happened after all.
    server.held["map-1"] = str(maps._count)
    server.held["map-2"] = "never written"
    assert [p.split()[1] for p in maps.problems()][-1:] == ["map-2"]


# --- at rest ----------------------------------------------------------------------------------


def cluster(**more):
    return {kind: [] for kind in ("nodes", "queues", "podgroups", "jobs", "pods", "commands")} | more


def owned(thing, owner="uid-j"):
    thing["metadata"]["ownerReferences"] = [{"uid": owner, "name": "j"}]
    return thing


def leaving(thing):
    thing["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return thing


def a_queue(cpu="0", **status):
    body = objects.queue("q")
    body["metadata"]["uid"] = "uid-q"
    body["status"] = {"allocated": {"cpu": cpu}, **status}
    return body


@pytest.mark.parametrize(
    "objects_there, word",
    [
        ({"jobs": [job("Running")]}, "all-run"),
        ({"pods": [pod(node="", phase="Pending")], "nodes": []}, "all-run"),
        ({"jobs": [leaving(job("Completed"))]}, "deletions-end"),
        ({"podgroups": [owned(gang(1, running=0))]}, "no-orphans"),
        ({"commands": [job("x", name="c")]}, "no-orphans"),
        ({"podgroups": [gang(1, running=1)]}, "true-sums: podgroup"),
        ({"queues": [a_queue(running=1)]}, "true-sums: queue"),
        ({"queues": [a_queue(cpu="1")]}, "true-sums: queue"),
        ({"jobs": [job("Pending", pending=1)]}, "true-sums: job"),
    ],
)
def test_unrest_is_told(objects_there, word):
    assert any(p.startswith(word) for p in at_rest.everything(cluster(**objects_there)))


def test_rest_is_recognised():
    there = cluster(
        nodes=[objects.node("n", cpu=2)],
        queues=[a_queue(cpu="1", running=1)],
        podgroups=[owned(gang(1, running=1, succeeded=1))],
        jobs=[job("Completed")],
        pods=[
            owned(pod("a", group="g")),
            owned(pod("b", group="g", phase="Succeeded")),
        ],
    )
    there["nodes"][0]["metadata"]["uid"] = "uid-n"
    assert at_rest.everything(there) == []


def test_users_take_back_what_cannot_run():
    pods = [owned(pod("a", group="g", phase="Failed")), owned(pod("b", node="", group="g"))]
    there = cluster(podgroups=[owned(gang(2))], jobs=[job("Pending")], pods=pods)
    assert [j["metadata"]["name"] for j in at_rest.hopeless(there)] == ["j"]
    there["pods"][0]["status"]["phase"] = "Running"
    assert at_rest.hopeless(there) == []
    there["jobs"][0]["status"]["state"]["reason"] = "QueueNotFound"
    assert len(at_rest.hopeless(there)) == 1


# --- slopes -----------------------------------------------------------------------------------


def test_a_slope_is_told_from_scatter_and_from_a_warm_up():
    allowed = Allowed(1, 0.01)
    flat = [(t, 100 + (t * 7919 % 13) / 13) for t in range(90)]
    assert not trend(flat).grows(allowed)
    warm_up = [(t, min(t, 55)) for t in range(90)]
    assert not trend(warm_up).grows(allowed)
    leak = [(t, v + t * 0.05) for t, v in flat]
    assert trend(leak).grows(allowed)
    assert trend(leak).growth == pytest.approx(0.05 * 29, abs=0.3)
    wild = [(t, 100 + 50 * (t * 7919 % 13)) for t in range(90)]
    assert not trend(wild).grows(allowed)
    with pytest.raises(ValueError):
        trend([(0, 1), (1, 1)])


def wanders(seed):
    """About 40, by about 3; the next one is mostly what the last one was."""
    draw, value = random.Random(seed), 0.0
    for t in range(180):
        value = 0.9 * value + draw.gauss(0, 1.3)
        yield t, 40 + round(value)


def test_what_wanders_is_no_slope_and_what_climbs_is_one():
    allowed = Allowed(5, 0.05)
    wandering = [list(wanders(seed)) for seed in range(100)]
    assert sum(trend(points).grows(allowed) for points in wandering) <= 5
    climbing = [[(t, v + t // 3) for t, v in points] for points in wandering]
    assert sum(trend(points).grows(allowed) for points in climbing) >= 85
    steps = trend([(t, 40 + t // 6) for t in range(180)])
    assert steps.grows(allowed)
    assert steps.doubt < 1
    # One long wave is a single look, however many points it has.
    wave = trend([(t, 40 - 9 * math.sin(t * math.pi / 30)) for t in range(180)])
    assert wave.growth > 5
    assert not wave.grows(allowed)
