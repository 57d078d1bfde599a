"""Whom the rules of admission policies mean, with which parameters, and what comes of errors."""

import pytest

from support.objects import config_map
from support.poll import until
from support.rest import MERGE_PATCH

# A sign that a policy is noticed: it refuses the map of this name.
SIGN = {"expression": "object.metadata.name != 'sign'", "message": "noticed"}


def trial(rest, maps, name, **data):
    return rest.post(maps, config_map(name, data or {"k": "v"}), dryRun="All")


def until_noticed(rest, maps):
    answers = []

    def noticed():
        answers.append(trial(rest, maps, "sign"))
        return answers[-1].status >= 400 and answers[-1].body["message"].endswith("noticed")

    until(noticed, 30, lambda: f"the policy is noticed: {answers[-1].text}")


def until_made(rest, maps, data, name="a", within=30, **given):
    """Waits until the policies make this of the data of a map."""
    answers = []

    def made():
        answers.append(trial(rest, maps, name, **given))
        return answers[-1].body.get("data") == data

    until(made, within, lambda: f"{data}: {answers[-1].text}")


def until_refused(rest, maps, text, name="a", **data):
    answers = []

    def refused():
        answers.append(trial(rest, maps, name, **data))
        return answers[-1].status >= 400 and text in answers[-1].body["message"]

    until(refused, 30, lambda: f"{text}: {answers[-1].text}")


# --- rules --------------------------------------------------------------------------------------


def test_what_the_rules_exclude_is_not_looked_at(rest, maps, policy):
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
    all_writes = {**rule, "operations": ["*"]}
    by_name = {**all_writes, "resourceNames": ["left-out"]}
    deletions = {**rule, "operations": ["DELETE"]}
    policy(
        matchConstraints={
            "resourceRules": [all_writes],
            "excludeResourceRules": [by_name, deletions],
        },
        validations=[{"expression": "false", "message": "never"}],
    )
    rest.post(maps, config_map("left-out")).expect(201)
    until_refused(rest, maps, "never")
    trial(rest, maps, "left-out-as-well").expect(422)
    rest.patch(f"{maps}/left-out", {"data": {"k": "w"}}, MERGE_PATCH).expect(200)
    rest.delete(f"{maps}/left-out").expect(200)


def test_a_binding_narrows_the_policy(rest, maps, policy, namespace):
    labels = {"strict": "yes"}
    bound = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "objectSelector": {"matchLabels": labels},
    }
    policy(
        validations=[{"expression": "false", "message": "never"}],
        binding={"matchResources": bound},
    )

    def refused():
        answer = rest.post(maps, config_map("a", labels=labels), dryRun="All")
        return answer.status == 422 and answer.body["message"].endswith("never")

    until(refused, 30, "a refusal")
    trial(rest, maps, "a").expect(201)


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        {"validations": [{"expression": "object.none.x == 1"}, SIGN]},
        {
            "matchConditions": [
                {"name": "c", "expression": "object.metadata.name == 'sign' || object.none.x == 1"}
            ],
            "validations": [{"expression": "false", "message": "noticed"}],
        },
        {
            "auditAnnotations": [{"key": "k", "valueExpression": "string(object.none.x)"}],
            "validations": [SIGN],
        },
    ],
    ids=["of a validation", "of a condition", "of an audit annotation"],
)
def test_errors_can_be_ignored(rest, maps, policy, spec):
    policy(failurePolicy="Ignore", **spec)
    until_noticed(rest, maps)
    rest.post(maps, config_map("a", {"k": "v"})).expect(201)


def test_an_audit_annotation_that_fails_is_a_refusal(rest, maps, policy):
    expression = "string(object.none.x)"
    notes = [{"key": "k", "valueExpression": expression}]
    name = policy(auditAnnotations=notes, validations=[SIGN])
    until_noticed(rest, maps)
    told = f"ValidatingAdmissionPolicy '{name}' with binding '{name}' denied request: "
    told += f"expression '{expression}' resulted in error: no such key: none"
    assert told in trial(rest, maps, "a").expect_failure(422, "Invalid")["message"]


def test_audit_annotations_refuse_nothing(rest, maps, policy):
    notes = [
        {"key": "text", "valueExpression": "'it holds ' + object.data.k"},
        {"key": "nothing", "valueExpression": "null"},
    ]
    policy(auditAnnotations=notes, validations=[SIGN])
    until_noticed(rest, maps)
    made = rest.post(maps, config_map("a", {"k": "v"})).expect(201)
    assert "annotations" not in made["metadata"]


# --- parameters ---------------------------------------------------------------------------------


@pytest.fixture
def limited(policy):
    """Adds a policy for which a config map says how long the data of the others may be."""

    def add(**ref):
        limit = {
            "expression": "size(object.data.k) <= int(params.data.max)",
            "messageExpression": "'more than ' + params.data.max",
        }
        others = {"name": "others", "expression": "!request.name.startsWith('limit')"}
        policy(
            paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
            matchConditions=[others],
            validations=[limit],
            binding={"paramRef": {"parameterNotFoundAction": "Deny", **ref}},
        )

    return add


def test_a_parameter_with_a_name(rest, maps, limited):
    rest.post(maps, config_map("limit", {"max": "1"})).expect(201)
    limited(name="limit")
    until_refused(rest, maps, "more than 1", k="vv")
    trial(rest, maps, "a", k="v").expect(201)
    rest.patch(f"{maps}/limit", {"data": {"max": "2"}}, MERGE_PATCH).expect(200)
    until_made(rest, maps, {"k": "vv"}, k="vv")
    until_refused(rest, maps, "more than 2", k="vvv")
    rest.delete(f"{maps}/limit").expect(200)
    until_refused(rest, maps, "no params found for policy binding with `Deny`", k="v")


def test_parameters_with_a_label(rest, maps, limited):
    labels = {"of": "limits"}
    for name, most in (("limit-a", "3"), ("limit-b", "1"), ("limit-c", "2")):
        rest.post(maps, config_map(name, {"max": most}, labels=labels)).expect(201)
    rest.post(maps, config_map("limit-d", {"max": "0"})).expect(201)
    limited(selector={"matchLabels": labels})
    # Each of them holds.
    until_refused(rest, maps, "more than 1", k="vv")
    until_made(rest, maps, {"k": "v"}, k="v")


# --- mutations ----------------------------------------------------------------------------------


def applied(data):
    expression = f"Object{{data: Object.data{{{data}}}}}"
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


@pytest.mark.parametrize(
    ("again", "seen"),
    [
        ("IfNeeded", "yes"),
        # A real server asks in any order.
        pytest.param("Never", "no", marks=pytest.mark.backend("embedded")),
    ],
)
def test_one_that_another_came_behind(rest, maps, policy, again, seen):
    sees = applied("seen: has(object.data.late) ? 'yes' : 'no'")
    policy("Mutating", prefix="first", reinvocationPolicy=again, mutations=[sees])
    policy("Mutating", prefix="second", mutations=[applied("late: 'x'")])
    until_made(rest, maps, {"k": "v", "seen": seen, "late": "x"})


def test_a_mutation_that_fails_can_be_ignored(rest, maps, policy):
    value = "object.metadata.name == 'sign' ? 'x' : string(object.none.x)"
    policy("Mutating", failurePolicy="Ignore", mutations=[applied(f"n: {value}")])
    until_made(rest, maps, {"k": "v", "n": "x"}, name="sign")
    assert rest.post(maps, config_map("a", {"k": "v"})).expect(201)["data"] == {"k": "v"}


def test_the_others_of_a_policy_hold_beside_a_mutation_that_fails(rest, maps, policy):
    fails = applied("n: string(object.none.x)")
    mutations = [applied("before: 'x'"), fails, applied("after: 'x'")]
    policy("Mutating", failurePolicy="Ignore", mutations=mutations)
    until_made(rest, maps, {"k": "v", "before": "x", "after": "x"}, within=10)
