"""Who comes first: priorities and queues."""

from support.poll import always, until


def test_the_gang_of_higher_priority_comes_first(world, new_scheduler):
    world.nodes(2, cpu=2)
    low, high = world.priority_class(10), world.priority_class(1000)
    waiting = world.gang("low", 3, group={"priorityClassName": low}, priorityClassName=low)
    first = world.gang("high", 3, group={"priorityClassName": high}, priorityClassName=high)
    new_scheduler()
    world.wait_placed(first)
    world.wait_group_condition("low", "Unschedulable", status="True")
    assert set(world.placement()) == set(first)
    for name in first:
        world.delete_pod(name)
    world.wait_placed(waiting)


def test_a_closed_queue_lets_nothing_in_until_it_is_opened(world, new_scheduler):
    world.node(cpu=8)
    queue = world.queue(state="Open")
    names = world.gang("g", 2, group={"queue": queue})
    world.set_queue_state(queue, "Closed")  # Only now: admission may refuse gangs of closed queues.
    scheduler = new_scheduler()
    world.wait_placed(world.gang("other", 1))
    until(
        lambda: queue in scheduler.explain(world.namespace, "g"),
        20,
        lambda: f"the queue is named: {scheduler.explain(world.namespace, 'g')}",
    )
    assert not set(names) & set(world.placement())
    world.set_queue_state(queue, "Open")
    world.wait_placed(names)


def test_a_gang_of_an_unknown_queue_waits_for_the_queue(world, scheduler):
    world.node(cpu=8)
    world.gang("g", 1, group={"queue": "no-such-queue"})
    world.wait_placed(world.gang("other", 1))
    until(
        lambda: "no-such-queue" in scheduler.explain(world.namespace, "g"),
        20,
        lambda: f"the queue is named: {scheduler.explain(world.namespace, 'g')}",
    )
    said = world.wait_group_condition("g", "Unschedulable", status="True", reason="QueueNotFound")
    assert "no-such-queue" in said["message"]
    until(
        lambda: "no-such-queue" in (world.pod_condition("g-0") or {}).get("message", ""),
        20,
        lambda: f"the pod names the queue: {world.pod_condition('g-0')}",
    )
    assert "g-0" not in world.placement()


def test_the_capability_of_a_queue_is_a_limit(world, scheduler):
    world.node(cpu=16)
    queue = world.queue(state="Open", capability={"cpu": "2"})
    for i in range(4):
        world.gang(f"g{i}", 1, group={"queue": queue})
    until(lambda: len(world.placement()) == 2, 30, lambda: f"two cores: {world.placement()}")
    world.wait_placed(world.gang("other", 1))
    always(lambda: len(world.placement()) == 3, 1, lambda: f"still two cores: {world.placement()}")
    world.delete_pod(next(n for n in world.placement() if n.startswith("g")))
    until(lambda: len(world.placement()) == 3, 30, lambda: f"the next one: {world.placement()}")


def test_the_end_of_a_running_gang_lets_the_waiting_one_in(world, scheduler, nodesim):
    world.nodes(2, cpu=2)
    running = world.gang("first", 4, terminationGracePeriodSeconds=1)
    world.wait_placed(running)
    until(
        lambda: all(world.read_pod(n)["status"]["phase"] == "Running" for n in running),
        30,
        lambda: f"all pods run: {[world.read_pod(n)['status'] for n in running]}",
    )
    until(
        lambda: world.read_group("first").get("status", {}).get("phase") == "Running",
        30,
        lambda: f"the group runs: {world.read_group('first').get('status')}",
    )
    waiting = world.gang("second", 3)
    world.wait_group_condition("second", "Unschedulable", status="True")
    for name in running:
        world.rest.delete(f"/api/v1/namespaces/{world.namespace}/pods/{name}").expect(200)
    world.wait_placed(waiting)
