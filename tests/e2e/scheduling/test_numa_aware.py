"""Pods with CPUs of their own go where the kubelet takes them."""

import pytest

from support.bind_gate import BindGate
from support.numa import Exporter, own_cpus, policies
from support.poll import always, until
from support.scheduler import CONF
from support.vcctl import explained

NUMA_CONF = CONF + "  - name: numa-aware\n"
REFUSED = "container main cannot be assigned by numa"
SINGLE = "single-numa-node"


@pytest.fixture
def exporter(world):
    return Exporter(world)


@pytest.fixture
def aware(world, new_scheduler):
    return new_scheduler(conf=NUMA_CONF)


def test_the_example_of_the_handbook(world, exporter, aware):
    first, second = world.nodes(2, cpu=16)
    exporter.report(first, free="2-5")
    exporter.report(second)
    for name in "ab":
        world.gang(name, 1, **own_cpus(3, SINGLE))
        assert world.wait_placed([f"{name}-0"])[f"{name}-0"] == second
    world.gang("c", 1, **own_cpus(3, SINGLE))
    world.wait_pod_told("c-0", f"2 {REFUSED}")
    # Told by the exporter, the CPUs count once, also for who begins anew.
    exporter.update(second, "3,7", {"a-0": "0-2", "b-0": "4-6"})
    aware.kill()
    aware.restart()
    world.gang("d", 1, **own_cpus(1, SINGLE))
    world.wait_placed(["d-0"])
    assert "c-0" not in world.placement()
    # One goes, and the kubelet has its CPUs back.
    world.delete_pod("a-0")
    exporter.update(second, "0-3,7", {"b-0": "4-6"})
    assert world.wait_placed(["c-0"])["c-0"] == second


REASONS = {
    "nobody reported": (None, "numa info is empty"),
    "shared CPUs": ({"policies": policies(cpus="none")}, "cpu manager policy isn't static"),
    "another policy": (
        {"policies": policies("restricted")},
        f"task topology policy[{SINGLE}] is different with node[restricted]",
    ),
    "no layout": ({"cpuDetail": None}, "no topo information"),
    "nothing free": ({"free": ""}, "cpu allocatable map is empty"),
    "a half too small": ({"free": "0-2,4-6"}, REFUSED),
}


def test_each_node_says_why_it_does_not_take_the_pod(
    world, exporter, aware, installed, tmp_path
):
    for spec, _ in REASONS.values():
        node = world.node(cpu=8)
        if spec is not None:
            exporter.report(node, **spec)
    world.gang("g", 1, **own_cpus(4, SINGLE))
    message = world.wait_pod_told("g-0", *(reason for _, reason in REASONS.values()))
    assert f"0/{len(REASONS)} nodes" in message
    assert REFUSED in explained(installed, tmp_path, world, "g")
    # Pods that share CPUs go anywhere.
    world.wait_placed(world.gang("h", 1))


def test_a_refused_binding_gives_its_cpus_back(world, exporter, aware, tmp_path):
    node = world.node(cpu=8)
    exporter.report(node, free="0-3")
    gate = BindGate(world, tmp_path)
    try:
        gate.refuse("g-0")
        world.gang("g", 1, **own_cpus(4, SINGLE))
        gate.wait_refused()
        # Its job pauses; somebody else gets them meanwhile.
        world.gang("h", 1, **own_cpus(4, SINGLE))
        world.wait_placed(["h-0"])
        gate.open()
        world.wait_pod_told("g-0", "cpu allocatable map is empty")
        world.delete_pod("h-0")
        world.wait_placed(["g-0"])
    finally:
        gate.close()


def test_reports_that_are_nonsense_change_nothing(world, exporter, aware):
    node, other = world.nodes(2, cpu=8)
    exporter.report(node, free="0-3")
    exporter.report(other, free="0-4294967295", resReserved={"cpu": "-3"})
    world.gang("g", 1, **own_cpus(4, SINGLE))
    assert world.wait_placed(["g-0"])["g-0"] == node
    for nonsense in ("9-1", "0-9999", "a,b", "0-3-5", "," * 50):
        exporter.update(node, nonsense)
    until(lambda: len(aware.warnings()) >= 3, 30, lambda: f"its log says so: {aware.warnings()}")
    world.gang("h", 1, **own_cpus(1, SINGLE))
    world.wait_pod_told("h-0", "1 ")
    exporter.update(node, "0-7", {"g-0": "0-3"})
    assert world.wait_placed(["h-0"])["h-0"] == node


def test_the_report_goes_with_its_node(world, exporter, aware):
    node = world.node(cpu=8)
    exporter.report(node)
    world.wait_placed(world.gang("g", 1, **own_cpus(1, SINGLE)))
    world.delete_pod("g-0")
    until(lambda: not world.placement(), 30, "the pod is gone")
    world.rest.delete(f"/api/v1/nodes/{node}")
    until(lambda: not exporter.is_there(node), 30, "the report is gone")
    always(aware.process.check, 0.1, "it goes on")
