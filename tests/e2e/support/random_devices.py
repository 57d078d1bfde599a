"""Random devices, claims and pods, and the course of a run with them: placed side by side by our
scheduler and, on the other half of the nodes, by that of Kubernetes."""

import random
from dataclasses import dataclass

from support import objects
from support.device_checker import LendingHistory
from support.device_checker.expressions import DOMAIN, EXPRESSIONS
from support.devices import RESOURCE, TAINT_RULES, Devices
from support.poll import until
from support.rest import MERGE_PATCH
from support.world import unique

HALF = "example.com/half"
OURS, THEIRS = "volcano", "default-scheduler"
WORN = "example.com/worn"
EFFECTS = ["NoSchedule", "NoExecute"]
TOLERATION = {"key": WORN, "operator": "Exists"}
SELECTORS = [text for text in EXPRESSIONS if text != "true"]
MEMORY = f"{DOMAIN}/memory"
# What requests for memory of a device that several share come to.
POLICIES = [
    {"default": "4Gi", "validRange": {"min": "2Gi", "step": "2Gi", "max": "8Gi"}},
    {"default": "4Gi", "validValues": ["2Gi", "4Gi", "8Gi"]},
]


def api(kind, name, **body):
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}, **body}


class Draw:
    """Bodies out of a seed. Odds are chosen so that about a third of the pods waits."""

    def __init__(self, seed, driver):
        self.dice = random.Random(seed)
        self.driver = driver

    def chance(self, odds):
        return self.dice.random() < odds

    def device(self, name, partition=False, shares=False):
        """`shares`: several claims may have a part of some."""
        attributes = {
            f"{DOMAIN}/model": {"string": self.dice.choice("abc")},
            f"{DOMAIN}/numa": {"int": self.dice.randrange(3)},
            f"{DOMAIN}/healthy": {"bool": self.chance(0.8)},
            f"{DOMAIN}/driver": {"version": f"{self.dice.randint(1, 2)}.{self.dice.randint(0, 9)}.0"},
        }
        if self.chance(0.3):
            attributes[f"{DOMAIN}/rare"] = {"bool": True}
        if self.chance(0.7):
            attributes["slot"] = {"int": self.dice.randrange(4)}
        memory = {"value": self.dice.choice(["8Gi", "16Gi", "32Gi"])}
        body = {"name": name, "attributes": attributes, "capacity": {MEMORY: memory}}
        if shares and not partition and self.chance(0.25):
            body["allowMultipleAllocations"] = True
            if self.chance(0.6):
                memory["requestPolicy"] = self.dice.choice(POLICIES)
        if self.chance(0.1):
            body["taints"] = [{"key": WORN, "value": "yes", "effect": self.dice.choice(EFFECTS)}]
        if partition:
            counters = {"units": {"value": str(self.dice.randint(1, 3))}}
            body["consumesCounters"] = [{"counterSet": "card", "counters": counters}]
        return body

    def slices(self, node, ours):
        """Those of one node's pool: one slice or two. Of ours some devices share counters, or are shared
        themselves."""
        pool = {"name": node, "generation": self.dice.randint(1, 3)}
        partition = self.chance(0.3) and ours
        count = 1 if partition else self.dice.randint(1, 2)
        pool["resourceSliceCount"] = count + partition
        made = []
        for i in range(count):
            names = [f"d{i}-{j}" for j in range(self.dice.randint(2, 5))]
            made.append({"devices": [self.device(name, partition, ours) for name in names]})
        if partition:
            counters = {"units": {"value": "5"}}
            made.append({"sharedCounters": [{"name": "card", "counters": counters}]})
        common = {"driver": self.driver, "nodeName": node, "pool": pool}
        return [{**common, **slice_} for slice_ in made]

    def network(self, zone):
        """Devices that all nodes with a label reach."""
        return self._wide(f"net-{zone}", self.driver, "n", 3, nodeSelector=_of_half(zone))

    def everywhere(self, driver):
        """Devices that all nodes reach."""
        return self._wide("all", driver, "e", 8, allNodes=True)

    def scattered(self, driver, nodes):
        """Devices of one pool that are each somewhere else."""
        spec = self._wide("each", driver, "s", 8, perDeviceNodeSelection=True)
        for device in spec["devices"]:
            reach = [{"nodeName": self.dice.choice(nodes)}, {"allNodes": True}]
            reach.append({"nodeSelector": _of_half("a")})
            device.update(self.dice.choice(reach))
        return spec

    def _wide(self, name, driver, prefix, count, **where):
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        devices = [self.device(f"{prefix}{i}") for i in range(count)]
        return {"driver": driver, "pool": pool, "devices": devices, **where}

    def taint_rule(self, pool, device):
        """Of one device of a pool, or of all; an administrator's word."""
        selector = {"driver": self.driver, "pool": pool}
        if self.chance(0.5):
            selector["device"] = device
        taint = {"key": WORN, "value": "no", "effect": self.dice.choice(EFFECTS)}
        return {"deviceSelector": selector, "taint": taint}

    def demand(self, classes):
        body = {"deviceClassName": self.dice.choice(classes)}
        if self.chance(0.2):
            amount = self.dice.choice(["1Gi", "3Gi", "4Gi", "8Gi", "16Gi"])
            body["capacity"] = {"requests": {MEMORY: amount}}
        if self.chance(0.6):
            body["selectors"] = [{"cel": {"expression": self.dice.choice(SELECTORS)}}]
        if self.chance(0.05):
            body["allocationMode"] = "All"
        elif self.chance(0.25):
            body["count"] = self.dice.randint(2, 3)
        if self.chance(0.3):
            body["tolerations"] = [TOLERATION]
        return body

    def request(self, name, classes):
        if self.chance(0.15):
            count = self.dice.randint(2, 3)
            some = [{"name": f"s{i}", **self.demand(classes)} for i in range(count)]
            return {"name": name, "firstAvailable": some}
        return {"name": name, "exactly": self.demand(classes)}

    def claim(self, name, classes):
        if self.chance(0.07):
            looks = {**self.demand(classes), "adminAccess": True}
            request = {"name": "r0", "exactly": looks}
            return api("ResourceClaim", name, spec={"devices": {"requests": [request]}})
        requests = [self.request(f"r{i}", classes) for i in range(1 + self.chance(0.25))]
        devices = {"requests": requests}
        if self.chance(0.25):
            kind = self.dice.choice(["matchAttribute", "matchAttribute", "distinctAttribute"])
            attribute = self.dice.choice([f"{DOMAIN}/numa", f"{DOMAIN}/model", f"{self.driver}/slot"])
            constraint = {kind: attribute}
            if self.chance(0.5):
                constraint["requests"] = [requests[0]["name"]]
            devices["constraints"] = [constraint]
        return api("ResourceClaim", name, spec={"devices": devices})


def _of_half(half):
    term = {"matchExpressions": [{"key": HALF, "operator": "In", "values": [half]}]}
    return {"nodeSelectorTerms": [term]}


def from_template(claim):
    """The same, to be made for each pod that names it."""
    name, spec = claim["metadata"]["name"], claim["spec"]
    return api("ResourceClaimTemplate", name, spec={"spec": spec})


@dataclass
class Unit:
    """A pod, and the claims and templates that come with it; others were there before it."""

    pod: dict
    claims: list
    ours: bool


class Stage:
    """The world of one seed."""

    def __init__(self, world, seed, claims, beside):
        self.world, self.rest, self.seed = world, world.rest, seed
        self.devices = Devices(world)
        self.beside = beside  # Kubernetes' scheduler has half of it.
        # What schedulers have in common they would give twice: nobody keeps one from what the other is
        # about to give. Devices that all nodes reach have a driver of their own, and are ours.
        self.wide_driver = f"wide-{self.devices.driver}"
        of_driver = f'device.driver == "{self.devices.driver}"'
        self.classes = [self.devices.device_class, self._class(of_driver, SELECTORS[0])]
        self.wide_class = self._class(f'device.driver == "{self.wide_driver}"')
        self.rules = self.devices.serves_taint_rules()
        self.draw = Draw(seed, self.devices.driver)
        self.units = self._draw_units(claims)
        self.node_count = max(4, claims // 6)
        self.devices.allow_admin_access()
        self.history = LendingHistory(self.rest, self.devices.claims)

    def flags(self):
        """Those of our scheduler."""
        return ["--feature-gates=DRADeviceTaintRules=true"] if self.rules else []

    def _class(self, *expressions):
        name = unique("class")
        selectors = [{"cel": {"expression": text}} for text in expressions]
        self._post("deviceclasses", api("DeviceClass", name, spec={"selectors": selectors}))
        return name

    def _post(self, plural, body):
        path = f"{RESOURCE}/{plural}"
        self.rest.post(path, body).expect(201)
        self.world.removes_later(f"{path}/{body['metadata']['name']}")

    def _slice(self, spec):
        self._post("resourceslices", api("ResourceSlice", unique("slice"), spec=spec))

    def _draw_units(self, claims):
        dice, made, number = self.draw.dice, [], 0
        while number < claims:
            ours = not self.beside or dice.random() < 0.5
            # Of the wide ones there are few.
            classes = [*self.classes * 3, self.wide_class] if ours else self.classes
            count = 1 + (dice.random() < 0.2)
            own = [self.draw.claim(f"c{number + i}", classes) for i in range(count)]
            number += len(own)
            users = dice.choice([1, 1, 1, 2])  # Some claims are shared.
            if users == 1 and dice.random() < 0.25:
                own = [from_template(claim) for claim in own]
            for user in range(users):
                pod = self._pod(f"p{len(made)}", own, ours)
                made.append(Unit(pod, own if user == 0 else [], ours))
        return made

    def _pod(self, name, claims, ours):
        keys = {"ResourceClaim": "resourceClaimName"}
        keys["ResourceClaimTemplate"] = "resourceClaimTemplateName"
        entries = [
            {"name": f"e{i}", keys[claim["kind"]]: claim["metadata"]["name"]}
            for i, claim in enumerate(claims)
        ]
        more = {"nodeSelector": {HALF: "a" if ours else "b"}} if self.beside else {}
        who = {"group": name} if ours else {"scheduler": THEIRS}
        return objects.pod(name, cpu="10m", memory="1Mi", resourceClaims=entries, **who, **more)

    # --- making -----------------------------------------------------------------------------

    def build(self):
        nodes = []
        for i in range(self.node_count):
            half = "ab"[i % 2]
            nodes.append(self.world.node(cpu=64, labels={HALF: half}))
            # Over counters kube-scheduler 1.36.1 now and then falls (checkAvailableCounters).
            ours = half == "a" or not self.beside
            specs = self.draw.slices(nodes[-1], ours)
            for spec in specs:
                self._slice(spec)
            if self.rules and ours and self.draw.chance(0.15):
                spec = self.draw.taint_rule(nodes[-1], specs[0]["devices"][0]["name"])
                self._taint_rule(spec)
        for half in "ab":
            self._slice(self.draw.network(half))
        self._slice(self.draw.everywhere(self.wide_driver))
        self._slice(self.draw.scattered(self.wide_driver, nodes))

    def _taint_rule(self, spec):
        body = api("DeviceTaintRule", unique("rule"), spec=spec)
        body["apiVersion"] = "resource.k8s.io/v1beta2"
        self.rest.post(TAINT_RULES, body).expect(201)
        self.world.removes_later(f"{TAINT_RULES}/{body['metadata']['name']}")

    def create(self, units):
        for unit in units:
            for claim in unit.claims:
                plural = f"{claim['kind'].lower()}s"
                self.rest.post(f"{self.devices.home}/{plural}", claim).expect(201)
            name = unit.pod["metadata"]["name"]
            if unit.ours:
                self.world.pod_group(name, 1)
            path = f"/api/v1/namespaces/{self.world.namespace}/pods"
            self.rest.post(path, unit.pod).expect(201)

    def end_some(self, share):
        """Pods that are placed end, and their devices come back."""
        for pod in self.mine():
            if pod["spec"].get("nodeName") and self.draw.dice.random() < share:
                self.world.delete_pod(pod["metadata"]["name"])

    # --- looking ----------------------------------------------------------------------------

    def mine(self):
        return [p for p in self.world.pods() if p["spec"].get("resourceClaims")]

    def settle(self, within=60, alive=lambda: None):
        """Waits until each pod has a place or a reason, and nothing moves any more. `alive` fails when
        somebody has died who should do that."""
        seen = {"state": None, "same": 0}

        def still():
            alive()
            self.devices.make_claims()
            self.devices.collect()
            pods = self.mine()
            claims = self.rest.get(self.devices.claims).expect(200)["items"]
            state = [
                sorted((p["metadata"]["name"], p["spec"].get("nodeName", "")) for p in pods),
                sorted((c["metadata"]["name"], str(c.get("status"))) for c in claims),
            ]
            untold = [p["metadata"]["name"] for p in pods if not _has_answer(p)]
            moved = [] if state == seen["state"] else _differences(seen["state"], state)
            seen["same"] = 0 if untold or moved else seen["same"] + 1
            seen.update(state=state, untold=untold, moved=moved or seen.get("moved"))
            # Kubernetes' scheduler lets a second or two pass before it tries again.
            return seen["same"] >= (10 if self.beside else 4)

        def what():
            return f"seed {self.seed} settles: untold {seen['untold']}, moved {seen['moved']}"

        until(still, within, what)

    def course(self):
        """What the checker judges, as documents."""

        def items(path):
            return self.rest.get(path).expect(200)["items"]

        drivers = self.devices.driver, self.wide_driver
        slices = items(f"{RESOURCE}/resourceslices")
        rules = items(TAINT_RULES) if self.rules else []
        return {
            "nodes": items("/api/v1/nodes"),
            "slices": [s for s in slices if s["spec"]["driver"] in drivers],
            "classes": items(f"{RESOURCE}/deviceclasses"),
            "claims": items(self.devices.claims),
            "pods": self.mine(),
            "rules": [r for r in rules if _selector(r).get("driver") in drivers],
        }

    def close(self):
        self.history.close()
        # Who still has devices may end with its pods alone.
        self.rest.delete(f"/api/v1/namespaces/{self.world.namespace}/pods", gracePeriodSeconds=0)
        gone = {"metadata": {"finalizers": None}}
        for claim in self.rest.get(self.devices.claims).expect(200)["items"]:
            path = f"{self.devices.claims}/{claim['metadata']['name']}"
            self.rest.delete(path)
            self.rest.patch(path, gone, MERGE_PATCH)


def _selector(rule):
    return rule["spec"].get("deviceSelector") or {}


def _has_answer(pod):
    """It has a node, or was told that there is none; who could not be bound is tried again. What
    Kubernetes' allocator cannot decide, it tries again for ever."""
    conditions = pod.get("status", {}).get("conditions") or []
    told = {c.get("reason") for c in conditions if c["type"] == "PodScheduled"}
    answers = {"Unschedulable"}
    if pod["spec"].get("schedulerName") == THEIRS:
        answers.add("SchedulerError")
    return bool(pod["spec"].get("nodeName")) or not told.isdisjoint(answers)


def _differences(before, after):
    return [entry for a, b in zip(before or ((), ()), after) for entry in b if entry not in a]
