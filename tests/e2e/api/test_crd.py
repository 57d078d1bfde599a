"""Custom kinds: validation, defaults, pruning, discovery and removal."""

import pytest

from support.poll import until
from support.rest import MERGE_PATCH, TABLE

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def test_defaults_are_filled_in_at_every_depth(rest, widgets, widget):
    made = rest.post(widgets, widget("w", size=1, parts=[{"kind": "bolt"}])).expect(201)
    assert made["spec"] == {
        "size": 1,
        "replicas": 3,
        "color": "red",
        "parts": [{"kind": "bolt", "count": 1}],
    }


def test_unknown_fields_are_dropped_where_they_are_not_preserved(rest, widgets, widget):
    body = widget("w", size=1, unknown="x", free={"anything": {"goes": [1, 2]}})
    body["stray"] = "y"
    made = rest.post(widgets, body).expect(201)
    assert "stray" not in made and "unknown" not in made["spec"]
    assert made["spec"]["free"] == {"anything": {"goes": [1, 2]}}


def test_strict_validation_refuses_unknown_fields(rest, widgets, widget):
    body = widget("w", size=1, unknown="x")
    failure = rest.post(widgets, body, fieldValidation="Strict").expect_failure(400, "BadRequest")
    assert "spec.unknown" in failure["message"]


@pytest.mark.parametrize(
    "spec, field",
    [
        ({}, "spec.size"),
        ({"size": 0}, "spec.size"),
        ({"size": 101}, "spec.size"),
        ({"size": "1"}, "spec.size"),
        ({"size": 1.5}, "spec.size"),
        ({"size": 1, "color": "blue"}, "spec.color"),
        ({"size": 1, "name": "UPPER"}, "spec.name"),
        ({"size": 1, "name": "toolong"}, "spec.name"),
        ({"size": 1, "parts": [{}, {}, {}]}, "spec.parts"),
        ({"size": 1, "parts": [{"count": "x"}]}, "spec.parts[0].count"),
    ],
)
def test_the_schema_is_enforced_and_the_cause_names_the_field(rest, widgets, widget, spec, field):
    failure = rest.post(widgets, widget("w", **spec)).expect_failure(422, "Invalid")
    assert field in [c["field"] for c in failure["details"]["causes"]], failure


def test_a_patch_is_validated_too(rest, widgets, widget):
    rest.post(widgets, widget("w", size=1)).expect(201)
    rest.patch(f"{widgets}/w", {"spec": {"size": 0}}, MERGE_PATCH).expect_failure(422, "Invalid")
    assert rest.get(f"{widgets}/w").expect(200)["spec"]["size"] == 1


def test_tables_have_the_columns_of_the_definition(rest, widgets, widget):
    rest.post(widgets, widget("w", size=7)).expect(201)
    rest.patch(f"{widgets}/w/status", {"status": {"phase": "Ready"}}, MERGE_PATCH).expect(200)
    table = rest.get(widgets, accept=TABLE).expect(200)
    columns = [(c["name"], c["priority"]) for c in table["columnDefinitions"]]
    assert columns == [("Name", 0), ("Size", 0), ("Phase", 0), ("Color", 1)]
    assert table["rows"][0]["cells"] == ["w", 7, "Ready", "red"]


def test_discovery_lists_the_kind_with_its_subresources(rest, crd):
    found = {r["name"]: r for r in rest.get(f"/apis/{crd}/v1").expect(200)["resources"]}
    assert found["widgets"]["kind"] == "Widget" and found["widgets"]["shortNames"] == ["wg"]
    assert found["widgets"]["namespaced"] is True
    assert {"create", "delete", "get", "list", "patch", "update", "watch"} <= set(
        found["widgets"]["verbs"]
    )
    assert {"widgets/status", "widgets/scale"} <= set(found)


def test_a_broken_definition_is_invalid(rest, crd):
    definition = rest.get(f"{DEFINITIONS}/widgets.{crd}").expect(200)
    definition["metadata"] = {"name": f"gadgets.{crd}"}
    rest.post(DEFINITIONS, definition).expect_failure(422, "Invalid")


def test_the_definition_takes_its_objects_along(rest, crd, widgets, widget):
    rest.post(widgets, widget("w", size=1)).expect(201)
    rest.delete(f"{DEFINITIONS}/widgets.{crd}").expect(200)
    until(lambda: rest.get(widgets).status == 404, 30, "the kind is no longer served")


def test_a_second_version_is_served_beside_the_first(rest, crd, namespace, widgets, widget):
    rest.post(widgets, widget("w", size=1)).expect(201)
    path = f"{DEFINITIONS}/widgets.{crd}"
    versions = rest.get(path).expect(200)["spec"]["versions"]
    versions.append({**versions[0], "name": "v2", "storage": False})
    rest.patch(path, {"spec": {"versions": versions}}, MERGE_PATCH).expect(200)
    second = f"/apis/{crd}/v2/namespaces/{namespace}/widgets/w"
    until(lambda: rest.get(second).status == 200, 30, "v2 is served")
    assert rest.get(second).expect(200)["apiVersion"] == f"{crd}/v2"
    assert rest.get(f"{widgets}/w").expect(200)["apiVersion"] == f"{crd}/v1"
