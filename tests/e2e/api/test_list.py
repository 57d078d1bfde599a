"""Lists: selectors, pages and versions."""

import pytest

from support.objects import config_map, pod
from support.rest import MERGE_PATCH


def names(answer):
    return [i["metadata"]["name"] for i in answer.expect(200)["items"]]


@pytest.fixture
def labelled(rest, maps):
    for name, labels in {
        "a": {"tier": "web", "env": "prod"},
        "b": {"tier": "web", "env": "test"},
        "c": {"tier": "db", "env": "prod"},
        "d": {"other": "x"},
    }.items():
        rest.post(maps, config_map(name, labels=labels)).expect(201)


@pytest.mark.parametrize(
    "selector, expected",
    [
        ("tier=web", ["a", "b"]),
        ("tier==web,env=prod", ["a"]),
        ("tier!=web,env", ["c"]),
        ("tier in (web,db),env notin (test)", ["a", "c"]),
        ("!tier,other", ["d"]),
        ("tier,env=test", ["b"]),
        ("tier=nothing", []),
    ],
)
def test_label_selectors(rest, maps, labelled, selector, expected):
    assert names(rest.get(maps, labelSelector=selector)) == expected


@pytest.mark.parametrize("selector", ["tier in web", "=x", "a=b=c", "tier in ()x"])
def test_malformed_label_selectors_are_bad_requests(rest, maps, selector):
    rest.get(maps, labelSelector=selector).expect_failure(400, "BadRequest")


def test_field_selectors_of_names(rest, maps, labelled):
    assert names(rest.get(maps, fieldSelector="metadata.name=b")) == ["b"]
    assert "b" not in names(rest.get(maps, fieldSelector="metadata.name!=b"))


def test_unknown_field_selectors_are_bad_requests(rest, maps):
    rest.get(maps, fieldSelector="data.k=v").expect_failure(400, "BadRequest")


def test_field_selectors_of_pods(rest, pods, namespace):
    for name in ("a", "b", "c"):
        rest.post(pods, pod(name, scheduler=f"scheduler-{name}")).expect(201)
    target = {"apiVersion": "v1", "kind": "Node", "name": "node-of-selectors"}
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"}, "target": target}
    rest.post(f"{pods}/a/binding", binding).expect(201)
    rest.patch(f"{pods}/b/status", {"status": {"phase": "Failed"}}, MERGE_PATCH).expect(200)
    assert names(rest.get(pods, fieldSelector="spec.nodeName=node-of-selectors")) == ["a"]
    assert names(rest.get(pods, fieldSelector="spec.nodeName=")) == ["b", "c"]
    assert names(rest.get(pods, fieldSelector="status.phase!=Failed,spec.nodeName=")) == ["c"]
    assert names(rest.get(pods, fieldSelector="spec.schedulerName=scheduler-b")) == ["b"]
    everywhere = f"metadata.namespace={namespace},metadata.name=c"
    assert names(rest.get("/api/v1/pods", fieldSelector=everywhere)) == ["c"]


def test_lists_are_sorted_by_namespace_and_name(rest, maps):
    for name in ("b", "c", "a"):
        rest.post(maps, config_map(name, labels={"mine": "yes"})).expect(201)
    assert names(rest.get(maps, labelSelector="mine")) == ["a", "b", "c"]


def test_a_list_names_its_kind_and_version(rest, maps):
    body = rest.get(maps).expect(200)
    assert (body["kind"], body["apiVersion"]) == ("ConfigMapList", "v1")
    assert int(body["metadata"]["resourceVersion"]) > 0


def test_pages_together_are_the_whole_list(rest, maps):
    expected = [f"page-{i:02}" for i in range(7)]
    for name in expected:
        rest.post(maps, config_map(name, labels={"paged": "yes"})).expect(201)
    total = len(names(rest.get(maps)))
    seen, token, versions, left = [], None, set(), []
    while True:
        more = {"continue": token} if token else {}
        body = rest.get(maps, limit=3, **more).expect(200)
        assert len(body["items"]) <= 3
        seen += [i["metadata"]["name"] for i in body["items"]]
        versions.add(body["metadata"]["resourceVersion"])
        left.append(body["metadata"].get("remainingItemCount", 0))
        token = body["metadata"].get("continue")
        if not token:
            break
    assert [n for n in seen if n.startswith("page-")] == expected
    assert len(seen) == total and len(versions) == 1, "all pages show one moment"
    assert left == [max(0, total - 3 * (i + 1)) for i in range(len(left))]


def test_pages_do_not_see_what_came_after_the_first(rest, maps):
    for name in ("a", "b", "c"):
        rest.post(maps, config_map(name)).expect(201)
    first = rest.get(maps, limit=1).expect(200)
    rest.post(maps, config_map("bb")).expect(201)
    rest.delete(f"{maps}/c").expect(200)
    token = first["metadata"]["continue"]
    later = names(rest.get(maps, limit=10, **{"continue": token}))
    assert [n for n in later if n in ("b", "bb", "c")] == ["b", "c"]


def test_a_broken_page_token_is_a_bad_request(rest, maps):
    rest.get(maps, limit=1, **{"continue": "nonsense"}).expect_failure(400, "BadRequest")


def test_a_list_at_version_0_may_be_served_from_memory(rest, maps):
    rest.post(maps, config_map("a")).expect(201)
    body = rest.get(maps, resourceVersion="0").expect(200)
    assert body["kind"] == "ConfigMapList"


def test_a_list_not_older_than_a_write_shows_it(rest, maps):
    made = rest.post(maps, config_map("fresh")).expect(201)
    version = made["metadata"]["resourceVersion"]
    query = {"resourceVersion": version, "resourceVersionMatch": "NotOlderThan"}
    assert "fresh" in names(rest.get(maps, **query))


def test_an_impossible_version_is_refused(rest, maps):
    rest.get(maps, resourceVersion="abc").expect_failure(400, "BadRequest")


def test_lists_over_all_namespaces_hold_each(rest, maps, namespace):
    rest.post(maps, config_map("a", labels={"of": namespace})).expect(201)
    found = rest.get("/api/v1/configmaps", labelSelector=f"of={namespace}").expect(200)["items"]
    assert [(i["metadata"]["namespace"], i["metadata"]["name"]) for i in found] == [
        (namespace, "a")
    ]


def test_metadata_only_lists_hold_no_data(rest, maps):
    rest.post(maps, config_map("a", {"k": "v"})).expect(201)
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
    body = rest.get(maps, accept=accept).expect(200)
    assert body["kind"] == "PartialObjectMetadataList"
    mine = [i for i in body["items"] if i["metadata"]["name"] == "a"]
    assert len(mine) == 1 and "data" not in mine[0]
