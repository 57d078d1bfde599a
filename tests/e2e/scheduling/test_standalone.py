"""vc-standalone as a user starts it: everything in one process, with simulated nodes."""

import pytest

from support import objects
from support.objects import SCHEDULING
from support.poll import until

pytestmark = pytest.mark.backend("embedded")


def submit(api, name, size):
    """A gang in the default namespace."""
    groups = f"{SCHEDULING}/namespaces/default/podgroups"
    api.post(groups, objects.pod_group(name, size)).expect(201)
    for i in range(size):
        body = objects.pod(f"{name}-{i}", group=name)
        api.post("/api/v1/namespaces/default/pods", body).expect(201)


def phases(api, name, size):
    pods = [api.get(f"/api/v1/namespaces/default/pods/{name}-{i}").expect(200) for i in range(size)]
    return [p["status"]["phase"] for p in pods]


def test_a_gang_runs_on_the_simulated_nodes(standalone):
    process, connect = standalone
    api = connect()
    nodes = api.get("/api/v1/nodes").expect(200)["items"]
    assert [n["status"]["allocatable"]["cpu"] for n in nodes] == ["8", "8", "8"]
    submit(api, "g", 4)
    until(
        lambda: phases(api, "g", 4) == ["Running"] * 4,
        30,
        lambda: f"all run: {phases(api, 'g', 4)}; its log:\n{process.tail()}",
    )


def test_nothing_acknowledged_is_lost_by_a_crash(standalone):
    process, connect = standalone
    api = connect()
    for i in range(50):
        body = objects.config_map(f"kept-{i}", {"n": str(i)})
        last = api.post("/api/v1/namespaces/default/configmaps", body).expect(201)
    process.kill()
    process.start()
    api = connect()
    items = api.get("/api/v1/namespaces/default/configmaps").expect(200)["items"]
    data = {
        i["metadata"]["name"]: i["data"] for i in items if i["metadata"]["name"].startswith("kept-")
    }
    assert data == {f"kept-{i}": {"n": str(i)} for i in range(50)}
    same = api.get(f"/api/v1/namespaces/default/configmaps/{last['metadata']['name']}").expect(200)
    assert same["metadata"]["resourceVersion"] == last["metadata"]["resourceVersion"]
    body = objects.config_map("after")
    fresh = api.post("/api/v1/namespaces/default/configmaps", body).expect(201)
    assert int(fresh["metadata"]["resourceVersion"]) > int(last["metadata"]["resourceVersion"])
    submit(api, "g", 2)
    until(lambda: phases(api, "g", 2) == ["Running"] * 2, 30, lambda: process.tail())
