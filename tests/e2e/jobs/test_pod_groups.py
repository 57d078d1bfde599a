"""Pod groups for pods that nobody made one for."""

from support.jobs import FOREVER, container, reference
from support.objects import GROUP_ANNOTATION, SCHEDULING
from support.poll import always, until
from support.rest import MERGE_PATCH
from support.world import unique

APPS = "/apis/apps/v1"


def group_name(pod):
    return (pod["metadata"].get("annotations") or {}).get(GROUP_ANNOTATION)


def runs(world, name):
    return world.read_pod(name).get("status", {}).get("phase") == "Running"


def test_a_bare_pod_gets_a_group_of_its_own_and_runs(world):
    queue = world.queue()
    annotations = {"scheduling.volcano.sh/queue-name": queue, "volcano.sh/preemptable": "true"}
    pod = world.pod("p", cpu="250m", metadata={"annotations": annotations})
    until(lambda: runs(world, "p"), 30, lambda: str(world.read_pod("p")))
    name = f"podgroup-{pod['metadata']['uid']}"
    assert group_name(world.read_pod("p")) == name
    group = world.read_group(name)
    assert (group["spec"]["minMember"], group["spec"]["queue"]) == (1, queue)
    assert group["spec"]["minResources"]["requests.cpu"] == "250m"
    assert group["metadata"]["annotations"]["volcano.sh/preemptable"] == "true"
    owner = group["metadata"]["ownerReferences"][0]
    assert (owner["kind"], owner["uid"]) == ("Pod", pod["metadata"]["uid"])
    world.delete_pod("p")
    world.wait_gone(SCHEDULING, "podgroups", name)


def test_pods_of_other_schedulers_and_with_a_group_are_left_alone(world):
    world.pod("other", scheduler="somebody-else")
    world.gang("g", 1)
    world.pod("sign")
    until(lambda: group_name(world.read_pod("sign")), 30, "a sign of life")
    always(lambda: not group_name(world.read_pod("other")), 0.3, "it stays without a group")
    assert group_name(world.read_pod("g-0")) == "g"
    assert len(world.names(SCHEDULING, "podgroups")) == 2


def replica_set(world, backend, replicas, annotations):
    """A ReplicaSet with its pods, which our own API server has no controller for."""
    name = unique("rs")
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {
            "schedulerName": "volcano",
            "terminationGracePeriodSeconds": 0,
            "containers": [container(FOREVER, cpu="100m")],
        },
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    made = world.make(APPS, "replicasets", "ReplicaSet", name, spec, annotations=annotations)
    if backend.kind == "embedded":
        for number in range(replicas):
            head = {"name": f"{name}-{number}", "labels": {"app": name}}
            head["ownerReferences"] = [{**reference(made), "blockOwnerDeletion": True}]
            body = {"apiVersion": "v1", "kind": "Pod", "metadata": head, "spec": template["spec"]}
            world.rest.post(world.path("/api/v1", "pods"), body).expect(201)
    return made


def test_the_pods_of_a_replica_set_share_a_group(world, backend):
    annotations = {"scheduling.volcano.sh/group-min-member": "3", "volcano.sh/x": "y"}
    owner = replica_set(world, backend, 3, annotations)
    name = f"podgroup-{owner['metadata']['uid']}"
    until(
        lambda: [group_name(p) for p in world.pods()] == [name] * 3
        and all(p.get("status", {}).get("phase") == "Running" for p in world.pods()),
        30,
        lambda: f"three pods of {name} run: {world.pods()}",
    )
    group = world.read_group(name)
    assert group["spec"]["minMember"] == 3
    assert group["spec"]["minResources"]["requests.cpu"] == "300m"
    assert group["metadata"]["annotations"]["volcano.sh/x"] == "y"
    assert group["metadata"]["ownerReferences"][0]["uid"] == owner["metadata"]["uid"]
    path = world.path(APPS, "replicasets", owner["metadata"]["name"])
    # Not a PUT: the controller of replica sets writes the status meanwhile.
    world.rest.patch(path, {"spec": {"replicas": 0}}, MERGE_PATCH).expect(200)
    world.wait_gone(SCHEDULING, "podgroups", name)
    world.rest.delete(path, propagationPolicy="Background").expect(200)
