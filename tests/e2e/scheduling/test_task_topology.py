"""Tasks of a job together and apart, by their roles."""

from collections import Counter

import pytest

from support.bind_gate import BindGate
from support.controllers import Controllers
from support.jobs import BATCH, job_spec, task
from support.poll import until
from support.scheduler import CONF

# Nothing else has a say in which node is better.
TASKS_CONF = CONF.replace("nodeorder", "task-topology")
PREFIX = "volcano.sh/task-topology-"
TOGETHER = {f"{PREFIX}affinity": "ps,worker", f"{PREFIX}anti-affinity": "ps"}
TOGETHER[f"{PREFIX}task-order"] = "ps,worker"
NAMES = ["ps-0", "ps-1", "worker-0", "worker-1", "worker-2", "worker-3"]


@pytest.fixture
def topology(world, new_scheduler):
    return new_scheduler(conf=TASKS_CONF)


def role(name):
    return {"annotations": {"volcano.sh/task-spec": name}}


def train(world, annotations=TOGETHER, names=NAMES):
    """The job of the handbook's example: two ps, each with its workers."""
    world.pod_group("train", len(NAMES), metadata={"annotations": annotations})
    for name in names:
        world.pod(name, group="train", cpu="2", metadata=role(name[:-2]))


def roles_by_node(world):
    found = {}
    for name, node in world.placement().items():
        found.setdefault(node, Counter())[name[:-2]] += 1
    return sorted((dict(c) for c in found.values()), key=str)


APART = [{"ps": 1, "worker": 2}, {"ps": 1, "worker": 2}]


def test_each_ps_has_a_node_and_its_workers(world, topology):
    world.nodes(2, cpu=8)
    train(world)
    world.wait_placed(NAMES)
    assert roles_by_node(world) == APART


def test_without_affinity_one_node_is_filled_first(world, topology):
    world.nodes(2, cpu=8)
    train(world, annotations={})
    world.wait_placed(NAMES)
    assert roles_by_node(world) != APART


def test_a_crash_with_half_of_them_bound_keeps_them_together(world, topology, tmp_path):
    world.nodes(2, cpu=8)
    gate = BindGate(world, tmp_path)
    try:
        bound = ["ps-0", "ps-1"]
        rest = [name for name in NAMES if name not in bound]
        gate.hold(*rest)
        train(world)
        world.wait_placed(bound)
        gate.wait_held(len(rest))
        topology.kill()
        gate.refuse(*rest)
        until(lambda: not gate.waiting, 30, "nothing waits at the gate")
        gate.open()
        topology.restart()
        world.wait_placed(NAMES)
        assert roles_by_node(world) == APART
    finally:
        gate.close()


def test_a_pod_made_anew_goes_back_to_its_ps(world, topology):
    world.nodes(2, cpu=8)
    train(world)
    before = world.wait_placed(NAMES)
    world.delete_pod("worker-2")
    until(lambda: "worker-2" not in world.placement(), 30, "it is gone")
    world.pod("worker-2", group="train", cpu="2", metadata=role("worker"))
    assert world.wait_placed(NAMES)["worker-2"] == before["worker-2"]


WRONG = {
    "unknown": ({f"{PREFIX}affinity": "ps,chief"}, "chief"),
    "twice": ({f"{PREFIX}anti-affinity": "ps,ps"}, "ps"),
    "huge": ({f"{PREFIX}task-order": "ps," * 5000}, "bytes"),
}


@pytest.mark.parametrize("case", WRONG)
def test_annotations_that_mean_nothing_are_told_and_hold_nobody_up(world, topology, case):
    annotations, word = WRONG[case]
    world.nodes(2, cpu=8)
    train(world, annotations=annotations)
    world.wait_placed(NAMES)

    def told():
        path = f"/api/v1/namespaces/{world.namespace}/events"
        wanted = "involvedObject.name=train,reason=TaskTopologyIgnored"
        items = world.rest.get(path, fieldSelector=wanted).expect(200)["items"]
        return [e["message"] for e in items if word in e["message"]]

    until(told, 30, "the event says what is wrong")


def test_annotations_of_a_batch_job_reach_its_pods(world, topology, installed, tmp_path):
    world.nodes(2, cpu=8)
    controllers = Controllers(installed.kubeconfig, tmp_path)
    try:
        controllers.wait_acting()
        tasks = [task("ps", 2, cpu="2"), task("worker", 4, cpu="2")]
        head = {"name": "train", "annotations": TOGETHER}
        body = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": head}
        path = f"{BATCH}/namespaces/{world.namespace}/jobs"
        world.rest.post(path, {**body, "spec": job_spec(tasks)}).expect(201)
        until(lambda: len(world.placement()) == 6, 30, lambda: f"six: {world.placement()}")
        found = Counter(
            (node, name.split("-")[1]) for name, node in world.placement().items()
        )
        assert sorted(found.values()) == [1, 1, 2, 2], found
        world.rest.delete(f"{path}/train", propagationPolicy="Background").expect(200)
        until(lambda: not world.pods(), 60, "its pods are gone")
    finally:
        controllers.close()
