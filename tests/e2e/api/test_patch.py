"""The four kinds of patches."""

import json

import pytest
from kubernetes import client, dynamic

from support.objects import config_map, pod
from support.rest import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH


@pytest.fixture
def a(rest, maps):
    """A config map and its path."""
    rest.post(maps, config_map("a", {"x": "1", "y": "2"})).expect(201)
    return f"{maps}/a"


def test_json_patch_applies_its_operations_in_order(core, namespace, a):
    patch = [
        {"op": "test", "path": "/data/x", "value": "1"},
        {"op": "replace", "path": "/data/x", "value": "one"},
        {"op": "copy", "from": "/data/x", "path": "/data/z"},
        {"op": "move", "from": "/data/y", "path": "/data/w"},
        {"op": "add", "path": "/metadata/labels", "value": {"ab": "c"}},
        {"op": "remove", "path": "/data/x"},
    ]
    done = core.patch_namespaced_config_map("a", namespace, patch)
    assert done.data == {"z": "one", "w": "2"}
    assert done.metadata.labels == {"ab": "c"}


def test_json_patch_is_all_or_nothing(rest, a):
    patch = [
        {"op": "replace", "path": "/data/x", "value": "changed"},
        {"op": "test", "path": "/data/y", "value": "not this"},
    ]
    rest.patch(a, patch, JSON_PATCH).expect_failure(422, "Invalid")
    assert rest.get(a).expect(200)["data"] == {"x": "1", "y": "2"}


def test_json_patch_of_a_missing_place_is_refused(rest, a):
    patch = [{"op": "remove", "path": "/data/nothing"}]
    rest.patch(a, patch, JSON_PATCH).expect_failure(422, "Invalid")


def test_json_patch_escapes_slashes_and_tildes(rest, a):
    patch = [{"op": "add", "path": "/metadata/annotations", "value": {}}]
    patch += [{"op": "add", "path": "/metadata/annotations/example.com~1m~0n", "value": "v"}]
    # A tilde is no legal annotation key: the pointer must have been decoded to find that out.
    failure = rest.patch(a, patch, JSON_PATCH).expect_failure(422, "Invalid")
    assert "example.com/m~n" in failure["message"]
    patch[1]["path"] = "/metadata/annotations/example.com~1mn"
    done = rest.patch(a, patch, JSON_PATCH).expect(200)
    assert done["metadata"]["annotations"] == {"example.com/mn": "v"}


def test_merge_patch_sets_and_removes(rest, a):
    done = rest.patch(a, {"data": {"x": None, "z": "3"}}, MERGE_PATCH).expect(200)
    assert done["data"] == {"y": "2", "z": "3"}


def test_merge_patch_replaces_lists_whole(rest, maps):
    rest.post(maps, config_map("f", finalizers=["example.com/a", "example.com/b"])).expect(201)
    patch = {"metadata": {"finalizers": ["example.com/c"]}}
    done = rest.patch(f"{maps}/f", patch, MERGE_PATCH).expect(200)
    assert done["metadata"]["finalizers"] == ["example.com/c"]
    rest.patch(f"{maps}/f", {"metadata": {"finalizers": None}}, MERGE_PATCH).expect(200)


def test_a_version_in_a_patch_is_a_precondition(rest, a):
    old = rest.get(a).expect(200)["metadata"]["resourceVersion"]
    rest.patch(a, {"data": {"x": "2"}}, MERGE_PATCH).expect(200)
    patch = {"metadata": {"resourceVersion": old}, "data": {"x": "3"}}
    rest.patch(a, patch, MERGE_PATCH).expect_failure(409, "Conflict")
    assert rest.get(a).expect(200)["data"]["x"] == "2"


def test_a_uid_in_a_patch_is_a_precondition(rest, a):
    patch = {"metadata": {"uid": "00000000-0000-0000-0000-000000000000"}, "data": {"x": "3"}}
    failure = rest.patch(a, patch, MERGE_PATCH).expect_failure(422, "Invalid")
    assert {c["field"] for c in failure["details"]["causes"]} == {"metadata.uid"}
    assert rest.get(a).expect(200)["data"]["x"] == "1"


def test_a_patch_of_nothing_keeps_the_version(rest, a):
    old = rest.get(a).expect(200)["metadata"]["resourceVersion"]
    done = rest.patch(a, {"data": {"x": "1"}}, MERGE_PATCH).expect(200)
    assert done["metadata"]["resourceVersion"] == old


def test_a_patch_of_a_missing_object_is_not_found(rest, maps):
    rest.patch(f"{maps}/nobody", {"data": {}}, MERGE_PATCH).expect_failure(404, "NotFound")


def test_an_unknown_kind_of_patch_is_unsupported(rest, a):
    assert rest.patch(a, {}, "application/x-patch").status == 415


def two_containers():
    body = pod("a", scheduler="nobody")
    body["spec"]["containers"].append({"name": "side", "image": "example.invalid/side:1"})
    return body


def test_strategic_patch_merges_containers_by_name(rest, pods):
    rest.post(pods, two_containers()).expect(201)
    patch = {"spec": {"containers": [{"name": "side", "image": "example.invalid/side:2"}]}}
    done = rest.patch(f"{pods}/a", patch, STRATEGIC_PATCH).expect(200)
    images = {c["name"]: c["image"] for c in done["spec"]["containers"]}
    assert images == {"main": "example.invalid/app:1", "side": "example.invalid/side:2"}


def test_strategic_patch_merges_conditions_by_type(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    for kind, status in (("PodScheduled", "False"), ("Ready", "False"), ("PodScheduled", "True")):
        patch = {"status": {"conditions": [{"type": kind, "status": status}]}}
        done = rest.patch(f"{pods}/a/status", patch, STRATEGIC_PATCH).expect(200)
    found = sorted((c["type"], c["status"]) for c in done["status"]["conditions"])
    assert found == [("PodScheduled", "True"), ("Ready", "False")]


def test_strategic_patch_removes_list_entries_by_directive(rest, maps, pods):
    owner = rest.post(maps, config_map("owner")).expect(201)
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
    }
    head = {"ownerReferences": [reference], "finalizers": ["example.com/a", "example.com/b"]}
    rest.post(pods, pod("a", scheduler="nobody", metadata=head)).expect(201)
    patch = {
        "metadata": {
            "ownerReferences": [{"$patch": "delete", "uid": owner["metadata"]["uid"]}],
            "$deleteFromPrimitiveList/finalizers": ["example.com/a"],
        }
    }
    done = rest.patch(f"{pods}/a", patch, STRATEGIC_PATCH).expect(200)
    assert done["metadata"].get("ownerReferences", []) == []
    assert done["metadata"]["finalizers"] == ["example.com/b"]
    rest.patch(f"{pods}/a", {"metadata": {"finalizers": None}}, MERGE_PATCH).expect(200)


def test_strategic_patch_adds_primitive_list_entries(rest, maps):
    rest.post(maps, config_map("f", finalizers=["example.com/a"])).expect(201)
    patch = {"metadata": {"finalizers": ["example.com/b"]}}
    done = rest.patch(f"{maps}/f", patch, STRATEGIC_PATCH).expect(200)
    assert sorted(done["metadata"]["finalizers"]) == ["example.com/a", "example.com/b"]
    rest.patch(f"{maps}/f", {"metadata": {"finalizers": None}}, MERGE_PATCH).expect(200)


def test_strategic_patch_is_unsupported_for_custom_kinds(rest, widgets, widget):
    rest.post(widgets, widget("w", size=1)).expect(201)
    assert rest.patch(f"{widgets}/w", {"spec": {"size": 2}}, STRATEGIC_PATCH).status == 415


def apply(rest, path, body, manager, **more):
    return rest.patch(path, json.dumps(body), APPLY_PATCH, fieldManager=manager, **more)


def test_apply_creates_and_remembers_the_manager(rest, maps):
    done = apply(rest, f"{maps}/s", config_map("s", {"x": "1"}), "one")
    assert done.status == 201, done.text
    entries = [e for e in done.body["metadata"]["managedFields"] if e["manager"] == "one"]
    assert [e["operation"] for e in entries] == ["Apply"]
    assert "f:x" in entries[0]["fieldsV1"]["f:data"]


def test_apply_needs_a_manager(rest, maps):
    answer = rest.patch(f"{maps}/s", json.dumps(config_map("s")), APPLY_PATCH)
    answer.expect_failure(422, "Invalid")


def test_apply_removes_what_its_manager_no_longer_names(rest, maps):
    apply(rest, f"{maps}/s", config_map("s", {"x": "1", "y": "2"}), "one").expect(201)
    rest.patch(f"{maps}/s", {"data": {"z": "3"}}, MERGE_PATCH).expect(200)
    done = apply(rest, f"{maps}/s", config_map("s", {"x": "1"}), "one").expect(200)
    assert done["data"] == {"x": "1", "z": "3"}


def test_apply_refuses_to_take_a_field_of_another_unless_forced(rest, maps):
    apply(rest, f"{maps}/s", config_map("s", {"x": "1"}), "one").expect(201)
    failure = apply(rest, f"{maps}/s", config_map("s", {"x": "2"}), "two").expect_failure(
        409, "Conflict"
    )
    assert '"one"' in failure["message"]
    causes = failure["details"]["causes"]
    assert [(c["reason"], c["field"]) for c in causes] == [("FieldManagerConflict", ".data.x")]
    done = apply(rest, f"{maps}/s", config_map("s", {"x": "2"}), "two", force="true").expect(200)
    assert done["data"] == {"x": "2"}


def test_apply_of_the_same_value_shares_the_field(rest, maps):
    apply(rest, f"{maps}/s", config_map("s", {"x": "1"}), "one").expect(201)
    apply(rest, f"{maps}/s", config_map("s", {"x": "1"}), "two").expect(200)
    done = apply(rest, f"{maps}/s", config_map("s"), "one").expect(200)
    assert done["data"] == {"x": "1"}, "the other manager still wants it"


def test_the_dynamic_client_applies(backend, namespace):
    maps = dynamic.DynamicClient(backend.client()).resources.get(api_version="v1", kind="ConfigMap")
    body = config_map("d", {"k": "v"})
    made = maps.server_side_apply(body=body, namespace=namespace, name="d", field_manager="e2e")
    assert made.data.to_dict() == {"k": "v"}
    assert maps.get(name="d", namespace=namespace).metadata.uid == made.metadata.uid


def test_patch_by_the_official_client_with_a_typed_body(core, namespace, a):
    body = client.V1ConfigMap(data={"t": "typed"})
    done = core.patch_namespaced_config_map("a", namespace, body)
    assert done.data == {"x": "1", "y": "2", "t": "typed"}
