"""Create, read, update and delete, and what is refused."""

import pytest
from kubernetes import client

from support.objects import config_map, pod, priority_class
from support.world import unique


def test_create_fills_in_what_the_server_owns(core, namespace):
    made = core.create_namespaced_config_map(namespace, config_map("a", {"k": "v"}))
    assert made.metadata.uid and made.metadata.resource_version and made.metadata.creation_timestamp
    assert made.metadata.namespace == namespace
    read = core.read_namespaced_config_map("a", namespace)
    assert read.data == {"k": "v"}
    assert read.metadata.uid == made.metadata.uid
    assert read.metadata.resource_version == made.metadata.resource_version


def test_create_twice_is_refused_as_already_existing(rest, maps):
    rest.post(maps, config_map("a")).expect(201)
    failure = rest.post(maps, config_map("a")).expect_failure(409, "AlreadyExists")
    assert failure["message"] == 'configmaps "a" already exists'
    assert failure["details"] == {"name": "a", "kind": "configmaps"}


def test_read_of_a_missing_object_names_it(rest, maps):
    failure = rest.get(f"{maps}/nobody").expect_failure(404, "NotFound")
    assert failure["message"] == 'configmaps "nobody" not found'
    assert failure["details"] == {"name": "nobody", "kind": "configmaps"}


def test_create_in_a_missing_namespace_is_refused(rest):
    path = "/api/v1/namespaces/no-such-namespace/configmaps"
    failure = rest.post(path, config_map("a")).expect_failure(404, "NotFound")
    assert "no-such-namespace" in failure["message"]


def test_generated_names_differ_and_keep_the_prefix(rest, maps):
    body = config_map("unused")
    body["metadata"] = {"generateName": "made-"}
    names = [rest.post(maps, body).expect(201)["metadata"]["name"] for _ in range(5)]
    assert len(set(names)) == 5
    assert all(n.startswith("made-") and len(n) == len("made-") + 5 for n in names), names


def test_update_with_an_old_version_is_a_conflict(core, namespace):
    first = core.create_namespaced_config_map(namespace, config_map("a", {"k": "1"}))
    first.data = {"k": "2"}
    second = core.replace_namespaced_config_map("a", namespace, first)
    assert second.metadata.resource_version != first.metadata.resource_version
    first.data = {"k": "3"}
    with pytest.raises(client.ApiException) as refusal:
        core.replace_namespaced_config_map("a", namespace, first)
    assert refusal.value.status == 409
    assert '"reason":"Conflict"' in refusal.value.body.replace(" ", "")
    assert core.read_namespaced_config_map("a", namespace).data == {"k": "2"}


def test_update_without_a_version_overwrites(rest, maps):
    rest.post(maps, config_map("a", {"k": "1"})).expect(201)
    rest.put(f"{maps}/a", config_map("a", {"k": "2"})).expect(200)
    assert rest.get(f"{maps}/a").expect(200)["data"] == {"k": "2"}


def test_update_that_changes_nothing_keeps_the_version(rest, maps):
    made = rest.post(maps, config_map("a", {"k": "1"})).expect(201)
    again = rest.put(f"{maps}/a", made).expect(200)
    assert again["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


def test_update_cannot_rename(rest, maps):
    rest.post(maps, config_map("a")).expect(201)
    rest.put(f"{maps}/a", config_map("b")).expect_failure(400, "BadRequest")


def test_update_keeps_uid_and_creation_time(rest, maps):
    made = rest.post(maps, config_map("a")).expect(201)
    changed = config_map("a", {"k": "2"}, creationTimestamp="2001-01-01T00:00:00Z")
    now = rest.put(f"{maps}/a", changed).expect(200)
    for field in ("uid", "creationTimestamp"):
        assert now["metadata"][field] == made["metadata"][field]


def test_delete_answers_with_the_object_or_success_and_it_is_gone(rest, maps):
    rest.post(maps, config_map("a")).expect(201)
    answer = rest.delete(f"{maps}/a").expect(200)
    assert answer["status"] == "Success"
    rest.get(f"{maps}/a").expect_failure(404, "NotFound")
    rest.delete(f"{maps}/a").expect_failure(404, "NotFound")


def test_delete_with_the_uid_of_another_object_is_a_conflict(rest, maps):
    made = rest.post(maps, config_map("a")).expect(201)
    other = {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}
    rest.delete(f"{maps}/a", other).expect_failure(409, "Conflict")
    mine = {"preconditions": {"uid": made["metadata"]["uid"]}}
    rest.delete(f"{maps}/a", mine).expect(200)


def test_delete_with_an_old_version_is_a_conflict(rest, maps):
    made = rest.post(maps, config_map("a")).expect(201)
    rest.put(f"{maps}/a", config_map("a", {"k": "2"})).expect(200)
    old = {"preconditions": {"resourceVersion": made["metadata"]["resourceVersion"]}}
    rest.delete(f"{maps}/a", old).expect_failure(409, "Conflict")


def test_delete_of_a_collection_follows_the_selector(rest, maps):
    for name, side in (("a", "left"), ("b", "left"), ("c", "right")):
        rest.post(maps, config_map(name, labels={"side": side})).expect(201)
    rest.delete(maps, labelSelector="side=left").expect(200)
    left = [
        i["metadata"]["name"] for i in rest.get(maps, labelSelector="side").expect(200)["items"]
    ]
    assert left == ["c"]


def test_dry_run_stores_nothing(rest, maps):
    made = rest.post(maps, config_map("a"), dryRun="All").expect(201)
    assert made["metadata"]["uid"]
    rest.get(f"{maps}/a").expect_failure(404, "NotFound")
    rest.post(maps, config_map("a", {"k": "1"})).expect(201)
    rest.put(f"{maps}/a", config_map("a", {"k": "2"}), dryRun="All").expect(200)
    rest.delete(f"{maps}/a", dryRun="All").expect(200)
    assert rest.get(f"{maps}/a").expect(200)["data"] == {"k": "1"}


@pytest.mark.parametrize(
    "name, field",
    [("Upper", "metadata.name"), ("under_score", "metadata.name"), ("x" * 254, "metadata.name")],
)
def test_bad_names_are_invalid_and_the_cause_names_the_field(rest, maps, name, field):
    failure = rest.post(maps, config_map(name)).expect_failure(422, "Invalid")
    assert field in [c["field"] for c in failure["details"]["causes"]]


def test_an_object_without_any_name_is_invalid(rest, maps):
    body = config_map("unused")
    body["metadata"] = {}
    failure = rest.post(maps, body).expect_failure(422, "Invalid")
    assert "name or generateName is required" in failure["message"]


def test_a_body_that_is_not_json_is_a_bad_request(rest, maps):
    rest.post(maps, '{"kind": "ConfigMap", ').expect_failure(400, "BadRequest")


def test_a_body_of_another_kind_is_a_bad_request(rest, maps):
    rest.post(maps, pod("a", cpu=None, memory=None)).expect_failure(400, "BadRequest")


def test_a_body_for_another_namespace_is_a_bad_request(rest, maps):
    rest.post(maps, config_map("a", namespace="default")).expect_failure(400, "BadRequest")


def test_an_unknown_path_is_not_found(rest, namespace):
    assert rest.get(f"/api/v1/namespaces/{namespace}/gizmos").status == 404
    assert rest.get("/apis/gizmos.example.com/v1").status == 404


def test_a_pod_without_containers_is_invalid(rest, pods):
    body = pod("a")
    body["spec"]["containers"] = []
    failure = rest.post(pods, body).expect_failure(422, "Invalid")
    assert "spec.containers" in [c["field"] for c in failure["details"]["causes"]]


def test_most_of_a_pod_spec_cannot_be_changed(rest, pods):
    made = rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    made["spec"]["containers"][0]["name"] = "renamed"
    rest.put(f"{pods}/a", made).expect_failure(422, "Invalid")


def test_pods_get_the_usual_defaults(core, namespace):
    made = core.create_namespaced_pod(
        namespace, pod("a", scheduler="nobody", metadata={"labels": {"x": "y"}})
    )
    assert made.status.phase == "Pending"
    assert made.status.qos_class == "Burstable"
    assert made.spec.dns_policy == "ClusterFirst"
    assert made.spec.scheduler_name == "nobody"
    keys = {t.key: t.toleration_seconds for t in made.spec.tolerations}
    assert keys == {"node.kubernetes.io/not-ready": 300, "node.kubernetes.io/unreachable": 300}


def test_a_limit_without_a_request_becomes_the_request(rest, pods):
    body = pod("a", scheduler="nobody", cpu=None, memory=None)
    body["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "500m", "memory": "1Gi"}}
    made = rest.post(pods, body).expect(201)
    assert made["spec"]["containers"][0]["resources"]["requests"] == {
        "cpu": "500m",
        "memory": "1Gi",
    }
    assert made["status"]["qosClass"] == "Guaranteed"


def test_priority_is_resolved_from_the_class(rest, pods):
    name = unique("weighty")
    path = "/apis/scheduling.k8s.io/v1/priorityclasses"
    rest.post(path, priority_class(name, 1234)).expect(201)
    try:
        made = rest.post(pods, pod("a", scheduler="nobody", priorityClassName=name)).expect(201)
        assert made["spec"]["priority"] == 1234
        refused = pod("b", scheduler="nobody", priorityClassName="no-such-class")
        rest.post(pods, refused).expect_failure(403, "Forbidden")
    finally:
        rest.delete(f"{path}/{name}").expect(200)


def test_events_and_leases_are_ordinary_objects(backend, namespace):
    api = client.CoordinationV1Api(backend.client())
    spec = client.V1LeaseSpec(holder_identity="me", lease_duration_seconds=15)
    lease = client.V1Lease(metadata=client.V1ObjectMeta(name="lock"), spec=spec)
    held = api.create_namespaced_lease(namespace, lease)
    held.spec.holder_identity = "you"
    assert api.replace_namespaced_lease("lock", namespace, held).spec.holder_identity == "you"
    with pytest.raises(client.ApiException) as refusal:
        api.replace_namespaced_lease("lock", namespace, held)
    assert refusal.value.status == 409

    core = client.CoreV1Api(backend.client())
    about = client.V1ObjectReference(kind="Pod", name="a", namespace=namespace, api_version="v1")
    event = client.CoreV1Event(
        metadata=client.V1ObjectMeta(name="a.1"),
        involved_object=about,
        reason="Tested",
        type="Normal",
    )
    core.create_namespaced_event(namespace, event)
    found = core.list_namespaced_event(
        namespace, field_selector="involvedObject.name=a,reason=Tested"
    )
    assert [e.metadata.name for e in found.items] == ["a.1"]
    assert core.list_namespaced_event(namespace, field_selector="involvedObject.name=b").items == []
