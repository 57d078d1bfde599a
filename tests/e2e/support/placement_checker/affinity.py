"""Required affinity and anti-affinity between pods.

A term speaks of the pods that its selector and its namespaces cover, and of the domain of a node:
all nodes with the same value of the label `topologyKey`.
"""

from dataclasses import dataclass, field
from typing import Callable

from support.placement_checker.model import labels
from support.placement_checker.selectors import matches_labels


@dataclass(frozen=True)
class Term:
    key: str
    namespaces: frozenset  # By name.
    takes_namespace: Callable  # By its labels.
    takes_labels: Callable
    # Pod → whether its labels are taken: while placements are played back, each is asked thousands of
    # times.
    known: dict = field(default_factory=dict, compare=False, repr=False)

    def covers(self, pod, cluster):
        taken = self.known.get(pod)
        if taken is None:
            taken = self.known[pod] = self.takes_labels(pod.labels)
        return taken and (
            pod.namespace in self.namespaces
            or self.takes_namespace(cluster.namespaces.get(pod.namespace, {}))
        )


def with_own_values(selector, own_labels, same=(), different=()):
    """matchLabelKeys and mismatchLabelKeys: the pod's own values of these keys join the selector.
    Keys that the pod does not have say nothing; without a selector nothing is selected anyway."""
    if selector is None:
        return None
    more = [
        {"key": key, "operator": operator, "values": [own_labels[key]]}
        for operator, keys in (("In", same), ("NotIn", different))
        for key in keys or ()
        if key in own_labels
    ]
    return {**selector, "matchExpressions": [*(selector.get("matchExpressions") or []), *more]}


def _term(body, pod):
    by_labels = body.get("namespaceSelector")
    named = body.get("namespaces") or []
    # Who names no namespaces in either way means his own.
    namespaces = named if named or by_labels is not None else [pod.namespace]
    selector = with_own_values(
        body.get("labelSelector"),
        pod.labels,
        body.get("matchLabelKeys"),
        body.get("mismatchLabelKeys"),
    )
    return Term(
        body["topologyKey"],
        frozenset(namespaces),
        matches_labels(by_labels),
        matches_labels(selector),
    )


def _required(pod, kind):
    body = (pod.spec.get("affinity") or {}).get(kind) or {}
    terms = body.get("requiredDuringSchedulingIgnoredDuringExecution") or []
    return [_term(term, pod) for term in terms]


def affinity_terms(pod):
    return _required(pod, "podAffinity")


def anti_affinity_terms(pod):
    return _required(pod, "podAntiAffinity")


def pod_affinity(pod, cluster):
    """Each term's domain must hold a pod that all the terms cover. While no such pod is anywhere,
    one that its own terms cover may be the first, on any node that has all the keys."""
    terms = pod.derived(affinity_terms)
    domains = set()
    if terms:
        first, *others = terms
        for peer, where in cluster.placed():
            if first.covers(peer, cluster) and all(t.covers(peer, cluster) for t in others):
                domains |= {(t.key, where[t.key]) for t in terms if t.key in where}
    is_first = not domains and all(term.covers(pod, cluster) for term in terms)

    def refusal(name):
        here = labels(cluster.nodes[name])
        for term in terms:
            if term.key not in here:
                return f"no label {term.key}"
        if is_first or all((t.key, here[t.key]) in domains for t in terms):
            return None
        return "no pod that its affinity asks for"

    return refusal


def pod_anti_affinity(pod, cluster):
    """No domain of the pod's own terms may hold a pod that they cover."""
    terms = pod.derived(anti_affinity_terms)
    domains = {
        (term.key, where[term.key]): peer
        for peer, where in (cluster.placed() if terms else ())
        for term in terms
        if term.key in where and term.covers(peer, cluster)
    }
    return _stays_out_of(domains, "avoids", cluster)


def avoided_by_others(pod, cluster):
    """The terms of the pods that are there hold against those that come."""
    domains = {
        (term.key, where[term.key]): peer
        for peer, where in cluster.placed()
        for term in peer.derived(anti_affinity_terms)
        if term.key in where and term.covers(pod, cluster)
    }
    return _stays_out_of(domains, "is avoided by", cluster)


def _stays_out_of(domains, verb, cluster):
    def refusal(name):
        for label in labels(cluster.nodes[name]).items() if domains else ():
            if label in domains:
                return f"{verb} {domains[label]} by {label[0]}"
        return None

    return refusal
