"""The rules of the placement checker about other pods."""

import pytest

from checks.cases import DB, HOST, WEB, ZONE, avoids, cluster, node, pod, said, seeks, spread, term

NODES = [node("a1", "a"), node("a2", "a"), node("b1", "b"), node("lost")]


def all_but(*names, rule="pod affinity"):
    return {n["metadata"]["name"]: {rule} for n in NODES if n["metadata"]["name"] not in names}


def test_affinity_is_about_the_domain():
    here = cluster(NODES, [(pod("w", WEB), "a1")])
    assert said(pod("p", **seeks(term())), here) == all_but("a1", "a2")
    assert said(pod("p", **seeks(term(key=HOST))), here) == all_but("a1")


def test_the_first_of_its_kind_may_start_anywhere_with_the_label():
    here = cluster(NODES, [(pod("d", DB), "a1")])
    assert said(pod("p", WEB, **seeks(term())), here) == all_but("a1", "a2", "b1")
    # Who is not of the kind it seeks is no first of it.
    assert said(pod("p", DB, **seeks(term())), here) == all_but()
    # The second goes to the first.
    here = cluster(NODES, [(pod("w", WEB), "b1")])
    assert said(pod("p", WEB, **seeks(term())), here) == all_but("b1")
    # A pod of the kind outside of all domains is nobody's peer.
    strays = cluster(NODES, [(pod("w", WEB), "lost")])
    assert said(pod("p", WEB, **seeks(term())), strays) == all_but("a1", "a2", "b1")


def test_all_terms_ask_for_pods_that_all_terms_cover():
    both = {"app": "web", "tier": "front"}
    terms = seeks(term(), term({"tier": "front"}, HOST))
    here = cluster(NODES, [(pod("w", WEB), "b1"), (pod("x", both), "a1")])
    assert said(pod("p", **terms), here) == all_but("a1")
    here = cluster(NODES, [(pod("w", WEB), "a1"), (pod("f", {"tier": "front"}), "a1")])
    assert said(pod("p", **terms), here) == all_but()


def test_anti_affinity_of_the_pod_and_of_the_others():
    assert said(pod("p", **avoids(term())), cluster(NODES, [(pod("w", WEB), "a1")])) == {
        "a1": {"pod anti-affinity"},
        "a2": {"pod anti-affinity"},
    }
    here = cluster(NODES, [(pod("shy", **avoids(term(key=HOST))), "a1")])
    assert said(pod("p", WEB), here) == {"a1": {"anti-affinity of others"}}
    assert said(pod("p", DB), here) == {}
    # Without the label there is no domain to keep clear.
    here = cluster(NODES, [(pod("shy", **avoids(term())), "lost")])
    assert said(pod("p", WEB), here) == {}


def test_each_anti_affinity_term_stands_alone():
    terms = avoids(term(WEB, HOST), term(DB, HOST))
    here = cluster(NODES, [(pod("w", WEB), "a1"), (pod("d", DB), "b1")])
    assert said(pod("p", **terms), here) == {n: {"pod anti-affinity"} for n in ("a1", "b1")}


NAMESPACES = [
    {"metadata": {"name": "ns", "labels": {"color": "red"}}},
    {"metadata": {"name": "blue", "labels": {"color": "blue"}}},
    {"metadata": {"name": "plain"}},
]


@pytest.mark.parametrize(
    "scope, covered",
    [
        ({}, {"ns"}),
        ({"namespaces": ["blue"]}, {"blue"}),
        ({"namespaceSelector": {}}, {"ns", "blue", "plain"}),
        ({"namespaceSelector": {"matchLabels": {"color": "blue"}}}, {"blue"}),
        (
            {"namespaceSelector": {"matchLabels": {"color": "blue"}}, "namespaces": ["ns"]},
            {"ns", "blue"},
        ),
        (
            {
                "namespaceSelector": {
                    "matchExpressions": [{"key": "color", "operator": "DoesNotExist"}]
                }
            },
            {"plain"},
        ),
    ],
)
def test_namespaces_of_terms(scope, covered):
    for namespace in ("ns", "blue", "plain"):
        expected = {"a1": {"pod anti-affinity"}} if namespace in covered else {}
        there = [(pod("w", WEB, namespace=namespace), "a1")]
        here = cluster(NODES, there, namespaces=NAMESPACES)
        assert said(pod("p", **avoids(term(key=HOST, **scope))), here) == expected, namespace
        # The other way round: the term of one that is there covers who comes.
        there = [(pod("p", **avoids(term(key=HOST, **scope))), "a1")]
        here = cluster(NODES, there, namespaces=NAMESPACES)
        expected = {"a1": {"anti-affinity of others"}} if namespace in covered else {}
        assert said(pod("w", WEB, namespace=namespace), here) == expected, namespace


def test_a_term_without_selector_covers_nobody():
    here = cluster(NODES, [(pod("w", WEB), "a1")])
    bare = {"topologyKey": HOST}
    assert said(pod("p", **avoids(bare)), here) == {}
    all_pods = {**bare, "labelSelector": {}}
    assert said(pod("p", **avoids(all_pods)), here) == {"a1": {"pod anti-affinity"}}


def test_own_values_join_the_selector():
    v1, v2 = {**WEB, "version": "v1"}, {**WEB, "version": "v2"}
    here = cluster(NODES, [(pod("one", v1), "a1"), (pod("two", v2), "b1")])
    same = avoids(term(key=HOST, matchLabelKeys=["version", "absent"]))
    assert said(pod("p", v1, **same), here) == {"a1": {"pod anti-affinity"}}
    other = avoids(term(key=HOST, mismatchLabelKeys=["version"]))
    assert said(pod("p", v1, **other), here) == {"b1": {"pod anti-affinity"}}


# --- spread -----------------------------------------------------------------------------------


def webs(*nodes, labels=WEB):
    return [(pod(f"w{i}", labels), name) for i, name in enumerate(nodes)]


def refused(*names):
    return {name: {"spread"} for name in names}


def test_spread_counts_domains():
    here = cluster(NODES, webs("a1", "a2", "b1"))
    assert said(pod("p", WEB, **spread()), here) == refused("a1", "a2", "lost")
    assert said(pod("p", WEB, **spread(skew=2)), here) == refused("lost")
    # One that its own selector does not cover adds nothing: 2 against 1.
    assert said(pod("p", DB, **spread()), here) == refused("lost")


def test_spread_counts_only_the_own_namespace_and_those_who_stay():
    other = pod("x", WEB, namespace="other")
    leaving = pod("y", WEB)
    leaving.terminating = True
    here = cluster(NODES, [(other, "a1"), (leaving, "a1")])
    assert said(pod("p", WEB, **spread()), here) == refused("lost")


def test_what_should_spread_may_go_anywhere():
    here = cluster(NODES, webs("a1", "a2"))
    assert said(pod("p", WEB, **spread(whenUnsatisfiable="ScheduleAnyway")), here) == {}


def test_too_few_domains_count_as_an_empty_one():
    here = cluster(NODES, webs("a1", "b1"))
    assert said(pod("p", WEB, **spread(minDomains=2)), here) == refused("lost")
    assert said(pod("p", WEB, **spread(minDomains=3)), here) == refused("a1", "a2", "b1", "lost")


def test_domains_are_those_the_pod_may_choose():
    here = cluster(NODES, webs("a1"))
    only_a = {"nodeSelector": {ZONE: "a"}}
    found = said(pod("p", WEB, **only_a, **spread()), here)
    assert {n for n, no in found.items() if "spread" in no} == {"lost"}
    found = said(pod("p", WEB, **only_a, **spread(nodeAffinityPolicy="Ignore")), here)
    assert {n for n, no in found.items() if "spread" in no} == {"a1", "a2", "lost"}


def test_tainted_nodes_are_domains_unless_they_are_not_to_be():
    tainted = node("b1", "b", taints=[{"key": "k", "effect": "NoSchedule"}])
    here = cluster([NODES[0], tainted], webs("a1"))
    found = said(pod("p", WEB, **spread()), here)
    assert found == {"a1": {"spread"}, "b1": {"taints"}}
    found = said(pod("p", WEB, **spread(nodeTaintsPolicy="Honor")), here)
    assert found == {"b1": {"taints"}}


def test_nodes_without_all_the_keys_are_no_domains():
    both = spread()["topologySpreadConstraints"] + spread(HOST)["topologySpreadConstraints"]
    nodes = [node("a1", "a"), node("b1", "b")]
    del nodes[1]["metadata"]["labels"][HOST]
    here = cluster(nodes, webs("a1"))
    # Zone b has no node that counts: zone a is the emptiest one.
    assert said(pod("p", WEB, topologySpreadConstraints=both), here) == refused("b1")
    assert said(pod("p", WEB, **spread()), here) == refused("a1")


def test_own_values_join_the_selector_of_a_constraint():
    here = cluster(NODES, webs("a1", labels={**WEB, "version": "v1"}))
    rule = spread(matchLabelKeys=["version"])
    assert said(pod("p", {**WEB, "version": "v1"}, **rule), here) == refused("a1", "a2", "lost")
    assert said(pod("p", {**WEB, "version": "v2"}, **rule), here) == refused("lost")
