"""The scheduler and the API server die and come back."""

from support.poll import until

PODS, GANG = 500, 10


def test_a_killed_scheduler_finishes_after_its_restart(world, new_scheduler):
    world.nodes(10, cpu=64)
    names = [n for i in range(PODS // GANG) for n in world.gang(f"g{i}", GANG, cpu="1")]
    daemon = new_scheduler(healthy=False)
    while world.history.bound() < 50:  # No pause between the looks: the moment passes quickly.
        daemon.process.check()
    daemon.kill()
    bound = len(world.placement())
    assert 50 <= bound < PODS, f"killed too late to tell anything: {bound} bound"
    before = world.placement()
    daemon.restart()
    placement = world.wait_placed(names, within=60)
    assert {n: placement[n] for n in before} == before
    until(lambda: world.history.bound() == PODS, 20, "the history has seen every pod")


def test_the_scheduler_survives_a_restart_of_the_api_server(world, scheduler, installed):
    world.nodes(2, cpu=4)
    world.wait_placed(world.gang("before", 3))
    installed.restart_api()
    world.wait_placed(world.gang("after", 3), within=60)
    world.gang("too-large", 5)
    world.wait_group_condition("too-large", "Unschedulable", status="True", within=60)
    scheduler.process.check()


def test_what_waited_during_the_outage_is_placed_after_it(world, scheduler, installed):
    world.node(cpu=1)
    names = world.gang("g", 2)
    world.wait_group_condition("g", "Unschedulable", status="True")
    installed.restart_api()
    world.node(cpu=1)
    world.wait_placed(names, within=60)
    scheduler.process.check()


def test_a_stopped_scheduler_ends_soon_and_leaves_nothing_half_done(world, new_scheduler):
    world.nodes(10, cpu=64)
    names = [n for i in range(20) for n in world.gang(f"g{i}", GANG, cpu="1")]
    daemon = new_scheduler(healthy=False)
    until(lambda: world.history.bound() > 0, 30, "the first bindings")
    daemon.process.stop(within=10)
    daemon.restart()
    world.wait_placed(names, within=60)
