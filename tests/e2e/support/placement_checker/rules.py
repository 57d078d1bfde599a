"""All rules in one table.

A rule is a function of a pod and the cluster without that pod. It returns a function from the name
of a node to the reason why the pod may not go there, or to None.
"""

from dataclasses import dataclass
from typing import Callable

from support.placement_checker.affinity import avoided_by_others, pod_affinity, pod_anti_affinity
from support.placement_checker.node_rules import cordon, node_affinity, taints
from support.placement_checker.ports import ports
from support.placement_checker.resources import room
from support.placement_checker.spread import spread
from support.placement_checker.volumes import (
    attach_limits,
    claims_usable,
    one_pod_claims,
    unbound_claims,
    volume_affinity,
    volume_zone,
)


@dataclass(frozen=True)
class Rule:
    name: str
    judge: Callable
    # Others may have to be there before, or must not be there yet. All other rules hold for a pod
    # at its placement if they hold when all are placed: nobody leaves, and what they forbid (two
    # pods with one port, too much on a node, a pod beside one that avoids it) stays forbidden
    # whoever came first.
    by_order: bool = False


RULES = (
    Rule("room", room),
    Rule("node affinity", node_affinity),
    Rule("taints", taints),
    Rule("cordon", cordon),
    Rule("ports", ports),
    Rule("pod affinity", pod_affinity, by_order=True),
    Rule("pod anti-affinity", pod_anti_affinity),
    Rule("anti-affinity of others", avoided_by_others),
    Rule("spread", spread, by_order=True),
    Rule("claims", claims_usable),
    Rule("volume affinity", volume_affinity),
    Rule("volume zone", volume_zone),
    Rule("one-pod claims", one_pod_claims),
    Rule("attach limits", attach_limits),
    Rule("unbound claims", unbound_claims),
)


def refusals(pod, cluster, nodes=None, rules=RULES):
    """Node → {rule: reason} of all rules that refuse the pod there; nodes without are left out."""
    judges = [(rule.name, rule.judge(pod, cluster)) for rule in rules]
    found = {}
    for node in cluster.nodes if nodes is None else nodes:
        reasons = {name: no for name, judge in judges if (no := judge(node))}
        if reasons:
            found[node] = reasons
    return found
