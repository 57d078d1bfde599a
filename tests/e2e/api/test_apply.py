"""Server-side apply: who owns which field, in managedFields and in conflicts."""

import json

import pytest

from support.objects import config_map, pod
from support.rest import APPLY_PATCH, JSON_PATCH, MERGE_PATCH


def apply(rest, path, body, manager, **more):
    return rest.patch(path, json.dumps(body), APPLY_PATCH, fieldManager=manager, **more)


def account(thing):
    """{(manager, operation, subresource): fields} of an object."""
    return {
        (e["manager"], e["operation"], e.get("subresource", "")): e["fieldsV1"]
        for e in thing["metadata"].get("managedFields") or []
    }


def conflicts(answer):
    causes = answer.expect_failure(409, "Conflict")["details"]["causes"]
    assert {c["reason"] for c in causes} == {"FieldManagerConflict"}
    return [(c["message"], c["field"]) for c in causes]


@pytest.fixture
def a(rest, maps):
    """The path of a config map that `one` applied with x and y."""
    apply(rest, f"{maps}/a", config_map("a", {"x": "1", "y": "1"}), "one").expect(201)
    return f"{maps}/a"


def test_an_update_takes_fields_over_and_defends_them(rest, a):
    edit = {"data": {"y": "2", "z": "3"}}
    done = rest.patch(a, edit, MERGE_PATCH, fieldManager="ed").expect(200)
    assert account(done) == {
        ("one", "Apply", ""): {"f:data": {"f:x": {}}},
        ("ed", "Update", ""): {"f:data": {"f:y": {}, "f:z": {}}},
    }
    again = apply(rest, a, config_map("a", {"x": "1", "y": "1"}), "one")
    assert conflicts(again) == [('conflict with "ed" using v1', ".data.y")]
    less = apply(rest, a, config_map("a", {"x": "1"}), "one").expect(200)
    assert less["data"] == {"x": "1", "y": "2", "z": "3"}


def test_each_owner_is_named(rest, a):
    rest.patch(a, {"data": {"y": "2"}}, MERGE_PATCH, fieldManager="ed").expect(200)
    answer = apply(rest, a, config_map("a", {"x": "5", "y": "6"}), "two")
    assert sorted(conflicts(answer)) == [
        ('conflict with "ed" using v1', ".data.y"),
        ('conflict with "one"', ".data.x"),
    ]
    assert answer.body["message"] == (
        'Apply failed with 2 conflicts: conflicts with "ed" using v1:\n- .data.y\n'
        'conflicts with "one":\n- .data.x'
    )
    done = apply(rest, a, config_map("a", {"x": "5"}), "two", force="true").expect(200)
    assert account(done)[("two", "Apply", "")] == {"f:data": {"f:x": {}}}
    assert ("one", "Apply", "") not in account(done), "it owns nothing any more"


def test_what_was_posted_has_an_owner(rest, maps):
    rest.post(maps, config_map("p", {"x": "1"})).expect(201)
    path = f"{maps}/p"
    ((message, field),) = conflicts(apply(rest, path, config_map("p", {"x": "2"}), "one"))
    assert field == ".data.x" and message.endswith(" using v1")
    apply(rest, path, config_map("p", {"x": "1"}), "one").expect(200)
    kept = apply(rest, path, config_map("p"), "one").expect(200)
    assert kept["data"] == {"x": "1"}


def test_the_same_again_is_no_change(rest, a):
    body = config_map("a", {"x": "1", "y": "1"})
    before = rest.get(a).expect(200)["metadata"]
    assert apply(rest, a, body, "one").expect(200)["metadata"] == before


def test_the_account_survives_writers_who_do_not_send_it(rest, a):
    body = rest.get(a).expect(200)
    del body["metadata"]["managedFields"]
    body["data"]["w"] = "1"
    done = rest.put(a, body, fieldManager="putter").expect(200)
    assert account(done) == {
        ("one", "Apply", ""): {"f:data": {"f:x": {}, "f:y": {}}},
        ("putter", "Update", ""): {"f:data": {"f:w": {}}},
    }


def test_the_account_can_be_ended(rest, a):
    patch = [{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]
    done = rest.patch(a, patch, JSON_PATCH).expect(200)
    assert not done["metadata"].get("managedFields")


def test_status_is_applied_apart(rest, widgets, widget):
    path = f"{widgets}/s"
    body = widget("s", size=1)
    apply(rest, f"{path}/status", body, "one").expect_failure(404, "NotFound")
    body["status"] = {"phase": "ignored"}
    assert "status" not in apply(rest, path, body, "one").expect(201)
    body["status"], body["spec"] = {"phase": "x"}, {"size": 5}
    done = apply(rest, f"{path}/status", body, "one").expect(200)
    assert done["status"] == {"phase": "x"} and done["spec"]["size"] == 1
    assert account(done)[("one", "Apply", "status")] == {"f:status": {"f:phase": {}}}
    body["status"] = {"phase": "y"}
    answer = apply(rest, f"{path}/status", body, "two")
    assert conflicts(answer) == [
        ('conflict with "one" with subresource "status"', ".status.phase")
    ]


def test_conditions_belong_to_those_who_set_them(rest, pods):
    rest.post(pods, pod("p", scheduler="nobody")).expect(201)

    def ready(value, kind="Ready"):
        conditions = [{"type": kind, "status": value}]
        head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
        return {**head, "status": {"conditions": conditions}}

    apply(rest, f"{pods}/p/status", ready("True"), "one").expect(200)
    apply(rest, f"{pods}/p/status", ready("True", "example.com/Other"), "two").expect(200)
    answer = apply(rest, f"{pods}/p/status", ready("False"), "two")
    assert conflicts(answer) == [
        (
            'conflict with "one" with subresource "status"',
            '.status.conditions[type="Ready"].status',
        )
    ]


def deployment(**pod_spec):
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod_spec}
    spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}


def test_list_items_are_owned_by_their_keys(rest, namespace):
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/d"
    mine = {"name": "c", "image": "i", "ports": [{"containerPort": 80}], "command": ["a", "b"]}
    apply(rest, path, deployment(containers=[mine], nodeSelector={"x": "1"}), "one").expect(201)
    ports = [{"containerPort": 80, "protocol": "UDP"}, {"containerPort": 81, "name": "other"}]
    other = deployment(containers=[{"name": "c", "ports": ports}])
    done = apply(rest, path, other, "two").expect(200)
    found = done["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert sorted((p["containerPort"], p["protocol"]) for p in found) == [
        (80, "TCP"),
        (80, "UDP"),
        (81, "TCP"),
    ]
    wrong = deployment(containers=[{"name": "c", "command": ["a"]}], nodeSelector={"y": "2"})
    spec = ".spec.template.spec"
    assert sorted(field for _, field in conflicts(apply(rest, path, wrong, "two"))) == [
        f'{spec}.containers[name="c"].command',
        f"{spec}.nodeSelector",
    ]
    less = apply(rest, path, deployment(containers=[{"name": "c"}]), "two").expect(200)
    found = less["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert [(p["containerPort"], p["protocol"]) for p in found] == [(80, "TCP")]


def test_bad_applies_are_refused(rest, a):
    body = config_map("a", {"x": "1"})
    apply(rest, a, body, "m" * 129).expect_failure(422, "Invalid")
    rest.patch(a, {}, MERGE_PATCH, force="true").expect_failure(422, "Invalid")
    apply(rest, a, config_map("a", managedFields=[{"manager": "x"}]), "one").expect_failure(
        400, "BadRequest"
    )
    apply(rest, a, config_map("a", resourceVersion="1"), "one").expect_failure(409, "Conflict")
    apply(rest, a, config_map("a", uid="1"), "one").expect_failure(422, "Invalid")
    fresh = a[:-1] + "b"
    apply(rest, fresh, config_map("b", uid="1"), "one").expect_failure(409, "Conflict")
    apply(rest, fresh, config_map("other"), "one").expect_failure(400, "BadRequest")
