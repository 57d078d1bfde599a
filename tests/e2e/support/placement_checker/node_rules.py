"""What a node says of itself: labels, taints, closed or not."""

from support.placement_checker.model import labels
from support.placement_checker.selectors import matches_node_terms, repelling_taints, tolerated

_CLOSED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


def wants_node(pod):
    """nodeSelector and required node affinity together, as a question to a node."""
    wanted = pod.spec.get("nodeSelector") or {}
    affinity = (pod.spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    terms = matches_node_terms(required["nodeSelectorTerms"]) if required else lambda node: True
    return lambda node: wanted.items() <= labels(node).items() and terms(node)


def node_affinity(pod, cluster):
    wanted = pod.derived(wants_node)
    return lambda name: None if wanted(cluster.nodes[name]) else "labels do not match"


def taints(pod, cluster):
    def refusal(name):
        for taint in repelling_taints(cluster.nodes[name]):
            if taint["key"] == _CLOSED["key"]:
                continue  # Where somebody sets it, it says the same as the rule of the cordon.
            if not tolerated(pod, taint):
                return f"taint {taint['key']}:{taint['effect']} is not tolerated"
        return None

    return refusal


def cordon(pod, cluster):
    welcome = tolerated(pod, _CLOSED)

    def refusal(name):
        closed = cluster.nodes[name]["spec"].get("unschedulable")
        return "the node is cordoned" if closed and not welcome else None

    return refusal
