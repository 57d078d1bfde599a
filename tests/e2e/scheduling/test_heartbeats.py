"""Simulated nodes say that they are still there, and that wakes nobody."""

import re
import time

import pytest

from support.kubectl import Kubectl
from support.poll import until
from support.rest import STRATEGIC_PATCH

CYCLES = "volcano_e2e_scheduling_latency_milliseconds_count"
KUBELETS = {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}


@pytest.fixture
def kubectl(backend, world, tmp_path):
    made = Kubectl(backend.kubeconfig, world.namespace, tmp_path)
    yield made
    made.close()


def beats(kubectl, node):
    """LastHeartbeatTime of each condition, as `kubectl describe` shows it."""
    text = kubectl("describe", "node", node)
    rows = re.search(r"^Conditions:\n(.*?)^\S", text, re.MULTILINE | re.DOTALL)[1].splitlines()
    assert rows[0].split()[:3] == ["Type", "Status", "LastHeartbeatTime"], text
    date = re.compile(r"  (\w+) +\w+ +(\w{3}, \d\d \w{3} \d{4} [\d:]+ \S+) ")
    return dict(found.groups() for row in rows[2:] if (found := date.match(row)))


def next_beat(kubectl, node, after):
    until(
        lambda: (now := beats(kubectl, node))["Ready"] != after and now,
        30,
        lambda: f"a heartbeat after {after}: {kubectl('describe', 'node', node)}",
    )
    return beats(kubectl, node)["Ready"]


def test_heartbeats_are_seen_and_wake_no_scheduler(world, scheduler, kubectl, new_nodesim):
    node = world.node()
    new_nodesim("--node-status-report-frequency", "1s")
    names = world.gang("g", 2)
    world.wait_placed(names)
    last = [next_beat(kubectl, node, "")]

    def slept():
        """No cycle from one heartbeat to the one after the next."""
        before = scheduler.metrics()[CYCLES]
        last[0] = next_beat(kubectl, node, last[0])
        last[0] = next_beat(kubectl, node, last[0])
        return scheduler.metrics()[CYCLES] == before

    until(slept, 40, lambda: f"heartbeats wake the scheduler: {scheduler.process.tail()}")


def test_all_conditions_of_a_kubelet_are_confirmed_and_no_others(world, kubectl, new_nodesim):
    node = world.node()
    others = ["MemoryPressure", "DiskPressure", "PIDPressure", "Foreign"]
    conditions = [
        {"type": kind, "status": "False", "lastHeartbeatTime": "2026-01-02T03:04:05Z"}
        for kind in others
    ]
    patch = {"status": {"conditions": conditions}}
    world.rest.patch(f"/api/v1/nodes/{node}/status", patch, STRATEGIC_PATCH).expect(200)
    first = beats(kubectl, node)
    new_nodesim("--node-status-report-frequency", "1s")
    later = until(
        lambda: (now := beats(kubectl, node))
        and all(now.get(kind) != first.get(kind) for kind in KUBELETS)
        and now,
        30,
        lambda: f"{beats(kubectl, node)} after {first}",
    )
    assert len({later[kind] for kind in KUBELETS}) == 1, "all with one write"
    assert later["Foreign"] == first["Foreign"]


def test_the_lease_of_a_node_is_renewed_with_them(world, kubectl, new_nodesim):
    node = world.node()
    new_nodesim("--node-status-report-frequency", "1s")

    def lease():
        """As `kubectl describe` shows it."""
        text = kubectl("describe", "node", node)
        return dict(re.findall(r"^  (HolderIdentity|RenewTime): +(.+)$", text, re.MULTILINE))

    until(lambda: lease().get("HolderIdentity") == node, 30, lambda: str(lease()))
    first = lease()["RenewTime"]
    until(lambda: lease()["RenewTime"] != first, 30, lambda: f"{lease()} after {first}")
    world.rest.delete(f"/api/v1/nodes/{node}").expect(200)
    path = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{node}"
    until(lambda: world.rest.get(path).status == 404, 60, "it goes with its node")


def test_they_can_be_left_out(world, kubectl, new_nodesim):
    node = world.node()
    new_nodesim("--node-status-report-frequency", "0")
    until(lambda: beats(kubectl, node).get("Ready"), 30, "it is ready")

    def rests(seconds):
        """Nobody writes the node meanwhile."""
        path = f"/api/v1/nodes/{node}"
        before = world.rest.get(path).expect(200)["metadata"]["resourceVersion"]
        time.sleep(seconds)
        return world.rest.get(path).expect(200)["metadata"]["resourceVersion"] == before

    # What follows from its coming is written some time.
    until(lambda: rests(3), 60, "somebody goes on writing the node")
