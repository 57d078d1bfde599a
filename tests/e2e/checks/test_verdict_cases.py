"""The tables of admission/cases are whole."""

import re

import pytest

from support import policies, verdict_cases

CASES = verdict_cases.load()


def test_each_case_has_a_name_of_its_own():
    names = [case.id for case in CASES]
    assert len(names) > 100
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_verdicts_agree_or_say_why(case):
    for way in verdict_cases.WAYS:
        assert case.told(way)
    differ = case.allowed("webhook") != case.allowed("policy")
    assert differ == ("why" in case.body)


def test_there_are_good_ones_and_bad_ones_of_each_kind():
    for kind in {case.kind for case in CASES}:
        verdicts = {case.allowed("webhook") for case in CASES if case.kind == kind}
        assert verdicts == {True, False}, kind


def test_each_policy_is_bound_and_denies():
    bodies = policies.documents()
    bound = {b["spec"]["policyName"]: b["spec"] for b in bodies if b["kind"].endswith("Binding")}
    made = [b for b in bodies if b["kind"].endswith("Policy")]
    assert {b["metadata"]["name"] for b in made} == set(bound)
    for body in made:
        assert body["spec"]["failurePolicy"] == "Fail"
        if body["kind"] == "ValidatingAdmissionPolicy":
            assert bound[body["metadata"]["name"]]["validationActions"] == ["Deny"]
            assert {v["reason"] for v in body["spec"]["validations"]} == {"Invalid"}
            assert ("paramKind" in body["spec"]) == ("paramRef" in bound[body["metadata"]["name"]])


def test_policies_say_what_they_belong_to():
    """As Volcano's do: those of its first four kinds on their bindings alone."""
    bare = re.compile("(volcano-)?(job|queue|podgroup|pod)-(validation|mutation)-policy")
    marked = set()
    for body in policies.documents():
        name, labels = body["metadata"]["name"], body["metadata"].get("labels", {})
        if bare.fullmatch(name):
            assert labels == {}, name
            continue
        migration = "map" if body["kind"].startswith("Mutating") else "vap"
        assert labels["volcano.sh/migration"] == migration, name
        assert labels["volcano.sh/component"].endswith("-webhook"), name
        marked.add(name)
    assert {"jobflow-validation-policy", "hypernode-validation-policy"} < marked


def test_what_is_lacking_is_named():
    made = {"a": 1, "b": [{"c": 2, "d": 3}]}
    assert verdict_cases.missing_from(made, {"b": [{"d": 3}]}) == []
    assert verdict_cases.missing_from(made, {"b": [{"d": 4}]}) == ["b: 0: d: 3 instead of 4"]
    assert verdict_cases.missing_from(made, {"x": {"y": 1}}) == ["x: None instead of {'y': 1}"]
    assert verdict_cases.merged({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": 3}}) == {
        "a": {"c": 2, "d": 3}
    }
