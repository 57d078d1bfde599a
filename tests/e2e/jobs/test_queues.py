"""Queues are closed and opened while jobs run in them."""

import pytest

from support.jobs import task
from support.kubectl import Kubectl
from support.objects import QUEUE_COLUMNS, SCHEDULING
from support.poll import always, until
from support.rest import MERGE_PATCH


def read(world, queue):
    return world.rest.get(f"{SCHEDULING}/queues/{queue}").expect(200)


def wait_state(world, queue, state):
    until(
        lambda: (read(world, queue).get("status") or {}).get("state") == state,
        30,
        lambda: f"queue {queue} {state}; it is {read(world, queue)}",
    )


def test_a_new_queue_is_open_and_below_root(world):
    name = world.queue()
    wait_state(world, name, "Open")
    until(lambda: read(world, name)["spec"].get("parent") == "root", 30, "its parent is root")


def test_a_closed_queue_lets_jobs_end_and_none_begin(world):
    name = world.queue()
    wait_state(world, name, "Open")
    job = world.job("old", [task("a", 2)], queue=name)
    before = world.wait_running("old", 2)
    world.command("CloseQueue", read(world, name))
    wait_state(world, name, "Closing")
    world.wait_event(name, "CloseQueue", "Close queue succeed", namespace="default")
    world.job("new", [task("a")], queue=name)
    always(lambda: not world.pods_of("new"), 1, lambda: world.story("new"))
    assert world.uids("old") == before, "what runs goes on"
    world.delete_job("new")
    world.command("TerminateJob", job)
    world.wait_phase("old", "Terminated")
    wait_state(world, name, "Closed")
    world.command("OpenQueue", read(world, name))
    wait_state(world, name, "Open")
    world.job("again", [task("a")], queue=name)
    world.wait_running("again", 1)


def test_children_are_closed_and_opened_with_their_parent(world):
    parent = world.queue("parent")
    child = world.queue("child", parent=parent)
    mine = world.queue("mine", parent=parent)
    for queue in (parent, child, mine):
        wait_state(world, queue, "Open")
    world.command("CloseQueue", read(world, mine))
    wait_state(world, mine, "Closed")
    world.command("CloseQueue", read(world, parent))
    wait_state(world, child, "Closed")
    wait_state(world, parent, "Closed")
    world.command("OpenQueue", read(world, child))
    always(lambda: read(world, child)["status"]["state"] == "Closed", 0.5, "it stays closed")
    world.command("OpenQueue", read(world, parent))
    wait_state(world, child, "Open")
    assert read(world, mine)["status"]["state"] == "Closed", "closed by hand, opened by hand"


def test_the_metrics_count_pod_groups_by_phase(world, cluster):
    name = world.queue()
    world.job("j", [task("a")], queue=name)
    world.wait_running("j", 1)
    series = f'volcano_queue_pod_group_running_count{{queue_name="{name}"}}'
    until(
        lambda: cluster.metrics().get(series) == 1,
        30,
        lambda: str({k: v for k, v in cluster.metrics().items() if name in k}),
    )


@pytest.fixture
def kubectl(backend, world, tmp_path):
    made = Kubectl(backend.kubeconfig, world.namespace, tmp_path)
    yield made
    made.close()


def test_a_list_of_queues_says_what_waits_in_them(world, kubectl):
    name = world.queue()

    def counts():
        header, row = kubectl("get", "queues", name).splitlines()
        assert header.split() == QUEUE_COLUMNS
        # From the right: what the queue holds may be empty.
        return row.split()[-4:-1]

    world.job("runs", [task("a", 2)], queue=name)
    world.wait_running("runs", 2)
    for i in range(3):
        world.job(f"waits-{i}", [task("a", 1, cpu="900")], queue=name)
    until(
        lambda: counts()[2] == "1" and int(counts()[0]) + int(counts()[1]) == 3,
        30,
        lambda: kubectl("get", "queues", name) + str(read(world, name)),
    )


def test_what_is_surely_not_meant_is_told_whatever_the_policy(world):
    """Nothing of the default policy looks at parents, and jobs go on."""
    lost = world.queue("lost", parent="nosuch")
    shut = world.queue("shut", capability={"cpu": "0"})
    odd = world.queue("odd", capability={"cpu": "2"}, guarantee={"resource": {"cpu": "4"}})
    loop = world.queue("loop", parent="root")
    wait_state(world, loop, "Open")
    world.rest.patch(f"{SCHEDULING}/queues/{loop}", {"spec": {"parent": loop}}, MERGE_PATCH).expect(
        200
    )
    for queue, reason, words in (
        (lost, "ParentNotFound", "the parent nosuch of queue"),
        (loop, "QueueCycle", "is its own ancestor"),
        (shut, "ZeroCapability", "counts as no limit: to shut the queue, close it"),
        (odd, "GuaranteeExceedsCapability", "is guaranteed more cpu than its capability"),
    ):
        world.wait_event(queue, reason, words, namespace="default")
    world.job("in-shut", [task("a", 3, cpu="1")], queue=shut)
    world.wait_running("in-shut", 3)
