"""Fixtures of the scheduling tests: a world to schedule in, and the programs that act in it."""

import pytest

from support.processes import Process, ours
from support.scheduler import CONF, Scheduler
from support.world import World


@pytest.fixture(scope="session")
def installed(backend):
    """The backend with the custom kinds of deploy/crds."""
    backend.install_crds()
    return backend


@pytest.fixture
def world(installed):
    """An empty namespace; whatever the test does there, nothing may be wrong at its end."""
    made = World(installed)
    try:
        yield made
        assert made.problems() == []
    finally:
        made.close()


@pytest.fixture
def new_scheduler(installed, tmp_path):
    """Starts schedulers that end with the test."""
    started = []

    def start(conf=CONF, flags=(), healthy=True):
        name = f"vc-scheduler-{len(started)}" if started else "vc-scheduler"
        daemon = Scheduler(installed.kubeconfig, tmp_path, conf=conf, name=name, flags=flags)
        started.append(daemon)
        return daemon.wait_healthy() if healthy else daemon

    yield start
    for daemon in started:
        daemon.close()


@pytest.fixture
def scheduler(world, new_scheduler):
    """One scheduler with the default policy, started before the test makes anything."""
    return new_scheduler()


@pytest.fixture
def nodesim(installed, tmp_path):
    """Stands in for the kubelets: bound pods run, deleted pods end."""
    process = Process(
        "vc-nodesim", [ours("vc-nodesim"), "--kubeconfig", installed.kubeconfig], tmp_path
    )
    yield process
    process.close()
