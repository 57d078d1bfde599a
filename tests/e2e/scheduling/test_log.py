"""What the scheduler's log says at its usual levels."""

import re

from support.poll import always, until


def lines(daemon, event):
    return [line for line in daemon.process.log().splitlines() if f" {event} " in f"{line} "]


def test_a_day_in_the_log(world, new_scheduler):
    world.node(cpu=4)
    daemon = new_scheduler(flags=["-v=3"])
    (started,) = lines(daemon, "scheduler.started")
    assert "scheduler_names=volcano" in started.replace('"', "")
    (policy,) = lines(daemon, "policy.loaded")
    assert "scheduler.conf" in policy and "allocate" in policy and "gang" in policy
    until(lambda: lines(daemon, "cache.synced"), 20, "the caches are synced")

    world.wait_placed(world.gang("g", 2))
    until(lambda: lines(daemon, "cycle.acted"), 20, "a line about the cycle that bound")
    assert sum(int(re.search(r"bound=(\d+)", line)[1]) for line in lines(daemon, "cycle.acted")) == 2
    job = f"{world.namespace}/g"
    assert any(job in line for line in lines(daemon, "job.admitted"))
    (placed,) = [line for line in lines(daemon, "job.placed") if job in line]
    assert "pods=2" in placed and "action=allocate" in placed

    world.gang("too-large", 9)
    # Its pods are seen one after the other, and the words change with their number.
    until(
        lambda: any(" 9 Pending, 9 minAvailable" in line for line in lines(daemon, "job.refused")),
        20,
        "a line about the job that was refused",
    )
    refused = lines(daemon, "job.refused")
    assert f"{world.namespace}/too-large" in refused[-1] and "Insufficient cpu" in refused[-1]
    always(lambda: lines(daemon, "job.refused") == refused, 2, "nothing is said twice")

    assert daemon.process.stop(20) == 0
    (stopped,) = lines(daemon, "scheduler.stopped")
    assert "exit_code=0" in stopped


def test_by_default_it_speaks_of_cycles_and_not_of_jobs(world, new_scheduler):
    world.node(cpu=4)
    daemon = new_scheduler()
    world.wait_placed(world.gang("g", 2))
    until(lambda: lines(daemon, "cycle.acted"), 20, "a line about the cycle that bound")
    assert not lines(daemon, "job.placed")
    assert not lines(daemon, "flag")
