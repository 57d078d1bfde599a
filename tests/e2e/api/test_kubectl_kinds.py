"""The kinds of deploy/crds, as users of kubectl see them."""

import json

import pytest

from support.objects import QUEUE_COLUMNS
from support.poll import until
from support.processes import ROOT
from support.rest import MERGE_PATCH
from support.world import unique

QUEUES = "/apis/scheduling.volcano.sh/v1beta1/queues"
EXPLAINED = [
    "vcjob.spec.tasks.template.spec",
    "cronvcjob.spec.jobTemplate.spec.tasks.template.spec",
    "jobtemplate.spec.tasks.template.spec",
    "jobflow.spec.flows.patch.jobSpec.tasks.template.spec",
]


@pytest.fixture(scope="session")
def kinds(backend):
    """The backend with the kinds of deploy/crds."""
    backend.install_crds()
    rest = backend.rest()
    until(lambda: rest.get(QUEUES).status == 200, 30, "queues are served")
    return rest


@pytest.mark.parametrize("path", EXPLAINED)
def test_explain_knows_the_pods_of_templates(kinds, kubectl, path):
    until(lambda: kubectl.run("explain", path).returncode == 0, 30, f"{path} is explained")
    text = kubectl("explain", path)
    lines = {line.split("\t")[0].strip(): line for line in text.splitlines() if "\t" in line}
    assert "<[]Object>" in lines["containers"] and "<boolean>" in lines["hostNetwork"], text
    assert "<map[string]string>" in lines["nodeSelector"], text
    assert "What runs in the pod" in text
    image = kubectl("explain", f"{path}.containers.image")
    assert "image <string>" in image and "Name of the image." in image
    limits = kubectl("explain", f"{path}.initContainers.resources.limits")
    assert "limits" in limits and "by name of the resource" in limits


def test_a_queue_is_listed_with_what_it_holds(kinds, kubectl):
    name = unique("q")
    body = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"weight": 3, "parent": "root"},
    }
    kinds.post(QUEUES, body).expect(201)
    try:
        allocated = {"cpu": "2500m", "memory": "4Gi", "nvidia.com/gpu": "1"}
        status = {"state": "Open", "allocated": allocated, "pending": 5, "inqueue": 0, "running": 2}
        kinds.patch(f"{QUEUES}/{name}/status", {"status": status}, MERGE_PATCH).expect(200)
        header, row = kubectl("get", "queue", name).splitlines()
        assert header.split() == QUEUE_COLUMNS
        assert row.split()[:9] == [name, "root", "Open", "3", "2500m", "4Gi", "5", "0", "2"]
        wide = kubectl("get", "queue", name, "-o", "wide").splitlines()[1]
        assert json.loads(wide.split()[-1]) == allocated
    finally:
        kinds.delete(f"{QUEUES}/{name}").expect(200)


def test_apply_takes_the_definitions(kinds, kubectl):
    """What kubectl notes down in an annotation has a limit of 256 KiB."""
    folder = str(ROOT / "deploy/crds")
    kubectl("apply", "-f", folder, within=60)
    lines = kubectl("apply", "-f", folder, within=60).splitlines()
    assert len(lines) == 11 and all(line.endswith("unchanged") for line in lines), lines
    kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", folder)
