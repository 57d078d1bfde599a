"""vcctl queue and vqueues."""

import pytest

from support.jobs import BUS
from support.objects import SCHEDULING
from support.world import unique

TABLE = "Name                     Weight  State   Parent  Inqueue Pending Running Unknown Completed\n"


@pytest.fixture
def queue(vcctl, rest):
    name = unique("q")
    vcctl("queue", "create", "-n", name, "-w", 3).prints("")
    yield name
    rest.delete(f"{SCHEDULING}/queues/{name}")


def row(name, weight, counts="0 0 0 0 0"):
    cells = [name.ljust(25), str(weight), "", "", *counts.split()]
    return cells[0] + "".join(c.ljust(8) for c in cells[1:]) + "\n"


def test_a_queue_is_shown_with_its_pod_groups(vcctl, rest, namespace, queue):
    vcctl("queue", "get", "-n", queue).prints(TABLE + row(queue, 3))
    path = f"{SCHEDULING}/namespaces/{namespace}/podgroups"
    for name, phase in (("a", "Running"), ("b", "Pending"), ("c", "Running")):
        body = {
            "apiVersion": "scheduling.volcano.sh/v1beta1",
            "kind": "PodGroup",
            "metadata": {"name": name},
            "spec": {"queue": queue},
            "status": {"phase": phase},
        }
        rest.post(path, body).expect(201)
    vcctl("queue", "get", "-n", queue).prints(TABLE + row(queue, 3, "0 1 2 0 0"))
    listed = vcctl("queue", "list")
    assert listed.out.startswith(TABLE) and row(queue, 3, "0 1 2 0 0") in listed.out
    header = "Name                     Weight  State   Inqueue Pending Running Unknown \n"
    shown = queue.ljust(25) + "3".ljust(16) + "0       " * 4 + "\n"
    vcctl.run("vqueues", "-n", queue).prints(header + shown)
    assert shown in vcctl.run("vqueues").out


def test_a_queue_is_operated(vcctl, rest, queue):
    vcctl("queue", "operate", "-n", queue, "-a", "update", "-w", 7).prints("")
    assert rest.get(f"{SCHEDULING}/queues/{queue}").expect(200)["spec"]["weight"] == 7
    for action, sent in (("close", "CloseQueue"), ("open", "OpenQueue")):
        vcctl("queue", "operate", "-n", queue, "-a", action).prints("")
        items = rest.get(f"{BUS}/namespaces/default/commands").expect(200)["items"]
        [command] = [i for i in items if i["target"]["name"] == queue and i["action"] == sent]
        assert command["metadata"]["name"].startswith(f"{queue}-{sent.lower()}-")
        assert command["target"]["apiVersion"] == "scheduling.volcano.sh/v1beta1"


def test_a_queue_is_deleted(vcctl, queue):
    vcctl("queue", "delete", "-n", queue).prints("")
    gone = f'queues.scheduling.volcano.sh "{queue}" not found'
    vcctl("queue", "delete", "-n", queue).fails(f"Failed to delete queue: {gone}")
    vcctl("queue", "get", "-n", queue).fails(f"Failed to get queue: {gone}")
    vcctl("queue", "operate", "-n", queue, "-a", "open").fails(f"Failed to operate queue: {gone}")
    vcctl.run("vqueues", "-n", queue).fails(f"Failed to: {gone}")


def test_mistakes(vcctl, queue):
    exists = f'queues.scheduling.volcano.sh "{queue}" already exists'
    vcctl("queue", "create", "-n", queue).fails(f"Failed to create queue: {exists}")
    vcctl("queue", "delete").fails("Failed to delete queue: queue name must be specified")
    why = "name is mandatory to get the particular queue details"
    vcctl("queue", "get").fails(f"Failed to get queue: {why}")
    why = "action invalid invalid, valid actions are open, close and update"
    vcctl("queue", "operate", "-n", queue, "-a", "invalid").fails(f"Failed to operate queue: {why}")
    why = f"when update queue {queue}, weight must be specified, the value must be greater than 0"
    vcctl("queue", "operate", "-n", queue, "-a", "update").fails(f"Failed to operate queue: {why}")
    done = vcctl("queue", "operate", "-n", queue, "-a", "update", "-w=-1")
    assert done.code == 255
    assert done.out.startswith(f'Failed to operate queue: Queue.scheduling.volcano.sh "{queue}" is inv')
