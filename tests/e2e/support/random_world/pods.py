"""Pods that use every kind of rule, alone and in gangs."""

import copy
from dataclasses import dataclass, field

from support import objects
from support.random_world.features import FEATURES, base
from support.random_world.storage import mounts

NAMESPACES = ("main", "blue", "green")


@dataclass
class Gang:
    """A pod group and its pods; singles are gangs of one."""

    name: str
    namespace: str
    minimum: int
    pods: list = field(default_factory=list)


@dataclass
class Load:
    """`count` pods in gangs; `claims` are the claims that the stage has in store for them."""

    random: object
    count: int
    claims: object
    gangs: list = field(default_factory=list)
    features: dict = field(default_factory=dict)  # Name of a pod → names of its features.

    def draw(self):
        self._add_certain()
        left = self.count - len(self.features)
        while left > 0:
            size = min(left, self.random.choice([1, 1, 1, 1, 1, 1, 3, 4, 5, 8, 12]))
            self.gangs.append(self._gang(len(self.gangs), size))
            left -= size
        return self

    def _add_certain(self):
        """What chance might leave out: claims on which nobody waits in vain but these."""
        shared = [self.claims.make(self.random, "one-pod") for _ in range(2)]
        vain = [self.claims.make(self.random, kind) for kind in ("never", "missing")]
        for claim in [*shared, *shared, *vain]:
            gang = Gang(f"g{len(self.gangs)}", "main", 1)
            body = base(self.random)
            # Nothing else shall keep it from a node.
            body["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "10m"}}
            body["spec"]["volumes"] = mounts(claim)
            self._join(gang, body, 0, ["claims"])
            self.gangs.append(gang)

    def _join(self, gang, body, number, names):
        body["metadata"] |= {"name": f"{gang.name}-{number}", "namespace": f"@{gang.namespace}"}
        body["metadata"]["annotations"] = {objects.GROUP_ANNOTATION: gang.name}
        gang.pods.append(body)
        self.features[body["metadata"]["name"]] = names

    def _gang(self, number, size):
        random = self.random
        namespace = random.choices(NAMESPACES, [8, 1, 1])[0]
        # Mostly whole or not at all; some may run with less.
        minimum = size if random.random() < 0.8 else random.randint(1, size)
        gang = Gang(f"g{number}", namespace, minimum)
        # One role for all, or a leader that differs from the workers.
        roles = [self._template(namespace, size)]
        if size > 2 and random.random() < 0.3:
            roles.insert(0, self._template(namespace, 1))
        for i in range(size):
            template, names, wants_claims = roles[min(i, len(roles) - 1)]
            body = copy.deepcopy(template)
            if wants_claims:
                body["spec"]["volumes"] = self.claims.take(random)
            self._join(gang, body, i, names)
        return gang

    def _template(self, namespace, size):
        body, names = base(self.random), []
        # A large gang with many constraints would never be whole.
        scale = 1 if size <= 5 else 0.6
        for name, (share, add) in FEATURES.items():
            if self.random.random() < share * scale:
                add(self.random, body)
                names.append(name)
        # Claims are in one namespace; large gangs would use up what there is.
        wants_claims = namespace == "main" and size <= 5 and self.random.random() < 0.45
        return body, [*names, *(["claims"] if wants_claims else [])], wants_claims
