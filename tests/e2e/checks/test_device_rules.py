"""The checker of device claims finds what it is there to find."""

import copy

import pytest

from support.device_checker import judge
from support.device_checker.expressions import DOMAIN, EXPRESSIONS
from support.device_checker.history import LendingHistory
from support.poll import until

MODEL_A = f'device.attributes["{DOMAIN}"].model == "a"'


def node(name, **labels):
    return {"metadata": {"name": name, "labels": labels}}


def device(name, model="a", numa=0, units=0, **more):
    attributes = {f"{DOMAIN}/model": {"string": model}, f"{DOMAIN}/numa": {"int": numa}}
    body = {"name": name, "attributes": attributes, **more}
    if units:
        counters = {"units": {"value": str(units)}}
        body["consumesCounters"] = [{"counterSet": "card", "counters": counters}]
    return body


def slice_(where, *devices, generation=1, of=1, **more):
    pool = {"name": where, "generation": generation, "resourceSliceCount": of}
    return {"spec": {"driver": "d", "nodeName": where, "pool": pool, "devices": devices, **more}}


def demand(count=1, selectors=(), **more):
    wanted = [{"cel": {"expression": text}} for text in selectors]
    return {"deviceClassName": "k", "count": count, "selectors": wanted, **more}


def claim(name, *given, requests=None, users=(), node_name="n1", constraints=()):
    """`given`: (request, pool, device), and what else its result says."""
    requests = requests or [{"name": "r", "exactly": demand()}]
    results = [
        {"request": r, "driver": "d", "pool": p, "device": d, **dict(*more)}
        for r, p, d, *more in given
    ]
    field = {"key": "metadata.name", "operator": "In", "values": [node_name]}
    where = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    status = {}
    if given:
        status = {"allocation": {"devices": {"results": results}, "nodeSelector": where}}
        status["reservedFor"] = [{"uid": user} for user in users]
    spec = {"devices": {"requests": requests, "constraints": list(constraints)}}
    return {"metadata": {"name": name}, "spec": spec, "status": status}


def pod(name, *claims, on=None):
    entries = [{"name": c, "resourceClaimName": c} for c in claims]
    spec = {"resourceClaims": entries, **({"nodeName": on} if on else {})}
    return {"metadata": {"name": name, "uid": name}, "spec": spec}


NODES = [node("n1"), node("n2")]
CLASSES = [{"metadata": {"name": "k"}, "spec": {"selectors": [{"cel": {"expression": "true"}}]}}]
COUNTERS = [{"name": "card", "counters": {"units": {"value": "3"}}}]
TWO = [{"name": "r", "exactly": demand(2)}]
WORN = {"key": "worn", "value": "", "effect": "NoSchedule"}
SLICES = [
    slice_("n1", device("a"), device("b", "b", 1), device("w", taints=[WORN])),
    slice_("n2", device("x", units=2), device("y", units=2), sharedCounters=COUNTERS),
]


def violations(claims, pods, slices=SLICES, rules=()):
    course = {"slices": slices, "classes": CLASSES, "claims": claims, "pods": pods}
    return judge({"nodes": NODES, **course, "rules": rules}).violations


def test_what_is_right_is_not_blamed():
    claims = [
        claim("c", ("r", "n1", "a"), users=["p"]),
        claim("e", ("r", "n2", "x"), users=["q"], node_name="n2"),
        claim("open", requests=[{"name": "r", "exactly": demand(3)}]),
    ]
    pods = [pod("p", "c", on="n1"), pod("q", "e", on="n2"), pod("s", "open")]
    assert violations(claims, pods) == []


def given(*results, **more):
    return [claim("c", *results, users=["p"], **more)]


ON_N1 = [pod("p", "c", on="n1")]
FIRST = [{"name": "r", "firstAvailable": [{"name": "s", **demand(2)}, {"name": "t", **demand()}]}]
SAME = [{"matchAttribute": f"{DOMAIN}/numa"}]
APART = [{"distinctAttribute": f"{DOMAIN}/numa"}]
ALL = [{"name": "r", "exactly": demand(allocationMode="All")}]
PICKY = [{"name": "r", "exactly": demand(selectors=[MODEL_A])}]
WRONG = {
    "a device twice": (
        [*given(("r", "n1", "a")), claim("e", ("r", "n1", "a"), users=["q"])],
        [*ON_N1, pod("q", "e", on="n1")],
        "is given to ['c', 'e']",
    ),
    "too few": (given(("r", "n1", "a"), requests=TWO), ON_N1, "1 devices of 2"),
    "a selector": (given(("r", "n1", "b"), requests=PICKY), ON_N1, "does not select"),
    "a taint": (given(("r", "n1", "w")), ON_N1, "does not select"),
    "not there": (given(("r", "n1", "z")), ON_N1, "which is not there"),
    "two alternatives": (
        given(("r/s", "n1", "a"), ("r/t", "n1", "b"), requests=FIRST),
        ON_N1,
        "is served as",
    ),
    "not the same": (
        given(("r", "n1", "a"), ("r", "n1", "b"), requests=TWO, constraints=SAME),
        ON_N1,
        "constraint",
    ),
    "not all": (given(("r", "n1", "a"), requests=ALL), ON_N1, "lacks"),
    "elsewhere": (given(("r", "n1", "a")), [pod("p", "c", on="n2")], "are not"),
    "not reserved": (
        [claim("c", ("r", "n1", "a"), users=["q"])],
        [*ON_N1, pod("q", "c", on="n1")],
        "is not its",
    ),
    "nobody's": ([claim("c", ("r", "n1", "a"))], [], "no user"),
    "a dead user": ([claim("c", ("r", "n1", "a"), users=["dead"])], [], "pods that are gone"),
    "more than there is": (
        [
            claim("c", ("r", "n2", "x"), users=["p"], node_name="n2"),
            claim("e", ("r", "n2", "y"), users=["q"], node_name="n2"),
        ],
        [pod("p", "c", on="n2"), pod("q", "e", on="n2")],
        "gives 4 of 3",
    ),
    "waits for nothing": ([claim("c")], [pod("p", "c")], "p waits and fits on n1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_blamed(case):
    claims, pods, words = WRONG[case]
    found = violations(claims, pods)
    assert any(words in text for text in found), found


@pytest.mark.parametrize(
    ("requests", "constraints", "fits"),
    [
        (TWO, (), True),
        (TWO, SAME, False),
        (TWO, APART, True),
        ([{"name": "r", "exactly": demand(3)}], (), False),
        ([{"name": "r", "exactly": demand(3, tolerations=[{"operator": "Exists"}])}], (), True),
        (FIRST, SAME, True),
        (PICKY + [{"name": "q", "exactly": demand(selectors=[MODEL_A])}], (), False),
    ],
)
def test_who_waits_is_looked_at(requests, constraints, fits):
    only_n1 = SLICES[:1]
    claims = [claim("c", requests=requests, constraints=constraints)]
    found = violations(claims, [pod("p", "c")], only_n1)
    assert found == (["p waits and fits on n1 []"] if fits else [])


def capacity(amount, **policy):
    return {"m": {"value": amount, **({"requestPolicy": policy} if policy else {})}}


def shared(name="s", amount="10Gi", **policy):
    return device(name, allowMultipleAllocations=True, capacity=capacity(amount, **policy))


def part(amount, share="one"):
    return {"shareID": share, "consumedCapacity": {"m": amount}}


def wants(amount, count=1):
    return [{"name": "r", "exactly": demand(count, capacity={"requests": {"m": amount}})}]


def having(name, *results, requests):
    """A claim with devices of n1, and its pod."""
    return claim(name, *results, requests=requests, users=[name]), pod(name, name, on="n1")


LOOKS = [{"name": "r", "exactly": demand(adminAccess=True)}]
SHARED = [slice_("n1", shared())]
ADMIN = {"adminAccess": True}


@pytest.mark.parametrize(
    ("slices", "placed", "words"),
    [
        (
            SHARED,
            [
                having("c", ("r", "n1", "s", part("4Gi")), requests=wants("4Gi")),
                having("e", ("r", "n1", "s", part("6Gi", "two")), requests=wants("6Gi")),
            ],
            None,
        ),
        (
            SHARED,
            [
                having("c", ("r", "n1", "s", part("5Gi")), requests=wants("5Gi")),
                having("e", ("r", "n1", "s", part("6Gi", "two")), requests=wants("6Gi")),
            ],
            "of its d/m",
        ),
        (SHARED, [having("c", ("r", "n1", "s"), requests=wants("4Gi"))], "share None"),
        (
            SHARED,
            [having("c", ("r", "n1", "s", part("3Gi")), requests=wants("4Gi"))],
            "is consumed by",
        ),
        (  # Who asks for nothing has all there is.
            SHARED,
            [having("c", ("r", "n1", "s", part("10Gi")), requests=None)],
            None,
        ),
        (
            SLICES,
            [having("c", ("r", "n1", "a", part("1Gi")), requests=None)],
            "with the share one",
        ),
        (
            SLICES,
            [
                having("c", ("r", "n1", "a"), requests=None),
                having("e", ("r", "n1", "a", ADMIN), requests=LOOKS),
            ],
            None,
        ),
        (SLICES, [having("c", ("r", "n1", "a", ADMIN), requests=None)], "adminAccess True"),
        (SLICES, [having("c", ("r", "n1", "a"), requests=LOOKS)], "adminAccess False"),
        (
            SLICES,
            [having("c", ("r", "n1", "a"), ("r", "n1", "a"), requests=TWO)],
            "has ('d', 'n1', 'a') twice",
        ),
    ],
)
def test_parts_and_looks_are_looked_at(slices, placed, words):
    found = violations([c for c, _ in placed], [p for _, p in placed], slices)
    assert found == [] if words is None else any(words in text for text in found), found


RANGE = {"default": "4Gi", "validRange": {"min": "2Gi", "step": "3Gi", "max": "8Gi"}}
VALUES = {"default": "4Gi", "validValues": ["4Gi", "8Gi"]}


@pytest.mark.parametrize(
    ("policy", "asked", "comes_to"),
    [
        ({}, None, "10Gi"),
        ({}, "3Gi", "3Gi"),
        ({}, "11Gi", None),
        (RANGE, None, "4Gi"),
        (RANGE, "1Gi", "2Gi"),
        (RANGE, "2Gi", "2Gi"),
        (RANGE, "3Gi", "5Gi"),
        (RANGE, "6Gi", "8Gi"),
        (RANGE, "9Gi", None),
        (VALUES, None, "4Gi"),
        (VALUES, "1Gi", "4Gi"),
        (VALUES, "5Gi", "8Gi"),
        (VALUES, "9Gi", None),
    ],
)
def test_requests_for_capacity_come_to_what_the_policy_says(policy, asked, comes_to):
    slices = [slice_("n1", shared(**policy))]
    requests = wants(asked) if asked else [{"name": "r", "exactly": demand()}]
    waits = violations([claim("c", requests=requests)], [pod("p", "c")], slices)
    assert (waits == []) == (comes_to is None), waits
    if comes_to:
        right, its_pod = having("c", ("r", "n1", "s", part(comes_to)), requests=requests)
        assert violations([right], [its_pod], slices) == []


@pytest.mark.parametrize(
    ("requests", "fits"),
    [
        (wants("4Gi"), True),
        (wants("5Gi"), False),
        (wants("2Gi", 2), True),  # Two parts of one device.
        (wants("2Gi", 3), False),
        (LOOKS, True),
    ],
)
def test_who_waits_for_a_part_is_looked_at(requests, fits):
    has, its_pod = having("has", ("r", "n1", "s", part("6Gi")), requests=wants("6Gi"))
    found = violations([has, claim("c", requests=requests)], [its_pod, pod("p", "c")], SHARED)
    assert found == (["p waits and fits on n1 []"] if fits else [])


def test_all_devices_are_not_had_where_one_is_tainted():
    clean = [slice_("n1", device("a"))]
    tainted = [slice_("n1", device("a"), device("w", taints=[WORN]))]
    claims = [claim("c", requests=ALL)]
    assert violations(claims, [pod("p", "c")], clean) == ["p waits and fits on n1 []"]
    assert violations(claims, [pod("p", "c")], tainted) == []


def test_rules_taint_what_they_select():
    def found(claims, pods, selector):
        spec = {"taint": WORN, **({} if selector is None else {"deviceSelector": selector})}
        return violations(claims, pods, SLICES[:1], [{"spec": spec}])

    has = given(("r", "n1", "a"))
    assert any("does not select" in text for text in found(has, ON_N1, {"driver": "d"}))
    assert any("does not select" in text for text in found(has, ON_N1, {"device": "a"}))
    for other in ({"device": "b"}, {"pool": "n2"}, {"driver": "e"}, None):
        assert found(has, ON_N1, other) == []
    waits = [claim("c")], [pod("p", "c")]
    assert found(*waits, {"pool": "n1"}) == []
    assert found(*waits, {"pool": "n2"}) == ["p waits and fits on n1 []"]


def test_claims_that_are_made_for_pods_are_theirs():
    waits = pod("p", "c")
    waits["spec"]["resourceClaims"] = [{"name": "c", "resourceClaimTemplateName": "t"}]
    claims = [claim("made")]
    assert violations(claims, [waits]) == []  # It is not made yet, as far as the pod says.
    waits["status"] = {"resourceClaimStatuses": [{"name": "c", "resourceClaimName": "made"}]}
    assert violations(claims, [waits]) == ["p waits and fits on n1 []"]


def test_what_others_do_to_their_own_pods_is_kept_apart():
    wrong, waits = given(("r", "n1", "b"), requests=PICKY), claim("open")
    pods = copy.deepcopy([*ON_N1, pod("q", "open")])
    for body in pods:
        body["spec"]["schedulerName"] = "default-scheduler"
    course = {"nodes": NODES, "slices": SLICES, "classes": CLASSES}
    verdict = judge({**course, "claims": [*wrong, waits], "pods": pods})
    assert verdict.violations == [] and len(verdict.of_others) == 2
    # A device that they have twice is everybody's matter.
    again = claim("again", ("r", "n1", "b"), users=["p"])
    verdict = judge({**course, "claims": [*wrong, again], "pods": pods})
    assert any("is given to" in text for text in verdict.violations)


def test_old_generations_and_pools_that_are_not_whole_do_not_count():
    old = slice_("n1", device("a"))
    young = slice_("n1", device("n"), generation=2, of=2)
    wanted = [claim("c")]
    assert violations(wanted, [pod("p", "c")], [old, young]) == []
    both = [old, young, slice_("n1", device("m"), generation=2, of=2)]
    assert violations(wanted, [pod("p", "c")], both) != []


def test_expressions_are_read_as_written():
    class Plain:
        def __init__(self, **values):
            self.values = values

        def value(self, name):
            return self.values[name]

        def has(self, name):
            return name in self.values

        def capacity(self, name):
            return self.values["memory"]

    good = Plain(model="a", numa=0, healthy=True, driver="1.10.0", memory="16Gi", rare=True)
    bad = Plain(model="c", numa=0, healthy=False, driver="1.9.0", memory="8Gi")
    answers = {text: (rule(good), rule(bad)) for text, rule in EXPRESSIONS.items()}
    assert answers.pop("true") == (True, True)
    in_list = [text for text in answers if " in [" in text]
    numa = [text for text in answers if text.endswith("numa == 0")]
    assert [answers.pop(text) for text in in_list] == [(False, True)]
    assert [answers.pop(text) for text in numa] == [(True, True)]
    assert set(answers.values()) == {(True, False)}, answers


class Script:
    """Plays the events of a watch."""

    def __init__(self, events):
        self.events = events

    def get(self, path):
        class Listed:
            @staticmethod
            def expect(_):
                return {"items": [], "metadata": {"resourceVersion": "1"}}

        return Listed()

    def watch(self, path, **_):
        events, self.events = self.events, []
        for event in events:
            body = copy.deepcopy(event)
            body["metadata"]["resourceVersion"] = "2"
            yield {"type": "MODIFIED", "object": body}


def test_the_history_sees_parts_that_were_more_than_the_whole_for_a_moment():
    first = claim("c", ("r", "n1", "s", part("6Gi")))
    second = claim("e", ("r", "n1", "s", part("6Gi", "two")))
    for gives_back in (True, False):
        events = [first, *([claim("c")] if gives_back else []), second, claim("c"), claim("e")]
        history = LendingHistory(Script(events), "/")
        try:
            until(lambda: history.lent == 2, 5, "both were seen")
        finally:
            history.close()
        assert history.problems() == []
        assert (history.beyond(SHARED) == []) == gives_back


@pytest.mark.parametrize("gives_back", [True, False])
def test_the_history_sees_a_device_lent_twice_for_a_moment(gives_back):
    first, second = claim("c", ("r", "n1", "a")), claim("e", ("r", "n1", "a"))
    events = [first, *([claim("c")] if gives_back else []), second, claim("c")]
    history = LendingHistory(Script(events), "/")
    try:
        until(lambda: history.lent == 2, 5, "both were seen")
    finally:
        history.close()
    assert bool(history.problems()) != gives_back
