"""Claims and volumes: who uses which, what is bound, and what could be."""

from support.placement_checker.model import labels
from support.placement_checker.selectors import matches_labels, matches_node_terms
from support.quantity import parse

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
ONE_POD = "ReadWriteOncePod"


def claim_keys(pod):
    """The claims a pod mounts; the one of an ephemeral volume is named after pod and volume."""
    keys = []
    for volume in pod.spec.get("volumes") or []:
        if "persistentVolumeClaim" in volume:
            keys.append((pod.namespace, volume["persistentVolumeClaim"]["claimName"]))
        elif "ephemeral" in volume:
            keys.append((pod.namespace, f"{pod.name}-{volume['name']}"))
    return keys


def annotation(body, key):
    return (body["metadata"].get("annotations") or {}).get(key)


def is_bound(claim):
    return bool(claim["spec"].get("volumeName")) and annotation(claim, BIND_COMPLETED) is not None


def class_of(claim, cluster):
    return cluster.classes.get(claim["spec"].get("storageClassName") or "")


def waits_for_pod(claim, cluster):
    found = class_of(claim, cluster)
    return found is not None and found.get("volumeBindingMode") == "WaitForFirstConsumer"


def reaches(volume, node):
    """Whether the volume can be used on the node."""
    required = (volume["spec"].get("nodeAffinity") or {}).get("required")
    return not required or matches_node_terms(required["nodeSelectorTerms"])(node)


def fits(volume, claim):
    """Whether the volume is what the claim asks for."""
    has, wants = volume["spec"], claim["spec"]
    selector = wants.get("selector")
    return (
        (has.get("storageClassName") or "") == (wants.get("storageClassName") or "")
        and set(wants["accessModes"]) <= set(has["accessModes"])
        and parse(has["capacity"]["storage"]) >= parse(wants["resources"]["requests"]["storage"])
        and (has.get("volumeMode") or "Filesystem") == (wants.get("volumeMode") or "Filesystem")
        and (selector is None or matches_labels(selector)(labels(volume)))
    )


def can_be_made(claim, node, cluster):
    """Whether a volume for the claim can be provisioned for this node."""
    kind = class_of(claim, cluster)
    if kind is None or kind["provisioner"] == NO_PROVISIONER:
        return False
    if annotation(claim, SELECTED_NODE) not in (None, node["metadata"]["name"]):
        return False
    return within_topologies(kind, node)


def within_topologies(kind, node):
    """allowedTopologies: one of the terms holds, with each of its labels."""
    topologies = kind.get("allowedTopologies")
    return not topologies or any(
        all(labels(node).get(e["key"]) in e["values"] for e in term["matchLabelExpressions"])
        for term in topologies
    )


def is_claimed_by(volume, claim):
    holder = volume["spec"].get("claimRef") or {}
    return (holder.get("namespace"), holder.get("name")) == (
        claim["metadata"]["namespace"],
        claim["metadata"]["name"],
    )
