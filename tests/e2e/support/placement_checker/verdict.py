"""Judges what a scheduler did: each pod it placed, and each one it did not."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from random import Random

from support.placement_checker.claims import claim_keys
from support.placement_checker.kept import gang_of, kept_places
from support.placement_checker.model import Cluster, Pod
from support.placement_checker.replay import Replay
from support.placement_checker.rules import RULES, refusals
from support.placement_checker.volumes import binding_problems

# More than the requests that a scheduler has in flight, and than a gang has pods.
SLACK = 64
# How often the members of a gang are placed at random.
TRIES = 5


@dataclass
class Course:
    """What was observed."""

    before: dict  # Arguments of Cluster: nodes, namespaces, storage when the scheduler began …
    after: dict  # … and when it had nothing more to do.
    there: list  # (pod, node) of those that somebody else had placed.
    seen: list  # (pod, node) in the order in which the placements were seen.
    waiting: list  # Pods without a node in the end.
    minimums: dict  # Minimum of each gang, by namespace and name.

    def to_json(self):
        """For a look by hand."""
        return json.dumps(
            {
                "before": self.before,
                "after": self.after,
                "there": [pod.body for pod, _ in self.there],
                "seen": [pod.body for pod, _ in self.seen],
                "waiting": [pod.body for pod in self.waiting],
                "minimums": [[*gang, minimum] for gang, minimum in self.minimums.items()],
            }
        )

    @staticmethod
    def from_json(text):
        read = json.loads(text)
        for name in ("there", "seen"):
            read[name] = [(Pod(b), b["spec"]["nodeName"]) for b in read[name]]
        read["waiting"] = [Pod(b) for b in read["waiting"]]
        read["minimums"] = {(n, g): minimum for n, g, minimum in read["minimums"]}
        return Course(**read)


@dataclass
class Verdict:
    violations: list = field(default_factory=list)
    placed: int = 0
    moved: int = 0  # Placements that are right in another order than the one seen.
    waiting: int = 0
    hopeless: int = 0  # Of those: pods that fit nowhere, or whose gang lacks such pods.
    undecided: int = 0  # Of those: pods that fit one by one, but no way was found together.
    behind: int = 0  # Of those: pods that fit where room is kept for gangs.
    # Gangs for which one was found. A scheduler that takes one pod after the other may miss it.
    chances: list = field(default_factory=list)
    # Rule → how often it alone kept a pod from a node, when the pod was placed or in the end.
    alone: Counter = field(default_factory=Counter)

    def __str__(self):
        reasons = ", ".join(f"{name} {self.alone[name]}" for name in (r.name for r in RULES))
        return (
            f"{self.placed} placed ({self.moved} in another order than seen), {self.waiting} wait: "
            f"{self.hopeless} fit nowhere, {self.undecided} are in gangs that do not seem to fit, "
            f"{self.behind} fit where room is kept; gangs that could fit: {self.chances}; "
            f"{len(self.violations)} violations; refused by one rule alone: {reasons}"
        )


def judge(course, slack=SLACK):
    verdict = Verdict(placed=len(course.seen), waiting=len(course.waiting))
    end = Cluster(**course.after)
    for pod, node in course.there + course.seen:
        end.place(pod, node)
    verdict.violations += binding_problems(end)
    _judge_end(course, end, verdict)
    order = _judge_order(course, slack, verdict)
    _judge_steps(course, order, verdict)
    _judge_waiting(course, end, verdict)
    # What two ways have found is said once.
    verdict.violations = list(dict.fromkeys(verdict.violations))
    return verdict


def _say(pod, node, reasons):
    return [f"{pod} on {node}: {rule}: {reason}" for rule, reason in reasons.items()]


def _judge_end(course, end, verdict):
    """The rules that hold whoever came first, on the final state."""
    rules = tuple(rule for rule in RULES if not rule.by_order)
    for pod, node in course.seen:
        if node not in end.nodes:
            verdict.violations.append(f"{pod} on {node}: there is no such node")
            continue
        end.remove(pod)
        verdict.violations += _say(pod, node, refusals(pod, end, [node], rules).get(node, {}))
        end.place(pod, node)


def _judge_order(course, slack, verdict):
    """The others, in an order as near as possible to the one seen."""
    cluster = Cluster(**course.after)
    for pod, node in course.there:
        cluster.place(pod, node)
    seen = [(pod, node) for pod, node in course.seen if node in cluster.nodes]
    replay = Replay(cluster, slack, gang_of).run(seen)
    verdict.violations += replay.problems
    verdict.moved = replay.moved
    return replay.order


def _judge_steps(course, order, verdict):
    """All rules at each placement of that order, on all nodes, with claims and volumes as they were
    then: what a pod brought about is there for the next one."""
    cluster, end = Cluster(**course.before), Cluster(**course.after)
    for pod, node in course.there:
        cluster.place(pod, node)
    judged = tuple(rule for rule in RULES if not rule.by_order)
    for pod, node in order:
        found = refusals(pod, cluster)
        here = found.get(node, {})
        # Of the others the replay has spoken.
        wrong = {rule.name: here[rule.name] for rule in judged if rule.name in here}
        verdict.violations += _say(pod, node, wrong)
        _count(found, verdict)
        cluster.place(pod, node)
        for key in pod.derived(claim_keys):
            _settle(key, cluster, end)


def _settle(key, cluster, end):
    claim = end.claims.get(key)
    if claim is not None:
        cluster.claims[key] = claim
        name = claim["spec"].get("volumeName")
        if name in end.volumes:
            cluster.volumes[name] = end.volumes[name]


def _count(found, verdict):
    for reasons in found.values():
        if len(reasons) == 1:
            verdict.alone.update(reasons.keys())


def _judge_waiting(course, end, verdict):
    """A pod that waits fits nowhere in the end. Of a gang below its minimum, too few pods fit: if
    enough do, one by one, they may still not fit together, and that is no violation."""
    members, placed = defaultdict(list), Counter(gang_of(pod) for pod, _ in course.seen)
    for pod in course.waiting:
        members[gang_of(pod)].append(pod)
    missing = {g: max(1, course.minimums.get(g, 1) - placed[g]) for g in members}
    kept = kept_places(members, missing, end)
    for gang, pods in members.items():
        fitting = []
        for pod in pods:
            found = refusals(pod, end)
            _count(found, verdict)
            if len(found) < len(end.nodes):
                fitting.append(pod)
        if len(fitting) < missing[gang]:
            verdict.hopeless += len(pods)
        elif missing[gang] > 1:
            if _fit_together(pods, missing[gang], end):
                verdict.chances.append(gang)
            else:
                verdict.undecided += len(pods)
        else:
            verdict.hopeless += len(pods) - len(fitting)
            for pod in fitting:
                _judge_fitting(pod, kept, end, verdict)


def _judge_fitting(pod, kept, end, verdict):
    """Whether a pod that fits has to wait because room is kept for others."""
    others = [(one, node) for one, node in kept if gang_of(one) != gang_of(pod)]
    for one, node in others:
        end.place(one, node)
    found = refusals(pod, end)
    for one, _ in others:
        end.remove(one)
    free = [node for node in end.nodes if node not in found]
    if free:
        verdict.violations.append(f"{pod} waits, and fits on {free}")
    else:
        verdict.behind += 1


def _fit_together(pods, enough, end):
    """Whether some tries, each pod on any node that takes it, place enough of them."""
    random = Random(0)
    for _ in range(TRIES):
        random.shuffle(pods)
        done = []
        for pod in pods:
            found = refusals(pod, end)
            free = [node for node in end.nodes if node not in found]
            if free:
                end.place(pod, random.choice(free))
                done.append(pod)
        for pod in done:
            end.remove(pod)
        if len(done) >= enough:
            return True
    return False
