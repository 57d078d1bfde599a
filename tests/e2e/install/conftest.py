"""Fixtures of the tests of what is installed: Helm beside kubectl, on a server with our kinds."""

import sys

import pytest

from support import backends
from support.kubectl import Kubectl
from support.processes import ROOT

sys.path.append(str(ROOT / "tests/deploy"))

NAMESPACE = "volcano-system"


@pytest.fixture(scope="package")
def backend(request):
    """An API server for these tests alone: they install and remove what others count on."""
    made = backends.make(request.config.getoption("--backend"))
    yield made
    made.close()


@pytest.fixture(scope="package")
def installed(backend):
    """The backend with the custom kinds of deploy/crds, and the namespace of the daemons."""
    backend.install_crds()
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    assert backend.rest().post("/api/v1/namespaces", body).status in (201, 409)
    return backend


@pytest.fixture(scope="session")
def helm():
    import helm as module

    if not module.program():
        pytest.skip("there is no helm: scripts/helm builds one")
    return module


@pytest.fixture
def kubectl(installed, tmp_path):
    """kubectl in the daemons' namespace."""
    made = Kubectl(installed.kubeconfig, NAMESPACE, tmp_path)
    yield made
    made.close()
