"""Every manifest shown in docs/controllers is one that an API server accepts, field by field."""

import re

import pytest
import yaml

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
    body["metadata"]["name"] = unique("shown")
    place = "" if body["kind"] in CLUSTER_WIDE else f"/namespaces/{namespace}"
    rest.post(f"{group}{place}/{plural}", body, dryRun="All", fieldValidation="Strict").expect(201)
