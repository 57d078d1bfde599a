"""Two schedulers that share the nodes, as the sharding controller divides them."""

import pytest

from support import objects
from support.bind_gate import BindGate
from support.controllers import Controllers
from support.poll import until
from support.rest import MERGE_PATCH
from support.world import unique

SHARDS = "/apis/shard.volcano.sh/v1alpha1/nodeshards"
SHARES = """\
schedulerConfigs:
- name: volcano
  policies: [{{name: node-limit, arguments: {{maxNodes: {limit}}}}}]
- name: second
  cpuUtilizationMax: 1.0
shardSyncPeriod: 1s
"""


@pytest.fixture
def shares(world, installed, tmp_path):
    """The sharding controller, and a function that says how many nodes `volcano` is to have."""
    path = f"/api/v1/namespaces/{world.namespace}/configmaps"
    data = {"sharding.yaml": SHARES.format(limit=2)}
    world.rest.post(path, objects.config_map("shares", data)).expect(201)
    flags = [
        "--controllers=sharding-controller",
        "--sharding-configmap=shares",
        f"--sharding-configmap-namespace={world.namespace}",
    ]
    controllers = Controllers(installed.kubeconfig, tmp_path, name="sharding", flags=flags)

    def limit(nodes):
        patch = {"data": {"sharding.yaml": SHARES.format(limit=nodes)}}
        world.rest.patch(f"{path}/shares", patch, MERGE_PATCH).expect(200)

    try:
        controllers.wait_acting()
        yield limit
    finally:
        controllers.close()
        for name in ("volcano", "second"):
            world.rest.delete(f"{SHARDS}/{name}")


def in_use(world, name):
    shard = world.rest.get(f"{SHARDS}/{name}").expect(200)
    return set(shard.get("status", {}).get("nodesInUse") or [])


def wait_divided(world, nodes, count):
    """Waits until `volcano` uses so many of the nodes, and `second` all others; returns both."""

    def divided():
        first, second = in_use(world, "volcano"), in_use(world, "second")
        whole = first | second >= set(nodes) and not first & second
        return (first, second) if whole and len(first) == count else None

    until(
        lambda: all(world.rest.get(f"{SHARDS}/{n}").status == 200 for n in ("volcano", "second")),
        30,
        lambda: "the controller makes both NodeShards",
    )
    return until(
        divided,
        30,
        lambda: f"volcano {in_use(world, 'volcano')}, second {in_use(world, 'second')}",
    )


def test_two_schedulers_bind_only_inside_their_shards(world, new_scheduler, shares):
    nodes = world.nodes(4, cpu=4)
    new_scheduler(flags=["--scheduler-sharding-mode=hard"])
    flags = ["--scheduler-name=second", "--scheduler-sharding-name=second"]
    new_scheduler(flags=[*flags, "--scheduler-sharding-mode=hard"])
    first, second = wait_divided(world, nodes, 2)

    mine = world.gang("mine", 4, cpu="1")
    others = world.gang("others", 1, cpu="1", scheduler="second")
    placed = world.wait_placed([*mine, *others])
    assert {placed[pod] for pod in mine} <= first
    assert {placed[pod] for pod in others} <= second

    # What the shard has no room for waits, though the other one has.
    world.pod_group("large", 1)
    world.pod("large", group="large", cpu="4")
    waits = world.wait_pod_condition("large", status="False")
    assert f"{len(second)} node isn't in scheduler node shard" in waits["message"]

    # A node changes hands, and with it who places pods there.
    shares(1)
    fewer, more = wait_divided(world, nodes, 1)
    assert fewer < first
    rest = world.gang("rest", 8, cpu="1", scheduler="second")
    placed = world.wait_placed(rest)
    assert {placed[pod] for pod in rest} <= more
    assert {placed[pod] for pod in rest} & (first - fewer)


@pytest.fixture
def shard(world, new_scheduler):
    """A scheduler in hard mode with a NodeShard that the test writes: its name, what starts the
    scheduler, and what sets the nodes that it should have."""
    name = unique("shard")

    def desire(*nodes):
        head = {"apiVersion": "shard.volcano.sh/v1alpha1", "kind": "NodeShard"}
        spec = {"nodesDesired": list(nodes)}
        answer = world.rest.post(SHARDS, {**head, "metadata": {"name": name}, "spec": spec})
        if answer.status == 409:
            world.rest.patch(f"{SHARDS}/{name}", {"spec": spec}, MERGE_PATCH).expect(200)
        else:
            world.removes_later(f"{SHARDS}/{name}")

    def start(mode="hard"):
        flags = [f"--scheduler-sharding-mode={mode}", f"--scheduler-sharding-name={name}"]
        return new_scheduler(flags=flags)

    return name, start, desire


def status_of(world, name):
    return world.rest.get(f"{SHARDS}/{name}").expect(200).get("status", {})


def wait_in_use(world, name, *nodes):
    until(
        lambda: in_use(world, name) == set(nodes),
        30,
        lambda: f"{name} uses {nodes}: {status_of(world, name)}",
    )


def on(node):
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    terms = {"nodeSelectorTerms": [term]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def test_a_node_that_left_is_in_use_until_its_last_binding_is_through(world, shard, tmp_path):
    name, start, desire = shard
    first, second = world.nodes(2, cpu=4)
    desire(first, second)
    start()
    wait_in_use(world, name, first, second)
    gate = BindGate(world, tmp_path)
    try:
        gate.hold()
        world.gang("g", 1, affinity=on(first))
        gate.wait_held()
        desire(second)
        until(
            lambda: status_of(world, name).get("nodesToRemove") == [first],
            30,
            lambda: f"{first} is to go: {status_of(world, name)}",
        )
        assert first in in_use(world, name)
        gate.open()
        assert world.wait_placed(["g-0"])["g-0"] == first
        wait_in_use(world, name, second)
    finally:
        gate.close()
    world.gang("h", 1, affinity=on(first))
    world.wait_pod_told("h-0", "1 node isn't in scheduler node shard")


def test_a_crash_amid_a_change_of_hands_leaves_no_node_in_use(world, shard, tmp_path):
    name, start, desire = shard
    first, second = world.nodes(2, cpu=4)
    desire(first)
    daemon = start()
    wait_in_use(world, name, first)
    gate = BindGate(world, tmp_path)
    try:
        gate.hold()
        world.gang("g", 1)
        gate.wait_held()
        daemon.kill()
        gate.refuse()
        until(lambda: not gate.waiting, 30, "nothing waits at the gate")
    finally:
        gate.close()
    desire(second)
    daemon.restart()
    wait_in_use(world, name, second)
    assert world.wait_placed(["g-0"])["g-0"] == second


def test_without_its_shard_a_scheduler_in_hard_mode_uses_no_node(world, shard):
    name, start, desire = shard
    node = world.node(cpu=4)
    daemon = start()
    world.gang("g", 1)
    world.wait_pod_told("g-0", "1 node isn't in scheduler node shard")
    until(lambda: daemon.metrics().get("batholith_shard_missing") == 1, 30, "a metric says so")
    # Nonsense is in it, too: nodes that do not exist yet, and one twice.
    others = ["nobody", "x" * 200]
    desire(node, *others, node)
    world.wait_placed(["g-0"])
    until(
        lambda: status_of(world, name).get("nodesInUse") == [node, *others],
        30,
        lambda: f"each once: {status_of(world, name)}",
    )


def test_in_soft_mode_other_nodes_come_last(world, shard):
    name, start, desire = shard
    nodes = world.nodes(3, cpu=2)
    mine = nodes[2]
    desire(mine)
    start("soft")
    wait_in_use(world, name, mine)
    for i in range(2):
        world.gang(f"g{i}", 1, cpu="1")
        assert world.wait_placed([f"g{i}-0"])[f"g{i}-0"] == mine
    world.gang("more", 1, cpu="1")
    assert world.wait_placed(["more-0"])["more-0"] != mine
