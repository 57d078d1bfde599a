"""Rules in CEL of custom kinds: which are accepted, and what they do to objects."""

import pytest
from test_crd_schema import DEFINITIONS, define, definition, group, make, spec_schema, things
from test_kinds import kinds

from support.poll import until
from support.rest import MERGE_PATCH

__all__ = ["define", "group", "kinds", "make", "things"]  # Fixtures.

INT = {"type": "integer"}
TEXT = {"type": "string", "maxLength": 20}


def rule(text, **more):
    return {"rule": text, **more}


def ruled(schema, *rules):
    return {**schema, "x-kubernetes-validations": list(rules)}


def causes(answer):
    failure = answer.expect_failure(422, "Invalid")
    return [(c["reason"], c.get("field"), c["message"]) for c in failure["details"]["causes"]]


def test_a_broken_rule_is_told_with_its_field(rest, define, group, things, make):
    schema = spec_schema(
        {
            "n": ruled(INT, rule("self > 3")),
            "s": ruled(TEXT, rule("self.startsWith('a')", message=" begins with a ")),
        }
    )
    schema["properties"]["spec"] = ruled(
        schema["properties"]["spec"],
        rule("!has(self.n) || self.n != 7", message="7 is bad", fieldPath=".n"),
        rule(
            "!has(self.n) || self.n != 8",
            messageExpression="self.s + ' and 8'",
            reason="FieldValueForbidden",
        ),
    )
    define(definition(group, schema))
    rest.post(things(), make("t", n=5, s="a")).expect(201)
    # Fields come in any order.
    assert sorted(causes(rest.post(things(), make("u", n=1, s="b")))) == [
        ("FieldValueInvalid", "spec.n", "Invalid value: 1: failed rule: self > 3"),
        ("FieldValueInvalid", "spec.s", 'Invalid value: "b": begins with a'),
    ]
    assert causes(rest.post(things(), make("u", n=7))) == [
        ("FieldValueInvalid", "spec.n", "Invalid value: 7 is bad")
    ]
    assert causes(rest.post(things(), make("u", n=8, s="ab"))) == [
        ("FieldValueForbidden", "spec", "Forbidden: ab and 8")
    ]
    # The message cannot be made without s, so the rule is shown.
    assert causes(rest.post(things(), make("u", n=8))) == [
        ("FieldValueForbidden", "spec", "Forbidden: failed rule: !has(self.n) || self.n != 8")
    ]


def test_transition_rules_see_what_was_there(rest, define, group, things, make):
    item = {
        "type": "object",
        "required": ["k"],
        "properties": {"k": TEXT, "v": ruled(INT, rule("self >= oldSelf", message="v grows"))},
    }
    schema = spec_schema(
        {
            "once": ruled(TEXT, rule("self == oldSelf", message="set once")),
            "first": ruled(
                INT,
                rule("oldSelf.hasValue() || self == 0", optionalOldSelf=True, message="from 0"),
            ),
            "l": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k"],
                "maxItems": 10,
                "items": item,
            },
        }
    )
    define(definition(group, schema))
    assert causes(rest.post(things(), make("t", first=1)))[0][1] == "spec.first"
    spec = {"first": 0, "once": "x", "l": [{"k": "a", "v": 5}, {"k": "b", "v": 1}]}
    rest.post(things(), make("t", **spec)).expect(201)

    def merge(**changed):
        return rest.patch(f"{things()}/t", {"spec": changed}, content_type=MERGE_PATCH)

    assert causes(merge(once="y")) == [
        ("FieldValueInvalid", "spec.once", 'Invalid value: "y": set once')
    ]
    merge(first=1).expect(200)
    moved = [{"k": "n", "v": 0}, {"k": "b", "v": 1}, {"k": "a", "v": 4}]
    assert causes(merge(l=moved)) == [
        ("FieldValueInvalid", "spec.l[2].v", "Invalid value: 4: v grows")
    ]
    merge(once=None).expect(200)
    merge(once="y").expect(200)


def test_statuses_are_asked_as_well(rest, define, group, things, make):
    status = {"type": "object", "properties": {"n": ruled(INT, rule("self < 5"))}}
    define(definition(group, spec_schema({}, status=status), subresources={"status": {}}))
    made = rest.post(things(), make("t")).expect(201)
    path = f"{things()}/t/status"
    assert causes(rest.put(path, {**made, "status": {"n": 5}})) == [
        ("FieldValueInvalid", "status.n", "Invalid value: 5: failed rule: self < 5")
    ]
    rest.put(path, {**made, "status": {"n": 4}}).expect(200)


def test_rules_wait_for_what_is_needed(rest, define, group, things, make):
    schema = spec_schema({"a": INT})
    spec = schema["properties"]["spec"]
    schema["properties"]["spec"] = ruled({**spec, "required": ["a"]}, rule("self.a > 1"))
    define(definition(group, schema))
    found = causes(rest.post(things(), make("t")))
    assert [c[:2] for c in found] == [
        ("FieldValueRequired", "spec.a"),
        ("FieldValueInvalid", "<nil>"),
    ]


def test_what_is_unchanged_may_stay(rest, define, group, things, make):
    path = define(definition(group, spec_schema({"a": INT, "b": INT})))
    rest.post(things(), make("t", a=1)).expect(201)
    current = rest.get(path).expect(200)
    version = current["spec"]["versions"][0]
    version["schema"]["openAPIV3Schema"] = spec_schema({"a": ruled(INT, rule("self > 3")), "b": INT})
    rest.put(path, current).expect(200)
    thing = f"{things()}/t"

    def is_asked():
        return rest.post(things(), make("u", a=1), dryRun="All").status == 422

    until(is_asked, 30, "the rule is asked")
    rest.patch(thing, {"spec": {"b": 1}}, content_type=MERGE_PATCH).expect(200)
    assert rest.patch(thing, {"spec": {"a": 2}}, content_type=MERGE_PATCH).status == 422
    rest.patch(thing, {"spec": {"a": 4}}, content_type=MERGE_PATCH).expect(200)


LIST = {"type": "array", "items": INT}
EACH_PAIR = "self.all(x, self.all(y, x == y))"


@pytest.mark.parametrize(
    "schema, said",
    [
        (ruled(INT, rule("self.")), "compilation failed: ERROR: <input>:1:6: Syntax error"),
        (ruled(INT, rule("self.x")), "compilation failed: ERROR: <input>:1:5: "),
        (ruled(INT, rule("self + 1")), "cel expression must evaluate to a bool"),
        (ruled(INT, rule("other == 1")), "undeclared reference to 'other' (in container '')"),
        (
            ruled(INT, rule("true", messageExpression="self")),
            "messageExpression must evaluate to a string",
        ),
        (ruled(INT, rule(" ")), "Required value: rule is not specified"),
        (ruled(INT, rule("true", reason="Odd")), 'Unsupported value: "Odd"'),
        (ruled(INT, rule("true", fieldPath=".a")), "must be a valid path"),
        (ruled(LIST, rule(EACH_PAIR)), "estimated rule cost exceeds budget by factor of more than"),
        (
            ruled({**LIST, "maxItems": 6000}, rule(EACH_PAIR)),
            "estimated rule cost exceeds budget by factor of 18.0x (try simplifying the rule",
        ),
        (
            {**LIST, "items": ruled(INT, rule("self >= oldSelf"))},
            "oldSelf cannot be used on the uncorrelatable portion of the schema within",
        ),
        (
            ruled(INT, rule("true", optionalOldSelf=True)),
            "may not be set if oldSelf is not used in rule",
        ),
    ],
)
def test_rules_that_cannot_be_are_refused(rest, group, schema, said):
    answer = rest.post(DEFINITIONS, definition(group, spec_schema({"a": schema})), dryRun="All")
    assert any(said in text for _, _, text in causes(answer)), answer.body


@pytest.mark.parametrize(
    "schema, text",
    [
        (ruled({**LIST, "maxItems": 1300}, rule(EACH_PAIR)), None),
        (ruled(TEXT, rule("isQuantity(self) && quantity(self).isLessThan(quantity('2Gi'))")), "1Gi"),
        (ruled(TEXT, rule("ip(self).family() == 6 && cidr('::/8').containsIP(self)")), "::1"),
        (ruled(TEXT, rule("url(self).getPort() == '80'")), "http://a:80/"),
        (ruled(TEXT, rule("!format.dns1123Label().validate(self).hasValue()")), "a-b"),
        (ruled(TEXT, rule("semver(self, true).minor() == 2")), "v1.2"),
        (ruled(TEXT, rule("self.split(',').sort() == ['a', 'b']")), "b,a"),
        (ruled(TEXT, rule("'%s'.format([self.replace('a', 'b').upperAscii()]) == 'BB'")), "ab"),
    ],
)
def test_rules_may_use_the_libraries(rest, define, group, things, make, schema, text):
    define(definition(group, spec_schema({"a": schema})))
    rest.post(things(), make("t", a=[1] if text is None else text)).expect(201)


NAME_AND_TIER = {"highestTierAllowed": 1, "highestTierName": "rack"}
BOTH_TIERS = (
    "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously"
)


def test_our_kinds_name_a_tier_in_one_way(kinds, namespace):
    def create(api, plural, kind, spec):
        body = {"apiVersion": api.removeprefix("/apis/"), "kind": kind,
                "metadata": {"name": "t"}, "spec": spec}  # fmt: skip
        return kinds.post(f"{api}/namespaces/{namespace}/{plural}", body, dryRun="All")

    batch, scheduling = "/apis/batch.volcano.sh/v1alpha1", "/apis/scheduling.volcano.sh/v1beta1"
    task = {"name": "t", "replicas": 1, "template": {"spec": {"containers": []}}}
    job = {"tasks": [task], "networkTopology": NAME_AND_TIER}
    assert causes(create(batch, "jobs", "Job", job)) == [
        ("FieldValueInvalid", "spec.networkTopology", "Invalid value: " + BOTH_TIERS)
    ]
    policy = {"name": "p", "networkTopology": NAME_AND_TIER}
    found = causes(create(scheduling, "podgroups", "PodGroup", {"subGroupPolicy": [policy]}))
    assert found[0][1:] == ("spec.subGroupPolicy[0].networkTopology", "Invalid value: " + BOTH_TIERS)
    create(batch, "jobs", "Job", {**job, "networkTopology": {"highestTierName": "rack"}}).expect(201)


def test_members_of_hypernodes_are_selected_in_one_way(kinds):
    def create(selector):
        member = {"type": "Node", "selector": selector}
        body = {
            "apiVersion": "topology.volcano.sh/v1alpha1",
            "kind": "HyperNode",
            "metadata": {"name": "rules-hypernode"},
            "spec": {"tier": 1, "members": [member]},
        }
        return kinds.post("/apis/topology.volcano.sh/v1alpha1/hypernodes", body, dryRun="All")

    field = "spec.members[0].selector"
    exact, regex = {"name": "n"}, {"pattern": "n.*"}
    assert causes(create({})) == [
        ("FieldValueInvalid", field,
         "Invalid value: Either ExactMatch or RegexMatch or LabelMatch must be specified")
    ]  # fmt: skip
    assert causes(create({"exactMatch": exact, "regexMatch": regex})) == [
        ("FieldValueInvalid", field,
         "Invalid value: Only one of ExactMatch, RegexMatch, or LabelMatch can be specified")
    ]  # fmt: skip
    create({"exactMatch": exact}).expect(201)


# Kind: version, plural, and whether it lives in a namespace.
OURS = {
    "Job": ("batch.volcano.sh/v1alpha1", "jobs", True),
    "CronJob": ("batch.volcano.sh/v1alpha1", "cronjobs", True),
    "JobFlow": ("flow.volcano.sh/v1alpha1", "jobflows", True),
    "PodGroup": ("scheduling.volcano.sh/v1beta1", "podgroups", True),
    "Queue": ("scheduling.volcano.sh/v1beta1", "queues", False),
    "HyperNode": ("topology.volcano.sh/v1alpha1", "hypernodes", False),
}
NOT_ASKED = (
    '<nil>: Invalid value: null: some validation rules were not checked because the object was '
    "invalid; correct the existing errors to complete validation"
)
A_TASK = {"name": "t", "replicas": 1, "template": {"spec": {"containers": []}}}
CRON = {"schedule": "@hourly", "jobTemplate": {}}
DNS = r"'^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'"


def too_small(field, value, least):
    text = f"{field} in body should be greater than or equal to {least}"
    return f"{field}: Invalid value: {value}: {text}"


def a_job(**more):
    return {"tasks": [A_TASK], **more}


def a_hyper_node(member, **more):
    return {"tier": 1, "members": [{"type": "Node", **member}], **more}


def offer(kinds, namespace, kind, spec):
    version, plural, is_namespaced = OURS[kind]
    body = {"apiVersion": version, "kind": kind, "metadata": {"name": "t"}, "spec": spec}
    place = f"namespaces/{namespace}/" if is_namespaced else ""
    return kinds.post(f"/apis/{version}/{place}{plural}", body, dryRun="All")


@pytest.mark.parametrize(
    ("kind", "spec", "said"),
    [
        ("Job", a_job(minAvailable=-1), too_small("spec.minAvailable", -1, 0)),
        ("Job", a_job(maxRetry=-1), too_small("spec.maxRetry", -1, 0)),
        ("Job", a_job(minSuccess=0), too_small("spec.minSuccess", 0, 1)),
        (
            "Job",
            a_job(ttlSecondsAfterFinished=-1),
            too_small("spec.ttlSecondsAfterFinished", -1, 0),
        ),
        (
            "Job",
            {"tasks": []},
            "spec.tasks: Invalid value: 0: spec.tasks in body should have at least 1 items",
        ),
        (
            "Job",
            {"tasks": [{**A_TASK, "name": "Bad_Name"}]},
            'spec.tasks[0].name: Invalid value: "Bad_Name": spec.tasks[0].name in body should '
            "match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'",
        ),
        (
            "Job",
            {"tasks": [{**A_TASK, "topologyPolicy": "some"}]},
            'spec.tasks[0].topologyPolicy: Unsupported value: "some": supported values: "none", '
            '"best-effort", "restricted", "single-numa-node"',
        ),
        (
            "Job",
            a_job(volumes=[{"mountPath": ""}]),
            'spec.volumes[0].mountPath: Invalid value: "": spec.volumes[0].mountPath in body should '
            "be at least 1 chars long",
        ),
        (
            "Job",
            a_job(queue="A_b"),
            f'spec.queue: Invalid value: "A_b": spec.queue in body should match {DNS}',
        ),
        (
            "Job",
            a_job(networkTopology={"mode": "firm"}),
            'spec.networkTopology.mode: Unsupported value: "firm": supported values: "hard", '
            '"soft"',
        ),
        ("Queue", {"weight": -1}, too_small("spec.weight", -1, 1)),
        ("Queue", {"priority": -1}, too_small("spec.priority", -1, 0)),
        (
            "Queue",
            {"weight": 65536},
            "spec.weight: Invalid value: 65536: spec.weight in body should be less than or equal "
            "to 65535",
        ),
        (
            "Queue",
            {"parent": "A"},
            f'spec.parent: Invalid value: "A": spec.parent in body should match {DNS}',
        ),
        (
            "Queue",
            {"dequeueStrategy": "x"},
            'spec.dequeueStrategy: Unsupported value: "x": supported values: "fifo", "traverse"',
        ),
        ("PodGroup", {"minMember": -1}, too_small("spec.minMember", -1, 0)),
        (
            "PodGroup",
            {"subGroupPolicy": [{"name": "a", "subGroupSize": 0}]},
            too_small("spec.subGroupPolicy[0].subGroupSize", 0, 1),
        ),
        (
            "HyperNode",
            {"tier": 1, "members": []},
            "spec.members: Invalid value: 0: spec.members in body should have at least 1 items",
        ),
        (
            "HyperNode",
            a_hyper_node({"selector": {"exactMatch": {"name": "a"}}, "type": "Rack"}),
            'spec.members[0].type: Unsupported value: "Rack": supported values: "Node", '
            '"HyperNode"',
        ),
        (
            "HyperNode",
            a_hyper_node({"selector": {"exactMatch": {"name": ""}}}),
            'spec.members[0].selector.exactMatch.name: Invalid value: "": '
            "spec.members[0].selector.exactMatch.name in body should be at least 1 chars long",
        ),
        (
            "HyperNode",
            a_hyper_node({"selector": {"regexMatch": {}}}),
            "spec.members[0].selector.regexMatch.pattern: Required value",
        ),
        (
            "CronJob",
            {**CRON, "startingDeadlineSeconds": -1},
            too_small("spec.startingDeadlineSeconds", -1, 0),
        ),
        (
            "CronJob",
            {**CRON, "concurrencyPolicy": "Maybe"},
            'spec.concurrencyPolicy: Unsupported value: "Maybe": supported values: "Allow", '
            '"Forbid", "Replace"',
        ),
        (
            "CronJob",
            {**CRON, "schedule": ""},
            'spec.schedule: Invalid value: "": schedule is required, but got empty',
        ),
        (
            "CronJob",
            {**CRON, "timeZone": "New York"},
            'spec.timeZone: Invalid value: "New York": unknown timeZone',
        ),
        (
            "JobFlow",
            {"flows": [{"name": ""}]},
            'spec.flows[0].name: Invalid value: "": spec.flows[0].name in body should be at least '
            "1 chars long",
        ),
        (
            "JobFlow",
            {"flows": [{"name": "a"}], "jobRetainPolicy": "burn"},
            'spec.jobRetainPolicy: Unsupported value: "burn": supported values: "retain", "delete"',
        ),
    ],
)
def test_definitions_say_what_is_wrong(kinds, namespace, kind, spec, said):
    failure = offer(kinds, namespace, kind, spec).expect_failure(422, "Invalid")
    group = OURS[kind][0].split("/")[0]
    start = f'{kind}.{group} "t" is invalid: '
    # Definitions with rules say that these were not asked, if a schema stopped them.
    assert failure["message"] in (start + said, f"{start}[{said}, {NOT_ASKED}]")


# What a webhook refuses, and a controller can use, or tells of (docs/decisions/0023).
@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("CronJob", {**CRON, "schedule": "TZ=Europe/Berlin 0 3 * * *"}),
        ("CronJob", {**CRON, "timeZone": ""}),
        ("CronJob", {**CRON, "timeZone": "America/Argentina/ComodRivadavia"}),
        ("Job", a_job(minAvailable=2)),
        ("Job", {"tasks": [{**A_TASK, "minAvailable": 2}]}),
        ("Job", {"tasks": [A_TASK, A_TASK]}),
        ("Job", a_job(policies=[{"event": "PodFailed", "exitCode": 3, "action": "AbortJob"}])),
        ("Job", a_job(policies=[{"exitCode": 3, "action": "SyncJob"}])),
        ("Job", {"tasks": [{**A_TASK, "policies": [{"event": "*", "action": "AnyWord"}]}]}),
        ("Job", a_job(volumes=[{"mountPath": "/v", "volumeClaim": {}, "volumeClaimName": "made"}])),
        ("Queue", {"capability": {"cpu": "-1"}}),
        ("Queue", {"guarantee": {"resource": {"cpu": "1"}}}),
        ("JobFlow", {"flows": [{"name": "a", "dependsOn": {"targets": ["a", "b"]}}]}),
    ],
)
def test_definitions_leave_to_admission_what_can_be_used(kinds, namespace, kind, spec):
    offer(kinds, namespace, kind, spec).expect(201)
