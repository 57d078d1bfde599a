"""What must hold in every state of a cluster, whoever scheduled it.

Works on plain dictionaries as the API serves them. Each function returns a list of sentences, one
per violation; an empty list says that all of it holds.
"""

import re
import threading
from collections import defaultdict
from fractions import Fraction

from support.follow import Follower
from support.objects import GROUP_ANNOTATION
from support.placement_checker.model import FINISHED, Pod
from support.placement_checker.ports import clash, host_ports
from support.placement_checker.resources import request
from support.quantity import parse


# Amounts that count on cards alone: device plugins of Ascend cards tell nodes nothing of them.
COUNTED_ON_CARDS = re.compile(r"huawei\.com/Ascend.*-(memory|core)$")


def node_of(pod):
    return pod.get("spec", {}).get("nodeName") or ""


def phase_of(thing):
    return (thing.get("status") or {}).get("phase") or ""


def holds_room(pod):
    return bool(node_of(pod)) and phase_of(pod) not in FINISHED


def is_leaving(thing):
    return "deletionTimestamp" in thing["metadata"]


def group_of(pod):
    """The key of its PodGroup, if it has one."""
    name = (pod["metadata"].get("annotations") or {}).get(GROUP_ANNOTATION)
    return f"{pod['metadata']['namespace']}/{name}" if name else None


def pod_request(body):
    """What a pod takes from its node."""
    return Pod(body).derived(request)


def served_by_devices(pod):
    """Resources of a pod that a device claim stands for: its node need not have them."""
    told = (pod.get("status") or {}).get("extendedResourceClaimStatus") or {}
    return {mapping["resourceName"] for mapping in told.get("requestMappings") or []}


def nodes_within_allocatable(nodes, pods):
    """No node carries more than its allocatable room, no pod is on a node that does not exist."""
    rooms = {n["metadata"]["name"]: n.get("status", {}).get("allocatable") or {} for n in nodes}
    used = defaultdict(lambda: defaultdict(Fraction))
    problems = []
    for pod in pods:
        node = node_of(pod)
        if not holds_room(pod):
            continue
        if node not in rooms:
            problems.append(
                f"pod {pod['metadata']['name']} is on node {node}, which does not exist"
            )
            continue
        served = served_by_devices(pod)
        for name, value in pod_request(pod).items():
            if name not in served and not COUNTED_ON_CARDS.match(name):
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
        if is_leaving(pod):
            continue
        group = group_of(pod)
        if group and (node_of(pod) or phase_of(pod) in FINISHED):
            placed[group] += 1
    problems = []
    for group in groups:
        key = f"{group['metadata']['namespace']}/{group['metadata']['name']}"
        minimum = group.get("spec", {}).get("minMember", 0)
        if 0 < placed[key] < minimum:
            problems.append(f"gang {key}: {placed[key]} of at least {minimum} placed")
    return problems


def host_ports_apart(pods):
    """No two pods of a node hold the same host port."""
    holders = defaultdict(list)
    for pod in pods:
        if holds_room(pod):
            holders[node_of(pod)] += [(port, pod) for port in host_ports(Pod(pod))]
    problems = []
    for node, taken in sorted(holders.items(), key=lambda entry: entry[0]):
        for i, (port, pod) in enumerate(taken):
            for other, second in taken[i + 1 :]:
                if pod is not second and clash(port, other):
                    names = f"{pod['metadata']['name']} and {second['metadata']['name']}"
                    problems.append(f"node {node}: {port[1]} {port[2]} held by {names}")
    return problems


class BindHistory:
    """Follows the pods of a namespace from the moment of its creation, and keeps for each pod the
    nodes it was seen on, in order."""

    def __init__(self, rest, namespace):
        self._lock = threading.Lock()
        self._nodes = defaultdict(list)
        self._follower = Follower(rest, f"/api/v1/namespaces/{namespace}/pods", self._note)

    def _note(self, pod):
        node = node_of(pod)
        with self._lock:
            seen = self._nodes[pod["metadata"]["uid"]]
            if node and (not seen or seen[-1] != node):
                seen.append(node)

    def end_soon(self):
        self._follower.end_soon()

    def close(self):
        self._follower.close()

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
