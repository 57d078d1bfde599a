"""Room that is kept for gangs.

A gang that will be whole once pods that are being deleted are gone keeps its places, and others do
not get them meanwhile. The conditions of its pods name the places. They are not taken on trust:
the gang must fit there as it says, and must not fit while the others are still leaving.
"""

import re

from support.objects import GROUP_ANNOTATION
from support.placement_checker.claims import annotation
from support.placement_checker.rules import refusals

_PLACE = re.compile(r"can possibly be assigned to ([^\s,]+),")


def gang_of(pod):
    return pod.namespace, annotation(pod.body, GROUP_ANNOTATION)


def named_place(pod):
    """The node that the pod's condition names, or None."""
    for entry in (pod.body.get("status") or {}).get("conditions") or []:
        if entry["type"] == "PodScheduled" and (found := _PLACE.search(entry.get("message") or "")):
            return found[1]
    return None


def kept_places(members, missing, cluster):
    """(pod, node) of the gangs that rightly keep places. `members`: those of each gang that wait;
    `missing`: how many of them it needs."""
    leaving = [(pod, cluster.node_of(pod)) for pod, _ in cluster.placed() if pod.terminating]
    kept = []
    for gang, pods in members.items():
        named = [(pod, node) for pod in pods if (node := named_place(pod)) in cluster.nodes]
        if len(named) < missing[gang] or _fitting(named, cluster) >= missing[gang]:
            continue
        for pod, _ in leaving:
            cluster.remove(pod)
        if _fitting(named, cluster) >= missing[gang]:
            kept += named
        for pod, node in leaving:
            cluster.place(pod, node)
    return kept


def _fitting(places, cluster):
    """How many of them can be placed so, one after the other."""
    left, done = list(places), []
    while True:
        for pod, node in left:
            if not refusals(pod, cluster, [node]):
                cluster.place(pod, node)
                done.append((pod, node))
                left.remove((pod, node))
                break
        else:
            break
    for pod, _ in done:
        cluster.remove(pod)
    return len(done)
