"""Fixtures of the tests of the web page: a cluster to look at, and a browser to look with."""

import json

import pytest

from support import accounts, backends
from support.browser import Browser, program
from support.jobs import JobWorld
from support.processes import Process, free_port, ours

NODES = 6


class Cluster(backends.Embedded):
    """vc-standalone as a user starts it, with everything at work, and the page."""

    secure = False

    def start(self):
        self.kubeconfig = str(self.dir / "kubeconfig")
        self.url = f"http{'s' if self.secure else ''}://127.0.0.1:{free_port()}"
        argv = [ours("vc-standalone"), "--port", self.url.rsplit(":", 1)[1]]
        argv += [] if self.secure else ["--insecure-http"]
        argv += ["--nodes", NODES, "--node-cpu", 8, "--node-memory", "32Gi"]
        argv += ["--pod-start-delay", "20ms", "--pod-stop-delay", "50ms"]
        argv += ["--write-kubeconfig", self.kubeconfig, "--data-dir", self.dir / "data"]
        self._process = Process("vc-standalone", argv, self.dir)
        self._wait_ready()

    @property
    def process(self):
        return self._process

    @property
    def token(self):
        return accounts.admin_token(self)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    if not program():
        pytest.skip("there is no chromium: scripts/bootstrap --with page installs it")
    made = Browser(tmp_path_factory.mktemp("chromium"))
    yield made
    made.close()


@pytest.fixture
def new_tab(chromium):
    """Opens tabs; in none of them may the page have failed at anything, or asked anybody else."""
    opened = []

    def open_tab(**how):
        opened.append(chromium.tab(**how))
        return opened[-1]

    yield open_tab
    complaints = [complaint for tab in opened for complaint in tab.complaints()]
    elsewhere = [url for tab in opened for url in tab.requests() if not is_ours(url)]
    for tab in opened:
        tab.close()
    assert complaints == []
    assert elsewhere == []


def is_ours(url):
    return url.startswith(("http://127.0.0.1:", "https://127.0.0.1:", "data:", "about:"))


@pytest.fixture(scope="package")
def cluster():
    made = Cluster()
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture
def world(cluster):
    """A namespace of that cluster."""
    made = JobWorld(cluster)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def look(new_tab, cluster):
    """Opens a view of the page for somebody who has signed in."""

    def open_view(view, **how):
        tab = new_tab(**how)
        tab.before(f"sessionStorage.setItem('batholith-token', {json.dumps(cluster.token)})")
        tab.visit(f"{cluster.url}/ui/#/{view}")
        return tab

    return open_view
