"""Volumes and claims of every kind, and which pods get them."""

from support.random_world.nodes import DRIVER, HOST, ZONE, ZONES
from support.storage import NO_PROVISIONER

LOCAL, MADE, MADE_IN_ZONES, AT_ONCE = "@class-local", "@class-made", "@class-zones", "@class-once"
SIMULATED = "batholith.io/simulated"


def draw_classes():
    def make(name, provisioner, mode="WaitForFirstConsumer", **more):
        return {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": name},
            "provisioner": provisioner,
            "volumeBindingMode": mode,
            **more,
        }

    zones = [{"matchLabelExpressions": [{"key": ZONE, "values": ["z1", "z3"]}]}]
    return [
        make(LOCAL, NO_PROVISIONER),
        make(MADE, SIMULATED),
        make(MADE_IN_ZONES, SIMULATED, allowedTopologies=zones),
        make(AT_ONCE, NO_PROVISIONER, mode="Immediate"),
    ]


def _volume(name, storage_class, size, modes, **spec):
    source = {} if "csi" in spec else {"hostPath": {"path": "/tmp"}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": {}},
        "spec": {
            "storageClassName": storage_class,
            "capacity": {"storage": size},
            "accessModes": modes,
            "persistentVolumeReclaimPolicy": "Retain",
            **source,
            **spec,
        },
    }


def _claim(name, storage_class, size, modes):
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "@main"},
        "spec": {
            "storageClassName": storage_class,
            "accessModes": modes,
            "resources": {"requests": {"storage": size}},
        },
    }


def _on(key, values):
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": values}]}]
    return {"required": {"nodeSelectorTerms": terms}}


def mounts(*claims):
    return [{"name": c, "persistentVolumeClaim": {"claimName": c}} for c in claims]


class Claims:
    """Draws claims as pods take them. `bound` are pairs of claim and volume that belong together
    from the start, `open` claims that wait for a pod, `volumes` those that are free."""

    def __init__(self, random, nodes):
        self.bound, self.open, self.volumes = [], [], []
        self.kinds = {}  # Name of a claim → its kind.
        self._shared = []
        for i in range(60):
            size = random.choice(["1Gi", "5Gi", "10Gi"])
            where = _on(HOST, [f"@{random.randrange(nodes)}"])
            volume = _volume(f"@free-{i}", LOCAL, size, ["ReadWriteOnce"], nodeAffinity=where)
            self.volumes.append(volume)

    def take(self, random):
        """The volumes of one pod."""
        number = random.choices([1, 2], [5, 1])[0]
        names = {self._one(random) for _ in range(number)}
        return mounts(*sorted(names))

    def _one(self, random):
        if self._shared and random.random() < 0.2:
            return random.choice(self._shared)
        kinds = ("local", "zone", "attached", "one-pod", "waits", "made", "never", "missing")
        name = self.make(random, random.choices(kinds, [6, 8, 20, 4, 8, 6, 0.6, 0.6])[0])
        if name.startswith("one-pod") or random.random() < 0.1:
            self._shared.append(name)
        return name

    def make(self, random, kind):
        """A claim of this kind; returns its name."""
        name = f"{kind}-{len(self.kinds)}"
        self.kinds[name] = kind
        if kind in ("waits", "made", "never"):
            self._open(random, kind, name)
        elif kind != "missing":
            self._bound(random, kind, name)
        return name

    def _open(self, random, kind, name):
        storage_class = {
            "waits": LOCAL,
            "made": random.choice([MADE, MADE_IN_ZONES]),
            "never": AT_ONCE,
        }[kind]
        size = random.choice(["1Gi", "2Gi", "6Gi"])
        self.open.append(_claim(name, storage_class, size, ["ReadWriteOnce"]))

    def _bound(self, random, kind, name):
        modes = ["ReadWriteOncePod" if kind == "one-pod" else "ReadWriteOnce"]
        more = {}
        if kind == "local":
            # One node, or a few: its own decides, or its zone.
            hosts = [f"@{random.randrange(50)}" for _ in range(random.choice([1, 3]))]
            more["nodeAffinity"] = _on(HOST, hosts)
        if kind in ("attached", "one-pod"):
            more["csi"] = {"driver": DRIVER, "volumeHandle": f"handle-{name}"}
        volume = _volume(f"@{name}", "", "1Gi", modes, **more)
        if kind == "zone":
            zones = random.choice([[random.choice(ZONES)], ["z2", "z4"]])
            volume["metadata"]["labels"][ZONE] = "__".join(zones)
        claim = _claim(name, "", "1Gi", modes)
        claim["spec"]["volumeName"] = volume["metadata"]["name"]
        self.bound.append((claim, volume))
