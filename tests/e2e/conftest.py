"""Fixtures shared by all end-to-end tests."""

import os
import tempfile

import pytest

from support import backends, gaps, processes
from support.kubectl import Kubectl
from support.world import unique


def pytest_addoption(parser):
    parser.addoption(
        "--backend",
        choices=("embedded", "kube"),
        default="embedded",
        help="which API server to test against: ours (vc-standalone) or the real one (tests/kube)",
    )


# Tests left out because there is no kubectl.
LEFT_OUT = pytest.StashKey[int]()


def pytest_report_header(config):
    return f"backend: {config.getoption('--backend')}"


def pytest_collection_modifyitems(config, items):
    """Leaves out the tests that speak of the other backend, and on ours, where there is none, those
    that need kubectl."""
    kind = config.getoption("--backend")
    others = [i for i in items if (m := i.get_closest_marker("backend")) and m.args[0] != kind]
    if kind == "embedded" and not processes.there("kubectl"):
        without = [i for i in items if "kubectl" in i.fixturenames and i not in others]
        config.stash[LEFT_OUT] = len(without)
        others += without
    config.hook.pytest_deselected(items=others)
    items[:] = _waiting_ones_early([i for i in items if i not in others])
    for item in items:
        later = gaps.on(kind, item.nodeid)
        if later:
            # Strict: a gap that is closed must leave the list.
            item.add_marker(pytest.mark.xfail(reason=later, strict=True))


def _waiting_ones_early(items):
    """Each worker of xdist begins with an equal share of the tests, in order. Those that wait long come
    first in every second share: the others keep the machine busy meanwhile, and in the end nobody waits
    for the last of them."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    waiting = [i for i in items if i.get_closest_marker("waits")]
    if workers < 2 or not waiting:
        return items
    others = [i for i in items if i not in waiting]
    early = [waiting[w // 2 :: (workers + 1) // 2] if w % 2 == 0 else [] for w in range(workers)]
    ordered = []
    for worker in range(workers):
        # As xdist shares out: what is left by how many are left.
        share = (len(items) - len(ordered)) // (workers - worker)
        room = max(0, share - len(early[worker]))
        ordered += early[worker] + others[:room]
        del others[:room]
    return ordered


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """All workers collect the same tests."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter, config):
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"skipped: {count} tests that need kubectl (scripts/kubectl)")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """A failed test shows what the programs said last."""
    report = (yield).get_result()
    if report.failed:
        for process in processes.STARTED:
            report.sections.append((f"end of {process.log_path}", process.tail()))


@pytest.fixture(scope="session", autouse=True)
def log_level_sockets():
    """Schedulers of tests side by side would meet in the default folder."""
    with tempfile.TemporaryDirectory(prefix="bth-socks-") as folder:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DEBUG_SOCKET_DIR", folder)
            yield


@pytest.fixture(scope="session")
def backend(request):
    """The API server of the session."""
    made = backends.make(request.config.getoption("--backend"))
    yield made
    made.close()


@pytest.fixture
def rest(backend):
    return backend.rest()


@pytest.fixture
def namespace(rest):
    """A namespace of this test; its removal goes on after the test."""
    name = unique("test")
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    rest.post("/api/v1/namespaces", body).expect(201)
    yield name
    rest.delete(f"/api/v1/namespaces/{name}")


@pytest.fixture
def kubectl(backend, namespace, tmp_path):
    runner = Kubectl(backend.kubeconfig, namespace, tmp_path)
    yield runner
    runner.close()
