"""What else a gang may ask of the network: sub-groups, soft bounds, order of ranks, the tightest
fit, evictions for it, and tiers by name."""

import pytest

from support.hyper_nodes import TOPOLOGY, Network, exact, hard
from support.poll import always, until
from support.scheduler import CONF

PLUGIN = "  - name: network-topology-aware\n"
RANK_ORDER = "batholith.io/network-rank-order"
PART = "example.com/part"


@pytest.fixture
def network(world):
    return Network(world)


@pytest.fixture
def start(new_scheduler):
    """Starts a scheduler that heeds the topology and has read all that was made before."""

    def started(action=None, arguments="", **more):
        conf = CONF + PLUGIN + arguments
        if action:
            conf = conf.replace("allocate, backfill", f"allocate, {action}, backfill")
        return new_scheduler(conf=conf, **more).wait_ready()

    return started


def soft(tier):
    return {"networkTopology": {"mode": "soft", "highestTierAllowed": tier}}


def named(tier):
    return {"networkTopology": {"mode": "hard", "highestTierName": tier}}


def on(node):
    """What makes a pod go to one node."""
    return {"nodeSelector": {"kubernetes.io/hostname": node}}


def racks_of(placed, racks, pods):
    """The racks that these pods are in."""
    where = {placed[pod] for pod in pods}
    return {name for name, nodes in racks if where & set(nodes)}


def nodes_of(racks):
    return {node for _, nodes in racks for node in nodes}


def gang_of_parts(world, name, *parts, bound, group=None, **pod):
    """A gang of sub-groups of two, each in a rack, all within the bound; its pods, part by part."""
    policy = {"name": "part", "subGroupSize": 2, "minSubGroups": len(parts), **hard(1)}
    policy.update(labelSelector={"matchExpressions": [{"key": PART, "operator": "Exists"}]})
    policy.update(matchLabelKeys=[PART])
    spec = {**hard(bound), **(group or {}), "subGroupPolicy": [policy]}
    world.pod_group(name, 2 * len(parts), **spec)
    pods = {part: [f"{name}-{part}-{i}" for i in range(2)] for part in parts}
    # Pods of different parts come by turns.
    for i in range(2):
        for part in parts:
            part_pod(world, name, part, i, **pod)
    return list(pods.values())


def part_pod(world, gang, part, i, **pod):
    labels = {"labels": {PART: part}}
    world.pod(f"{gang}-{part}-{i}", group=gang, cpu="2", metadata=labels, **pod)


def assert_parts_in_row(placed, row, parts):
    """Each in one rack of the row, and together in as many as there are."""
    found = [racks_of(placed, row, pods) for pods in parts]
    assert all(len(racks) == 1 for racks in found), f"{placed} in {row}"
    assert len(set.union(*found)) == len(parts), f"{placed} in {row}"
    assert {placed[pod] for pods in parts for pod in pods} <= nodes_of(row)


def test_sub_groups_have_a_rack_each_and_all_are_in_one_row(world, network, start):
    # Room for four pods is in each row, racks for two pairs are in one alone.
    network.racks(1, 1, 1, 1)
    network.racks(2, 1, 1)
    row = network.racks(2, 1, 2)
    start()
    parts = gang_of_parts(world, "g", "a", "b", bound=2)
    placed = world.wait_placed(sum(parts, []))
    assert_parts_in_row(placed, row, parts)

    # One of its pods fails, and somebody else has the room: other racks are too far from its part,
    # whatever is free in the row.
    lost = parts[0][1]
    world.delete_pod(lost)
    until(lambda: lost not in world.placement(), 30, f"{lost} is gone")
    world.wait_placed(world.gang("other", 1, cpu="2", **on(placed[lost])))
    part_pod(world, "g", "a", 1)
    world.wait_pod_condition(lost, status="False")
    always(lambda: lost not in world.placement(), 0.5, "there is room in other racks alone")
    world.delete_pod("other-0")
    assert world.wait_placed([lost])[lost] == placed[lost]


def test_sub_groups_wait_until_one_row_has_racks_for_all(world, network, start):
    # Two racks in either row: together enough for three pairs.
    network.racks(2, 2)
    row = network.racks(2, 2, 1)
    start()
    parts = gang_of_parts(world, "g", "a", "b", "c", bound=2)
    world.wait_group_told("g", "; at tier 2 spine", " 2 of 3 sub-groups")
    assert world.placement() == {}
    name, nodes = row[2]
    row[2] = name, [*nodes, world.node(cpu=2)]
    network.set_members(name, *map(exact, row[2][1]))
    assert_parts_in_row(world.wait_placed(sum(parts, [])), row, parts)


def test_a_soft_gang_has_one_rack_if_it_can_and_several_if_it_must(world, network, start):
    racks = network.racks(2, 2, cpu=4)
    start()
    # The nodes with most room are in different racks.
    for i, (_, nodes) in enumerate(racks):
        world.wait_placed(world.gang(f"before-{i}", 1, **on(nodes[0])))
    near = world.gang("near", 2, cpu="2", group=soft(1))
    first = racks_of(world.wait_placed(near), racks, near)
    assert len(first) == 1

    # Three places are in the other rack, one is left in this one.
    strict = world.gang("strict", 4, cpu="2", group=hard(1))
    world.wait_group_told("strict", "no HyperNode takes all that the gang needs")
    large = world.gang("large", 4, cpu="2", group=soft(1))
    placed = world.wait_placed(large)
    assert len(racks_of(placed, racks, large)) == 2
    assert not set(strict) & set(placed)


def test_neighbours_in_rank_are_neighbours_in_the_network(world, network, start):
    # Nodes came by turns for either rack.
    nodes = world.nodes(4, cpu=4)
    racks = [(network.hyper_node("rack", 1, *map(exact, n)), n) for n in (nodes[::2], nodes[1::2])]
    network.hyper_node("spine", 2, *(exact(name, "HyperNode") for name, _ in racks))
    start()
    metadata = {"annotations": {RANK_ORDER: "true"}}
    world.pod_group("g", 8, **hard(2), metadata=metadata)
    # So do pods come out of their order.
    for rank in (5, 2, 7, 0, 3, 6, 1, 4):
        world.pod(f"g-worker-{rank}", group="g", cpu="2")
    workers = [f"g-worker-{rank}" for rank in range(8)]
    placed = world.wait_placed(workers)
    for i in range(0, 8, 2):
        assert placed[workers[i]] == placed[workers[i + 1]], placed
    for half in (workers[:4], workers[4:]):
        assert len({placed[pod] for pod in half}) == 2 and len(racks_of(placed, racks, half)) == 1


@pytest.mark.parametrize(
    "arguments, chosen",
    [
        ("", 1),
        ("    arguments:\n      hypernode.tightest-fit.enable: true\n", 0),
    ],
    ids=["the fullest by its own size", "the one with the least left"],
)
def test_of_racks_one_is_chosen_by_what_it_has_left(world, network, start, arguments, chosen):
    # With one more pod half of the small rack is left, one node; of the large two of five.
    racks = network.racks(2, 5)
    start(arguments=arguments)
    for i, node in enumerate(racks[1][1][:2]):
        world.wait_placed(world.gang(f"before-{i}", 1, cpu="2", **on(node)))
    pods = world.gang("g", 1, cpu="2", group=hard(1))
    assert racks_of(world.wait_placed(pods), racks, pods) == {racks[chosen][0]}


def running(world, names):
    """Waits until these pods run."""
    until(
        lambda: all(world.read_pod(n)["status"].get("phase") == "Running" for n in names),
        30,
        lambda: f"running: {[world.read_pod(n)['status'] for n in names]}",
    )


def test_a_queue_takes_back_one_rack_for_a_gang(world, network, nodesim, start, evicting):
    racks = network.racks(2, 2)
    cheap, dear = world.priority_class(1), world.priority_class(1000)
    greedy, late = world.queue(), world.queue()
    start("gangreclaim", kubeconfig=evicting)
    # The cheapest two to lose are in different racks.
    world.pod_group("taken", 1, queue=greedy)
    taken = []
    for rack, (_, nodes) in enumerate(racks):
        for node, priority in zip(nodes, (cheap, dear)):
            taken.append(f"taken-{len(taken)}")
            world.pod(taken[-1], group="taken", cpu="2", priorityClassName=priority, **on(node))
    world.wait_placed(taken)
    running(world, taken)
    wanted = world.gang("wanted", 2, cpu="2", group={**hard(1), "queue": late})
    placed = world.wait_placed(wanted)
    rack = racks_of(placed, racks, wanted)
    stayed = [pod for pod in taken if pod in placed]
    assert len(rack) == 1 and len(stayed) == 2
    assert racks_of(placed, racks, stayed) == {name for name, _ in racks} - rack


def test_sub_groups_evict_in_one_row(world, network, start, evicting):
    other, row = network.racks(2, 1, 1), network.racks(2, 2)
    high = world.priority_class(1000)
    start("gangpreempt", kubeconfig=evicting)
    # Whoever may be in any row would take the rack of the other one first: it is cheaper.
    low = []
    for racks, priority in ((other, world.priority_class(1)), (row, world.priority_class(10))):
        group = {"priorityClassName": priority}
        more = {"cpu": "2", "group": group, "priorityClassName": priority}
        for node in sorted(nodes_of(racks)):
            low += world.gang(f"low-{len(low)}", 1, **more, **on(node))
    world.wait_placed(low)
    group = {"priorityClassName": high}
    parts = gang_of_parts(world, "g", "a", "b", bound=2, group=group, priorityClassName=high)
    placed = world.wait_placed(sum(parts, []))
    assert_parts_in_row(placed, row, parts)
    assert {placed[pod] for pod in low if pod in placed} == nodes_of(other)


def test_a_tier_name_that_nothing_has_holds_the_gang_until_something_has_it(world, network, start):
    racks = []
    for _ in range(3):
        nodes = world.nodes(2, cpu=2)
        racks.append((network.hyper_node("rack", 1, *map(exact, nodes), tierName="rack"), nodes))
    start()
    pods = world.gang("g", 4, cpu="2", group=named("row"))
    told = (
        "no HyperNode has the tierName row that highestTierName asks for; there is rack (tier 1): "
        "ask for one of these, or give HyperNodes that tierName"
    )
    world.wait_group_told("g", told)
    # There is room, and who names a tier that there is gets some.
    outside = racks[2][1]
    world.wait_placed(world.gang("sign", 1, cpu="1", group=named("rack"), **on(outside[0])))
    always(lambda: not set(pods) & set(world.placement()), 0.5, "held")
    # Two of the racks come to be in a row.
    members = [exact(name, "HyperNode") for name, _ in racks[:2]]
    row = network.hyper_node("row", 2, *members, tierName="row")
    placed = world.wait_placed(pods)
    assert {placed[pod] for pod in pods} == nodes_of(racks[:2])
    world.wait_group_condition("g", "Unschedulable", status="False")

    # With its row gone it stays where it is, and whoever comes is held.
    world.rest.delete(f"{TOPOLOGY}/hypernodes/{row}").expect(200)
    late = world.gang("late", 1, cpu="100m", group=named("row"))
    world.wait_group_told("late", told)
    assert world.placement() == placed and not set(late) & set(placed)
