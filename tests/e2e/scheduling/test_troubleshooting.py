"""What docs/troubleshooting.md says of pods and PodGroups that wait."""

import pytest

from support import handbook as handbooks
from support.scheduler import CONF

PREEMPTING = CONF.replace("enqueue, allocate, backfill", "enqueue, allocate, preempt, backfill").replace(
    "- name: drf", "- name: drf\n    enablePreemptable: false"
)


@pytest.fixture
def reader(backend, world, tmp_path):
    """Makes the handbook of somebody who looks at the test's namespace."""
    terminal = handbooks.terminal(backend, world.namespace, tmp_path)
    return lambda daemon: handbooks.Handbook(terminal, {"volcano-scheduler": daemon})


@pytest.fixture
def handbook(reader, scheduler):
    return reader(scheduler)


def test_room(world, handbook):
    world.node(cpu=2)
    world.gang("large", 1, cpu="3")
    handbook.holds("No node has room", POD="large-0", NAMESPACE=world.namespace)


def test_part_of_a_gang(world, handbook):
    world.node(cpu=2)
    world.gang("g", 3)
    handbook.holds("Only a part of a gang fits", GROUP="g")


def test_members_that_nobody_made(world, handbook):
    world.node(cpu=4)
    world.gang("g", 2, min_member=3)
    handbook.holds("A gang waits for pods that do not exist", GROUP="g")


def test_taint(world, handbook):
    world.node(cpu=2, taints=[{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}])
    world.gang("g", 1)
    handbook.holds("A taint keeps pods away", POD="g-0")


def test_labels(world, handbook):
    world.node(cpu=2)
    world.gang("g", 1, nodeSelector={"disk": "fast"})
    handbook.holds("No node has the labels", POD="g-0")


def test_anti_affinity(world, handbook):
    world.node(cpu=4)
    term = {
        "labelSelector": {"matchLabels": {"app": "alone"}},
        "topologyKey": "kubernetes.io/hostname",
    }
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    head = {"labels": {"app": "alone"}}
    world.wait_placed(world.gang("first", 1, metadata=head, affinity=affinity))
    world.gang("g", 1, metadata=head, affinity=affinity)
    handbook.holds("Pods keep each other away", POD="g-0")


def test_host_port(world, handbook):
    world.node(cpu=4)
    port = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
    world.wait_placed(world.gang("first", 1, container=port))
    world.gang("g", 1, container=port)
    handbook.holds("A port of the node is taken", POD="g-0")


def test_no_pod_group(world, handbook):
    world.node(cpu=2)
    world.pod("p", group="nobody-made-it")
    names = {"GROUP": "nobody-made-it", "NAMESPACE": world.namespace}
    handbook.holds("A pod belongs to no PodGroup", POD="p", **names)


def test_no_queue(world, handbook):
    world.node(cpu=2)
    world.gang("g", 1, group={"queue": "nobody-made-it"})
    handbook.holds(
        "The queue does not exist", GROUP="g", NAMESPACE=world.namespace, QUEUE="nobody-made-it"
    )


def test_closed_queue(world, handbook):
    world.node(cpu=2)
    queue = world.queue(state="Closed")
    world.gang("g", 1, group={"queue": queue})
    handbook.holds("The queue is closed", GROUP="g", QUEUE=queue)


def test_limit_of_a_queue(world, handbook):
    world.node(cpu=8)
    queue = world.queue(capability={"cpu": "2"})
    world.wait_placed(world.gang("first", 2, group={"queue": queue}))
    world.gang("g", 1, group={"queue": queue, "minResources": {"cpu": "1"}})
    handbook.holds("The queue is at its limit", GROUP="g", QUEUE=queue)


def test_missing_priority_class(world, handbook):
    world.gang("g", 1, group={"priorityClassName": "nobody-made-it"})
    handbook.holds(
        "A priority class is missing", GROUP="g", NAMESPACE=world.namespace, CLASS="nobody-made-it"
    )


def test_gate(world, handbook):
    world.node(cpu=2)
    world.gang("g", 1, schedulingGates=[{"name": "example.com/wait"}])
    handbook.holds("Somebody holds a scheduling gate", POD="g-0")


def test_missing_claim(world, handbook):
    world.node(cpu=2)
    claim = {"name": "data", "persistentVolumeClaim": {"claimName": "nobody-made-it"}}
    world.gang("g", 1, volumes=[claim])
    handbook.holds("A claim does not exist", POD="g-0", CLAIM="nobody-made-it")


def test_nobody_to_preempt(world, reader, new_scheduler):
    daemon = new_scheduler(conf=PREEMPTING)
    world.node(cpu=2)
    world.wait_placed(world.gang("first", 2))
    world.gang("g", 1)
    reader(daemon).holds("Nobody is preempted", GROUP="g")


def test_budget_that_forbids_an_eviction(world, reader, new_scheduler, nodesim, evicting):
    low, high = world.priority_class(-10), world.priority_class(10)
    daemon = new_scheduler(conf=PREEMPTING, kubeconfig=evicting)
    world.node(cpu=2)
    head = {"labels": {"app": "kept"}}
    names = world.gang("low", 2, 1, group={"priorityClassName": low}, metadata=head)
    world.wait_placed(names)
    for name in names:
        world.wait_pod_condition(name, "Ready", status="True")
    world.budget("keep", head["labels"], minAvailable=2)
    world.gang("high", 1, group={"priorityClassName": high})
    reader(daemon).holds("A budget forbids the eviction", POD="high-0", NAMESPACE=world.namespace)


def test_standby(world, reader, new_scheduler):
    _, lease = world.held_lease("handbook")
    daemon = new_scheduler(flags=lease)
    reader(daemon).holds("A scheduler does nothing", LEADER="somebody-else")


def test_policy_that_is_refused(world, reader, scheduler):
    scheduler.write_conf(CONF.replace("name: gang", "name: gagn"))
    reader(scheduler).holds("A change of the policy has no effect")
