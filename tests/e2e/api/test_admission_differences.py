"""Where admission in the embedded server differs from that of a real one: docs/compatibility.md."""

import pytest

from support.objects import config_map
from support.poll import until

REGISTRATION = "/apis/admissionregistration.k8s.io"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@pytest.fixture
def is_real(backend):
    return backend.kind == "kube"


def deletions(server):
    return [seen for seen in server.seen if seen["operation"] == "DELETE"]


def test_webhooks_are_shown_reviews(is_real, rest, server, configure):
    new_maps = {"apiGroups": [""], "resources": ["configmaps"]}
    reviews = {"apiGroups": ["authorization.k8s.io"], "resources": ["selfsubjectaccessreviews"]}
    rest_of_rule = {"apiVersions": ["v1"], "operations": ["CREATE"]}
    configure("validating", rules=[{**new_maps, **rest_of_rule}, {**reviews, **rest_of_rule}])
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}},
    }
    rest.post(REVIEWS, body).expect(201)
    assert bool(server.seen) == is_real


def test_webhooks_are_asked_by_the_collector(is_real, rest, maps, server, configure):
    configure("validating")
    made = rest.post(maps, config_map("owner")).expect(201)
    head = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner"}
    reference = {**head, "uid": made["metadata"]["uid"]}
    rest.post(maps, config_map("owned", ownerReferences=[reference])).expect(201)
    rest.delete(f"{maps}/owner", propagationPolicy="Background").expect(200)
    until(lambda: rest.get(f"{maps}/owned").status == 404, 40, "what was owned is gone")
    names = {seen["name"] for seen in deletions(server)}
    assert names == ({"owner", "owned"} if is_real else {"owner"})


def test_webhooks_are_asked_by_a_namespace_that_ends(
    is_real, rest, namespace, maps, server, configure
):
    configure("validating")
    rest.post(maps, config_map("a")).expect(201)
    rest.delete(f"/api/v1/namespaces/{namespace}")
    until(lambda: rest.get(f"{maps}/a").status == 404, 40, "the map is gone")
    assert bool(deletions(server)) == is_real


def test_expressions_are_checked_against_types(is_real, rest, policy):
    name = policy(validations=[{"expression": "object.nothing == 'x'"}])
    path = f"{REGISTRATION}/v1/validatingadmissionpolicies/{name}"

    def warnings():
        status = rest.get(path).expect(200).get("status") or {}
        return (status.get("typeChecking") or {}).get("expressionWarnings") or []

    if is_real:
        [warning] = until(warnings, 30, "a warning")
        assert "undefined field 'nothing'" in warning["warning"]
    else:
        assert warnings() == []


def test_mutating_policies_are_served_in_v1beta1_unasked(is_real, rest):
    answer = rest.get(f"{REGISTRATION}/v1beta1/mutatingadmissionpolicies")
    assert answer.status == (404 if is_real else 200)
