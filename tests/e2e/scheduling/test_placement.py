"""Pods only go where they may."""

import pytest

from support.poll import until
from support.rest import MERGE_PATCH


def test_a_taint_keeps_away_whom_it_is_not_tolerated_by(world, scheduler):
    taint = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
    tainted = world.node(cpu=8, taints=[taint])
    world.gang("shy", 1)
    entry = world.wait_pod_condition("shy-0", status="False", reason="Unschedulable")
    assert "untolerated taint" in entry["message"], entry
    tolerations = [
        {"key": "dedicated", "operator": "Equal", "value": "batch", "effect": "NoSchedule"}
    ]
    bold = world.gang("bold", 2, tolerations=tolerations)
    assert {world.wait_placed(bold)[n] for n in bold} == {tainted}
    free = world.node(cpu=8)
    assert world.wait_placed(["shy-0"])["shy-0"] == free


def test_a_cordoned_node_takes_nothing(world, scheduler):
    node = world.node(cpu=8)
    path = f"/api/v1/nodes/{node}"
    world.rest.patch(path, {"spec": {"unschedulable": True}}, MERGE_PATCH).expect(200)
    world.gang("g", 1)
    entry = world.wait_pod_condition("g-0", status="False", reason="Unschedulable")
    assert "unschedulable" in entry["message"], entry
    world.rest.patch(path, {"spec": {"unschedulable": None}}, MERGE_PATCH).expect(200)
    world.wait_placed(["g-0"])


def test_a_node_selector_is_obeyed(world, scheduler):
    world.nodes(3, cpu=8)
    fast = world.node(cpu=8, labels={"disk": "ssd"})
    placement = world.wait_placed(world.gang("g", 3, nodeSelector={"disk": "ssd"}))
    assert set(placement.values()) == {fast}


@pytest.mark.parametrize(
    "expression, expected",
    [
        ({"key": "zone", "operator": "In", "values": ["a", "b"]}, {"a", "b"}),
        ({"key": "zone", "operator": "NotIn", "values": ["a", "b"]}, {"c"}),
        ({"key": "special", "operator": "Exists"}, {"c"}),
        ({"key": "special", "operator": "DoesNotExist"}, {"a", "b"}),
        ({"key": "generation", "operator": "Gt", "values": ["1"]}, {"b", "c"}),
        ({"key": "generation", "operator": "Lt", "values": ["2"]}, {"a"}),
    ],
)
def test_required_node_affinity_is_obeyed(world, scheduler, expression, expected):
    zones = {}
    for number, zone in enumerate("abc", start=1):
        labels = {
            "zone": zone,
            "generation": str(number),
            **({"special": "yes"} if zone == "c" else {}),
        }
        zones[world.node(cpu=2, labels=labels)] = zone
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    # As many pods as the allowed nodes hold: all of them are used, and no other.
    names = world.gang("g", 2 * len(expected), affinity=affinity)
    placement = world.wait_placed(names)
    assert {zones[n] for n in placement.values()} == expected


def pod_affinity(kind, key="kubernetes.io/hostname"):
    term = {"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": key}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def test_pods_that_avoid_each_other_get_a_node_each(world, scheduler):
    world.nodes(3, cpu=8)
    meta = {"labels": {"app": "x"}}
    names = world.gang("g", 3, metadata=meta, affinity=pod_affinity("podAntiAffinity"))
    assert len(set(world.wait_placed(names).values())) == 3
    world.gang("more", 1, metadata=meta, affinity=pod_affinity("podAntiAffinity"))
    entry = world.wait_pod_condition("more-0", status="False", reason="Unschedulable")
    assert "anti-affinity" in entry["message"], entry


def test_pods_that_seek_each_other_share_a_zone(world, scheduler):
    for zone in ("a", "b"):
        world.nodes(2, cpu=2, labels={"topology.kubernetes.io/zone": zone})
    meta = {"labels": {"app": "x"}}
    affinity = pod_affinity("podAffinity", "topology.kubernetes.io/zone")
    placement = world.wait_placed(world.gang("g", 4, metadata=meta, affinity=affinity))
    items = world.rest.get("/api/v1/nodes").expect(200)["items"]
    zones = {
        n["metadata"]["name"]: n["metadata"]["labels"].get("topology.kubernetes.io/zone")
        for n in items
    }
    assert len({zones[n] for n in placement.values()}) == 1


def test_pods_that_run_keep_away_whom_they_avoid(world, scheduler):
    world.node(cpu=8)
    world.wait_placed(world.gang("shy", 1, affinity=pod_affinity("podAntiAffinity")))
    world.gang("loud", 1, metadata={"labels": {"app": "x"}})
    entry = world.wait_pod_condition("loud-0", status="False", reason="Unschedulable")
    assert "existing pods anti-affinity rules" in entry["message"], entry
    world.wait_placed(world.gang("calm", 1))


def spread(when, key, **more):
    selector = {"matchLabels": {"app": "x"}}
    return {
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": key,
                "whenUnsatisfiable": when,
                "labelSelector": selector,
                **more,
            }
        ]
    }


def test_pods_that_must_spread_do_so_by_zone(world, scheduler):
    zones = {}
    for zone, size in (("a", 2), ("b", 16)):
        zones[world.node(cpu=size, labels={"topology.kubernetes.io/zone": zone})] = zone
    meta = {"labels": {"app": "x"}}
    rule = spread("DoNotSchedule", "topology.kubernetes.io/zone")
    placement = world.wait_placed(world.gang("g", 5, metadata=meta, **rule))
    assert sorted(zones[n] for n in placement.values()) == ["a", "a", "b", "b", "b"]
    world.gang("more", 1, metadata=meta, **rule)
    entry = world.wait_pod_condition("more-0", status="False", reason="Unschedulable")
    assert "topology spread constraints" in entry["message"], entry


def test_pods_that_should_spread_use_every_host(world, scheduler):
    # The largest one would draw most of them.
    world.node(cpu=64)
    world.nodes(3, cpu=8)
    meta = {"labels": {"app": "x"}}
    rule = spread("ScheduleAnyway", "kubernetes.io/hostname")
    placement = world.wait_placed(world.gang("g", 8, metadata=meta, **rule))
    hosts = list(placement.values())
    assert sorted(hosts.count(host) for host in set(hosts)) == [2, 2, 2, 2]


def test_namespaces_are_selected_by_their_labels(world, scheduler):
    node = world.node(cpu=8)
    meta = {"labels": {"app": "x"}}
    assert world.wait_placed(world.gang("web", 1, metadata=meta))["web-0"] == node

    def avoiding(namespace):
        affinity = pod_affinity("podAntiAffinity")
        rules = affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        selector = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
        rules[0]["namespaceSelector"] = selector
        return affinity

    world.gang("here", 1, affinity=avoiding(world.namespace))
    entry = world.wait_pod_condition("here-0", status="False", reason="Unschedulable")
    assert "anti-affinity" in entry["message"], entry
    elsewhere = world.gang("elsewhere", 1, affinity=avoiding("default"))
    assert world.wait_placed(elsewhere)["elsewhere-0"] == node


def test_a_host_port_is_given_once_per_node(world, scheduler):
    world.nodes(2, cpu=8)
    container = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
    names = world.gang("g", 2, container=container)
    assert len(set(world.wait_placed(names).values())) == 2
    world.gang("third", 1, container=container)
    entry = world.wait_pod_condition("third-0", status="False", reason="Unschedulable")
    assert "free ports" in entry["message"], entry


def test_the_number_of_pods_per_node_is_a_limit(world, scheduler):
    world.nodes(2, cpu=64, pods=3)
    names = world.gang("g", 6, cpu="10m")
    world.wait_placed(names)
    world.gang("more", 1, cpu="10m")
    entry = world.wait_pod_condition("more-0", status="False", reason="Unschedulable")
    assert "0/2 nodes are unavailable: " in entry["message"], entry


def test_extended_resources_are_counted(world, scheduler):
    world.node(cpu=64)
    equipped = world.node(cpu=64, **{"example.com/gpu": "4"})
    resources = {
        "requests": {"cpu": "1", "example.com/gpu": "2"},
        "limits": {"example.com/gpu": "2"},
    }
    names = world.gang("g", 2, cpu=None, memory=None, container={"resources": resources})
    assert set(world.wait_placed(names).values()) == {equipped}
    world.gang("more", 1, cpu=None, memory=None, container={"resources": resources})
    entry = world.wait_pod_condition("more-0", status="False", reason="Unschedulable")
    assert "Insufficient example.com/gpu" in entry["message"], entry


def test_pods_without_requests_are_placed_on_full_nodes(world, scheduler):
    world.nodes(2, cpu=2)
    world.wait_placed(world.gang("full", 4))
    names = world.gang("light", 3, cpu=None, memory=None)
    world.wait_placed(names)


def test_a_gated_pod_waits_for_its_gates(world, scheduler):
    world.node(cpu=8)
    world.gang("g", 1, schedulingGates=[{"name": "example.com/wait"}])
    world.wait_placed(world.gang("other", 1))
    assert "g-0" not in world.placement()
    path = f"/api/v1/namespaces/{world.namespace}/pods/g-0"
    world.rest.patch(path, {"spec": {"schedulingGates": None}}, MERGE_PATCH).expect(200)
    world.wait_placed(["g-0"])


def test_room_taken_by_another_scheduler_is_not_given_again(world, scheduler):
    node = world.node(cpu=4)
    world.pod("foreign", cpu="3", scheduler="somebody-else")
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "foreign"},
        "target": target,
    }
    path = f"/api/v1/namespaces/{world.namespace}/pods/foreign/binding"
    world.rest.post(path, body).expect(201)
    names = world.gang("g", 2)
    world.wait_group_condition("g", "Unschedulable", status="True")
    assert set(world.placement()) == {"foreign"}
    world.delete_pod("foreign")
    world.wait_placed(names)


def test_two_schedulers_with_different_names_share_the_nodes(world, new_scheduler):
    world.nodes(3, cpu=4)
    for name in ("volcano", "other"):
        new_scheduler(flags=["--scheduler-name", name])
    names = []
    for i in range(3):
        names += world.gang(f"mine-{i}", 2)
        world.wait_placed(names)  # One after the other: at the same time they could not know.
        names += world.gang(f"theirs-{i}", 2, scheduler="other")
        world.wait_placed(names)
    world.gang("more", 1)
    entry = world.wait_pod_condition("more-0", status="False", reason="Unschedulable")
    assert "3 Insufficient cpu" in entry["message"], entry


def test_the_second_of_two_schedulers_sees_the_room_shrink(world, new_scheduler):
    node = world.node(cpu=2)
    new_scheduler(flags=["--scheduler-name", "volcano"])
    new_scheduler(flags=["--scheduler-name", "other"])
    assert set(world.wait_placed(world.gang("a", 2, scheduler="other")).values()) == {node}
    world.gang("b", 1)
    world.wait_pod_condition("b-0", status="False", reason="Unschedulable")
    for name in ("a-0", "a-1"):
        world.delete_pod(name)
    until(lambda: "b-0" in world.placement(), 30, lambda: f"the room is free: {world.placement()}")
