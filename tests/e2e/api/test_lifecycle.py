"""The end of objects: finalizers, grace periods, owners and namespaces."""

import pytest

from support.objects import config_map, pod
from support.poll import always, until
from support.rest import MERGE_PATCH
from support.world import unique

GONE_WITHIN_S = 40  # kube-controller-manager takes its time to learn of new kinds.


def is_gone(rest, path):
    return rest.get(path).status == 404


def test_a_finalizer_holds_the_object_until_it_is_removed(rest, maps):
    rest.post(maps, config_map("a", finalizers=["example.com/hold"])).expect(201)
    rest.delete(f"{maps}/a").expect(200)
    dying = rest.get(f"{maps}/a").expect(200)
    assert dying["metadata"]["deletionTimestamp"]
    rest.patch(f"{maps}/a", {"data": {"still": "writable"}}, MERGE_PATCH).expect(200)
    again = rest.delete(f"{maps}/a").expect(200)
    assert again["metadata"]["deletionTimestamp"] == dying["metadata"]["deletionTimestamp"]
    rest.patch(f"{maps}/a", {"metadata": {"finalizers": None}}, MERGE_PATCH).expect(200)
    assert is_gone(rest, f"{maps}/a")


def test_a_dying_object_takes_no_new_finalizer(rest, maps):
    rest.post(maps, config_map("a", finalizers=["example.com/hold"])).expect(201)
    rest.delete(f"{maps}/a").expect(200)
    patch = {"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}}
    rest.patch(f"{maps}/a", patch, MERGE_PATCH).expect_failure(422, "Invalid")
    rest.patch(f"{maps}/a", {"metadata": {"finalizers": None}}, MERGE_PATCH).expect(200)


def bound_pod(rest, pods, **spec):
    """A pod on a node that nobody runs, so that nobody but the test ends it."""
    rest.post(pods, pod("a", scheduler="nobody", **spec)).expect(201)
    target = {"apiVersion": "v1", "kind": "Node", "name": "node-without-kubelet"}
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"}, "target": target}
    rest.post(f"{pods}/a/binding", binding).expect(201)


def test_a_bound_pod_gets_its_grace_period(rest, pods):
    bound_pod(rest, pods, terminationGracePeriodSeconds=45)
    dying = rest.delete(f"{pods}/a").expect(200)["metadata"]
    assert dying["deletionGracePeriodSeconds"] == 45 and dying["deletionTimestamp"]
    shorter = rest.delete(f"{pods}/a", gracePeriodSeconds=5).expect(200)["metadata"]
    assert shorter["deletionGracePeriodSeconds"] == 5
    assert shorter["deletionTimestamp"] < dying["deletionTimestamp"]
    rest.delete(f"{pods}/a", gracePeriodSeconds=0).expect(200)
    assert is_gone(rest, f"{pods}/a")


def test_a_pod_without_node_goes_at_once(rest, pods):
    rest.post(pods, pod("a", scheduler="nobody", terminationGracePeriodSeconds=45)).expect(201)
    rest.delete(f"{pods}/a").expect(200)
    assert is_gone(rest, f"{pods}/a")


def test_delete_options_in_the_body_count(rest, pods):
    bound_pod(rest, pods, terminationGracePeriodSeconds=45)
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}
    rest.delete(f"{pods}/a", options).expect(200)
    assert is_gone(rest, f"{pods}/a")


@pytest.fixture
def family(rest, maps):
    """An owner and a dependent that blocks its foreground deletion."""
    owner = rest.post(maps, config_map("owner")).expect(201)
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": True,
        "controller": True,
    }
    return reference


def test_dependents_follow_their_owner_in_the_background(rest, maps, family):
    rest.post(maps, config_map("child", ownerReferences=[family])).expect(201)
    rest.delete(f"{maps}/owner", propagationPolicy="Background").expect(200)
    assert is_gone(rest, f"{maps}/owner"), "the owner goes first"
    until(lambda: is_gone(rest, f"{maps}/child"), GONE_WITHIN_S, "the dependent follows")


def test_the_owner_waits_for_its_dependents_in_the_foreground(rest, maps, family):
    child = config_map("child", ownerReferences=[family], finalizers=["example.com/hold"])
    rest.post(maps, child).expect(201)
    owner = rest.delete(f"{maps}/owner", propagationPolicy="Foreground").expect(200)
    assert "foregroundDeletion" in owner["metadata"]["finalizers"]
    until(
        lambda: rest.get(f"{maps}/child").expect(200)["metadata"].get("deletionTimestamp"),
        GONE_WITHIN_S,
        "the dependent is being deleted",
    )
    always(lambda: not is_gone(rest, f"{maps}/owner"), 0.5, "the owner waits")
    rest.patch(f"{maps}/child", {"metadata": {"finalizers": None}}, MERGE_PATCH).expect(200)
    until(lambda: is_gone(rest, f"{maps}/owner"), GONE_WITHIN_S, "the owner follows")
    assert is_gone(rest, f"{maps}/child")


def test_orphans_lose_their_reference_and_stay(rest, maps, family):
    rest.post(maps, config_map("child", ownerReferences=[family])).expect(201)
    rest.delete(f"{maps}/owner", propagationPolicy="Orphan").expect(200)
    until(lambda: is_gone(rest, f"{maps}/owner"), GONE_WITHIN_S, "the owner is gone")
    child = rest.get(f"{maps}/child").expect(200)
    assert child["metadata"].get("ownerReferences", []) == []


def test_a_dependent_with_a_living_owner_stays(rest, maps, family):
    other = rest.post(maps, config_map("other")).expect(201)
    second = {**family, "name": "other", "uid": other["metadata"]["uid"], "controller": False}
    rest.post(maps, config_map("child", ownerReferences=[family, second])).expect(201)
    rest.post(maps, config_map("sibling", ownerReferences=[family])).expect(201)
    rest.delete(f"{maps}/owner", propagationPolicy="Background").expect(200)
    until(lambda: is_gone(rest, f"{maps}/sibling"), GONE_WITHIN_S, "the collector has been here")
    assert not is_gone(rest, f"{maps}/child")


def test_a_namespace_takes_its_content_along(rest):
    name = unique("doomed")
    path = f"/api/v1/namespaces/{name}"
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    rest.post("/api/v1/namespaces", body).expect(201)
    held = config_map("held", finalizers=["example.com/hold"])
    rest.post(f"{path}/configmaps", held).expect(201)
    rest.post(f"{path}/pods", pod("p", scheduler="nobody")).expect(201)
    rest.delete(path).expect(200)
    assert rest.get(path).expect(200)["status"]["phase"] == "Terminating"
    refused = rest.post(f"{path}/configmaps", config_map("late")).expect_failure(403, "Forbidden")
    assert "is being terminated" in refused["message"]
    until(lambda: is_gone(rest, f"{path}/pods/p"), GONE_WITHIN_S, "the pod is gone")
    assert not is_gone(rest, path), "a finalizer inside holds the namespace"
    patch = {"metadata": {"finalizers": None}}
    until(
        lambda: rest.patch(f"{path}/configmaps/held", patch, MERGE_PATCH).status in (200, 404),
        10,
        "the finalizer removed",
    )
    until(lambda: is_gone(rest, path), GONE_WITHIN_S, "the namespace is gone")
