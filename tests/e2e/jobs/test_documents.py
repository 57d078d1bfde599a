"""Every manifest shown in docs/controllers is one that an API server accepts, field by field, and
every batch job among them comes to its end."""

import re

import pytest
import yaml

from support.jobs import BATCH
from support.processes import ROOT
from support.world import unique

FENCE = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLURALS = {"HyperNode": "hypernodes", "Queue": "queues", "NetworkPolicy": "networkpolicies"}
CLUSTER_WIDE = {"HyperNode", "Queue", "NodeShard", "Node"}


def shown():
    for page in sorted((ROOT / "docs/controllers").glob("*.md")):
        for text in FENCE.findall(page.read_text("utf-8")):
            for body in yaml.safe_load_all(text):
                if isinstance(body, dict) and "apiVersion" in body and "kind" in body:
                    yield pytest.param(body, id=f"{page.stem}-{body['kind']}")


@pytest.mark.parametrize("body", list(shown()))
@pytest.mark.usefixtures("cluster")
def test_a_shown_manifest_is_accepted(rest, namespace, body):
    group = body["apiVersion"]
    group = f"/apis/{group}" if "/" in group else f"/api/{group}"
    plural = PLURALS.get(body["kind"], body["kind"].lower() + "s")
    body["metadata"].pop("namespace", None)
    body["metadata"].pop("generateName", None)
    body["metadata"]["name"] = unique("shown")
    place = "" if body["kind"] in CLUSTER_WIDE else f"/namespaces/{namespace}"
    rest.post(f"{group}{place}/{plural}", body, dryRun="All", fieldValidation="Strict").expect(201)


@pytest.mark.parametrize("body", [p for p in shown() if p.values[0]["kind"] == "Job"])
def test_a_shown_job_is_completed_as_its_page_says(world, body):
    name = body["metadata"]["name"]
    world.rest.post(world.path(BATCH, "jobs"), body).expect(201)
    job = world.wait_phase(name, "Completed", within=90)
    assert job["status"]["state"].get("reason") in (None, "TaskCompleted"), world.story(name)
    assert world.events(name, "NeverCompletes") == []
