"""Fixtures of the scheduling tests: a world to schedule in, and the programs that act in it."""

import pytest
from kubernetes import config

from support import accounts, rest
from support.poll import until
from support.processes import Process, free_port, ours
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


@pytest.fixture(scope="session")
def scheduler_kubeconfig(installed, tmp_path_factory):
    """Where roles count, schedulers have no right beyond the one in deploy/scheduler."""
    if installed.kind == "embedded":
        return installed.kubeconfig
    accounts.install(installed.rest(), "scheduler/namespace.yaml", "scheduler/rbac.yaml")
    folder = tmp_path_factory.mktemp("account")
    return accounts.kubeconfig_of(installed, "volcano-system", "volcano-scheduler", folder)


@pytest.fixture(scope="session")
def evicting(installed, tmp_path_factory):
    """The kubeconfig of an account that has the roles of the overlay, and nothing else."""
    if installed.kind == "embedded":
        return installed.kubeconfig
    name = "evicting-scheduler"
    manifests = ["scheduler/namespace.yaml", "scheduler/rbac.yaml", "overlays/evicting/rbac.yaml"]
    accounts.install(installed.rest(), *manifests, account=name)
    folder = tmp_path_factory.mktemp("evicting")
    return accounts.kubeconfig_of(installed, "volcano-system", name, folder)


@pytest.fixture(scope="session")
def mind_cluster(installed):
    """The namespace of MindCluster's daemons."""
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mindx-dl"}}
    assert installed.rest().post("/api/v1/namespaces", body).status in (201, 409)


@pytest.fixture(scope="session")
def lending(installed, mind_cluster, tmp_path_factory):
    """The kubeconfig of an account that may do what plugin deviceshare needs."""
    if installed.kind == "embedded":
        return installed.kubeconfig
    name = "lending-scheduler"
    manifests = ["scheduler/namespace.yaml", "scheduler/rbac.yaml"]
    manifests += ["optional/device_access.yaml", "optional/chip_access.yaml"]
    accounts.install(installed.rest(), *manifests, account=name)
    folder = tmp_path_factory.mktemp("lending")
    return accounts.kubeconfig_of(installed, "volcano-system", name, folder)


@pytest.fixture
def new_scheduler(request, installed, scheduler_kubeconfig, tmp_path):
    """Starts schedulers that end with the test. A refusal fails it, unless it is wanted; who asks
    for a lease of another name than the deployed one needs more rights."""
    started = []
    wanted = []

    def start(conf=CONF, flags=(), healthy=True, refusals=False, kubeconfig=None):
        name = f"vc-scheduler-{len(started)}" if started else "vc-scheduler"
        elects = any(flag.startswith("--leader-elect=true") for flag in flags)
        kubeconfig = kubeconfig or (installed.kubeconfig if elects else scheduler_kubeconfig)
        daemon = Scheduler(kubeconfig, tmp_path, conf=conf, name=name, flags=flags)
        started.append(daemon)
        wanted.append(refusals)
        return daemon.wait_healthy() if healthy else daemon

    yield start
    for daemon in started:
        daemon.close()
    for daemon, refusals in zip(started, wanted):
        # A real server that was restarted refuses everybody until it has read its roles.
        if request.module.__name__.endswith("test_faults"):
            continue
        lines = daemon.process.log().splitlines()
        refused = [line for line in lines if "forbidden: User" in line]
        assert refusals or refused == [], "deploy/scheduler/rbac.yaml lacks a verb"


@pytest.fixture
def scheduler(world, new_scheduler):
    """One scheduler with the default policy, which has its lists before the test makes anything:
    lists of two kinds are of two moments, as for every client of the API."""
    return new_scheduler().wait_ready()


@pytest.fixture
def new_nodesim(installed, tmp_path):
    """Starts stand-ins for the kubelets, which end with the test: bound pods run, deleted pods end."""
    started = []

    def start(*flags):
        argv = [ours("vc-nodesim"), "--kubeconfig", installed.kubeconfig, *flags]
        name = f"vc-nodesim-{len(started)}" if started else "vc-nodesim"
        started.append(Process(name, argv, tmp_path))
        return started[-1]

    yield start
    for process in started:
        process.close()


@pytest.fixture
def nodesim(new_nodesim):
    return new_nodesim()


def _connect(process, kubeconfig):
    """A client of the process, once it answers."""

    def client():
        process.check()
        if not kubeconfig.exists():
            return None
        made = rest.Rest(config.new_client_from_config(str(kubeconfig)))
        try:
            return made if made.get("/readyz").status == 200 else None
        except Exception:  # Not listening yet.
            return None

    return until(client, 30, lambda: f"ready; its log:\n{process.tail()}")


@pytest.fixture
def standalone(tmp_path):
    """The process, and a function that connects to it once it answers."""
    kubeconfig = tmp_path / "kubeconfig"
    argv = [ours("vc-standalone"), "--port", free_port(), "--nodes", 3, "--node-cpu", 8]
    argv += [
        "--node-memory",
        "32Gi",
        "--write-kubeconfig",
        kubeconfig,
        "--data-dir",
        tmp_path / "data",
    ]
    process = Process("standalone", argv, tmp_path)
    yield process, lambda: _connect(process, kubeconfig)
    process.close()


@pytest.fixture
def standalone_with(tmp_path):
    """Starts the program with more flags; returns the process and a client of it."""
    started = []

    def start(*flags):
        kubeconfig = tmp_path / "kubeconfig"
        argv = [ours("vc-standalone"), "--port", free_port(), *flags]
        argv += ["--write-kubeconfig", kubeconfig]
        started.append(Process("standalone", argv, tmp_path))
        return started[-1], _connect(started[-1], kubeconfig)

    yield start
    for process in started:
        process.close()
