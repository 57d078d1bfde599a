"""status, binding, eviction and scale."""

from support.objects import pod
from support.rest import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH


def binding(name, node, **metadata):
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    head = {"name": name, **metadata}
    return {"apiVersion": "v1", "kind": "Binding", "metadata": head, "target": target}


def running(rest, pods, name):
    """Makes a pod look as if a kubelet ran it."""
    conditions = [{"type": "Ready", "status": "True"}]
    patch = {"status": {"phase": "Running", "conditions": conditions}}
    rest.patch(f"{pods}/{name}/status", patch, STRATEGIC_PATCH).expect(200)


def test_a_binding_sets_the_node_and_the_condition(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    assert (
        rest.post(f"{pods}/a/binding", binding("a", "some-node")).expect(201)["status"] == "Success"
    )
    bound = rest.get(f"{pods}/a").expect(200)
    assert bound["spec"]["nodeName"] == "some-node"
    conditions = {c["type"]: c["status"] for c in bound["status"]["conditions"]}
    assert conditions["PodScheduled"] == "True"


def test_the_binding_of_the_whole_collection_works_too(core, rest, pods, namespace):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    core.create_namespaced_binding(namespace, binding("a", "some-node"), _preload_content=False)
    assert rest.get(f"{pods}/a").expect(200)["spec"]["nodeName"] == "some-node"


def test_a_second_binding_is_a_conflict(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    rest.post(f"{pods}/a/binding", binding("a", "some-node")).expect(201)
    for node in ("other-node", "some-node"):
        rest.post(f"{pods}/a/binding", binding("a", node)).expect_failure(409, "Conflict")
    assert rest.get(f"{pods}/a").expect(200)["spec"]["nodeName"] == "some-node"


def test_a_binding_of_another_uid_is_a_conflict(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    stale = binding("a", "some-node", uid="00000000-0000-0000-0000-000000000000")
    rest.post(f"{pods}/a/binding", stale).expect_failure(409, "Conflict")
    assert "nodeName" not in rest.get(f"{pods}/a").expect(200)["spec"]


def test_a_binding_of_a_missing_pod_is_not_found(rest, pods):
    rest.post(f"{pods}/a/binding", binding("a", "some-node")).expect_failure(404, "NotFound")


def test_a_binding_carries_annotations_to_the_pod(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    rest.post(f"{pods}/a/binding", binding("a", "n", annotations={"example.com/x": "1"})).expect(
        201
    )
    assert rest.get(f"{pods}/a").expect(200)["metadata"]["annotations"]["example.com/x"] == "1"


def test_a_gated_pod_cannot_be_bound(rest, pods):
    body = pod("a", scheduler="nobody", schedulingGates=[{"name": "example.com/wait"}])
    rest.post(pods, body).expect(201)
    assert rest.post(f"{pods}/a/binding", binding("a", "some-node")).status in (400, 409)
    rest.patch(f"{pods}/a", {"spec": {"schedulingGates": None}}, MERGE_PATCH).expect(200)
    rest.post(f"{pods}/a/binding", binding("a", "some-node")).expect(201)


def test_status_and_spec_are_written_apart(rest, pods):
    made = rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    made["status"]["phase"] = "Running"
    made["metadata"]["labels"] = {"x": "y"}
    updated = rest.put(f"{pods}/a", made).expect(200)
    assert updated["status"]["phase"] == "Pending", "an ordinary update leaves the status alone"
    assert updated["metadata"]["labels"] == {"x": "y"}
    updated["status"]["phase"] = "Running"
    updated["spec"]["containers"][0]["image"] = "example.invalid/other:1"
    status = rest.put(f"{pods}/a/status", updated).expect(200)
    assert status["status"]["phase"] == "Running"
    assert status["spec"]["containers"][0]["image"] == "example.invalid/app:1"


def test_the_status_of_a_custom_kind_is_written_apart(rest, widgets, widget):
    body = widget("w", size=1)
    body["status"] = {"phase": "Ignored"}
    made = rest.post(widgets, body).expect(201)
    assert "status" not in made
    made["status"], made["spec"]["size"] = {"phase": "Ready"}, 50
    done = rest.put(f"{widgets}/w/status", made).expect(200)
    assert done["status"] == {"phase": "Ready"} and done["spec"]["size"] == 1
    generation = done["metadata"]["generation"]
    done = rest.patch(f"{widgets}/w", {"spec": {"size": 2}}, MERGE_PATCH).expect(200)
    assert done["metadata"]["generation"] == generation + 1
    done = rest.patch(f"{widgets}/w/status", {"status": {"phase": "Old"}}, MERGE_PATCH).expect(200)
    assert done["metadata"]["generation"] == generation + 1, "only a new spec is a new generation"


def test_scale_shows_and_sets_the_replicas(rest, widgets, widget):
    rest.post(widgets, widget("w", size=1)).expect(201)
    scale = rest.get(f"{widgets}/w/scale").expect(200)
    assert scale["kind"] == "Scale" and scale["spec"]["replicas"] == 3
    scale["spec"]["replicas"] = 5
    assert rest.put(f"{widgets}/w/scale", scale).expect(200)["spec"]["replicas"] == 5
    assert rest.get(f"{widgets}/w").expect(200)["spec"]["replicas"] == 5


def scale_of(name, replicas, **metadata):
    head = {"apiVersion": "autoscaling/v1", "kind": "Scale"}
    return {**head, "metadata": {"name": name, **metadata}, "spec": {"replicas": replicas}}


def test_scale_can_be_patched(rest, widgets, widget):
    rest.post(widgets, widget("w", size=1)).expect(201)
    path = f"{widgets}/w/scale"
    merge = {"spec": {"replicas": 7}}
    assert rest.patch(path, merge, MERGE_PATCH).expect(200)["spec"]["replicas"] == 7
    patch = [{"op": "replace", "path": "/spec/replicas", "value": 8}]
    assert rest.patch(path, patch, JSON_PATCH).expect(200)["spec"]["replicas"] == 8
    assert rest.patch(path, {"spec": {"replicas": 0}}, MERGE_PATCH).expect(200)["spec"] == {}
    assert rest.get(f"{widgets}/w").expect(200)["spec"]["replicas"] == 0
    assert rest.patch(path, merge, STRATEGIC_PATCH).status == 415


def test_scale_shows_the_status(rest, widgets, widget):
    rest.post(widgets, widget("w", size=1)).expect(201)
    rest.patch(f"{widgets}/w/status", {"status": {"replicas": 2}}, MERGE_PATCH).expect(200)
    assert rest.get(f"{widgets}/w/scale").expect(200)["status"] == {"replicas": 2}


def test_scale_refuses_what_it_cannot_do(rest, widgets, widget):
    rest.post(widgets, widget("w", size=1)).expect(201)
    path = f"{widgets}/w/scale"
    rest.put(path, scale_of("w", -1)).expect_failure(422, "Invalid")
    rest.put(path, scale_of("other", 1)).expect_failure(400, "BadRequest")
    rest.put(path, scale_of("", 1)).expect_failure(400, "BadRequest")
    rest.put(path, scale_of("w", "1")).expect_failure(400, "BadRequest")
    rest.put(path, scale_of("w", 3_000_000_000)).expect_failure(400, "BadRequest")
    rest.put(path, {**scale_of("w", 1), "kind": "Other"}).expect_failure(400, "BadRequest")
    rest.put(path, scale_of("w", 1, resourceVersion="1")).expect_failure(409, "Conflict")
    rest.put(path, scale_of("w", 1, uid="1")).expect_failure(409, "Conflict")
    rest.get(f"{widgets}/none/scale").expect_failure(404, "NotFound")
    assert rest.get(f"{widgets}/w").expect(200)["spec"]["replicas"] == 3


def test_scale_writes_selectors_as_clients_do(rest, namespace):
    expressions = [
        {"key": "a", "operator": "In", "values": ["z", "b"]},
        {"key": "e", "operator": "Exists"},
        {"key": "aa", "operator": "DoesNotExist"},
        {"key": "q", "operator": "NotIn", "values": ["y", "x"]},
    ]
    selector = {"matchLabels": {"c": "d", "a": "b"}, "matchExpressions": expressions}
    container = {"name": "c", "image": "example.invalid/app:1"}
    template = {
        "metadata": {"labels": {"a": "b", "c": "d", "e": "f"}},
        "spec": {"containers": [container]},
    }
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"replicas": 0, "selector": selector, "template": template},
    }
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    rest.post(path, body).expect(201)
    scale = rest.get(f"{path}/d/scale").expect(200)
    assert scale["status"]["selector"] == "a=b,a in (b,z),!aa,c=d,e,q notin (x,y)"


def eviction(name, **options):
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    return {**body, "deleteOptions": options} if options else body


def test_an_eviction_deletes_the_pod(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    assert rest.post(f"{pods}/a/eviction", eviction("a")).expect(201)["status"] == "Success"
    rest.get(f"{pods}/a").expect_failure(404, "NotFound")


def test_an_eviction_of_another_uid_is_a_conflict(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody")).expect(201)
    stale = eviction("a", preconditions={"uid": "00000000-0000-0000-0000-000000000000"})
    rest.post(f"{pods}/a/eviction", stale).expect_failure(409, "Conflict")
    assert "deletionTimestamp" not in rest.get(f"{pods}/a").expect(200)["metadata"]


def test_an_eviction_honours_the_disruption_budget(rest, pods, namespace):
    rest.post(pods, pod("a", scheduler="nobody", metadata={"labels": {"app": "x"}})).expect(201)
    rest.post(f"{pods}/a/binding", binding("a", "some-node")).expect(201)
    running(rest, pods, "a")
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "keep"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}},
    }
    budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    rest.post(budgets, budget).expect(201)
    failure = rest.post(f"{pods}/a/eviction", eviction("a")).expect_failure(429, "TooManyRequests")
    assert "disruption budget" in failure["message"]
    assert "deletionTimestamp" not in rest.get(f"{pods}/a").expect(200)["metadata"]
    rest.delete(f"{budgets}/keep").expect(200)
    rest.post(f"{pods}/a/eviction", eviction("a")).expect(201)


def test_a_custom_kind_without_the_subresource_says_not_found(rest, crd, widgets, widget):
    rest.post(widgets, widget("w", size=1)).expect(201)
    for name in ("w", "none"):
        said = rest.get(f"{widgets}/{name}/other").expect_failure(404, "NotFound")
        assert said["message"] == f'widgets.{crd} "{name}" not found'
        said = rest.patch(f"{widgets}/{name}/other", {}, MERGE_PATCH)
        assert said.expect_failure(404, "NotFound")["message"] == f'widgets.{crd} "{name}" not found'
