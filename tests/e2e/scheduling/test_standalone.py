"""vc-standalone as a user starts it: everything in one process, with simulated nodes."""

import pytest

from support import objects, rest
from support.objects import SCHEDULING
from support.poll import until
from support.processes import Process, free_port, ours

from kubernetes import config

pytestmark = pytest.mark.backend("embedded")


@pytest.fixture
def standalone(tmp_path):
    """The process, and a function that connects to it once it answers."""
    kubeconfig = tmp_path / "kubeconfig"
    argv = [ours("vc-standalone"), "--port", free_port(), "--nodes", 3, "--node-cpu", 8]
    argv += [
        "--node-memory",
        "32Gi",
        "--write-kubeconfig",
        kubeconfig,
        "--data-dir",
        tmp_path / "data",
    ]
    process = Process("standalone", argv, tmp_path)

    def connect():
        def client():
            process.check()
            if not kubeconfig.exists():
                return None
            made = rest.Rest(config.new_client_from_config(str(kubeconfig)))
            try:
                return made if made.get("/readyz").status == 200 else None
            except Exception:  # Not listening yet.
                return None

        return until(client, 30, lambda: f"ready; its log:\n{process.tail()}")

    yield process, connect
    process.close()


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
