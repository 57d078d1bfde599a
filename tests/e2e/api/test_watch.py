"""Watches: order, resumption, bookmarks and expiry."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from kubernetes import client, watch

from support.objects import config_map
from support.rest import MERGE_PATCH


def version_of(rest, path):
    return rest.get(path).expect(200)["metadata"]["resourceVersion"]


def take(events, count):
    """The next events without bookmarks, as (type, name)."""
    found = []
    for event in events:
        assert event["type"] not in ("ERROR", "HTTP"), event
        if event["type"] == "BOOKMARK":
            continue
        found.append((event["type"], event["object"]["metadata"]["name"]))
        if len(found) == count:
            break
    return found


def change(rest, maps):
    rest.post(maps, config_map("a")).expect(201)
    rest.patch(f"{maps}/a", {"data": {"k": "v"}}, MERGE_PATCH).expect(200)
    rest.post(maps, config_map("b")).expect(201)
    rest.delete(f"{maps}/a").expect(200)


def test_events_come_in_the_order_of_the_changes(rest, maps):
    start = version_of(rest, maps)
    change(rest, maps)
    events = take(rest.watch(maps, resourceVersion=start), 4)
    assert events == [("ADDED", "a"), ("MODIFIED", "a"), ("ADDED", "b"), ("DELETED", "a")]


def test_the_official_client_lists_and_watches(core, rest, namespace, maps):
    start = core.list_namespaced_config_map(namespace).metadata.resource_version
    change(rest, maps)
    stream = watch.Watch()
    found = []
    for event in stream.stream(
        core.list_namespaced_config_map, namespace, resource_version=start, timeout_seconds=20
    ):
        found.append((event["type"], event["object"].metadata.name))
        if len(found) == 4:
            stream.stop()
    assert found == [("ADDED", "a"), ("MODIFIED", "a"), ("ADDED", "b"), ("DELETED", "a")]


def test_a_watch_resumes_after_the_last_version_seen(rest, maps):
    start = version_of(rest, maps)
    change(rest, maps)
    first = next(iter(rest.watch(maps, resourceVersion=start)))
    assert first["type"] == "ADDED"
    resumed = take(
        rest.watch(maps, resourceVersion=first["object"]["metadata"]["resourceVersion"]), 3
    )
    assert resumed == [("MODIFIED", "a"), ("ADDED", "b"), ("DELETED", "a")]


def test_versions_of_events_grow_and_a_deletion_has_its_own(rest, maps):
    start = version_of(rest, maps)
    change(rest, maps)
    versions = []
    for event in rest.watch(maps, resourceVersion=start):
        versions.append(int(event["object"]["metadata"]["resourceVersion"]))
        if len(versions) == 4:
            break
    assert versions == sorted(set(versions)), versions
    assert versions[0] > int(start)


def test_a_watch_without_a_version_starts_with_what_is_there(rest, maps):
    rest.post(maps, config_map("old", labels={"mine": "yes"})).expect(201)
    assert take(rest.watch(maps, labelSelector="mine"), 1) == [("ADDED", "old")]


def first_of(rest, path, version):
    """The first event of a short watch, or None when there was none."""
    return next(iter(rest.watch(path, resourceVersion=version, timeoutSeconds=1)), None)


def is_expiry(event):
    """Whether the server said 410, at once or as an event."""
    if event is None or event["type"] not in ("HTTP", "ERROR"):
        return False
    status = event["object"]
    assert (status["code"], status["reason"]) == (410, "Expired"), status
    return True


def test_a_version_long_gone_is_410(rest, backend, crd, namespace, widgets, widget):
    """A server remembers a bounded number of changes: after at most so many, the first is gone."""
    limit, step = 20_000, 1000
    rest.post(widgets, widget("w", size=1)).expect(201)
    written = 0

    def write(number):
        patch = {"spec": {"size": number % 100 + 1}}
        rest.patch(f"{widgets}/w", patch, MERGE_PATCH).expect(200)

    with ThreadPoolExecutor(8) as pool:
        while not is_expiry(first_of(rest, widgets, "1")):
            assert written < limit, f"version 1 is still known after {limit} changes"
            list(pool.map(write, range(written, written + step)))
            written += step
    # The official client tells it by the exception on which programs list anew.
    api = client.CustomObjectsApi(backend.client())
    place = (crd, "v1", namespace, "widgets")
    with pytest.raises(client.ApiException) as refusal:
        list(
            watch.Watch().stream(
                api.list_namespaced_custom_object, *place, resource_version="1", timeout_seconds=5
            )
        )
    assert refusal.value.status == 410
    listed = api.list_namespaced_custom_object(*place)
    start = listed["metadata"]["resourceVersion"]
    rest.patch(f"{widgets}/w", {"spec": {"color": "green"}}, MERGE_PATCH).expect(200)
    assert take(rest.watch(widgets, resourceVersion=start), 1) == [("MODIFIED", "w")]


def test_leaving_and_entering_a_selector_looks_like_deletion_and_creation(rest, maps):
    start = version_of(rest, maps)
    rest.post(maps, config_map("a", labels={"color": "red"})).expect(201)
    for color in ("green", "red"):
        patch = {"metadata": {"labels": {"color": color}}}
        rest.patch(f"{maps}/a", patch, MERGE_PATCH).expect(200)
    events = take(rest.watch(maps, resourceVersion=start, labelSelector="color=red"), 3)
    assert events == [("ADDED", "a"), ("DELETED", "a"), ("ADDED", "a")]


def test_a_field_selector_watches_one_object(rest, maps):
    start = version_of(rest, maps)
    change(rest, maps)
    events = take(rest.watch(maps, resourceVersion=start, fieldSelector="metadata.name=b"), 1)
    assert events == [("ADDED", "b")]


def test_a_watch_ends_at_its_time_limit(rest, maps):
    start = version_of(rest, maps)
    assert list(rest.watch(maps, resourceVersion=start, timeoutSeconds=1)) == []


def test_initial_events_end_with_a_marked_bookmark(rest, maps):
    for name in ("a", "b"):
        rest.post(maps, config_map(name, labels={"mine": "yes"})).expect(201)
    query = {
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true",
        "labelSelector": "mine",
    }
    seen = []
    for event in rest.watch(maps, **query):
        seen.append(event)
        if event["type"] == "BOOKMARK":
            break
    assert [(e["type"], e["object"]["metadata"].get("name")) for e in seen[:-1]] == [
        ("ADDED", "a"),
        ("ADDED", "b"),
    ]
    mark = seen[-1]["object"]["metadata"]
    assert mark["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert int(mark["resourceVersion"]) >= int(seen[-2]["object"]["metadata"]["resourceVersion"])
    rest.post(maps, config_map("c", labels={"mine": "yes"})).expect(201)
    follow = rest.watch(maps, resourceVersion=mark["resourceVersion"], labelSelector="mine")
    assert take(follow, 1) == [("ADDED", "c")]


def test_initial_events_need_the_version_match(rest, maps):
    query = {"sendInitialEvents": "true", "allowWatchBookmarks": "true", "timeoutSeconds": 5}
    first = next(iter(rest.watch(maps, **query)))
    assert first["type"] == "HTTP" and first["status"] == 422, first


def test_a_watch_over_all_namespaces_sees_this_one(rest, maps, namespace):
    start = version_of(rest, "/api/v1/configmaps")
    rest.post(maps, config_map("a", labels={"of": namespace})).expect(201)
    events = rest.watch(
        "/api/v1/configmaps", resourceVersion=start, labelSelector=f"of={namespace}"
    )
    assert take(events, 1) == [("ADDED", "a")]


def test_many_watches_see_the_same(rest, maps):
    start = version_of(rest, maps)
    change(rest, maps)
    streams = [rest.watch(maps, resourceVersion=start) for _ in range(8)]
    seen = [take(s, 4) for s in streams]
    assert all(s == seen[0] for s in seen)
