"""Fixtures of the tests of jobs: one cluster with everything at work, a namespace per test."""

import re

import pytest

from support import accounts
from support.controllers import Controllers
from support.jobs import JobWorld
from support.processes import Process, ours
from support.scheduler import Scheduler
from support.world import World

NODES = 3
# Simulated kubelets that are quick, so that tests wait for controllers and not for pods.
NODESIM = ["--pod-start-delay", "20ms", "--pod-stop-delay", "50ms", "--crash-backoff", "50ms"]


def controllers_kubeconfig(backend, folder):
    """Where roles count, the controllers have no right beyond the one in deploy/."""
    if backend.kind == "embedded":
        return backend.kubeconfig
    accounts.install(backend.rest(), "scheduler/namespace.yaml", "controllers/rbac.yaml")
    return accounts.kubeconfig_of(backend, "volcano-system", "volcano-controllers", folder)


def scheduler_kubeconfig(backend, folder):
    """The same for the scheduler."""
    if backend.kind == "embedded":
        return backend.kubeconfig
    accounts.install(backend.rest(), "scheduler/namespace.yaml", "scheduler/rbac.yaml")
    return accounts.kubeconfig_of(backend, "volcano-system", "volcano-scheduler", folder)


@pytest.fixture(scope="package")
def scheduler(backend, tmp_path_factory):
    """The scheduler of all tests in this folder."""
    backend.install_crds()
    folder = tmp_path_factory.mktemp("scheduler")
    daemon = Scheduler(scheduler_kubeconfig(backend, folder), folder)
    try:
        yield daemon.wait_healthy()
    finally:
        daemon.close()


@pytest.fixture(scope="package")
def cluster(backend, scheduler, tmp_path_factory):
    """Scheduler, controllers and kubelets of all tests in this folder; returns the controllers."""
    folder = tmp_path_factory.mktemp("cluster")
    place = World(backend)
    running = []
    try:
        argv = [ours("vc-nodesim"), "--kubeconfig", backend.kubeconfig, *NODESIM]
        running.append(Process("vc-nodesim", argv, folder))
        place.nodes(NODES, cpu=16)
        controllers = Controllers(controllers_kubeconfig(backend, folder), folder)
        running.append(controllers)
        yield controllers.wait_acting()
    finally:
        for program in reversed(running):
            program.close()
        place.close()


def refusals(daemon):
    """Requests that were answered 403: the role lacks a verb, whatever the log says of it."""
    counted = daemon.metrics().items()
    is_refusal = re.compile(r'rest_client_requests_total\{.*code="403"')
    return {series: count for series, count in counted if is_refusal.match(series)}


@pytest.fixture
def world(request, backend, cluster, scheduler):
    """An empty namespace; whatever the test does there, nothing may be wrong at its end."""
    made = JobWorld(backend)
    refused_before = {daemon: refusals(daemon) for daemon in (cluster, scheduler)}
    try:
        yield made
        assert made.problems() == []
        assert cluster.process.check()
        refused = [line for line in cluster.process.log().splitlines() if "orbidden" in line]
        assert refused == [], "the role in deploy/controllers/rbac.yaml lacks a verb"
        if not request.node.get_closest_marker("refuses_by_quota"):
            for daemon, before in refused_before.items():
                # One that was started again counts from nothing.
                new = refusals(daemon).items() - before.items()
                assert new == set(), "a role in deploy/*/rbac.yaml lacks a verb"
    finally:
        made.close()
