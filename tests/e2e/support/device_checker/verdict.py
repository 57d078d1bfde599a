"""What is wrong with a cluster's claims as they stand."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from support.device_checker import rules
from support.device_checker.model import Claim, Offer, selects
from support.device_checker.search import Taken, fits_on, holders, parts


@dataclass
class Verdict:
    violations: list = field(default_factory=list)
    # What Kubernetes' scheduler did to its own pods alone.
    of_others: list = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)


class _Judge:
    def __init__(self, nodes, slices, classes, claims, pods, rules=()):
        self.nodes = {n["metadata"]["name"]: n for n in nodes}
        self.offer = Offer(slices, rules)
        known = {c["metadata"]["name"]: _expressions(c) for c in classes}
        self.claims = {c["metadata"]["name"]: Claim(c, known) for c in claims}
        self.pods = pods
        self.verdict = Verdict()

    def run(self):
        self.devices_once()
        self.capacities()
        self.counters()
        for claim in self.claims.values():
            if claim.allocation:
                self.claim(claim)
        for pod in self.pods:
            self.placed(pod) if pod["spec"].get("nodeName") else self.waiting(pod)
        return self.verdict

    def blame(self, *words, whose=()):
        """Nobody's: ours."""
        theirs = whose and all(name not in OURS for name in whose)
        listed = self.verdict.of_others if theirs else self.verdict.violations
        listed.append(" ".join(map(str, words)))

    def users(self, claim):
        """The schedulers of the pods that name the claim."""
        return [_scheduler(pod) for pod in self.pods if claim in self.claims_of(pod)[0]]

    def devices_once(self):
        whole = holders(self.claims.values())
        self.taken = Taken(whole, parts(self.claims.values(), self.offer))
        for device, claims in whole.items():
            if len(claims) > 1:
                self.blame(device, "is given to", sorted(claims))

    def capacities(self):
        """Of devices that are shared."""
        self.verdict.counts["shared"] += len(self.taken.parts)
        for key, used in self.taken.parts.items():
            there = self.offer.find(*key).capacities()
            for name, amount in used.items():
                room = there[name][0] if name in there else 0
                if amount > room:
                    self.blame(key, "gives", amount, "of", room, "of its", name)

    def counters(self):
        used = defaultdict(Fraction)
        for key in self.taken.keys():
            device = self.offer.find(*key)
            for counter, amount in device.consumption().items() if device else ():
                used[device.driver, device.pool, *counter] += amount
        for (driver, pool, *counter), amount in used.items():
            there = self.offer.pools[driver, pool].counters.get(tuple(counter), 0)
            if amount > there:
                self.blame("pool", pool, counter, "gives", amount, "of", there)

    def found(self, claim):
        """(Result, device), of those that are there."""
        found = []
        for result in claim.results:
            device = self.offer.find(result["driver"], result["pool"], result["device"])
            if device is None:
                self.blame(claim.name, "has", result["device"], "which is not there")
            else:
                found.append((result, device))
        return found

    def given(self, claim):
        return [(result["request"], device) for result, device in self.found(claim)]

    def claim(self, claim):
        self.verdict.counts["allocated"] += 1
        found = self.found(claim)
        self.verdict.counts["admin"] += any(result.get("adminAccess") for result, _ in found)
        given = [(result["request"], device) for result, device in found]
        problems = rules.of_demands(claim, given) + rules.of_constraints(claim, given)
        for problem in problems + rules.of_results(claim, found):
            self.blame(claim.name, problem, whose=self.users(claim))
        uids = {p["metadata"]["uid"] for p in self.pods}
        if not claim.users <= uids:
            self.blame(claim.name, "is kept for pods that are gone")
        if not claim.users:
            self.blame(claim.name, "has devices and no user")

    def claims_of(self, pod):
        """Those that are there, and the names of all; None: it is not made yet."""
        told = (pod.get("status") or {}).get("resourceClaimStatuses") or []
        made = {entry["name"]: entry.get("resourceClaimName") for entry in told}
        names = [
            entry.get("resourceClaimName") or made.get(entry["name"])
            for entry in pod["spec"].get("resourceClaims") or []
        ]
        return [self.claims[name] for name in names if name in self.claims], names

    def placed(self, pod):
        self.verdict.counts["placed"] += 1
        name, node = pod["metadata"]["name"], self.nodes[pod["spec"]["nodeName"]]
        claims, names = self.claims_of(pod)
        if len(claims) != len(names):
            self.blame(name, "is placed without its claims", names)
        for claim in claims:
            if not claim.allocation or pod["metadata"]["uid"] not in claim.users:
                self.blame(name, "is placed, and", claim.name, "is not its")
                continue
            if not selects(claim.allocation.get("nodeSelector"), node):
                self.blame(name, "is where the devices of", claim.name, "are not")
            given = self.given(claim)
            for _, device in given:
                if not device.reaches(node):
                    self.blame(name, "cannot reach", device.key, "from", pod["spec"]["nodeName"])
            for problem in rules.of_all(claim, given, node, self.offer):
                self.blame(claim.name, problem)

    def waiting(self, pod):
        """It must fit nowhere where its node selector lets it go."""
        self.verdict.counts["waiting"] += 1
        claims, names = self.claims_of(pod)
        if len(claims) != len(names):
            return
        wanted = pod["spec"].get("nodeSelector") or {}
        opened = [c for c in claims if not c.allocation]
        held = [c for c in claims if c.allocation]
        for node in self.nodes.values():
            labels = node["metadata"].get("labels") or {}
            if not wanted.items() <= labels.items():
                continue
            if not all(selects(c.allocation.get("nodeSelector"), node) for c in held):
                continue
            fits = fits_on(opened, node, self.offer, self.taken)
            self.verdict.counts["unknown"] += fits is None
            if fits:
                where = "waits and fits on", node["metadata"]["name"]
                self.blame(pod["metadata"]["name"], *where, _told(pod), whose=[_scheduler(pod)])
                return


OURS = ("volcano", None)


def _scheduler(pod):
    return pod["spec"].get("schedulerName")


def _told(pod):
    conditions = pod.get("status", {}).get("conditions") or []
    return [c.get("message") for c in conditions if c["type"] == "PodScheduled"]


def _expressions(body):
    return [s["cel"]["expression"] for s in body["spec"].get("selectors") or []]


def judge(course):
    """Of lists of documents as the API serves them: nodes, slices, classes, claims, pods that have claims,
    and rules that taint devices."""
    return _Judge(**course).run()
