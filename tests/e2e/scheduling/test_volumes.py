"""Pods with claims go where their volumes are, or can be made, and wait for them."""

import pytest

from support.poll import always, until
from support.rest import MERGE_PATCH
from support.scheduler import CONF
from support.storage import Provisioner, Storage, uses


@pytest.fixture
def storage(world):
    return Storage(world)


def test_a_claim_that_does_not_exist_is_named(world, scheduler, storage):
    world.node()
    world.gang("g", 1, **uses("nowhere"))
    entry = world.wait_pod_condition("g-0", status="False", reason="Unschedulable")
    assert 'persistentvolumeclaim "nowhere" not found' in entry["message"], entry


def test_a_claim_that_binds_at_once_is_waited_for(world, scheduler, storage):
    world.node()
    at_once = storage.storage_class("now", mode="Immediate")
    storage.claim("data", at_once)
    world.gang("g", 1, **uses("data"))
    entry = world.wait_pod_condition("g-0", status="False", reason="Unschedulable")
    assert "pod has unbound immediate PersistentVolumeClaims" in entry["message"], entry


def test_a_volume_of_a_node_draws_the_pod_there(world, scheduler, storage):
    world.node()
    node = world.node()
    local = storage.storage_class("local")
    volume = storage.volume("disk", local, node=node)
    storage.claim("data", local)
    world.gang("g", 1, **uses("data"))
    until(lambda: storage.claimant(volume) == "data", 30, "the volume is given to the claim")
    with Provisioner(storage):
        assert world.wait_placed(["g-0"])["g-0"] == node
    assert storage.read_claim("data")["spec"]["volumeName"] == volume


def test_each_pod_of_a_gang_gets_the_smallest_volume_that_is_left(world, scheduler, storage):
    node = world.node()
    local = storage.storage_class("local")
    sizes = {"10Gi": None, "5Gi": None, "1Gi": None}
    for size in sizes:
        sizes[size] = storage.volume("disk", local, node=node, size=size)
    world.pod_group("g", 2)
    for i in range(2):
        storage.claim(f"data-{i}", local, size="2Gi")
        world.pod(f"g-{i}", group="g", **uses(f"data-{i}"))
    with Provisioner(storage):
        world.wait_placed(["g-0", "g-1"])
    taken = {storage.read_claim(f"data-{i}")["spec"]["volumeName"] for i in range(2)}
    assert taken == {sizes["10Gi"], sizes["5Gi"]}
    assert storage.claimant(sizes["1Gi"]) is None


def test_a_gang_with_one_volume_too_few_takes_none(world, scheduler, storage):
    node = world.node()
    local = storage.storage_class("local")
    volume = storage.volume("disk", local, node=node)
    world.pod_group("g", 2)
    for i in range(2):
        storage.claim(f"data-{i}", local)
        world.pod(f"g-{i}", group="g", **uses(f"data-{i}"))
    world.wait_group_condition("g", "Unschedulable", status="True")
    always(lambda: storage.claimant(volume) is None, 1, "the volume stays free")
    assert world.placement() == {}


def test_a_volume_is_made_where_the_pod_goes(world, scheduler, storage):
    world.nodes(2)
    made = storage.storage_class("made", provisioner="batholith.io/simulated")
    storage.claim("data", made)
    world.gang("g", 1, **uses("data"))
    # The pod waits for its claim, others do not wait for it.
    until(lambda: storage.selected_node("data"), 30, "a node is chosen for the claim")
    world.wait_placed(world.gang("other", 1))
    assert "g-0" not in world.placement()
    with Provisioner(storage):
        placed = world.wait_placed(["g-0"])["g-0"]
    assert storage.selected_node("data") == placed


def test_what_is_not_bound_in_time_is_told_and_tried_again(world, new_scheduler, storage):
    assert "- name: predicates\n" in CONF
    timeout = "    arguments:\n      volumebinding.bindTimeoutSeconds: 2\n"
    new_scheduler(conf=CONF.replace("- name: predicates\n", f"- name: predicates\n{timeout}"))
    world.node()
    made = storage.storage_class("made", provisioner="batholith.io/simulated")
    storage.claim("data", made)
    world.gang("g", 1, **uses("data"))
    entry = world.wait_pod_condition("g-0", status="False", reason="SchedulerError")
    assert "binding volumes: timed out after 2s" in entry["message"], entry
    with Provisioner(storage):
        world.wait_placed(["g-0"], within=60)


def test_when_a_provisioner_gives_a_node_up_another_is_tried(world, scheduler, storage):
    world.nodes(2)
    made = storage.storage_class("made", provisioner="batholith.io/simulated")
    storage.claim("data", made)
    world.gang("g", 1, **uses("data"))
    first = until(lambda: storage.selected_node("data"), 30, "a node is chosen for the claim")
    path = f"/api/v1/nodes/{first}"
    world.rest.patch(path, {"spec": {"unschedulable": True}}, MERGE_PATCH).expect(200)
    gone = {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": None}}}
    world.rest.patch(f"{storage.claims}/data", gone, MERGE_PATCH).expect(200)
    until(lambda: storage.selected_node("data") not in (None, first), 30, "another node is chosen")
    with Provisioner(storage):
        assert world.wait_placed(["g-0"])["g-0"] != first
