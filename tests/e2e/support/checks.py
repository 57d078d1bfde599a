"""What must hold in every state of a cluster, whoever scheduled it.

Works on plain dictionaries as the API serves them. Each function returns a list of sentences, one
per violation; an empty list is good news.
"""

import threading
from collections import defaultdict
from fractions import Fraction

from support.objects import GROUP_ANNOTATION
from support.quantity import parse

FINISHED = ("Succeeded", "Failed")


def _node_of(pod):
    return pod.get("spec", {}).get("nodeName") or ""


def _phase(pod):
    return pod.get("status", {}).get("phase") or ""


def pod_request(pod):
    """What a pod takes from its node: the sum of its containers, at least each init container,
    with side cars counted among both, plus overhead, plus one pod."""
    spec = pod["spec"]
    total, peak, sidecars = defaultdict(Fraction), defaultdict(Fraction), defaultdict(Fraction)
    for container in spec.get("containers", []):
        for name, value in _requests(container).items():
            total[name] += value
    for container in spec.get("initContainers") or []:
        stays = container.get("restartPolicy") == "Always"
        for name, value in _requests(container).items():
            if stays:
                total[name] += value
                sidecars[name] += value
            peak[name] = max(peak[name], sidecars[name] + (0 if stays else value))
    for name, value in peak.items():
        total[name] = max(total[name], value)
    for name, value in (spec.get("overhead") or {}).items():
        total[name] += parse(value)
    total["pods"] = Fraction(1)
    return total


def _requests(container):
    resources = container.get("resources") or {}
    # A limit without a request is the request.
    texts = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {name: parse(text) for name, text in texts.items()}


def nodes_within_allocatable(nodes, pods):
    """No node carries more than its allocatable room, no pod is on a node that does not exist."""
    rooms = {n["metadata"]["name"]: n.get("status", {}).get("allocatable") or {} for n in nodes}
    used = defaultdict(lambda: defaultdict(Fraction))
    problems = []
    for pod in pods:
        node = _node_of(pod)
        if not node or _phase(pod) in FINISHED:
            continue
        if node not in rooms:
            problems.append(
                f"pod {pod['metadata']['name']} is on node {node}, which does not exist"
            )
            continue
        for name, value in pod_request(pod).items():
            used[node][name] += value
    for node in sorted(used):
        for name, value in sorted(used[node].items()):
            room = parse(rooms[node].get(name, "0"))
            if value > room:
                problems.append(f"node {node}: {name} {float(value):g} used of {float(room):g}")
    return problems


def gangs_whole(groups, pods):
    """Each gang has all of its minimum on nodes, or nothing. A pod that somebody deletes is on its
    way out and does not count: the last one to go is no half gang."""
    placed = defaultdict(int)
    for pod in pods:
        if pod["metadata"].get("deletionTimestamp"):
            continue
        group = (pod["metadata"].get("annotations") or {}).get(GROUP_ANNOTATION)
        if group and (_node_of(pod) or _phase(pod) in FINISHED):
            placed[pod["metadata"]["namespace"], group] += 1
    problems = []
    for group in groups:
        key = group["metadata"]["namespace"], group["metadata"]["name"]
        minimum = group.get("spec", {}).get("minMember", 0)
        if 0 < placed[key] < minimum:
            problems.append(f"gang {key[0]}/{key[1]}: {placed[key]} of at least {minimum} placed")
    return problems


def host_ports_apart(pods):
    """No two pods of a node hold the same host port (address 0.0.0.0 overlaps with all)."""
    holders = defaultdict(list)
    for pod in pods:
        if not _node_of(pod) or _phase(pod) in FINISHED:
            continue
        for container in pod["spec"].get("containers", []):
            for port in container.get("ports") or []:
                if port.get("hostPort"):
                    key = _node_of(pod), port["hostPort"], port.get("protocol", "TCP")
                    holders[key].append((pod["metadata"]["name"], port.get("hostIP") or "0.0.0.0"))
    problems = []
    for (node, number, protocol), pairs in sorted(holders.items()):
        for i, (first, ip) in enumerate(pairs):
            for second, other in pairs[i + 1 :]:
                if ip == other or "0.0.0.0" in (ip, other):
                    problems.append(
                        f"node {node}: {protocol} {number} held by {first} and {second}"
                    )
    return problems


class BindHistory:
    """Follows the pods of a namespace from the moment of its creation, and keeps for each pod the
    nodes it was seen on, in order. A broken watch is taken up where it ended; only when the server
    has forgotten that place (as after its restart) the pods are listed anew.
    """

    def __init__(self, rest, namespace):
        self._rest = rest
        self._path = f"/api/v1/namespaces/{namespace}/pods"
        self._lock = threading.Lock()
        self._nodes = defaultdict(list)
        self._version = self._list()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _list(self):
        listed = self._rest.get(self._path).expect(200)
        for pod in listed["items"]:
            self._note(pod)
        return listed["metadata"]["resourceVersion"]

    def _follow(self):
        while not self._ended.is_set():
            try:
                if self._version is None:
                    self._version = self._list()
                self._watch_once()
            except Exception:  # The server is being restarted: go on when it answers again.
                self._ended.wait(0.05)

    def _watch_once(self):
        for event in self._rest.watch(self._path, resourceVersion=self._version, timeoutSeconds=2):
            if event["type"] in ("ERROR", "HTTP"):
                if event["object"].get("code") == 410:
                    self._version = None
                return
            self._version = event["object"]["metadata"]["resourceVersion"]
            self._note(event["object"])

    def _note(self, pod):
        node = _node_of(pod)
        with self._lock:
            seen = self._nodes[pod["metadata"]["uid"]]
            if node and (not seen or seen[-1] != node):
                seen.append(node)

    def close(self):
        self._ended.set()
        self._thread.join(10)

    def bound(self):
        """How many pods have been seen on a node."""
        with self._lock:
            return sum(1 for nodes in self._nodes.values() if nodes)

    def problems(self):
        """Pods that were seen on more than one node."""
        with self._lock:
            return [
                f"pod {uid} moved: {nodes}" for uid, nodes in self._nodes.items() if len(nodes) > 1
            ]
