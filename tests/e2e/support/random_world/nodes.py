"""Nodes that differ in room, labels, taints and drivers."""

from support import objects

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
HOST = "kubernetes.io/hostname"
RACK = "example.com/rack"
ZONES = ("z1", "z2", "z3", "z4")
REGIONS = {"z1": "north", "z2": "north", "z3": "south", "z4": "south"}
GPU = "example.com/gpu"
DRIVER = "csi.example.com"

TAINTS = (
    {"key": "dedicated", "value": "batch", "effect": "NoSchedule"},
    {"key": "dedicated", "value": "web", "effect": "NoSchedule"},
    {"key": "maintenance", "effect": "NoExecute"},
    {"key": "spot", "value": "yes", "effect": "NoSchedule"},
    {"key": "slow", "effect": "PreferNoSchedule"},
)


def draw_nodes(random, names):
    return [_node(random, name, number) for number, name in enumerate(names)]


def _node(random, name, number):
    labels = {
        HOST: name,
        RACK: f"r{number % 10}",
        "disk": random.choice(["ssd", "hdd"]),
        "generation": str(random.randint(1, 6)),
    }
    if number % 12 != 11:  # A few do not say where they are.
        zone = ZONES[number % 4]
        labels |= {ZONE: zone, REGION: REGIONS[zone]}
    if random.random() < 0.3:
        labels["special"] = random.choice(["yes", "no"])
    body = objects.node(
        name,
        cpu=random.choice([4, 8, 16, 16, 32]),
        memory=random.choice(["8Gi", "32Gi", "64Gi"]),
        pods=random.choice([8, 14, 14, 110]),
        labels=labels,
        taints=_taints(random),
        **({GPU: str(random.choice([2, 4]))} if random.random() < 0.3 else {}),
        **({"hugepages-2Mi": "512Mi"} if random.random() < 0.4 else {}),
    )
    if random.random() < 0.08:
        body["spec"]["unschedulable"] = True
    return body


def _taints(random):
    """A server takes one taint per key and effect."""
    drawn = random.sample(TAINTS, random.choice([0, 0, 0, 0, 0, 1, 1, 2]))
    return list({(taint["key"], taint["effect"]): taint for taint in drawn}.values())


def draw_csi_nodes(random, nodes):
    """About two thirds of the nodes have the driver, most of those with a limit."""
    made = []
    for node in nodes:
        if random.random() < 0.65:
            name = node["metadata"]["name"]
            driver = {"name": DRIVER, "nodeID": name, "topologyKeys": []}
            if random.random() < 0.9:
                driver["allocatable"] = {"count": random.choice([1, 1, 2])}
            made.append(
                {
                    "apiVersion": "storage.k8s.io/v1",
                    "kind": "CSINode",
                    "metadata": {"name": name},
                    "spec": {"drivers": [driver]},
                }
            )
    return made
