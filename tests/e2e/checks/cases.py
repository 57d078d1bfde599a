"""Small clusters for the tests of the placement checker."""

from support import objects
from support.placement_checker import Cluster, Pod, refusals

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
WEB, DB = {"app": "web"}, {"app": "db"}


def pod(name, labels=None, namespace="ns", **more):
    more.setdefault("cpu", None)
    more.setdefault("memory", None)
    body = objects.pod(name, metadata={"namespace": namespace, "labels": labels or {}}, **more)
    return Pod(body)


def node(name, zone=None, labels=None, **more):
    return objects.node(name, labels={**({ZONE: zone} if zone else {}), **(labels or {})}, **more)


def cluster(nodes, there=(), **more):
    """`there`: pairs of pod and node."""
    made = Cluster(nodes, **more)
    for placed, where in there:
        made.place(placed, where)
    return made


def said(candidate, here):
    """Node → the rules that refuse it."""
    return {name: set(reasons) for name, reasons in refusals(candidate, here).items()}


def term(labels=WEB, key=ZONE, **more):
    return {"labelSelector": {"matchLabels": labels}, "topologyKey": key, **more}


def rules(kind, *terms):
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}}


def seeks(*terms):
    return rules("podAffinity", *terms)


def avoids(*terms):
    return rules("podAntiAffinity", *terms)


def spread(key=ZONE, skew=1, labels=WEB, **more):
    return {
        "topologySpreadConstraints": [
            {
                "maxSkew": skew,
                "topologyKey": key,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": labels},
                **more,
            }
        ]
    }
