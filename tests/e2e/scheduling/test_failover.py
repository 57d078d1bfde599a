"""Two schedulers, one lease: who leads, who takes over, and that no two ever decide."""

import os
import signal

import pytest

from support.poll import always, until

PODS, GANG = 500, 10
LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}"


class Pair:
    """Two schedulers that share a lease in the world's namespace."""

    def __init__(self, world, new_scheduler):
        self._world = world
        self._path = LEASES.format(world.namespace, "failover")
        self.flags = [
            "--leader-elect=true",
            "--leader-elect-lease-duration=3s",
            "--leader-elect-renew-deadline=2s",
            "--leader-elect-retry-period=200ms",
            "--leader-elect-resource-name=failover",
            f"--leader-elect-resource-namespace={world.namespace}",
        ]
        self.first = new_scheduler(flags=self.flags)
        until(self.holder, 30, "somebody leads")
        self.second = new_scheduler(flags=self.flags)
        # Its cache is warm before anything happens to the leader.
        until(self.second.is_ready, 30, "the standby has read the cluster")

    def lease(self):
        return self._world.rest.get(self._path).expect(200)["spec"]

    def holder(self):
        answer = self._world.rest.get(self._path)
        return answer.status == 200 and answer.expect(200)["spec"].get("holderIdentity")

    def await_other(self, than, within=15):
        return until(
            lambda: self.holder() not in (than, "", False, None) and self.holder(),
            within,
            lambda: f"another leader than {than}: {self.lease()}",
        )


@pytest.fixture
def pair(world, new_scheduler):
    return Pair(world, new_scheduler)


def gangs(world, count):
    return [n for i in range(count) for n in world.gang(f"g{i}", GANG, cpu="1")]


def started_cycles(scheduler):
    return scheduler.metrics().get("volcano_e2e_scheduling_latency_milliseconds_count", 0)


def test_a_standby_reads_along_and_decides_nothing(world, pair):
    world.node(cpu=4)
    world.wait_placed(world.gang("g", 3))
    assert started_cycles(pair.first) > 0
    assert started_cycles(pair.second) == 0
    for page in ("explain?pod=a/b", "queues", "cycle"):
        status, text = pair.second.debug_page(f"/debug/{page}")
        assert status == 503 and "stands by" in text and "Lease" in text, (page, status, text)
        assert pair.first.debug_page(f"/debug/{page}")[0] != 503, page
    assert pair.second.debug_page("/debug/invariants")[0] == 200
    assert world.namespace in pair.second.dump()
    pair.second.process.check()


def test_a_leader_killed_amid_many_binds_is_followed_by_the_standby(world, pair):
    names = gangs(world, PODS // GANG)
    dead = pair.holder()
    world.node(cpu=PODS, memory="256Gi", pods=PODS)  # Room for all of them at once.
    while world.history.bound() < 50:  # No pause between the looks: the moment passes quickly.
        pair.first.process.check()
    pair.first.kill()
    before = world.placement()
    assert 50 <= len(before) < PODS, f"killed too late to tell anything: {len(before)} bound"
    pair.await_other(dead)
    placement = world.wait_placed(names, within=60)
    assert {n: placement[n] for n in before} == before
    assert pair.lease()["leaseTransitions"] >= 1
    # The standby watched all the time: it did not list the cluster anew to take over.
    counted = pair.second.metrics().items()
    assert sum(v for k, v in counted if k.startswith("batholith_informer_relists_total")) == 0
    until(lambda: world.history.bound() == PODS, 20, "the history has seen every pod")


def test_a_leader_that_is_stopped_gives_the_lease_back_at_once(world, pair):
    world.node(cpu=8)
    before = pair.holder()
    assert pair.first.process.stop(within=10) == 0
    # Far less than the three seconds that a silent leader is waited for.
    pair.await_other(before, within=2)
    world.wait_placed(world.gang("g", 3))
    assert pair.second.process.stop(within=10) == 0
    assert pair.lease()["holderIdentity"] == ""


def test_a_leader_that_slept_writes_nothing_when_it_wakes(world, pair):
    world.nodes(2, cpu=64)
    world.wait_placed(world.gang("before", 2))
    sleeper = pair.holder()
    os.kill(pair.first.process.pid, signal.SIGSTOP)
    names = gangs(world, 5)
    pair.await_other(sleeper)
    world.wait_placed(names)
    os.kill(pair.first.process.pid, signal.SIGCONT)
    # It finds that its time is over, and ends: its successor alone decides.
    assert pair.first.process.wait(within=10) == 1
    assert "leaderelection lost" in pair.first.process.log()
    placement = world.wait_placed(world.gang("after", 2))
    always(lambda: world.placement() == placement, 1, "nobody moves")
    assert pair.holder() != sleeper


def test_both_come_back_after_a_restart_of_the_api_server(world, pair, installed):
    world.nodes(2, cpu=8)
    world.wait_placed(world.gang("before", 2))
    names = world.gang("during", 2)
    installed.restart_api()
    for daemon in (pair.first, pair.second):
        # A leader that could not renew has ended, as one that a supervisor starts again.
        if not daemon.process.running:
            assert "leaderelection lost" in daemon.process.log()
            daemon.restart()
    names += world.gang("after", 2)
    world.wait_placed(names, within=60)
    until(pair.holder, 20, "somebody leads again")
