"""Topology spread constraints that must hold (DoNotSchedule)."""

from collections import Counter

from support.placement_checker.affinity import with_own_values
from support.placement_checker.model import labels
from support.placement_checker.node_rules import wants_node
from support.placement_checker.selectors import matches_labels, repelling_taints, tolerated


def strict_constraints(pod):
    return [
        c
        for c in pod.spec.get("topologySpreadConstraints") or []
        if c["whenUnsatisfiable"] == "DoNotSchedule"
    ]


def _counts_nodes(pod, constraint, keys):
    """Which nodes make up the domains: those with the keys of all constraints, and, as the policies
    say, those that the pod's node affinity and its tolerations allow."""
    by_affinity = (constraint.get("nodeAffinityPolicy") or "Honor") == "Honor"
    by_taints = (constraint.get("nodeTaintsPolicy") or "Ignore") == "Honor"
    wanted = pod.derived(wants_node)

    def question(node):
        if not keys <= labels(node).keys() or (by_affinity and not wanted(node)):
            return False
        return not by_taints or all(tolerated(pod, t) for t in repelling_taints(node))

    return question


def domains_of(pod, constraint, cluster):
    """Value of the key → how many pods it holds that the constraint counts: those of the pod's
    namespace that the selector covers and that are not being deleted."""
    keys = {c["topologyKey"] for c in strict_constraints(pod)}
    counts_node, counts_pod = _counts_nodes(pod, constraint, keys), covered(pod, constraint)
    found = Counter()
    for name, node in cluster.nodes.items():
        if counts_node(node):
            peers = cluster.on(name).pods
            number = sum(
                1
                for p in peers
                if p.namespace == pod.namespace and not p.terminating and counts_pod(p.labels)
            )
            found[labels(node)[constraint["topologyKey"]]] += number
    return found


def covered(pod, constraint):
    selector = constraint.get("labelSelector")
    return matches_labels(with_own_values(selector, pod.labels, constraint.get("matchLabelKeys")))


def _judge(pod, constraint, cluster):
    key, most = constraint["topologyKey"], constraint["maxSkew"]
    counts = domains_of(pod, constraint, cluster)
    enough = len(counts) >= (constraint.get("minDomains") or 1)
    least = min(counts.values(), default=0) if enough else 0
    itself = 1 if covered(pod, constraint)(pod.labels) else 0

    def refusal(here):
        if key not in here:
            return f"no label {key}"
        skew = counts[here[key]] + itself - least
        return f"skew {skew} over {key}, at most {most}" if skew > most else None

    return refusal


def spread(pod, cluster):
    judges = [_judge(pod, c, cluster) for c in strict_constraints(pod)]

    def refusal(name):
        here = labels(cluster.nodes[name])
        return next((no for judge in judges if (no := judge(here))), None)

    return refusal
