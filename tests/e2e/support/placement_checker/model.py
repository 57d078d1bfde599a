"""The cluster as the rules see it: plain API objects, and who is on which node at this moment."""

from collections import defaultdict

FINISHED = ("Succeeded", "Failed")


def labels(body):
    return body["metadata"].get("labels") or {}


def names_by(items):
    return {item["metadata"]["name"]: item for item in items}


def names_within_namespaces(items):
    return {(i["metadata"]["namespace"], i["metadata"]["name"]): i for i in items}


class Pod:
    """One pod; what the rules read out of it is worked out once."""

    def __init__(self, body):
        self.body = body
        self.spec = body["spec"]
        self.namespace = body["metadata"]["namespace"]
        self.name = body["metadata"]["name"]
        self.labels = labels(body)
        self.terminating = "deletionTimestamp" in body["metadata"]
        self.finished = (body.get("status") or {}).get("phase") in FINISHED
        self._derived = {}

    def __repr__(self):
        return f"{self.namespace}/{self.name}"

    def derived(self, read):
        """read(self), kept."""
        if read not in self._derived:
            self._derived[read] = read(self)
        return self._derived[read]


class Occupancy:
    """The pods of one node in the order of their arrival."""

    def __init__(self):
        self.pods = []
        self._derived = {}

    def derived(self, read):
        """read(pods), kept until somebody comes or goes."""
        if read not in self._derived:
            self._derived[read] = read(self.pods)
        return self._derived[read]

    def add(self, pod):
        self.pods.append(pod)
        self._derived.clear()

    def remove(self, pod):
        self.pods.remove(pod)
        self._derived.clear()


class Cluster:
    """Nodes, namespaces and storage, which stay as they are, and the pods on the nodes, which come
    and go while placements are played back. Pods that have finished hold nothing and are left out.
    """

    def __init__(self, nodes, namespaces=(), volumes=(), claims=(), classes=(), csi_nodes=()):
        self.nodes = names_by(nodes)
        self.namespaces = {name: labels(body) for name, body in names_by(namespaces).items()}
        self.volumes = names_by(volumes)
        self.claims = names_within_namespaces(claims)
        self.classes = names_by(classes)
        self.csi_nodes = names_by(csi_nodes)
        self._occupancy = defaultdict(Occupancy)
        self._where = {}  # Pod → name of its node.
        self._placed = {}  # Pod → labels of its node, in the order of placement.
        self._facts = {}

    def place(self, pod, node):
        assert pod not in self._where, f"{pod} is placed twice"
        if pod.finished:
            return
        self._where[pod] = node
        self._placed[pod] = labels(self.nodes[node]) if node in self.nodes else {}
        self._occupancy[node].add(pod)

    def remove(self, pod):
        if pod in self._where:
            del self._placed[pod]
            self._occupancy[self._where.pop(pod)].remove(pod)

    def on(self, node):
        return self._occupancy[node]

    def fact(self, node, read):
        """read(the node), kept: nodes do not change."""
        if (node, read) not in self._facts:
            self._facts[node, read] = read(self.nodes[node])
        return self._facts[node, read]

    def node_of(self, pod):
        return self._where.get(pod)

    def placed(self):
        """(pod, labels of its node) of everybody; a pod on a node that is gone has no labels."""
        return self._placed.items()
