"""Admission policies: what they refuse, warn of and change, and which of them are refused."""

import pytest

from support.poll import until


def _map(name, **data):
    body = {"metadata": {"name": name}, "data": data or {"k": "v"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", **body}


def _refused(rest, maps, name="a"):
    """The refusal, once the policy is noticed."""
    path = maps + "?dryRun=All"
    return until(
        lambda: (a := rest.post(path, _map(name))).status >= 400 and a.body, 30, "a refusal"
    )


@pytest.mark.parametrize(
    ("validation", "text", "code", "reason"),
    [
        ({"expression": "object.data.k == 'w'"}, "failed expression: object.data.k == 'w'", 422, 0),
        ({"expression": "false", "message": "never"}, "never", 422, 0),
        ({"expression": "false", "message": "no", "reason": "Forbidden"}, "no", 403, "Forbidden"),
        ({"expression": "false", "messageExpression": "'got ' + object.data.k"}, "got v", 422, 0),
        (
            {
                "expression": "false",
                "message": "plain",
                "messageExpression": "string(object.none)",
            },
            "plain",
            422,
            0,
        ),
        (
            {"expression": "object.none.x == 1"},
            "expression 'object.none.x == 1' resulted in error: no such key: none",
            422,
            0,
        ),
    ],
)
def test_a_refusal_is_told(rest, maps, policy, validation, text, code, reason):
    name = policy(validations=[validation])
    body = _refused(rest, maps)
    told = f"ValidatingAdmissionPolicy '{name}' with binding '{name}' denied request: {text}"
    assert body["message"] == f'configmaps "a" is forbidden: {told}'
    assert (body["code"], body["reason"]) == (code, reason or "Invalid")
    assert body["details"] == {"name": "a", "kind": "configmaps", "causes": [{"message": told}]}


def test_what_holds_is_admitted(rest, maps, policy):
    checks = [
        "object.metadata.name == 'a' || object.metadata.name == 'z'",
        "oldObject == null",
        "request.operation == 'CREATE' && request.resource.resource == 'configmaps'",
        "namespaceObject.metadata.name == request.namespace",
        "variables.twice == 'vv'",
        "authorizer.group('').resource('pods').namespace('default').check('get').allowed()",
        "authorizer.requestResource.check('create').allowed()",
        # So that the policy is noticed.
        "object.metadata.name != 'z'",
    ]
    variables = [
        {"name": "once", "expression": "object.data.k"},
        {"name": "twice", "expression": "variables.once + variables.once"},
    ]
    policy(variables=variables, validations=[{"expression": check} for check in checks])
    assert "object.metadata.name != 'z'" in _refused(rest, maps, "z")["message"]
    rest.post(maps, _map("a")).expect(201)


def test_warnings(rest, maps, policy):
    name = policy(
        validations=[{"expression": "false", "message": "hm"}],
        binding={"validationActions": ["Warn"]},
    )
    told = f"Validation failed for ValidatingAdmissionPolicy '{name}' with binding '{name}': hm"
    path = maps + "?dryRun=All"
    until(lambda: told in rest.post(path, _map("a")).headers.get("Warning", ""), 30, told)


def test_parameters(rest, maps, policy, namespace):
    ref = {"name": "limits", "parameterNotFoundAction": "Deny"}
    condition = {"name": "others", "expression": "object.metadata.name != 'limits'"}
    name = policy(
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        matchConditions=[condition],
        validations=[
            {
                "expression": "size(object.data.k) <= int(params.data.max)",
                "messageExpression": "'more than ' + params.data.max",
            }
        ],
        binding={"paramRef": ref},
    )
    told = f"ValidatingAdmissionPolicy '{name}' with binding '{name}' denied request: "
    absent = "failed to configure binding: no params found for policy binding with `Deny` "
    assert told + absent + "parameterNotFoundAction" in _refused(rest, maps)["message"]


@pytest.mark.parametrize(
    ("flavour", "spec", "text"),
    [
        (
            "Validating",
            {},
            "spec.validations: Required value: validations or auditAnnotations must contain at "
            "least one item",
        ),
        (
            "Validating",
            {"validations": [{"expression": "1"}]},
            'spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int',
        ),
        (
            "Validating",
            {"validations": [{"expression": "params.x == 1"}]},
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in "
            "container '')",
        ),
        (
            "Validating",
            {"validations": [{"expression": "variables.none == 1"}]},
            "undeclared reference to 'variables' (in container '')",
        ),
        (
            "Validating",
            {
                "variables": [{"name": "a", "expression": "1"}],
                "validations": [{"expression": "variables.none == 1"}],
            },
            "undefined field 'none'",
        ),
        (
            "Validating",
            {"validations": [{"expression": "object.x"}]},
            'spec.validations[0].expression: Invalid value: "object.x": must evaluate to bool but '
            "got dyn",
        ),
        (
            "Mutating",
            {"mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": "[]"}}]},
            "must evaluate to list(JSONPatch) but got list(dyn)",
        ),
        (
            "Validating",
            {"validations": [{"expression": "true", "reason": "Gone"}]},
            'spec.validations[0].reason: Unsupported value: "Gone": supported values: "Forbidden", '
            '"Invalid", "RequestEntityTooLarge"',
        ),
        (
            "Validating",
            {"validations": [{"expression": "true"}], "variables": [{"name": "1a"}]},
            'spec.variables[0].name: Invalid value: "1a": must be a valid CEL identifier',
        ),
        (
            "Validating",
            {"auditAnnotations": [{"key": "k", "valueExpression": "1"}]},
            "must evaluate to one of [string null_type] but got int",
        ),
        (
            "Mutating",
            {"mutations": [{"patchType": "JSONPatch"}]},
            "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is "
            "JSONPatch",
        ),
        (
            "Mutating",
            {
                "mutations": [
                    {
                        "patchType": "ApplyConfiguration",
                        "applyConfiguration": {"expression": "1"},
                    }
                ]
            },
            "must evaluate to Object but got int",
        ),
    ],
)
def test_broken_policies_are_refused(policy, flavour, spec, text):
    assert text in policy(flavour, expect=422, **spec)


def _mutation(kind, expression):
    part = "jsonPatch" if kind == "JSONPatch" else "applyConfiguration"
    return {"patchType": kind, part: {"expression": expression}}


def _mutated(rest, maps, wanted):
    path = maps + "?dryRun=All"
    made = {}

    def noticed():
        answer = rest.post(path, _map("a"))
        made.update({**answer.body, "status": answer.status})
        return answer.status != 201 or answer.body["data"] == wanted

    until(noticed, 30, lambda: f"{wanted}: {made}")
    return made


@pytest.mark.parametrize(
    ("kind", "expression", "wanted"),
    [
        (
            "JSONPatch",
            "[JSONPatch{op: 'add', path: '/data/n', value: object.data.k + '1'}]",
            {"k": "v", "n": "v1"},
        ),
        (
            "JSONPatch",
            "[JSONPatch{op: 'copy', from: '/data/k', path: '/data/n'}, JSONPatch{op: 'test', "
            "path: '/data/n', value: 'v'}]",
            {"k": "v", "n": "v"},
        ),
        ("ApplyConfiguration", "Object{data: Object.data{n: 'x'}}", {"k": "v", "n": "x"}),
    ],
)
def test_mutations(rest, maps, policy, kind, expression, wanted):
    policy("Mutating", mutations=[_mutation(kind, expression)])
    made = _mutated(rest, maps, wanted)
    assert made["status"] == 201, made


def test_a_key_with_a_slash(rest, maps, policy):
    expression = (
        "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a/b': 'x', 'c': 'x'}}, "
        "JSONPatch{op: 'remove', path: '/metadata/annotations/' + jsonpatch.escapeKey('a/b')}, "
        "JSONPatch{op: 'add', path: '/data/n', value: 'x'}]"
    )
    policy("Mutating", mutations=[_mutation("JSONPatch", expression)])
    made = _mutated(rest, maps, {"k": "v", "n": "x"})
    assert made["status"] == 201 and made["metadata"]["annotations"] == {"c": "x"}, made


def test_a_patch_whose_test_fails_changes_nothing(rest, maps, policy):
    patch = (
        "[JSONPatch{op: 'test', path: '/data/k', value: 'w'}, "
        "JSONPatch{op: 'remove', path: '/data/k'}]"
    )
    later = "Object{data: Object.data{n: 'x'}}"
    policy(
        "Mutating",
        mutations=[_mutation("JSONPatch", patch), _mutation("ApplyConfiguration", later)],
    )
    assert _mutated(rest, maps, {"k": "v", "n": "x"})["status"] == 201


@pytest.mark.parametrize(
    ("kind", "expression", "text"),
    [
        ("JSONPatch", "[JSONPatch{op: 'remove', path: '/data/none'}]", ""),
        ("JSONPatch", "[JSONPatch{op: 'add', path: object.none.x}]", "no such key: none"),
        ("ApplyConfiguration", "Object{data: Object.other{n: 'x'}}", "Object.other"),
    ],
)
def test_a_mutation_that_fails(rest, maps, policy, kind, expression, text):
    name = policy("Mutating", mutations=[_mutation(kind, expression)])
    body = _refused(rest, maps)
    assert f"policy '{name}' with binding '{name}' denied request: " in body["message"]
    assert text in body["message"] and (body["code"], body["reason"]) == (403, "Invalid")
    assert body["message"].startswith("policy '")
    cause = {"message": body["message"]}
    assert body["details"] == {"name": "a", "kind": "configmaps", "causes": [cause]}, body
