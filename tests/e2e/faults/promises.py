"""What holds in every cluster (docs/promises.md), as far as it can be seen from outside.

Each promise is told of every change that a watcher sees, keeps what it needs, and collects its
breaches as sentences. None knows what faults are at work, but for the moment since when the weather
has been fair.
"""

import math
import time
from collections import defaultdict

from faults.ledger import key, uid
from support.checks import group_of, holds_room, node_of, phase_of, pod_request
from support.quantity import parse

# In which a gang is completed once nothing goes wrong any more; the promise says three minutes, or a
# condition that tells of it.
WHOLE_WITHIN_S = 60

_STOPS = {"Restarting", "Aborting", "Completing", "Terminating"}
# docs/controllers/job.md, "Phases and actions".
MAY_FOLLOW = {
    "": _STOPS | {"Pending", "Running"},
    "Pending": _STOPS | {"Running"},
    "Running": _STOPS | {"Completed", "Failed", "Pending"},
    "Restarting": {"Pending", "Failed"},
    "Aborting": {"Aborted", "Restarting"},
    "Aborted": {"Restarting"},
    "Completing": {"Completed"},
    "Terminating": {"Terminated"},
    "Completed": set(),
    "Failed": set(),
    "Terminated": set(),
}


class Weather:
    """Since when nothing has been at work that would keep programs from their duty."""

    def __init__(self):
        self.fair_since = time.monotonic()

    def turns_bad(self):
        self.fair_since = math.inf

    def turns_fair(self):
        self.fair_since = time.monotonic()


class Promise:
    name = ""

    def __init__(self):
        self.breaches = []
        self.looks = 0  # In how many cases it could have been broken.

    def on(self, change):
        pass

    def settled(self, kind):
        pass

    def tick(self, now):
        pass

    def broken(self, what):
        self.breaches.append(f"{self.name}: {what}")


class BoundOnce(Promise):
    """A pod that has a node never gets another."""

    name = "bound-once"

    def on(self, change):
        if change.kind != "pods" or not change.after or not node_of(change.after):
            return
        before = node_of(change.before) if change.before else ""
        if not before:
            self.looks += 1
        elif before != node_of(change.after):
            self.broken(f"pod {key(change.after)} was on {before}, now on {node_of(change.after)}")


class Room(Promise):
    """A pod is bound only to a node that has room for it beside all that is there."""

    name = "room"

    def __init__(self):
        super().__init__()
        self._rooms = {}
        self._used = defaultdict(lambda: defaultdict(int))
        self._requests = {}  # By uid: pods that hold room, and what of.

    def on(self, change):
        if change.kind == "nodes":
            room = (change.any.get("status") or {}).get("allocatable") or {}
            self._rooms[key(change.any)] = {n: parse(v) for n, v in room.items()}
        if change.kind != "pods":
            return
        pod = change.any
        held = self._requests.get(uid(pod))
        if change.after is None or not holds_room(pod):
            if held:
                self._count(*self._requests.pop(uid(pod)), sign=-1)
        elif not held:
            request = pod_request(pod)
            self._requests[uid(pod)] = (node_of(pod), request)
            self._count(node_of(pod), request, sign=1)
            self.looks += 1
            # Within a list the order is not that of the events.
            if not change.gap:
                self._judge(node_of(pod), f"with pod {key(pod)}")

    def settled(self, kind):
        if kind == "pods":
            for node in self._used:
                self._judge(node, "after a list")

    def _count(self, node, request, sign):
        for name, value in request.items():
            self._used[node][name] += sign * value

    def _judge(self, node, when):
        for name, used in self._used[node].items():
            room = self._rooms.get(node, {}).get(name, 0)
            if used > room:
                self.broken(f"node {node} {when}: {float(used):g} {name} of {float(room):g}")


class WholeGangs(Promise):
    """A gang that was not whole since nothing of it had a place is completed."""

    name = "whole-gangs"

    def __init__(self, weather):
        super().__init__()
        self._weather = weather
        self._groups = {}
        self._places = defaultdict(set)  # By key of the group: uids of pods.
        self._whole = set()  # Uids of groups.
        self._part_since = {}  # By key.

    def on(self, change):
        if change.kind == "podgroups":
            name = key(change.any)
            if change.after is None:
                group = self._groups.pop(name, None)
                self._part_since.pop(name, None)
                self._whole.discard(group and uid(group))
            else:
                self._groups[name] = change.after
                self._count(name, change.at)
        elif change.kind == "pods" and (name := group_of(change.any)):
            pod = change.any
            has_place = change.after and node_of(pod) and phase_of(pod) != "Failed"
            (self._places[name].add if has_place else self._places[name].discard)(uid(pod))
            self._count(name, change.at)
            if not self._places[name]:
                del self._places[name]

    def _count(self, name, at):
        group = self._groups.get(name)
        if group is None:
            return
        held = len(self._places.get(name, ()))
        if held == 0:
            self._whole.discard(uid(group))
        if held == 0 or uid(group) in self._whole:
            self._part_since.pop(name, None)
        elif held >= group["spec"].get("minMember", 0):
            self._whole.add(uid(group))
            self._part_since.pop(name, None)
        elif name not in self._part_since:
            self.looks += 1
            self._part_since[name] = at

    def parts(self):
        """The gangs that are held in part now, as sentences."""
        return [
            f"gang {name} holds {len(self._places.get(name, ()))} of"
            f" {self._groups[name]['spec'].get('minMember')} places"
            for name in self._part_since
        ]

    def tick(self, now):
        for name, since in list(self._part_since.items()):
            if now - max(since, self._weather.fair_since) > WHOLE_WITHIN_S:
                del self._part_since[name]
                self.broken(f"gang {name} is held in part since {now - since:.0f} s")


class JobPhases(Promise):
    """The phase of a job follows the graph; its retries grow by one, and never shrink."""

    name = "job-phases"

    def on(self, change):
        if change.kind != "jobs" or change.after is None:
            return
        before = (change.before or {}).get("status") or {}
        after = change.after.get("status") or {}
        name = key(change.after)
        old, new = ((s.get("state") or {}).get("phase") or "" for s in (before, after))
        if old != new:
            self.looks += 1
        # Who comes late, or had to read a list, has not seen every step.
        is_whole = change.before is not None and not change.gap
        if is_whole and old != new and new not in MAY_FOLLOW[old]:
            self.broken(f"job {name} went from {old or 'nothing'} to {new}")
        for count in ("retryCount", "version"):
            had, has = before.get(count, 0), after.get(count, 0)
            if has < had or (is_whole and count == "retryCount" and has > had + 1):
                self.broken(f"job {name}: {count} was {had}, is {has}")


class OneLeader(Promise):
    """Nobody takes a lease before its holder has let it go, or been silent for as long as it lasts."""

    name = "one-leader"
    # By which a watcher may see things later than they happened.
    LATE_S = 1.0

    def __init__(self):
        super().__init__()
        self._renewed = {}

    def on(self, change):
        if change.kind != "leases" or change.after is None:
            return
        name = key(change.after)
        before, after = ((t or {}).get("spec") or {} for t in (change.before, change.after))
        holder = before.get("holderIdentity") or ""
        if holder and holder != after.get("holderIdentity") and after.get("holderIdentity"):
            self.looks += 1
            silent = change.at - self._renewed.get(name, change.at)
            if not change.gap and silent < before["leaseDurationSeconds"] - self.LATE_S:
                self.broken(
                    f"lease {name} of {holder} was taken by {after['holderIdentity']}"
                    f" {silent:.1f} s after its last renewal"
                )
        self._renewed[name] = change.at


def make_all(weather):
    return [BoundOnce(), Room(), WholeGangs(weather), JobPhases(), OneLeader()]
