"""Gangs that must be near to one another in the network, whatever happens to them."""

import json
import random
from collections import defaultdict

import pytest

from support.bind_gate import BindGate
from support.controllers import Controllers
from support.hyper_nodes import ALLOCATED_IN, TOPOLOGY, Network, exact, hard, matching
from support.poll import always, until
from support.rest import MERGE_PATCH
from support.scheduler import CONF
from support.vcctl import explained
from support.world import unique

TOPOLOGY_CONF = CONF + "  - name: network-topology-aware\n"


@pytest.fixture
def network(world):
    return Network(world)


@pytest.fixture
def near(world, new_scheduler):
    """A scheduler that heeds the topology."""
    return new_scheduler(conf=TOPOLOGY_CONF)


@pytest.fixture
def gate(world, tmp_path):
    made = BindGate(world, tmp_path)
    yield made
    made.close()


def rack_of(placed, racks, pods):
    """The one rack in which all these pods are."""
    where = {placed[pod] for pod in pods}
    found = [name for name, nodes in racks if where <= set(nodes)]
    assert len(found) == 1, f"{where} in {racks}"
    return found[0]


def test_a_hard_gang_has_one_rack_and_says_which(world, network, near):
    racks = network.racks(2, 2)
    # The node with most room is in the rack that has not enough of it.
    world.gang("before", 1, cpu="1")
    pods = world.gang("g", 2, cpu="2", group=hard(1))
    rack = rack_of(world.wait_placed(pods), racks, pods)

    def told():
        return (world.read_group("g")["metadata"].get("annotations") or {}).get(ALLOCATED_IN)

    until(lambda: told() == rack, 30, lambda: f"{ALLOCATED_IN} is {rack}: {told()}")


def test_a_gang_too_large_for_a_rack_is_told_so_until_one_grows(
    world, network, near, installed, tmp_path
):
    racks = network.racks(2, 2)
    pods = world.gang("g", 3, cpu="2", group=hard(1))
    told = ("no HyperNode takes all that the gang needs", "at tier 1 rack")
    world.wait_group_told("g", *told)
    assert told[0] in explained(installed, tmp_path, world, "g")
    assert "no HyperNode takes all" in near.explain(world.namespace, "g")
    # A node that stands in no rack does not help; one in a rack does.
    more = world.node(cpu=2)
    always(lambda: world.placement() == {}, 0.5, "there is room in no rack yet")
    name, nodes = racks[1]
    network.set_members(name, *map(exact, [*nodes, more]))
    placed = world.wait_placed(pods)
    assert {placed[pod] for pod in pods} == {*nodes, more}


def test_a_pod_made_anew_stays_with_its_gang_also_after_a_crash(world, network, near):
    (name, nodes), (_, others) = network.racks(2, 3)
    world.gang("wide", 1, cpu="2", affinity=only(others[0]))
    world.gang("wider", 1, cpu="2", affinity=only(others[1]))
    pods = world.gang("g", 2, cpu="2", group=hard(1))
    placed = world.wait_placed(pods)
    assert {placed[pod] for pod in pods} == set(nodes)
    # Its pod fails, and somebody else has the room before it is made anew.
    world.delete_pod("g-1")
    until(lambda: "g-1" not in world.placement(), 30, "g-1 is gone")
    world.gang("other", 1, cpu="2", affinity=only(placed["g-1"]))
    world.wait_placed(["other-0"])
    world.pod("g-1", group="g", cpu="2")
    rack = world.wait_pod_told("g-1", "In hyperNode ", ": 0/2 nodes are unavailable")
    assert f"In hyperNode {name}: " in rack
    near.kill()
    near.restart()
    # Whoever begins anew knows it too: a sign that it has looked, then nothing.
    world.wait_placed(world.gang("sign", 1, cpu="10m"))
    always(lambda: "g-1" not in world.placement(), 0.5, "there is room in the other rack alone")
    world.delete_pod("other-0")
    assert world.wait_placed(["g-1"])["g-1"] == placed["g-1"]


def only(node):
    """The affinity of a pod that goes to one node."""
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    terms = {"nodeSelectorTerms": [term]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def test_half_a_gang_bound_and_a_crash_end_in_one_rack(world, network, near, gate):
    racks = network.racks(2, 2, 2)
    gate.hold("g-1")
    pods = world.gang("g", 2, cpu="2", group=hard(1))
    gate.wait_held()
    world.wait_placed(["g-0"])
    near.kill()
    gate.refuse("g-1")  # The one that was under way comes to nothing.
    until(lambda: not gate.waiting, 30, "nothing waits")
    assert "g-1" not in world.placement()
    gate.open()
    near.restart()
    rack_of(world.wait_placed(pods), racks, pods)


def test_a_refused_binding_is_tried_again_in_the_same_rack(world, network, near, gate):
    racks = network.racks(2, 2, 2)
    gate.refuse("g-1")
    pods = world.gang("g", 2, cpu="2", group=hard(1))
    gate.wait_refused()
    world.wait_placed(["g-0"])
    gate.open()
    rack_of(world.wait_placed(pods), racks, pods)


def test_a_gang_that_evicts_others_gets_one_rack(world, network, new_scheduler, evicting):
    conf = TOPOLOGY_CONF.replace("allocate, backfill", "allocate, gangpreempt, backfill")
    new_scheduler(conf=conf, kubeconfig=evicting)
    racks = network.racks(2, 2)
    high = world.priority_class(1000)
    low = [world.gang(f"low-{i}", 1, cpu="2")[0] for i in range(4)]
    world.wait_placed(low)
    group = {**hard(1), "priorityClassName": high}
    pods = world.gang("high", 2, cpu="2", group=group, priorityClassName=high)
    placed = world.wait_placed(pods)
    rack = rack_of(placed, racks, pods)
    stayed = [pod for pod in low if pod in placed]
    assert len(stayed) == 2 and rack_of(placed, racks, stayed) != rack


def test_faulty_hyper_nodes_are_told_and_hold_nobody_up(world, network, near):
    racks = network.racks(2, 2)
    everything = network.hyper_node("all", 1, matching(".*"))
    broken = network.hyper_node("broken", 1, matching("(" + "a" * 20 + "?){999}"))
    dangling = network.hyper_node("dangling", 3, exact("nobody-has-this-name", "HyperNode"))
    greedy = network.hyper_node("greedy", 3, exact(racks[0][0], "HyperNode"))
    circle = network.hyper_node("circle", 4, exact(greedy, "HyperNode"))
    network.set_members(greedy, exact(circle, "HyperNode"), exact(racks[0][0], "HyperNode"))
    for name in (broken, dangling, greedy):
        until(lambda: network.faults(name), 30, lambda: f"what is wrong with {name}")
    assert network.faults(racks[1][0]) == []
    pods = world.gang("g", 2, cpu="2", group=hard(1))
    placed = world.wait_placed(pods)
    both = [*racks, (everything, sum((nodes for _, nodes in racks), []))]
    assert [name for name, nodes in both if {placed[p] for p in pods} <= set(nodes)]


def test_racks_that_labels_tell_are_discovered_and_heeded(world, installed, near, tmp_path):
    key, namespace = f"example.com/{unique('rack')}", "volcano-system"
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    assert world.rest.post("/api/v1/namespaces", body).status in (201, 409)
    world.nodes(1, cpu=2, labels={key: "a"})
    pair = world.nodes(2, cpu=2, labels={key: "b"})
    levels = [{"nodeLabel": key}, {"nodeLabel": "kubernetes.io/hostname"}]
    conf = {
        "networkTopologyDiscovery": [
            {"source": "label", "enabled": True, "config": {"networkTopologyTypes": {"e2e": levels}}}
        ]
    }
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    name = "volcano-controller-configmap"
    data = {"volcano-controller.conf": json.dumps(conf)}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
    world.rest.post(path, config).expect(201)
    world.removes_later(f"{path}/{name}")
    flags = ["--controllers=hyperNode-controller"]
    controllers = Controllers(installed.kubeconfig, tmp_path, flags=flags)
    try:
        selector = {"labelSelector": "volcano.sh/network-topology-source=label"}

        def found():
            items = world.rest.get(f"{TOPOLOGY}/hypernodes", **selector).expect(200)["items"]
            return [i for i in items if i.get("status", {}).get("nodeCount")]

        until(lambda: len(found()) == 2, 30, lambda: f"two racks: {found()}")
        pods = world.gang("g", 2, cpu="2", group=hard(1))
        placed = world.wait_placed(pods)
        assert {placed[pod] for pod in pods} == set(pair)
        large = world.gang("large", 3, cpu="1", group=hard(1))
        world.wait_group_condition("large", "Unschedulable", status="True")
        # A node is carried to another rack.
        world.gang("h", 1, cpu="10m")
        third = world.node(cpu=4, labels={key: "c"})
        world.rest.patch(
            f"/api/v1/nodes/{third}", {"metadata": {"labels": {key: "a"}}}, MERGE_PATCH
        ).expect(200)
        world.wait_placed(large)
    finally:
        controllers.close()
        for item in found():
            world.rest.delete(f"{TOPOLOGY}/hypernodes/{item['metadata']['name']}")


def test_gangs_stay_in_their_racks_through_failures_and_crashes(world, network, near):
    # Each rack could take all of them: nobody is shut out when others were faster.
    racks = network.racks(3, 3, 3, 3, cpu=7)
    dice = random.Random(7)
    sizes = {f"g{i}": dice.choice([2, 3]) for i in range(9)}

    def apart():
        """Gangs whose pods are in more than one rack."""
        found = defaultdict(set)
        for pod, node in world.placement().items():
            found[pod.partition("-")[0]] |= {name for name, nodes in racks if node in nodes}
        return {gang: names for gang, names in found.items() if len(names) > 1}

    def wait_all(within=60):
        def all_placed():
            assert apart() == {}
            return len(world.placement()) == sum(sizes.values())

        until(all_placed, within, lambda: f"all are placed: {world.placement()}")

    for gang, size in sizes.items():
        world.gang(gang, size, cpu="1", group=hard(1))
    wait_all()
    for _ in range(4):
        # Some pods fail and are made anew, one gang is gone and comes back whole, and we die.
        for pod in dice.sample(sorted(world.placement()), 4):
            world.delete_pod(pod)
            world.pod(pod, group=pod.partition("-")[0], cpu="1")
        gang = dice.choice(sorted(sizes))
        for i in range(sizes[gang]):
            world.delete_pod(f"{gang}-{i}")
        near.kill()
        for i in range(sizes[gang]):
            world.pod(f"{gang}-{i}", group=gang, cpu="1")
        near.restart()
        wait_all()
