"""The manifests of deploy/, as an operator applies them."""

import pytest

from support.kubectl import Kubectl
from support.processes import ROOT

DAEMONS = ["deployment.apps/volcano-controllers", "deployment.apps/volcano-scheduler"]


@pytest.fixture
def operator(backend, tmp_path):
    """kubectl in the daemons' namespace; what was applied is deleted afterwards."""
    kubectl = Kubectl(backend.kubeconfig, "volcano-system", tmp_path)
    yield kubectl
    kubectl.run("delete", "-k", str(ROOT / "deploy"), "--ignore-not-found", within=60)
    kubectl.close()


@pytest.mark.backend("kube")
def test_one_command_deploys_the_daemons_and_repeated_it_changes_nothing(operator):
    command = ["apply", "-k", str(ROOT / "deploy")]
    first = operator(*command).splitlines()
    assert len(first) > 10
    # Roles may be there already.
    assert {line.split()[-1] for line in first} <= {"created", "unchanged", "configured"}, first
    assert sorted(operator("get", "deployments", "-o", "name").split()) == DAEMONS
    again = operator(*command).splitlines()
    assert {line.split()[-1] for line in again} == {"unchanged"}, again
