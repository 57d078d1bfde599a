"""What schemas of custom kinds do to objects, and what definitions must be like."""

import copy
import json

import pytest

from support.poll import until
from support.processes import ROOT
from support.rest import APPLY_PATCH, MERGE_PATCH, TABLE
from support.world import unique

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TABLES = ROOT / "tests/apiserver/schema"


def definition(group, schema, plural="things", kind="Thing", **version):
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        **version,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [version],
        },
    }


def spec_schema(properties, **more):
    spec = {"type": "object", "properties": properties}
    return {"type": "object", "properties": {"spec": spec, **more}}


@pytest.fixture
def group():
    return unique("schemas") + ".example.com"


@pytest.fixture
def define(rest, group):
    """Creates definitions and waits until they are served; takes them away after the test."""
    names = []

    def create(body):
        made = rest.post(DEFINITIONS, body).expect(201)
        names.append(made["metadata"]["name"])
        plural = body["spec"]["names"]["plural"]
        for version in body["spec"]["versions"]:
            path = f"/apis/{group}/{version['name']}/{plural}"
            until(lambda p=path: rest.get(p).status == 200, 30, f"{path} is served")
        return f"{DEFINITIONS}/{names[-1]}"

    yield create
    for name in names:
        rest.delete(f"{DEFINITIONS}/{name}")


@pytest.fixture
def things(group, namespace):
    """The path of the things of the test's namespace, in a version."""
    return lambda version="v1": f"/apis/{group}/{version}/namespaces/{namespace}/things"



@pytest.fixture
def make(group):
    def build(name, version="v1", **spec):
        return {
            "apiVersion": f"{group}/{version}",
            "kind": "Thing",
            "metadata": {"name": name},
            "spec": spec,
        }

    return build


def fields(failure):
    return sorted(cause["field"] for cause in failure["details"]["causes"])


def follow(rest, path, body, changed):
    """Changes a definition; `changed` tells when objects are served by the new one."""
    current = rest.get(path).expect(200)
    current["spec"] = body["spec"]
    rest.put(path, current).expect(200)
    until(changed, 30, "the changed definition is served")


def test_values_are_kept_completed_and_refused_as_recorded(rest, define, group, things, make):
    table = json.loads((TABLES / "values.json").read_text())
    define(definition(group, table["schema"]))
    for number, case in enumerate(table["cases"]):
        answer = rest.post(things(), make(f"t{number}", **case["spec"]))
        assert answer.status == case["code"], (case, answer.text)
        if answer.status == 201:
            assert answer.body["spec"] == case["kept"], case
        if answer.status == 422:
            causes = answer.body["details"]["causes"]
            found = sorted([c["reason"], c["field"], c["message"]] for c in causes)
            assert found == case["causes"], case


def test_definitions_are_accepted_and_refused_as_recorded(rest, backend):
    table = json.loads((TABLES / "definitions.json").read_text())
    for case in table["cases"]:
        if backend.kind == "embedded" and case["name"] in ("cel bad", "conversion webhook"):
            continue  # Rules in CEL are kept unread; there are no converters.
        answer = rest.post(
            DEFINITIONS,
            {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                **case["definition"],
            },
        )
        if answer.status == 201:
            rest.delete(f"{DEFINITIONS}/{answer.body['metadata']['name']}")
        assert answer.status == case["code"], (case, answer.text)
        if answer.status == 422:
            causes = answer.body["details"]["causes"]
            found = sorted((c["reason"], c["field"]) for c in causes)
            assert found == sorted((c[0], c[1]) for c in case["causes"]), case["name"]


def test_unknown_fields_are_told_as_asked(rest, define, group, things, make):
    define(definition(group, spec_schema({"a": {"type": "string"}})))
    body = make("t", a="x", b=1)
    body["metadata"]["stray"] = 1
    refused = rest.post(things(), body, fieldValidation="Strict").expect_failure(400, "BadRequest")
    assert 'unknown field "metadata.stray", unknown field "spec.b"' in refused["message"]
    again = json.dumps(make("t", a="x")).replace('"a": "x"', '"a": "x", "a": "y"')
    twice = rest.post(things(), again, fieldValidation="Strict").expect_failure(400, "BadRequest")
    assert 'duplicate field "spec.a"' in twice["message"]
    rest.post(things(), body, fieldValidation="Huh").expect_failure(422, "Invalid")
    quiet = rest.post(things(), body, fieldValidation="Ignore", dryRun="All")
    assert quiet.status == 201 and "Warning" not in quiet.headers
    told = rest.post(things(), body)
    assert told.status == 201 and told.body["spec"] == {"a": "x"}
    assert r'unknown field \"spec.b\"' in told.headers["Warning"]
    path = f"{things()}/t"
    patch = {"spec": {"c": 1}}
    strict = rest.patch(path, patch, MERGE_PATCH, fieldValidation="Strict")
    assert 'unknown field "spec.c"' in strict.expect_failure(422, "Invalid")["message"]
    assert r'unknown field \"spec.c\"' in rest.patch(path, patch, MERGE_PATCH).headers["Warning"]
    applied = rest.patch(path, make("t", d=1), APPLY_PATCH, fieldManager="m")
    assert applied.status == 500 and ".spec.d: field not declared in schema" in applied.text


def test_metadata_has_its_own_types(rest, define, group, things, make):
    define(definition(group, spec_schema({})))
    for wrong in ({"labels": "x"}, {"labels": {"a": 1}}, {"annotations": {"a": True}}):
        body = make("t")
        body["metadata"].update(wrong)
        rest.post(things(), body).expect_failure(400, "BadRequest")


def test_what_was_wrong_before_may_stay(rest, define, group, things, make):
    part = {"type": "object", "properties": {"n": {"type": "integer"}, "o": {"type": "integer"}}}
    keyed = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": {
            "type": "object",
            "required": ["k"],
            "properties": {"k": {"type": "string"}, "n": {"type": "integer"}},
        },
    }
    properties = {"a": {"type": "string"}, "b": {"type": "string"}, "part": part, "keyed": keyed}
    loose = definition(group, spec_schema(properties))
    path = define(loose)
    spec = {"a": "long", "b": "x", "part": {"n": 1, "o": 1}, "keyed": [{"k": "p", "n": 1}]}
    rest.post(things(), make("t", **spec)).expect(201)
    tight = copy.deepcopy(loose)
    found = tight["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    found["properties"]["a"]["maxLength"] = 2
    found["properties"]["part"]["properties"]["n"]["minimum"] = 5
    found["properties"]["part"]["required"] = ["z"]
    found["properties"]["part"]["properties"]["z"] = {"type": "string"}
    found["properties"]["keyed"]["items"]["properties"]["n"]["minimum"] = 5
    probe = make("probe", a="long")
    refused = lambda: rest.post(things(), probe, dryRun="All").status == 422  # noqa: E731
    follow(rest, path, tight, refused)
    one = f"{things()}/t"
    rest.patch(one, {"metadata": {"labels": {"x": "y"}}}, MERGE_PATCH).expect(200)
    rest.patch(one, {"spec": {"b": "y"}}, MERGE_PATCH).expect(200)
    more = {"keyed": [{"k": "q"}, {"k": "p", "n": 1}]}
    rest.patch(one, {"spec": more}, MERGE_PATCH).expect(200)
    changed = rest.patch(one, {"spec": {"a": "lang"}}, MERGE_PATCH).expect_failure(422, "Invalid")
    assert fields(changed) == ["spec.a"]
    inside = rest.patch(one, {"spec": {"part": {"o": 2}}}, MERGE_PATCH)
    assert fields(inside.expect_failure(422, "Invalid")) == ["spec.part.z"]


def test_status_is_judged_by_itself(rest, define, group, things, make):
    status = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}}
    schema = spec_schema({"a": {"type": "string"}}, status=status)
    define(definition(group, schema, subresources={"status": {}}))
    body = make("t", a="x")
    body["status"] = {"n": -1}
    made = rest.post(things(), body).expect(201)
    assert "status" not in made and made["metadata"]["generation"] == 1
    path = f"{things()}/t"
    refused = rest.patch(f"{path}/status", {"status": {"n": -1}}, MERGE_PATCH)
    cause = refused.expect_failure(422, "Invalid")["details"]["causes"][0]
    assert cause["field"] == "status.n"
    assert cause["message"] == "Invalid value: -1: n in body should be greater than or equal to 0"
    patch = {"status": {"n": 1, "z": 1}, "spec": {"a": "y"}, "metadata": {"labels": {"l": "m"}}}
    written = rest.patch(f"{path}/status", patch, MERGE_PATCH).expect(200)
    assert written["status"] == {"n": 1} and written["spec"] == {"a": "x"}
    assert written["metadata"]["generation"] == 1 and "labels" not in written["metadata"]
    changed = rest.patch(path, {"spec": {"a": "z"}, "status": {"n": 7}}, MERGE_PATCH).expect(200)
    assert changed["metadata"]["generation"] == 2 and changed["status"] == {"n": 1}


def test_a_default_alone_is_no_new_generation(rest, define, group, things, make):
    define(definition(group, spec_schema({"n": {"type": "integer", "default": 3}})))
    rest.post(things(), make("t")).expect(201)
    current = rest.get(f"{things()}/t").expect(200)
    del current["spec"]["n"]
    same = rest.put(f"{things()}/t", current).expect(200)
    assert same["spec"] == {"n": 3} and same["metadata"]["generation"] == 1
    assert same["metadata"]["resourceVersion"] == current["metadata"]["resourceVersion"]


def test_objects_are_read_with_the_present_schema(rest, define, group, things, make):
    first = definition(group, spec_schema({"a": {"type": "string"}, "b": {"type": "string"}}))
    path = define(first)
    rest.post(things(), make("t", a="x", b="y")).expect(201)
    added = {"a": {"type": "string"}, "c": {"type": "string", "default": "new"}}
    second = definition(group, spec_schema(added))
    read = lambda: rest.get(f"{things()}/t").body["spec"]  # noqa: E731
    follow(rest, path, second, lambda: read() == {"a": "x", "c": "new"})
    assert rest.get(things()).body["items"][0]["spec"] == {"a": "x", "c": "new"}


def test_versions_differ_in_what_they_know(rest, define, group, things, make):
    body = definition(group, spec_schema({"a": {"type": "string"}, "b": {"type": "string"}}))
    second = copy.deepcopy(body["spec"]["versions"][0])
    second.update(name="v2", storage=False)
    second["schema"] = {
        "openAPIV3Schema": spec_schema(
            {"a": {"type": "string"}, "only": {"type": "string", "default": "two"}}
        )
    }
    body["spec"]["versions"].append(second)
    define(body)
    rest.post(things(), make("t", a="x", b="y")).expect(201)
    assert rest.get(f"{things('v2')}/t").expect(200)["spec"] == {"a": "x"}
    made = rest.post(things("v2"), make("u", "v2", a="x")).expect(201)
    assert made["apiVersion"] == f"{group}/v2" and made["spec"] == {"a": "x"}
    assert rest.get(f"{things()}/u").expect(200)["apiVersion"] == f"{group}/v1"


def test_the_storage_version_may_move(rest, define, group, things, make):
    body = definition(group, spec_schema({"a": {"type": "string"}}))
    path = define(body)
    rest.post(things(), make("t", a="x")).expect(201)
    moved = copy.deepcopy(body)
    first = moved["spec"]["versions"][0]
    moved["spec"]["versions"].append({**copy.deepcopy(first), "name": "v2"})
    first["storage"] = False
    follow(rest, path, moved, lambda: rest.get(f"{things('v2')}/t").status == 200)
    for version in ("v1", "v2"):
        read = rest.get(f"{things(version)}/t").expect(200)
        assert read["apiVersion"] == f"{group}/{version}" and read["spec"] == {"a": "x"}
    stored = lambda: rest.get(path).body["status"]["storedVersions"]  # noqa: E731
    until(lambda: stored() == ["v1", "v2"], 10, "both versions are noted")
    alone = {"spec": {"versions": moved["spec"]["versions"][1:]}}
    refused = rest.patch(path, alone, MERGE_PATCH).expect_failure(422, "Invalid")
    assert fields(refused) == ["status.storedVersions[0]"]


def conditions(body):
    found = body["status"].get("conditions") or []
    return {c["type"]: (c["status"], c["reason"]) for c in found}


def test_names_are_taken_only_once(rest, define, group):
    first = define(definition(group, spec_schema({}), "firsts", "First"))
    second = f"{DEFINITIONS}/seconds.{group}"
    rest.post(DEFINITIONS, definition(group, spec_schema({}), "seconds", "First")).expect(201)
    try:
        waits = {
            "NamesAccepted": ("False", "ListKindConflict"),
            "Established": ("False", "NotAccepted"),
        }
        until(lambda: conditions(rest.get(second).body) == waits, 10, "the conflict is noted")
        assert rest.get(f"/apis/{group}/v1/seconds").status == 404
        rest.delete(first).expect(200)
        until(lambda: rest.get(f"/apis/{group}/v1/seconds").status == 200, 30, "the name is free")
        assert conditions(rest.get(second).body)["Established"][0] == "True"
    finally:
        rest.delete(second)


def test_what_clients_rely_on_cannot_change(rest, define, group):
    path = define(definition(group, spec_schema({})))
    for field, patch in {
        "spec.group": {"group": "other.example.com"},
        "spec.scope": {"scope": "Cluster"},
        "spec.names.plural": {"names": {"plural": "others"}},
        "spec.names.kind": {"names": {"kind": "Other"}},
    }.items():
        refused = rest.patch(path, {"spec": patch}, MERGE_PATCH).expect_failure(422, "Invalid")
        assert field in fields(refused)


def test_cells_have_the_type_of_their_column(rest, define, group, things, make):
    def column(name, kind, path):
        return {"name": name, "type": kind, "jsonPath": path}

    columns = [
        column("whole", "integer", ".spec.n"),
        column("text of a number", "string", ".spec.n"),
        column("date of a number", "date", ".spec.n"),
        column("list", "string", ".spec.o"),
        column("first of many", "string", ".spec.o[*].a"),
        column("number", "number", ".spec.n"),
        column("flag of a number", "boolean", ".spec.n"),
        column("whole of a text", "integer", ".spec.s"),
        column("date of a text", "date", ".spec.s"),
        column("fraction", "string", ".spec.f"),
        column("object", "string", ".spec.ob"),
        column("absent", "string", ".spec.none"),
    ]
    schema = spec_schema({})
    schema["properties"]["spec"]["x-kubernetes-preserve-unknown-fields"] = True
    define(definition(group, schema, additionalPrinterColumns=columns))
    spec = {"n": 5, "o": [{"a": 1}, {"a": 2}], "s": "x", "f": 1.5, "ob": {"q": [1, "x"]}}
    rest.post(things(), make("t", **spec)).expect(201)
    rows = rest.get(things(), accept=TABLE).expect(200)["rows"]
    cells = ["t", 5, "5", None, '[{"a":1},{"a":2}]', "1", 5, None, None, "<invalid>", "1.5"]
    assert rows[0]["cells"] == [*cells, '{"q":[1,"x"]}', None]


def test_schemas_are_published(rest, define, group):
    schema = spec_schema({"a": {"type": "string", "description": "The first letter."}})
    define(definition(group, schema))
    name = ".".join(reversed(group.split("."))) + ".v1.Thing"

    def published():
        answer = rest.get(f"/openapi/v3/apis/{group}/v1")
        return answer.status == 200 and name in answer.body["components"]["schemas"]

    until(published, 30, "the schema of the kind is published")
    schemas = rest.get(f"/openapi/v3/apis/{group}/v1").body["components"]["schemas"]
    found = schemas[name]["properties"]
    assert found["spec"]["properties"]["a"] == schema["properties"]["spec"]["properties"]["a"]
    assert found["metadata"]["allOf"][0]["$ref"].endswith(".v1.ObjectMeta")
    second = rest.get("/openapi/v2").expect(200)["definitions"]
    assert second[name]["properties"]["spec"]["properties"]["a"]["type"] == "string"
