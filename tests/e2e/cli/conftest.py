"""Fixtures of the tests of user commands: an API server with Volcano's kinds and nobody who acts."""

import pytest

from support.vcctl import Vcctl


@pytest.fixture(scope="package")
def kinds(backend):
    backend.install_crds()


@pytest.fixture
def vcctl(backend, kinds, tmp_path):
    return Vcctl(backend.kubeconfig, tmp_path)
