"""The rules of the placement checker about claims and volumes."""

import pytest

from checks.cases import HOST, ZONE, cluster, node, pod, said
from support.placement_checker.claims import BIND_COMPLETED, SELECTED_NODE
from support.placement_checker.volumes import binding_problems
from support.storage import uses

DRIVER = "csi.example.com"


def volume(name, size="1Gi", kind="", modes=("ReadWriteOnce",), labels=None, **spec):
    body = {
        "storageClassName": kind,
        "capacity": {"storage": size},
        "accessModes": list(modes),
        **spec,
    }
    return {"metadata": {"name": name, "labels": labels or {}}, "spec": body}


def claim(name, size="1Gi", kind="", modes=("ReadWriteOnce",), bound=None, chosen=None):
    notes = {BIND_COMPLETED: "yes"} if bound else {}
    notes |= {SELECTED_NODE: chosen} if chosen else {}
    spec = {
        "storageClassName": kind,
        "accessModes": list(modes),
        "resources": {"requests": {"storage": size}},
        **({"volumeName": bound} if bound else {}),
    }
    return {"metadata": {"name": name, "namespace": "ns", "annotations": notes}, "spec": spec}


def pair(name, **volume_more):
    """A claim and the volume it is bound to, of the same name."""
    modes = volume_more.get("modes", ("ReadWriteOnce",))
    reference = {"namespace": "ns", "name": name}
    return claim(name, modes=modes, bound=name), volume(name, claimRef=reference, **volume_more)


def kind(name, provisioner="kubernetes.io/no-provisioner", mode="WaitForFirstConsumer", **more):
    body = {"metadata": {"name": name}, "provisioner": provisioner, "volumeBindingMode": mode}
    return {**body, **more}


def on(key, *values):
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}]
    return {"required": {"nodeSelectorTerms": terms}}


NODES = [node("a", "a"), node("b", "b"), node("lost")]


def world(*pairs, there=(), **more):
    claims, volumes = [c for c, _ in pairs], [v for _, v in pairs if v]
    more.setdefault("nodes", NODES)
    return cluster(there=there, claims=claims, volumes=volumes, **more)


def everywhere(rule):
    return {name: {rule} for name in ("a", "b", "lost")}


def test_claims_that_nobody_can_use():
    user = pod("p", **uses("c"))
    assert said(user, world()) == everywhere("claims")
    assert said(user, world((claim("c", bound="gone"), None))) == everywhere("claims")
    at_once = [kind("once", mode="Immediate")]
    here = world((claim("c", kind="once"), None), classes=at_once)
    assert said(user, here) == everywhere("claims")
    leaving = pair("c")
    leaving[0]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert said(user, world(leaving)) == everywhere("claims")
    assert said(user, world(pair("c"))) == {}


def test_a_volume_of_a_node():
    here = world(pair("c", nodeAffinity=on(HOST, "a")))
    assert said(pod("p", **uses("c")), here) == {n: {"volume affinity"} for n in ("b", "lost")}


@pytest.mark.parametrize(
    "zone, refused", [("a", {"b"}), ("a__b", set()), ("c", {"a", "b"})]
)
def test_a_volume_of_a_zone(zone, refused):
    # A node that does not say where it is takes it.
    here = world(pair("c", labels={ZONE: zone}))
    assert said(pod("p", **uses("c")), here) == {n: {"volume zone"} for n in refused}


def test_a_claim_of_one_pod():
    lonely = pair("c", modes=("ReadWriteOncePod",))
    user = pod("p", **uses("c"))
    assert said(user, world(lonely)) == {}
    there = [(pod("q", **uses("c")), "b")]
    assert said(user, world(lonely, there=there)) == everywhere("one-pod claims")
    assert said(user, world(pair("c"), there=there)) == {}


def attached(name, handle=None):
    return pair(name, csi={"driver": DRIVER, "volumeHandle": handle or name})


def driver_on(name, count):
    drivers = [{"name": DRIVER, **({"allocatable": {"count": count}} if count is not None else {})}]
    return {"metadata": {"name": name}, "spec": {"drivers": drivers}}


def test_attach_limits():
    pairs = [attached("c"), attached("d")]
    there = [(pod("q", **uses("d")), "a"), (pod("r", **uses("d")), "b")]
    here = world(*pairs, there=there, csi_nodes=[driver_on("a", 1), driver_on("b", 2)])
    assert said(pod("p", **uses("c")), here) == {"a": {"attach limits"}}
    # What is attached already costs nothing.
    assert said(pod("p", **uses("d")), here) == {}
    unlimited = world(*pairs, there=there, csi_nodes=[driver_on("a", None)])
    assert said(pod("p", **uses("c")), unlimited) == {}
    full = world(*pairs, csi_nodes=[driver_on("a", 0)])
    assert said(pod("p", **uses("c")), full) == {"a": {"attach limits"}}


def waits(name="c", size="1Gi", **more):
    return claim(name, size=size, kind="local", **more), None


def free(name, host, size="1Gi", **more):
    return volume(name, size=size, kind="local", nodeAffinity=on(HOST, host), **more)


def open_world(*claims, volumes=(), classes=(kind("local"),), there=()):
    return cluster(NODES, there, claims=[c for c, _ in claims], volumes=volumes, classes=classes)


def no_volume(*names):
    return {name: {"unbound claims"} for name in names}


def test_a_claim_that_waits_needs_a_volume_that_fits():
    user = pod("p", **uses("c"))
    assert said(user, open_world(waits(), volumes=[free("v", "a")])) == no_volume("b", "lost")
    small = open_world(waits(size="2Gi"), volumes=[free("v", "a")])
    assert said(user, small) == no_volume("a", "b", "lost")
    taken = free("v", "a", claimRef={"namespace": "ns", "name": "other"})
    assert said(user, open_world(waits(), volumes=[taken])) == no_volume("a", "b", "lost")
    kept = free("v", "a", claimRef={"namespace": "ns", "name": "c"})
    assert said(user, open_world(waits(), volumes=[kept, free("w", "b")])) == no_volume("b", "lost")
    modes = free("v", "a", modes=("ReadOnlyMany",))
    assert said(user, open_world(waits(), volumes=[modes])) == no_volume("a", "b", "lost")


def test_each_claim_needs_a_volume_of_its_own():
    both = {"volumes": uses("c")["volumes"] + uses("d")["volumes"]}
    volumes = [free("v", "a"), free("w", "b"), free("x", "b", size="5Gi")]
    here = open_world(waits("c", size="3Gi"), waits("d"), volumes=volumes)
    assert said(pod("p", **both), here) == no_volume("a", "lost")


def test_a_volume_can_be_made_where_the_class_allows_it():
    user, made = pod("p", **uses("c")), "example.com/made"
    anywhere = [kind("local", made)]
    assert said(user, open_world(waits(), classes=anywhere)) == {}
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": ["b"]}]}]
    in_b = [kind("local", made, allowedTopologies=topologies)]
    assert said(user, open_world(waits(), classes=in_b)) == no_volume("a", "lost")
    # It is being made for a node already.
    assert said(user, open_world(waits(chosen="a"), classes=anywhere)) == no_volume("b", "lost")


def problems(*pairs, there=(), **more):
    return binding_problems(world(*pairs, there=there, **more))


def test_right_bindings_are_no_problem():
    assert problems(pair("c"), there=[(pod("p", **uses("c")), "a")]) == []


def test_wrong_bindings_are_found():
    user = [(pod("p", **uses("c")), "a")]
    (unbound,) = problems((claim("c"), None), there=user)
    assert "is not bound" in unbound
    right, other = pair("c"), pair("d")
    other[0]["spec"]["volumeName"] = "c"
    twice, foreign = problems(right, (other[0], None), there=user)
    assert "is given to claims" in twice and "not its own" in foreign
    larger = pair("c")
    larger[0]["spec"]["resources"]["requests"]["storage"] = "2Gi"
    (unfit,) = problems(larger, there=user)
    assert "not what it asks for" in unfit


def test_a_volume_made_for_another_node_is_found():
    made = pair("c")
    made[0]["metadata"]["annotations"][SELECTED_NODE] = "b"
    (elsewhere,) = problems(made, there=[(pod("p", **uses("c")), "a")])
    assert "where no pod uses it" in elsewhere
    assert problems(made, there=[(pod("p", **uses("c")), "b")]) == []
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}]
    only_a = [kind("", "example.com/made", allowedTopologies=topologies)]
    only_a[0]["metadata"]["name"] = "zonal"
    made[0]["spec"]["storageClassName"] = made[1]["spec"]["storageClassName"] = "zonal"
    (forbidden,) = problems(made, there=[(pod("p", **uses("c")), "b")], classes=only_a)
    assert "its class does not allow" in forbidden
