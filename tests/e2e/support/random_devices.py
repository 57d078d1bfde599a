"""Random devices, claims and pods, and the course of a run with them: placed side by side by our
scheduler and, on the other half of the nodes, by that of Kubernetes."""

import random
from dataclasses import dataclass

from support import objects
from support.device_checker import LendingHistory
from support.device_checker.expressions import DOMAIN, EXPRESSIONS
from support.devices import RESOURCE, Devices
from support.poll import until
from support.rest import MERGE_PATCH
from support.world import unique

HALF = "example.com/half"
OURS, THEIRS = "volcano", "default-scheduler"
TAINT = {"key": "example.com/worn", "value": "yes", "effect": "NoSchedule"}
TOLERATION = {"key": "example.com/worn", "operator": "Exists"}
SELECTORS = [text for text in EXPRESSIONS if text != "true"]


def api(kind, name, **body):
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}, **body}


class Draw:
    """Bodies out of a seed. `odds` are chosen so that about a fifth of the pods waits."""

    def __init__(self, seed, driver, classes):
        self.dice = random.Random(seed)
        self.driver, self.classes = driver, classes

    def chance(self, odds):
        return self.dice.random() < odds

    def device(self, name, partition):
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
        memory = self.dice.choice(["8Gi", "16Gi", "32Gi"])
        body = {"name": name, "attributes": attributes}
        body["capacity"] = {f"{DOMAIN}/memory": {"value": memory}}
        if self.chance(0.1):
            body["taints"] = [TAINT]
        if partition:
            counters = {"units": {"value": str(self.dice.randint(1, 3))}}
            body["consumesCounters"] = [{"counterSet": "card", "counters": counters}]
        return body

    def slices(self, node, partitions):
        """Those of one node's pool: one slice or two; sometimes with counters that devices share."""
        pool = {"name": node, "generation": self.dice.randint(1, 3)}
        partition = self.chance(0.3) and partitions
        count = 1 if partition else self.dice.randint(1, 2)
        pool["resourceSliceCount"] = count + partition
        made = []
        for i in range(count):
            names = [f"d{i}-{j}" for j in range(self.dice.randint(2, 5))]
            made.append({"devices": [self.device(name, partition) for name in names]})
        if partition:
            counters = {"units": {"value": "5"}}
            made.append({"sharedCounters": [{"name": "card", "counters": counters}]})
        common = {"driver": self.driver, "nodeName": node, "pool": pool}
        return [{**common, **slice_} for slice_ in made]

    def network(self, zone):
        """Devices that all nodes with a label reach."""
        term = {"matchExpressions": [{"key": HALF, "operator": "In", "values": [zone]}]}
        pool = {"name": f"net-{zone}", "generation": 1, "resourceSliceCount": 1}
        devices = [self.device(f"n{i}", False) for i in range(3)]
        spec = {"driver": self.driver, "pool": pool, "devices": devices}
        return {**spec, "nodeSelector": {"nodeSelectorTerms": [term]}}

    def demand(self):
        body = {"deviceClassName": self.dice.choice(self.classes)}
        if self.chance(0.6):
            body["selectors"] = [{"cel": {"expression": self.dice.choice(SELECTORS)}}]
        if self.chance(0.05):
            body["allocationMode"] = "All"
        elif self.chance(0.25):
            body["count"] = self.dice.randint(2, 3)
        if self.chance(0.3):
            body["tolerations"] = [TOLERATION]
        return body

    def request(self, name):
        if self.chance(0.15):
            some = [{"name": f"s{i}", **self.demand()} for i in range(self.dice.randint(2, 3))]
            return {"name": name, "firstAvailable": some}
        return {"name": name, "exactly": self.demand()}

    def claim(self, name):
        requests = [self.request(f"r{i}") for i in range(1 + self.chance(0.25))]
        devices = {"requests": requests}
        if self.chance(0.25):
            kind = self.dice.choice(["matchAttribute", "matchAttribute", "distinctAttribute"])
            attribute = self.dice.choice([f"{DOMAIN}/numa", f"{DOMAIN}/model", f"{self.driver}/slot"])
            constraint = {kind: attribute}
            if self.chance(0.5):
                constraint["requests"] = [requests[0]["name"]]
            devices["constraints"] = [constraint]
        return api("ResourceClaim", name, spec={"devices": devices})


@dataclass
class Unit:
    """A pod with its claims; `shares` are claims of pods before it."""

    pod: dict
    claims: list
    ours: bool


class Stage:
    """The world of one seed."""

    def __init__(self, world, seed, claims, beside):
        self.world, self.rest, self.seed = world, world.rest, seed
        self.devices = Devices(world)
        self.beside = beside  # Kubernetes' scheduler has half of it.
        self.classes = [self.devices.device_class, self._sharp_class()]
        self.draw = Draw(seed, self.devices.driver, self.classes)
        self.units = self._draw_units(claims)
        self.node_count = max(4, claims // 6)
        self.history = LendingHistory(self.rest, self.devices.claims)

    def _sharp_class(self):
        name = unique("class")
        expressions = [f'device.driver == "{self.devices.driver}"', SELECTORS[0]]
        selectors = [{"cel": {"expression": text}} for text in expressions]
        self._post("deviceclasses", api("DeviceClass", name, spec={"selectors": selectors}))
        return name

    def _post(self, plural, body):
        path = f"{RESOURCE}/{plural}"
        self.rest.post(path, body).expect(201)
        self.world.removes_later(f"{path}/{body['metadata']['name']}")

    def _draw_units(self, claims):
        dice, made, number = self.draw.dice, [], 0
        while number < claims:
            own = [self.draw.claim(f"c{number + i}") for i in range(1 + (dice.random() < 0.2))]
            number += len(own)
            users = dice.choice([1, 1, 1, 2])  # Some claims are shared.
            ours = not self.beside or dice.random() < 0.5
            for user in range(users):
                pod = self._pod(f"p{len(made)}", [c["metadata"]["name"] for c in own], ours)
                made.append(Unit(pod, own if user == 0 else [], ours))
        return made

    def _pod(self, name, claims, ours):
        entries = [{"name": f"e{i}", "resourceClaimName": c} for i, c in enumerate(claims)]
        more = {"nodeSelector": {HALF: "a" if ours else "b"}} if self.beside else {}
        who = {"group": name} if ours else {"scheduler": THEIRS}
        return objects.pod(name, cpu="10m", memory="1Mi", resourceClaims=entries, **who, **more)

    # --- making -----------------------------------------------------------------------------

    def build(self):
        for i in range(self.node_count):
            half = "ab"[i % 2]
            node = self.world.node(cpu=64, labels={HALF: half})
            # Over counters kube-scheduler 1.36.1 now and then falls (checkAvailableCounters).
            for spec in self.draw.slices(node, partitions=half == "a" or not self.beside):
                self._post("resourceslices", api("ResourceSlice", unique("slice"), spec=spec))
        for half in "ab":
            spec = self.draw.network(half)
            self._post("resourceslices", api("ResourceSlice", unique("slice"), spec=spec))

    def create(self, units):
        for unit in units:
            for claim in unit.claims:
                self.rest.post(self.devices.claims, claim).expect(201)
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

        driver = self.devices.driver
        slices = items(f"{RESOURCE}/resourceslices")
        return {
            "nodes": items("/api/v1/nodes"),
            "slices": [s for s in slices if s["spec"]["driver"] == driver],
            "classes": items(f"{RESOURCE}/deviceclasses"),
            "claims": items(self.devices.claims),
            "pods": self.mine(),
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


def _has_answer(pod):
    """It has a node, or was told that there is none; who could not be bound is tried again."""
    conditions = pod.get("status", {}).get("conditions") or []
    told = [c.get("reason") for c in conditions if c["type"] == "PodScheduled"]
    return bool(pod["spec"].get("nodeName")) or "Unschedulable" in told


def _differences(before, after):
    return [entry for a, b in zip(before or ((), ()), after) for entry in b if entry not in a]
