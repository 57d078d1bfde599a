"""What a client keeps when the API server crashes and comes back."""

from support.objects import config_map
from support.poll import until
from support.rest import MERGE_PATCH


def test_objects_and_versions_survive_a_crash(backend, rest, maps, widgets, widget):
    made = rest.post(maps, config_map("kept", {"k": "v"})).expect(201)
    gone = rest.post(maps, config_map("gone")).expect(201)
    rest.delete(f"{maps}/gone").expect(200)
    custom = rest.post(widgets, widget("w", size=5)).expect(201)
    backend.restart_api()
    assert rest.get(f"{maps}/kept").expect(200)["metadata"] == made["metadata"]
    rest.get(f"{maps}/{gone['metadata']['name']}").expect_failure(404, "NotFound")
    until(lambda: rest.get(f"{widgets}/w").status == 200, 30, "the custom kind is served again")
    assert rest.get(f"{widgets}/w").expect(200)["spec"] == custom["spec"]
    later = rest.post(maps, config_map("later")).expect(201)
    versions = [int(o["metadata"]["resourceVersion"]) for o in (made, custom, later)]
    assert versions == sorted(set(versions)), "versions never go back"


def test_a_watcher_learns_of_every_change_over_a_crash(backend, rest, maps):
    """It resumes at its last version, and lists anew when told that this is too old."""
    version = rest.get(maps).expect(200)["metadata"]["resourceVersion"]
    rest.post(maps, config_map("before")).expect(201)
    backend.restart_api()
    rest.post(maps, config_map("after")).expect(201)
    rest.patch(f"{maps}/before", {"data": {"k": "v"}}, MERGE_PATCH).expect(200)
    seen = {}
    for event in rest.watch(maps, resourceVersion=version, timeoutSeconds=5):
        if event["type"] in ("ERROR", "HTTP"):
            assert event["object"]["code"] == 410, event
            items = rest.get(maps).expect(200)["items"]
            seen = {i["metadata"]["name"]: i.get("data") for i in items}
            break
        if event["type"] != "BOOKMARK":
            seen[event["object"]["metadata"]["name"]] = event["object"].get("data")
            if seen.get("before") and "after" in seen:
                break
    # An empty map may be written or left out.
    assert {name: data or None for name, data in seen.items()} == {
        "before": {"k": "v"},
        "after": None,
    }
