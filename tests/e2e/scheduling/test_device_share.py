"""Cards that pods share: nobody gets what another one has, whoever dies in between."""

import datetime
import random

import pytest

from support.bind_gate import BindGate
from support.cards import (
    CHIPS,
    CONFIG,
    FAMILIES,
    REAL_CHIPS,
    REGISTER,
    annotate,
    annotations_of,
    tell_of_chips,
    tell_of_node,
)
from support.poll import always, until
from support.scheduler import CONF
from support.vcctl import explained

LOCKED = "node(s) had their devices locked within 5 minutes"
LOCKING = [name for name, family in FAMILIES.items() if family.lock]


@pytest.fixture(params=FAMILIES)
def family(request, world):
    """A family, and what the ConfigMap says of its devices."""
    made = FAMILIES[request.param]
    if made.chips:
        request.getfixturevalue("mind_cluster")
    if made.config:
        path = "/api/v1/namespaces/kube-system/configmaps"
        data = {"device-config.yaml": made.config}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": CONFIG}, "data": data}
        world.rest.post(path, body).expect(201)
        world.removes_later(f"{path}/{CONFIG}")
    return made


@pytest.fixture
def lends(family, new_scheduler, lending):
    """A scheduler that lends cards of the family."""
    return new_scheduler(conf=family.conf(CONF), kubeconfig=lending)


@pytest.fixture
def gate(world, tmp_path):
    made = BindGate(world, tmp_path)
    yield made
    made.close()


def looked(world):
    """The scheduler has looked at everything: it placed something that came later."""
    name = f"sign-{len(world.pods())}"
    world.wait_placed(world.gang(name, 1, cpu="10m"))
    world.delete_pod(f"{name}-0")


def wait_handed_out(world, family, names):
    """The node's device plugin has seen to these pods, and has let go of its node."""

    def handed_out():
        pods = [p for p in world.pods() if p["metadata"]["name"] in names]
        phases = {(p["metadata"].get("annotations") or {}).get(family.phase) for p in pods}
        running = {p["status"].get("phase") for p in pods} == {"Running"}
        cut = [p for p in pods if (p["metadata"].get("annotations") or {}).get(REAL_CHIPS)]
        told = phases == {"success"} if family.phase else not family.chips or cut == pods
        return running and told

    until(handed_out, 30, lambda: f"{names} have their devices: {world.pods()}")


def test_cards_are_lent_once_and_come_back(world, family, lends, nodesim, installed, tmp_path):
    node = family.node(world)
    # One more than there is room for: who waits says so.
    names = world.gang("g", family.places + 1, min_member=1, **family.pod())
    until(lambda: len(world.placement()) == family.places, 30, lambda: f"all but one: {names}")
    placed = world.placement()
    (waits,) = set(names) - set(placed)
    world.wait_pod_told(waits, family.reason)
    assert family.reason in explained(installed, tmp_path, world, "g")
    wait_handed_out(world, family, placed)
    assert family.crowded(world.pods()) == {}
    lends.kill()
    lends.restart()
    looked(world)
    always(lambda: waits not in world.placement(), 0.3, "there is no room yet")
    world.delete_pod(min(placed))
    assert world.wait_placed([waits])[waits] == node
    assert family.crowded(world.pods()) == {}
    if family.lock:
        until(lambda: family.lock not in annotations_of(world, node), 30, "the node is unlocked")


def test_what_a_kubelet_had_not_handed_out_the_next_one_does(world, family, lends, new_nodesim):
    node = family.node(world)
    first = new_nodesim()
    first.kill()
    names = world.gang("g", 1, **family.pod())
    world.wait_placed(names)
    # Nobody is there to start it; its node is locked, and its card is lent, as the pod says.
    assert world.read_pod("g-0")["status"]["phase"] == "Pending"
    assert not family.lock or family.lock in annotations_of(world, node)
    new_nodesim()
    wait_handed_out(world, family, names)
    if family.lock:
        until(lambda: family.lock not in annotations_of(world, node), 30, "the node is unlocked")
    more = world.gang("h", 1, **family.pod())
    world.wait_placed(more)
    wait_handed_out(world, family, names + more)
    assert family.crowded(world.pods()) == {}


def test_simulated_nodes_register_cards(world, new_scheduler, lending, new_nodesim):
    family = FAMILIES["vgpu"]
    new_scheduler(conf=family.conf(CONF), kubeconfig=lending)
    cards = ":".join(f"{{node}}-{i},10,30000,NVIDIA-A,true,hami-core" for i in range(2))
    resources = [flag for name in family.resources.items() for flag in ("--node-resource", "=".join(name))]
    registered = ("--node-annotation", f"{REGISTER}={cards}:", "--node-label", "cards=two")
    new_nodesim("--nodes", "2", *resources, *registered)
    names = [f"node-{i:04}" for i in (1, 2)]
    for name in names:
        world.removes_later(f"/api/v1/nodes/{name}")
    pods = world.gang("g", 2 * family.places, **family.pod(nodeSelector={"cards": "two"}))
    assert set(world.wait_placed(pods).values()) == set(names)
    wait_handed_out(world, family, pods)
    assert family.crowded(world.pods()) == {}
    assert {card.rsplit("-", 1)[0] for _, card in family.holders(world.pods())} == set(names)


@pytest.mark.parametrize("family", LOCKING, indirect=True)
def test_a_refused_binding_leaves_neither_cards_nor_lock(world, family, lends, gate):
    node = family.node(world)
    gate.refuse()
    world.gang("g", 1, **family.pod())
    gate.wait_refused()
    until(lambda: family.lock not in annotations_of(world, node), 30, "the lock is given back")
    assert family.told not in world.read_pod("g-0")["metadata"]["annotations"]
    gate.open()
    world.wait_placed(["g-0"])
    assert family.told in world.read_pod("g-0")["metadata"]["annotations"]


@pytest.mark.parametrize("family", LOCKING, indirect=True)
def test_a_crash_before_the_binding_keeps_the_node_for_five_minutes(
    world, family, lends, gate, nodesim
):
    node = family.node(world)
    gate.hold()
    world.gang("g", 1, **family.pod())
    gate.wait_held()
    lends.kill()
    gate.refuse()
    until(lambda: not gate.waiting, 30, "nothing waits at the gate")
    gate.open()
    assert family.told not in world.read_pod("g-0")["metadata"]["annotations"]
    lends.restart()
    world.wait_pod_told("g-0", LOCKED)
    # Other nodes are nobody's business.
    other = family.node(world)
    world.gang("h", 1, **family.pod())
    assert set(world.wait_placed(["g-0", "h-0"]).values()) == {other}
    assert family.lock in annotations_of(world, node)


def test_an_old_lock_is_taken_over(world, new_scheduler, lending, nodesim):
    family = FAMILIES["vgpu"]
    new_scheduler(conf=family.conf(CONF), kubeconfig=lending)
    node = family.node(world)
    annotate(world, node, **{family.lock: ago(minutes=4)})
    world.gang("g", 1, **family.pod())
    world.wait_pod_told("g-0", LOCKED)
    annotate(world, node, **{family.lock: ago(minutes=6)})
    world.wait_placed(["g-0"])
    wait_handed_out(world, family, ["g-0"])


def ago(**time):
    then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**time)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_bindings_of_a_node_take_turns(world, new_scheduler, lending, gate, nodesim):
    family = FAMILIES["vgpu"]
    new_scheduler(conf=family.conf(CONF), kubeconfig=lending)
    family.node(world)
    gate.hold()
    names = world.gang("g", 2, **family.pod())
    (first,) = gate.wait_held()
    always(lambda: gate.waiting == [first], 0.3, "the other one waits for its turn")
    gate.open()
    world.wait_placed(names)
    wait_handed_out(world, family, names)


# vc-standalone plays the nodes' part from its start.
@pytest.mark.backend("kube")
def test_bindings_of_a_node_wait_for_its_plugin(world, new_scheduler, lending, request):
    family = FAMILIES["vgpu"]
    new_scheduler(conf=family.conf(CONF), kubeconfig=lending)
    family.node(world)
    names = world.gang("g", 2, **family.pod())
    # Nobody hands devices out: the second binding waits for the first one's.
    until(lambda: len(world.placement()) == 1, 30, "one is bound")
    always(lambda: len(world.placement()) == 1, 0.5, "the other one waits for its turn")
    request.getfixturevalue("nodesim")
    world.wait_placed(names)
    wait_handed_out(world, family, names)


def test_a_card_that_fails_is_lent_to_nobody(world, new_scheduler, lending, nodesim):
    family = FAMILIES["memory"]
    new_scheduler(conf=family.conf(CONF), kubeconfig=lending)
    node = family.node(world, annotations={"volcano.sh/gpu-unhealthy-ids": "0,1,x,-5,"})
    world.gang("g", 2, min_member=1, **family.pod())
    world.wait_pod_told("g-0", family.reason)
    annotate(world, node, **{"volcano.sh/gpu-unhealthy-ids": "0"})
    until(lambda: len(world.placement()) == 1, 30, "the sound card is lent")
    looked(world)
    ((_, card),) = family.holders(world.pods())
    assert card == "1"
    # The plugin dies and comes back with both.
    annotate(world, node, **{"volcano.sh/gpu-unhealthy-ids": None})
    world.wait_placed(["g-0", "g-1"])
    assert family.crowded(world.pods()) == {}


def chips_of(world, pod):
    return (world.read_pod(pod)["metadata"].get("annotations") or {}).get(CHIPS)


def asks_for(cores):
    """The arguments of a pod that asks for so many cores of chips."""
    container = {"resources": {"limits": {CHIPS: str(cores)}, "requests": {"cpu": "1"}}}
    labels = {"ring-controller.atlas": "ascend-310P"}
    return {"cpu": None, "memory": None, "container": container, "metadata": {"labels": labels}}


def test_chips_come_and_go_as_they_are_told_of(world, new_scheduler, lending, mind_cluster, nodesim):
    family = FAMILIES["mindcluster"]
    new_scheduler(conf=family.conf(CONF), kubeconfig=lending)
    node = family.node(world)
    tell_of_chips(world, node, free=[1], broken=[0])
    world.gang("both", 1, **asks_for(16))
    world.wait_pod_told("both-0", "selectChipFromNodeWhole free whole chip not enough")
    world.gang("one", 1, **asks_for(8))
    world.wait_placed(["one-0"])
    assert chips_of(world, "one-0") == "1"
    world.delete_pod("both-0")
    # The broken one comes back, and the node is about to be taken out of use.
    tell_of_node(world, node, "PreSeparate")
    tell_of_chips(world, node, free=[0])
    world.gang("part", 1, **asks_for(2))
    world.wait_pod_told("part-0", "node is PreSeparate, due to nodeD reported node status")
    tell_of_node(world, node, "Healthy")
    world.wait_placed(["part-0"])
    assert chips_of(world, "part-0") == "0-vir02_1c"
    wait_handed_out(world, family, ["one-0", "part-0"])


# vc-standalone plays the nodes' part from its start.
@pytest.mark.backend("kube")
def test_a_chip_that_is_being_cut_waits_for_its_plugin(
    world, new_scheduler, lending, mind_cluster, request
):
    family = FAMILIES["mindcluster"]
    daemon = new_scheduler(conf=family.conf(CONF), kubeconfig=lending)
    family.node(world)
    for name, chip in (("a", "0-vir01"), ("b", "1-vir01")):
        world.gang(name, 1, **asks_for(1))
        world.wait_placed([f"{name}-0"])
        assert chips_of(world, f"{name}-0") == chip
    world.gang("c", 1, **asks_for(1))
    world.wait_pod_told("c-0", "selectChipFromNodeSegment available chip not found")
    daemon.kill()
    daemon.restart()
    looked(world)
    assert "c-0" not in world.placement()
    request.getfixturevalue("nodesim")
    world.wait_placed(["c-0"])
    assert chips_of(world, "c-0") in ("0-vir01", "1-vir01")
    wait_handed_out(world, family, ["a-0", "b-0", "c-0"])


def test_a_refused_binding_leaves_no_chip_taken(
    world, new_scheduler, lending, mind_cluster, gate, nodesim
):
    family = FAMILIES["mindcluster"]
    new_scheduler(conf=family.conf(CONF), kubeconfig=lending)
    family.node(world)
    gate.refuse("g-0")
    world.gang("g", 1, **asks_for(16))
    gate.wait_refused()
    assert chips_of(world, "g-0") is None
    # Somebody else may have them while the gang pauses.
    world.gang("h", 1, **asks_for(16))
    world.wait_placed(["h-0"])
    assert chips_of(world, "h-0") == "0,1"
    gate.open()
    world.wait_pod_told("g-0", "Insufficient huawei.com/npu-core")
    world.delete_pod("h-0")
    world.wait_placed(["g-0"])
    assert chips_of(world, "g-0") == "0,1"


BAD_REGISTERS = {
    "torn": "GPU-a,10,300",
    "negative": "GPU-a,-10,-30000,NVIDIA-A,true,hami-core:",
    "huge": f"GPU-a,{'9' * 40},{'9' * 400},NVIDIA-A,true,hami-core:",
    "overflowing": "GPU-a,9223372036854775807,-9223372036854775808,NVIDIA-A,true,hami-core:",
    "not text": "\u0000\ufffd:,,,,,:::;;;,",
    "another family": "AMD-a,10,30000,AMD,true,hami-core:",
}


def test_nodes_that_say_nonsense_get_nobody_and_hold_nobody_up(world, new_scheduler, lending):
    family = FAMILIES["vgpu"]
    daemon = new_scheduler(conf=family.conf(CONF), kubeconfig=lending)
    bad = [family.node(world, annotations={REGISTER: text}) for text in BAD_REGISTERS.values()]
    world.gang("g", 1, **family.pod())
    world.wait_pod_told("g-0", f"{len(bad)} {family.reason}")
    # A card that is named twice is one card.
    one = "GPU-x,10,30000,NVIDIA-A,true,hami-core:"
    twice = family.node(world, annotations={REGISTER: one + one})
    assert world.wait_placed(["g-0"])["g-0"] == twice
    world.gang("large", 1, **family.pod(container=asking(number=2, memory=100)))
    world.wait_pod_told("large-0", family.reason)
    assert daemon.process.check()


def asking(number, memory):
    limits = {"volcano.sh/vgpu-number": str(number), "volcano.sh/vgpu-memory": str(memory)}
    return {"resources": {"limits": limits, "requests": {"cpu": "1"}}}


def test_pods_that_say_nonsense_take_nothing_from_others(world, new_scheduler, lending):
    family = FAMILIES["vgpu"]
    new_scheduler(conf=family.conf(CONF, NodeLockEnable=False), kubeconfig=lending)
    node = family.node(world)
    lies = [
        "GPU-a,NVIDIA,30000,100:",  # Before it has a node.
        "GPU-a,NVIDIA,-1,0:",
        f"GPU-a,NVIDIA,{'9' * 30},0:",
        "GPU-a",
        ";;;:::,,,",
    ]
    for i, lie in enumerate(lies):
        # A pod for another scheduler, or one that is on the node already.
        more = {"scheduler": "nobody"} if i == 0 else {"nodeName": node}
        world.pod(f"lie-{i}", metadata={"annotations": {family.told: lie}}, cpu="10m", **more)
    own = {"annotations": {family.told: "GPU-b,NVIDIA,30000,100:GPU-b,NVIDIA,30000,100:"}}
    world.gang("g", 4, metadata=own, **family.pod())
    world.wait_placed([f"g-{i}" for i in range(4)])
    mine = [p for p in world.pods() if p["metadata"]["name"].startswith("g-")]
    assert family.crowded(mine) == {}
    assert len(family.holders(mine)) == 2


def test_no_card_gives_more_than_it_has_whoever_dies(world, new_scheduler, lending, nodesim):
    family = FAMILIES["vgpu"]
    daemon = new_scheduler(conf=family.conf(CONF, SchedulePolicy="binpack"), kubeconfig=lending)
    nodes = [family.node(world) for _ in range(3)]
    dice = random.Random(3)
    sizes = {}

    def more(count):
        for _ in range(count):
            name = f"p{len(sizes)}"
            sizes[name] = dice.randrange(2000, 14000, 500)
            world.pod_group(name, 1)
            world.pod(name, group=name, **family.pod(container=asking(1, sizes[name])))

    def outlive_locks():
        """A crash may leave each of the three nodes locked for the next five minutes."""
        wait_handed_out(world, family, set(world.placement()))
        for node in nodes:
            if family.lock in annotations_of(world, node):
                annotate(world, node, **{family.lock: ago(minutes=6)})

    def overdrawn():
        """Cards of which pods have more than there is, by what their annotations say."""
        cards = family.holders(world.pods())
        given = {card: sum(sizes[pod] for pod in pods) for card, pods in cards.items()}
        return {card: sum_ for card, sum_ in given.items() if sum_ > 30000}

    more(12)
    for _ in range(4):
        more(6)
        until(lambda: len(world.placement()) >= 8, 60, lambda: f"{world.placement()}")
        daemon.kill()
        outlive_locks()
        for pod in dice.sample(sorted(world.placement()), 3):
            world.delete_pod(pod)
        daemon.restart()
        assert overdrawn() == {}
    waiting = set(sizes) - set(world.placement())
    until(
        lambda: all(
            p["spec"].get("nodeName") or (world.pod_condition(p["metadata"]["name"]) or {}).get("message")
            for p in world.pods()
        ),
        60,
        lambda: f"{waiting} are placed, or told why not",
    )
    assert overdrawn() == {}
