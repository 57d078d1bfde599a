"""Two schedulers that share the nodes, as the sharding controller divides them."""

import pytest

from support import objects
from support.controllers import Controllers
from support.poll import until
from support.rest import MERGE_PATCH

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
