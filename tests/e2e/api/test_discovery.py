"""What a client asks before anything else."""

import pytest
import urllib3
from kubernetes import client, dynamic

from support.objects import pod
from support.rest import TABLE

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"


def test_health_and_version(rest, backend):
    for path in ("/healthz", "/livez", "/readyz"):
        answer = rest.get(path)
        assert (answer.status, answer.text) == (200, "ok"), path
    version = client.VersionApi(backend.client()).get_code()
    assert version.major == "1" and int(version.minor.rstrip("+")) >= 30
    assert version.git_version.startswith("v1.")


def test_legacy_discovery_names_versions_and_groups(rest):
    assert rest.get("/api").expect(200)["versions"] == ["v1"]
    groups = {g["name"]: g for g in rest.get("/apis").expect(200)["groups"]}
    wanted = {"apiextensions.k8s.io", "coordination.k8s.io", "policy", "scheduling.k8s.io"}
    assert wanted <= set(groups)
    assert groups["policy"]["preferredVersion"]["groupVersion"] == "policy/v1"


def test_legacy_discovery_describes_each_resource(rest):
    found = {r["name"]: r for r in rest.get("/api/v1").expect(200)["resources"]}
    assert found["pods"]["kind"] == "Pod" and found["pods"]["shortNames"] == ["po"]
    assert found["pods"]["namespaced"] is True and found["nodes"]["namespaced"] is False
    assert {"pods/status", "pods/binding", "pods/eviction"} <= set(found)
    eviction = found["pods/eviction"]
    assert (eviction["group"], eviction["version"], eviction["kind"]) == (
        "policy",
        "v1",
        "Eviction",
    )


def test_aggregated_discovery_answers_in_one_request(rest, crd):
    for path, group, kind in (("/api", "", "Pod"), ("/apis", crd, "Widget")):
        body = rest.get(path, accept=AGGREGATED).expect(200)
        assert body["kind"] == "APIGroupDiscoveryList"
        groups = {g["metadata"].get("name", ""): g for g in body["items"]}
        kinds = [
            r["responseKind"]["kind"]
            for v in groups[group]["versions"]
            for r in v["resources"]
            if "responseKind" in r
        ]
        assert kind in kinds


def test_the_dynamic_client_finds_kinds_by_discovery(backend, crd, namespace, widget):
    resources = dynamic.DynamicClient(backend.client()).resources
    found = resources.get(api_version=f"{crd}/v1", kind="Widget")
    made = found.create(body=widget("w", size=4), namespace=namespace)
    assert made.spec.size == 4
    assert [w.metadata.name for w in found.get(namespace=namespace).items] == ["w"]


def test_openapi_documents_are_served(rest):
    index = rest.get("/openapi/v3").expect(200)["paths"]
    assert "api/v1" in index
    document = rest.get(index["api/v1"]["serverRelativeURL"]).expect(200)
    assert document["openapi"].startswith("3.")
    assert "io.k8s.api.core.v1.Pod" in document["components"]["schemas"]
    assert rest.get("/openapi/v2").expect(200)["swagger"] == "2.0"


def test_metrics_are_served_as_text(rest):
    answer = rest.get("/metrics", accept="text/plain")
    assert answer.status == 200
    assert "apiserver_request_total" in answer.text


def test_pod_tables_have_the_columns_that_kubectl_shows(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    table = rest.get(pods, accept=TABLE).expect(200)
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    columns = [c["name"] for c in table["columnDefinitions"] if c["priority"] == 0]
    assert columns == ["Name", "Ready", "Status", "Restarts", "Age"]
    wide = [c["name"] for c in table["columnDefinitions"] if c["priority"] > 0]
    assert wide[:3] == ["IP", "Node", "Nominated Node"]
    row = table["rows"][0]
    assert [str(c) for c in row["cells"][:4]] == ["a", "0/1", "Pending", "0"]
    assert row["object"]["kind"] == "PartialObjectMetadata"
    assert row["object"]["metadata"]["name"] == "a"


def test_tables_can_hold_whole_objects_or_none(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    whole = rest.get(pods, accept=TABLE, includeObject="Object").expect(200)
    assert whole["rows"][0]["object"]["spec"]["schedulerName"] == "nobody"
    none = rest.get(pods, accept=TABLE, includeObject="None").expect(200)
    assert none["rows"][0].get("object") is None


def test_wrong_methods_are_refused(rest, pods):
    rest.put(pods, pod("a")).expect_failure(405, "MethodNotAllowed")


@pytest.mark.backend("kube")
def test_requests_without_a_known_token_are_refused(backend, rest):
    config = backend.client().configuration
    pool = urllib3.PoolManager(ca_certs=config.ssl_ca_cert)
    wrong = {"Authorization": "Bearer wrong"}
    answer = pool.request("GET", config.host + "/api/v1/pods", headers=wrong, retries=False)
    assert answer.status == 401
    pool.clear()
