"""HyperNodes of a test: racks of nodes, and what lies above them."""

from support.rest import MERGE_PATCH
from support.world import unique

TOPOLOGY = "/apis/topology.volcano.sh/v1alpha1"
ALLOCATED_IN = "volcano.sh/job-allocated-hypernode"


def exact(name, kind="Node"):
    return {"type": kind, "selector": {"exactMatch": {"name": name}}}


def matching(pattern):
    return {"type": "Node", "selector": {"regexMatch": {"pattern": pattern}}}


def labelled(key, value):
    return {"type": "Node", "selector": {"labelMatch": {"matchLabels": {key: value}}}}


def hard(tier):
    """What goes into a pod group."""
    return {"networkTopology": {"mode": "hard", "highestTierAllowed": tier}}


class Network:
    def __init__(self, world):
        self.world = world
        self._path = f"{TOPOLOGY}/hypernodes"

    def hyper_node(self, name, tier, *members, **spec):
        """Its real name, which is unique, is returned."""
        name = unique(name)
        body = {
            "apiVersion": "topology.volcano.sh/v1alpha1",
            "kind": "HyperNode",
            "metadata": {"name": name},
            "spec": {"tier": tier, "members": list(members), **spec},
        }
        self.world.rest.post(self._path, body).expect(201)
        self.world.removes_later(f"{self._path}/{name}")
        return name

    def set_members(self, name, *members):
        patch = {"spec": {"members": list(members)}}
        self.world.rest.patch(f"{self._path}/{name}", patch, MERGE_PATCH).expect(200)

    def racks(self, *sizes, cpu=2):
        """Racks of so many nodes below one spine: for each its name and its nodes."""
        made = []
        for size in sizes:
            nodes = self.world.nodes(size, cpu=cpu)
            made.append((self.hyper_node("rack", 1, *map(exact, nodes)), nodes))
        self.hyper_node("spine", 2, *(exact(rack, "HyperNode") for rack, _ in made))
        return made

    def faults(self, name):
        """What the scheduler says is wrong with a HyperNode."""
        query = {"fieldSelector": f"involvedObject.name={name},reason=HyperNodeFaulty"}
        items = self.world.rest.get("/api/v1/namespaces/default/events", **query).expect(200)
        return [event["message"] for event in items["items"]]
