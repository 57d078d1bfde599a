"""Slices, claims and pods as the checker reads them off the API's own documents."""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from support.device_checker.expressions import DOMAIN, holds
from support.quantity import parse

KINDS = ("int", "bool", "string", "version")


@dataclass
class Device:
    driver: str
    pool: str
    body: dict
    spec: dict  # Of its slice.
    rules: list = field(default_factory=list)  # Specs of DeviceTaintRules that select it.

    @property
    def key(self):
        return self.driver, self.pool, self.body["name"]

    def attribute(self, name):
        """By its full name; None: it has no such attribute."""
        domain, _, plain = name.rpartition("/")
        attributes = self.body.get("attributes") or {}
        found = attributes.get(name)
        if found is None and domain == self.driver:
            found = attributes.get(plain)
        if found is None:
            return None
        (kind,) = [k for k in KINDS if k in found]
        return kind, found[kind]

    def has(self, name):
        return self.attribute(f"{DOMAIN}/{name}") is not None

    def value(self, name):
        return self.attribute(f"{DOMAIN}/{name}")[1]

    def capacity(self, name):
        return self.body["capacity"][name]["value"]

    def taints(self):
        found = [*(self.body.get("taints") or []), *(rule["taint"] for rule in self.rules)]
        return [t for t in found if t["effect"] != "None"]

    @property
    def shared(self):
        """Several claims may have a part of it."""
        return bool(self.body.get("allowMultipleAllocations"))

    def full(self, name):
        """A name without a domain is the driver's."""
        return name if "/" in name else f"{self.driver}/{name}"

    def capacities(self):
        """Full name → (how much there is, the policy of requests for it)."""
        found = self.body.get("capacity") or {}
        return {
            self.full(name): (parse(body["value"]), body.get("requestPolicy"))
            for name, body in found.items()
        }

    def consumption(self):
        """(set, counter) → amount, of what the devices of its pool share."""
        used = defaultdict(Fraction)
        for entry in self.body.get("consumesCounters") or []:
            for name, counter in entry["counters"].items():
                used[entry["counterSet"], name] += parse(counter["value"])
        return used

    def reaches(self, node):
        """Whether it may be used from the node."""
        spec = self.body if self.spec.get("perDeviceNodeSelection") else self.spec
        if spec.get("allNodes"):
            return True
        if spec.get("nodeName"):
            return spec["nodeName"] == node["metadata"]["name"]
        return any(_matches(term, node) for term in spec["nodeSelector"]["nodeSelectorTerms"])


def selects(selector, node):
    """Whether a node selector, of an allocation for example, takes the node; None takes all."""
    return selector is None or any(_matches(t, node) for t in selector["nodeSelectorTerms"])


def _matches(term, node):
    """Only what random claims and both schedulers write: In, by labels or by name."""
    labels = node["metadata"].get("labels") or {}
    found = [(r, labels.get(r["key"])) for r in term.get("matchExpressions") or []]
    found += [(r, node["metadata"]["name"]) for r in term.get("matchFields") or []]
    assert all(requirement["operator"] == "In" for requirement, _ in found), term
    return bool(found) and all(value in requirement["values"] for requirement, value in found)


@dataclass
class Pool:
    devices: dict  # By name.
    counters: dict  # (set, counter) → how much there is.
    whole: bool


class Offer:
    """All devices of the newest generation of their pools, with the taints of rules."""

    def __init__(self, slices, rules=()):
        self._rules = [body["spec"] for body in rules]
        by_pool = defaultdict(list)
        for body in slices:
            spec = body["spec"]
            by_pool[spec["driver"], spec["pool"]["name"]].append(spec)
        self.pools = {key: self._pool(key, specs) for key, specs in by_pool.items()}

    def _selecting(self, driver, pool, device):
        """The rules that do; one without a selector selects nothing."""
        have = {"driver": driver, "pool": pool, "device": device}
        return [
            rule
            for rule in self._rules
            if (selector := rule.get("deviceSelector")) is not None
            and all(have[key] == value for key, value in selector.items())
        ]

    def _pool(self, key, specs):
        newest = max(spec["pool"]["generation"] for spec in specs)
        specs = [spec for spec in specs if spec["pool"]["generation"] == newest]
        devices, counters = {}, {}
        for spec in specs:
            for body in spec.get("devices") or []:
                rules = self._selecting(*key, body["name"])
                devices[body["name"]] = Device(*key, body, spec, rules)
            for entry in spec.get("sharedCounters") or []:
                for name, counter in entry["counters"].items():
                    counters[entry["name"], name] = parse(counter["value"])
        whole = all(spec["pool"]["resourceSliceCount"] == len(specs) for spec in specs)
        return Pool(devices, counters, whole)

    def find(self, driver, pool, name):
        found = self.pools.get((driver, pool))
        return found.devices.get(name) if found else None

    def reachable(self, node):
        return [
            d
            for pool in self.pools.values()
            if pool.whole
            for d in pool.devices.values()
            if d.reaches(node)
        ]


@dataclass
class Demand:
    """`exactly`, or one alternative of a request."""

    name: str  # As results name it.
    body: dict
    classes: dict  # Name → its expressions.

    def selects(self, device):
        """Whether it asks for such a device, be it tainted or not."""
        own = [s["cel"]["expression"] for s in self.body.get("selectors") or []]
        wanted = self.classes[self.body["deviceClassName"]] + own
        if not all(holds(text, device) for text in wanted):
            return False
        there = device.capacities()
        if any(there.get(name, (-1,))[0] < amount for name, amount in self._asked(device).items()):
            return False
        return self.admin or not device.shared or self.part(device) is not None

    def tolerates(self, device):
        return all(
            any(_tolerates(t, taint) for t in self.body.get("tolerations") or [])
            for taint in device.taints()
        )

    def admits(self, device):
        """Whether it may have such a device."""
        return self.selects(device) and self.tolerates(device)

    def _asked(self, device):
        """Full name → amount."""
        asked = (self.body.get("capacity") or {}).get("requests") or {}
        return {device.full(name): parse(amount) for name, amount in asked.items()}

    def part(self, device):
        """Full name → what it takes of each capacity of a shared device; None: it cannot."""
        asked, taken = self._asked(device), {}
        for name, (there, policy) in device.capacities().items():
            amount = _adjusted(asked.get(name), there, policy)
            if amount is None or amount > there:
                return None
            taken[name] = amount
        return taken

    @property
    def admin(self):
        return bool(self.body.get("adminAccess"))

    @property
    def all(self):
        return self.body.get("allocationMode") == "All"

    @property
    def count(self):
        return self.body.get("count") or 1


def _adjusted(asked, there, policy):
    """What a request for so much, or for nothing, comes to; None: more than the policy lets one have."""
    if asked is None:
        return parse(policy["default"]) if policy else there
    if not policy:
        return asked
    valid = sorted(parse(value) for value in policy.get("validValues") or [])
    if valid:
        return next((value for value in valid if value >= asked), None)
    limits = policy.get("validRange")
    if not limits:
        return asked
    least = parse(limits["min"])
    amount = max(asked, least)
    if limits.get("step"):
        step = parse(limits["step"])
        amount = least + -((least - amount) // step) * step
    return None if limits.get("max") and amount > parse(limits["max"]) else amount


def _tolerates(toleration, taint):
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return toleration.get("key") in (None, "", taint["key"])
    return toleration.get("key") == taint["key"] and (
        toleration.get("value", "") == taint.get("value", "")
    )


@dataclass
class Claim:
    body: dict
    classes: dict
    demands: dict = field(init=False)  # Request → its alternatives.

    def __post_init__(self):
        self.demands = {}
        for request in self.body["spec"]["devices"]["requests"]:
            name = request["name"]
            if "exactly" in request:
                self.demands[name] = [Demand(name, request["exactly"], self.classes)]
            else:
                self.demands[name] = [
                    Demand(f"{name}/{sub['name']}", sub, self.classes)
                    for sub in request["firstAvailable"]
                ]

    @property
    def name(self):
        return self.body["metadata"]["name"]

    @property
    def constraints(self):
        return self.body["spec"]["devices"].get("constraints") or []

    @property
    def allocation(self):
        return (self.body.get("status") or {}).get("allocation")

    @property
    def results(self):
        return ((self.allocation or {}).get("devices") or {}).get("results") or []

    @property
    def users(self):
        return {u["uid"] for u in (self.body.get("status") or {}).get("reservedFor") or []}
