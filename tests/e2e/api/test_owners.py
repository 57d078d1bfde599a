"""What becomes of dependents when their owners go, or never were."""

import pytest

from support.objects import config_map
from support.poll import always, until
from support.rest import MERGE_PATCH
from support.world import unique

GONE_WITHIN_S = 40  # kube-controller-manager takes its time to learn of new kinds.
HOLD = {"finalizers": ["example.com/hold"]}


@pytest.fixture
def owners(rest, maps):
    """Makes owners and dependents of config maps, and tells whether they are gone."""

    class Owners:
        @staticmethod
        def make(name, owned_by=(), block=True, **metadata):
            references = [Owners.reference(o, block) for o in owned_by]
            body = config_map(name, ownerReferences=references, **metadata)
            return rest.post(maps, body).expect(201)

        @staticmethod
        def reference(owner, block=True):
            return {
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": owner["metadata"]["name"],
                "uid": owner["metadata"]["uid"],
                "blockOwnerDeletion": block,
            }

        @staticmethod
        def delete(name, policy=None):
            more = {"propagationPolicy": policy} if policy else {}
            return rest.delete(f"{maps}/{name}", **more).expect(200)

        @staticmethod
        def get(name):
            return rest.get(f"{maps}/{name}").expect(200)

        @staticmethod
        def is_gone(name):
            return rest.get(f"{maps}/{name}").status == 404

        @staticmethod
        def wait_gone(*names):
            until(
                lambda: all(Owners.is_gone(n) for n in names), GONE_WITHIN_S, f"gone: {names}"
            )

        @staticmethod
        def release(name):
            patch = {"metadata": {"finalizers": None}}
            rest.patch(f"{maps}/{name}", patch, MERGE_PATCH).expect(200)

    return Owners


def test_generations_go_one_after_the_other(owners):
    owner = owners.make("owner")
    child = owners.make("child", [owner])
    owners.make("grandchild", [child])
    owners.delete("owner")
    owners.wait_gone("child", "grandchild")


@pytest.mark.parametrize("wrong", ["name", "uid"])
def test_a_dependent_of_nobody_goes(rest, maps, owners, wrong):
    owner = owners.make("owner")
    reference = {**owners.reference(owner), wrong: "00000000-0000-0000-0000-000000000000"}
    rest.post(maps, config_map("child", ownerReferences=[reference])).expect(201)
    owners.wait_gone("child")
    assert not owners.is_gone("owner")


def test_an_owner_of_an_unknown_kind_is_no_reason_to_go(rest, maps, owners):
    reference = {"apiVersion": "none.example.com/v1", "kind": "None", "name": "n", "uid": "1"}
    rest.post(maps, config_map("child", ownerReferences=[reference])).expect(201)
    sign = {"apiVersion": "v1", "kind": "ConfigMap", "name": "none", "uid": "1"}
    rest.post(maps, config_map("sign", ownerReferences=[sign])).expect(201)
    owners.wait_gone("sign")
    assert not owners.is_gone("child")


def test_a_dead_reference_is_dropped_when_another_owner_lives(owners):
    one, two = owners.make("one"), owners.make("two")
    owners.make("child", [one, two])
    owners.delete("one")

    def left():
        return [r["name"] for r in owners.get("child")["metadata"]["ownerReferences"]]

    until(lambda: left() == ["two"], GONE_WITHIN_S, lambda: f"the dead one dropped: {left()}")
    owners.delete("two")
    owners.wait_gone("child")


def test_an_owner_without_namespace_owns_everywhere(rest, maps, owners):
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    body = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": unique("owner")},
    }
    role = rest.post(roles, body).expect(201)
    owners.make("child", [role])
    owners.make("sign", [{**role, "metadata": {"name": "none", "uid": "1"}}])
    owners.wait_gone("sign")
    assert not owners.is_gone("child")
    rest.delete(f"{roles}/{role['metadata']['name']}").expect(200)
    owners.wait_gone("child")


def test_an_owner_in_another_namespace_is_none(rest, owners):
    owner = owners.make("owner")
    name = unique("other")
    path = f"/api/v1/namespaces/{name}"
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    rest.post("/api/v1/namespaces", body).expect(201)
    far = config_map("far", ownerReferences=[owners.reference(owner)])
    rest.post(f"{path}/configmaps", far).expect(201)
    until(lambda: rest.get(f"{path}/configmaps/far").status == 404, GONE_WITHIN_S, "it is gone")

    def told():
        events = rest.get(f"{path}/events").expect(200)["items"]
        return [e for e in events if e["reason"] == "OwnerRefInvalidNamespace"]

    (event,) = until(told, GONE_WITHIN_S, "an event tells why")
    assert event["type"] == "Warning" and event["involvedObject"]["name"] == "far"
    assert event["message"].endswith(f'does not exist in namespace "{name}"')
    assert "name: owner, uid: " in event["message"]
    rest.delete(path).expect(200)


def test_the_foreground_reaches_all_generations(owners):
    owner = owners.make("owner")
    child = owners.make("child", [owner])
    owners.make("grandchild", [child], **HOLD)
    owners.delete("owner", "Foreground")
    until(
        lambda: owners.get("grandchild")["metadata"].get("deletionTimestamp"),
        GONE_WITHIN_S,
        "the deletion reached the grandchild",
    )
    assert owners.get("child")["metadata"]["finalizers"] == ["foregroundDeletion"]
    always(lambda: not owners.is_gone("owner"), 0.3, "the owner waits")
    owners.release("grandchild")
    owners.wait_gone("grandchild", "child", "owner")


def test_who_does_not_block_is_not_waited_for(owners):
    owner = owners.make("owner")
    owners.make("child", [owner], block=False, **HOLD)
    owners.delete("owner", "Foreground")
    owners.wait_gone("owner")
    until(
        lambda: owners.get("child")["metadata"].get("deletionTimestamp"),
        GONE_WITHIN_S,
        "the dependent is being deleted",
    )
    owners.release("child")


def test_a_dependent_that_lives_for_another_is_not_waited_for(owners):
    owner, other = owners.make("owner"), owners.make("other")
    owners.make("child", [owner, other])
    owners.delete("owner", "Foreground")
    owners.wait_gone("owner")
    references = owners.get("child")["metadata"]["ownerReferences"]
    assert [r["name"] for r in references] == ["other"]


def test_a_second_deletion_may_change_its_mind(owners):
    owner = owners.make("owner")
    owners.make("child", [owner], **HOLD)
    owners.delete("owner", "Foreground")
    assert owners.get("owner")["metadata"]["finalizers"] == ["foregroundDeletion"]
    owners.delete("owner", "Background")
    owners.wait_gone("owner")
    owners.release("child")


@pytest.mark.parametrize("policy", ["Foreground", "Background"])
def test_owners_of_each_other_come_to_an_end(rest, maps, owners, policy):
    a = owners.make("a")
    b = owners.make("b", [a])
    patch = {"metadata": {"ownerReferences": [owners.reference(b)]}}
    rest.patch(f"{maps}/a", patch, MERGE_PATCH).expect(200)
    owners.delete("a", policy)
    owners.wait_gone("a", "b")


def test_the_older_option_orphans_too(rest, maps, owners):
    owner = owners.make("owner")
    owners.make("child", [owner])
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "orphanDependents": True}
    both = {**options, "propagationPolicy": "Orphan"}
    rest.delete(f"{maps}/owner", both).expect_failure(422, "Invalid")
    rest.delete(f"{maps}/owner", options).expect(200)
    owners.wait_gone("owner")
    assert not owners.get("child")["metadata"].get("ownerReferences")


def test_a_job_leaves_its_dependents_unless_told(rest, namespace, owners):
    jobs = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    container = {"name": "c", "image": "example.invalid/app:1"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    body = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {"suspend": True, "template": template},
    }
    owners.make("child", [rest.post(jobs, body).expect(201)])
    assert rest.delete(f"{jobs}/j").expect(200)["metadata"]["finalizers"] == ["orphan"]
    until(lambda: rest.get(f"{jobs}/j").status == 404, GONE_WITHIN_S, "the job is gone")
    assert not owners.get("child")["metadata"].get("ownerReferences")
    owners.make("other", [rest.post(jobs, body).expect(201)])
    rest.delete(f"{jobs}/j", propagationPolicy="Background").expect(200)
    owners.wait_gone("other")


def test_many_dependents_go_while_others_are_served(rest, maps, owners):
    owner = owners.make("owner")
    for i in range(150):
        owners.make(f"child-{i}", [owner])
    owners.delete("owner")

    def left():
        return len(rest.get(maps).expect(200)["items"])

    # The config map with the cluster's certificate is none of ours.
    until(lambda: left() <= 1, GONE_WITHIN_S, lambda: f"{left()} dependents are left")


def test_bad_references_are_refused(rest, maps, owners):
    good = owners.reference(owners.make("owner"))
    for bad in (
        {**good, "uid": ""},
        {**good, "name": ""},
        {**good, "kind": "Event"},
        {k: v for k, v in good.items() if k != "apiVersion"},
    ):
        body = config_map("child", ownerReferences=[bad])
        rest.post(maps, body).expect_failure(422, "Invalid")
    both = config_map("child", finalizers=["orphan", "foregroundDeletion"])
    rest.post(maps, both).expect_failure(422, "Invalid")


# The real collector learns of a new kind only after half a minute and more.
@pytest.mark.backend("embedded")
def test_a_custom_owner_goes_with_its_definition(rest, crd, widgets, widget, owners):
    owners.make("child", [rest.post(widgets, widget("w", size=1)).expect(201)])
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    rest.delete(f"{definitions}/widgets.{crd}").expect(200)
    owners.wait_gone("child")


def test_a_waiting_deletion_goes_on_after_a_crash(backend, rest, owners):
    owner = owners.make("owner")
    owners.make("child", [owner], **HOLD)
    owners.delete("owner", "Foreground")
    until(
        lambda: owners.get("child")["metadata"].get("deletionTimestamp"),
        GONE_WITHIN_S,
        "the dependent is being deleted",
    )
    backend.restart_api()
    assert not owners.is_gone("owner")
    owners.release("child")
    owners.wait_gone("child", "owner")
