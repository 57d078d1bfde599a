"""Simulated nodes that are down or cordoned take no pods, as on a cluster with a node controller."""

import pytest

from support import handbook
from support.poll import until
from support.rest import MERGE_PATCH

DOWN = "batholith.io/simulated-down"


@pytest.fixture
def person(backend, world, tmp_path):
    return handbook.terminal(backend, world.namespace, tmp_path)


def patch(world, node, body):
    world.rest.patch(f"/api/v1/nodes/{node}", body, MERGE_PATCH).expect(200)


def taints(world, node):
    spec = world.rest.get(f"/api/v1/nodes/{node}").expect(200)["spec"]
    return {f"{t['key']}:{t['effect']}" for t in spec.get("taints") or []}


def set_down(world, node, down):
    patch(world, node, {"metadata": {"annotations": {DOWN: "true" if down else None}}})


@pytest.mark.usefixtures("nodesim")
def test_a_gang_waits_for_a_node_that_is_down_and_says_so(world, scheduler, person):
    nodes = world.nodes(2, cpu=2)
    set_down(world, nodes[0], True)
    lost = {f"node.kubernetes.io/unreachable:{e}" for e in ("NoSchedule", "NoExecute")}
    until(lambda: taints(world, nodes[0]) == lost, 30, lambda: str(taints(world, nodes[0])))
    names = world.gang("g", 4)
    until(
        lambda: "node(s) had untolerated taint" in person("describe", "podgroup", "g"),
        30,
        lambda: person("describe", "podgroup", "g"),
    )
    assert not any(world.placement().values())
    set_down(world, nodes[0], False)
    world.wait_placed(names)
    assert taints(world, nodes[0]) == set()


@pytest.mark.usefixtures("nodesim")
def test_a_cordoned_node_has_its_taint_until_it_is_uncordoned(world, scheduler, person):
    node = world.node(cpu=2)
    patch(world, node, {"spec": {"unschedulable": True}})
    mark = {"node.kubernetes.io/unschedulable:NoSchedule"}
    until(lambda: taints(world, node) == mark, 30, lambda: str(taints(world, node)))
    names = world.gang("g", 2)
    until(
        lambda: "0/1 nodes are unavailable: 1 node(s) were unschedulable" in
        person("describe", "podgroup", "g"),
        30,
        lambda: person("describe", "podgroup", "g"),
    )
    patch(world, node, {"spec": {"unschedulable": None}})
    world.wait_placed(names)
    assert taints(world, node) == set()
