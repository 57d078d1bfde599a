"""The rules of the placement checker: each finds what it is there to find, and no more."""

import pytest

from checks.cases import cluster, node, pod, said

# --- room -------------------------------------------------------------------------------------


def resources(cpu):
    return {"resources": {"requests": {"cpu": cpu}}}


def init(cpu, **more):
    return {"name": f"i{cpu}", **resources(cpu), **more}


SIDE = {"restartPolicy": "Always"}


@pytest.mark.parametrize(
    "spec, cpu",
    [
        ({"cpu": "1"}, "1"),
        # Init containers run one after the other, before the others.
        ({"cpu": "1", "initContainers": [init("2"), init("3")]}, "3"),
        # Side cars stay: they count beside the containers …
        ({"cpu": "1", "initContainers": [init("500m", **SIDE)]}, "1500m"),
        # … and beside the init containers that come after them, not before them.
        ({"cpu": "1", "initContainers": [init("1", **SIDE), init("3")]}, "4"),
        ({"cpu": "1", "initContainers": [init("3"), init("1", **SIDE)]}, "3"),
        ({"cpu": "1", "overhead": {"cpu": "250m"}}, "1250m"),
        ({"cpu": "1", "resources": {"requests": {"cpu": "2"}}}, "2"),
        ({"cpu": "1", "resources": {"requests": {"memory": "1Gi"}}}, "1"),
        ({"cpu": "1", "resources": {"requests": {"cpu": "2"}}, "overhead": {"cpu": "1"}}, "3"),
        ({"container": {"resources": {"limits": {"cpu": "2"}}}}, "2"),
    ],
)
def test_what_a_pod_asks_for(spec, cpu):
    wanted = pod("p", **spec)
    fits, short = node("fits", cpu=cpu), node("short", cpu="0")
    short["status"]["allocatable"]["cpu"] = str(millis(cpu) - 1) + "m"
    assert said(wanted, cluster([fits, short])) == {"short": {"room"}}


def millis(text):
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


def test_room_is_what_others_leave():
    here = cluster([node("n", cpu=4)], [(pod("a", cpu="2"), "n"), (pod("b", cpu="1500m"), "n")])
    assert said(pod("c", cpu="500m"), here) == {}
    assert said(pod("c", cpu="501m"), here) == {"n": {"room"}}


def test_what_is_not_asked_for_cannot_be_short():
    here = cluster([node("n", cpu=1)], [(pod("a", cpu="2"), "n")])
    assert said(pod("b", memory="1Gi"), here) == {}


def test_a_node_takes_so_many_pods_and_no_more():
    here = cluster([node("n", pods=1)], [(pod("a"), "n")])
    assert said(pod("b"), here) == {"n": {"room"}}


def test_a_resource_the_node_does_not_have_is_short():
    limits = {"resources": {"limits": {"example.com/gpu": "1"}}}
    assert said(pod("a", container=limits), cluster([node("n")])) == {"n": {"room"}}


def test_finished_pods_hold_nothing():
    done = pod("a", cpu="4")
    done.finished = True
    assert said(pod("b", cpu="4"), cluster([node("n", cpu=4)], [(done, "n")])) == {}


# --- nodes ------------------------------------------------------------------------------------


def required(*terms):
    return {
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}
            }
        }
    }


def named(operator, *values):
    return {
        "matchFields": [{"key": "metadata.name", "operator": operator, "values": list(values)}]
    }


def expression(key, operator, *values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    "spec, taken",
    [
        ({"nodeSelector": {"disk": "ssd"}}, "a"),
        (required(expression("disk", "In", "ssd", "nvme")), "a"),
        (required(expression("disk", "NotIn", "ssd")), "bc"),
        (required(expression("disk", "Exists")), "ab"),
        (required(expression("disk", "DoesNotExist")), "c"),
        (required(expression("age", "Gt", "3")), "b"),
        (required(expression("age", "Lt", "4")), "a"),
        (required(named("In", "c")), "c"),
        (required(named("NotIn", "c")), "ab"),
        # One of several terms, and all of one term.
        (required(expression("disk", "In", "ssd"), expression("disk", "DoesNotExist")), "ac"),
        (required({**expression("disk", "Exists"), **named("In", "b", "c")}), "b"),
        (required({}), ""),
        ({"nodeSelector": {"disk": "ssd"}, **required(expression("age", "Gt", "3"))}, ""),
    ],
)
def test_labels_of_nodes(spec, taken):
    nodes = [
        node("a", labels={"disk": "ssd", "age": "3"}),
        node("b", labels={"disk": "hdd", "age": "4"}),
        node("c", labels={"age": "old"}),
    ]
    refused = said(pod("p", **spec), cluster(nodes))
    assert refused == {n: {"node affinity"} for n in "abc" if n not in taken}


@pytest.mark.parametrize(
    "toleration, goes",
    [
        (None, False),
        ({"operator": "Exists"}, True),
        ({"key": "k", "operator": "Exists"}, True),
        ({"key": "k", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "k", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "k", "value": "v"}, True),
        ({"key": "k", "operator": "Equal", "value": "w"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_taints(toleration, goes):
    here = cluster([node("n", taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}])])
    refused = said(pod("p", tolerations=[toleration] if toleration else []), here)
    assert refused == ({} if goes else {"n": {"taints"}})


@pytest.mark.parametrize("effect, goes", [("NoExecute", False), ("PreferNoSchedule", True)])
def test_effects_of_taints(effect, goes):
    here = cluster([node("n", taints=[{"key": "k", "effect": effect}])])
    assert said(pod("p"), here) == ({} if goes else {"n": {"taints"}})


def test_a_cordoned_node_takes_those_that_tolerate_it():
    closed = node("n")
    closed["spec"]["unschedulable"] = True
    assert said(pod("p"), cluster([closed])) == {"n": {"cordon"}}
    toleration = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
    assert said(pod("p", tolerations=[toleration]), cluster([closed])) == {}


# --- ports ------------------------------------------------------------------------------------


def holding(name, port, ip=None, protocol=None):
    entry = {"containerPort": 1, "hostPort": port}
    entry |= {"hostIP": ip} if ip else {}
    entry |= {"protocol": protocol} if protocol else {}
    return pod(name, container={"ports": [entry]})


@pytest.mark.parametrize(
    "one, other, clash",
    [
        ((80,), (80,), True),
        ((80,), (81,), False),
        ((80, None, "TCP"), (80, None, "UDP"), False),
        ((80, None, "TCP"), (80,), True),
        ((80, "10.0.0.1"), (80, "10.0.0.2"), False),
        ((80, "10.0.0.1"), (80, "10.0.0.1"), True),
        ((80, "10.0.0.1"), (80, "0.0.0.0"), True),
        ((80, "10.0.0.1"), (80,), True),
    ],
)
def test_host_ports(one, other, clash):
    here = cluster([node("n"), node("free")], [(holding("a", *one), "n")])
    assert said(holding("b", *other), here) == ({"n": {"ports"}} if clash else {})


def test_side_cars_hold_ports_and_init_containers_do_not():
    def with_init(**more):
        ports = [{"containerPort": 1, "hostPort": 80}]
        return pod("a", initContainers=[{"name": "i", "ports": ports, **more}])

    for more, clash in (({"restartPolicy": "Always"}, True), ({}, False)):
        here = cluster([node("n")], [(with_init(**more), "n")])
        assert said(holding("b", 80), here) == ({"n": {"ports"}} if clash else {})
