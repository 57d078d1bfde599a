"""The checker finds what it is there to find."""

from fractions import Fraction

import pytest

from support import checks, objects
from support.poll import until
from support.quantity import parse


def placed(name, node, phase="Running", **more):
    body = objects.pod(name, **more)
    body["metadata"].setdefault("namespace", "ns")
    body["metadata"].setdefault("uid", f"uid-{name}")
    body["spec"]["nodeName"] = node
    body["status"] = {"phase": phase}
    return body


@pytest.mark.parametrize(
    "text, value",
    [("1", 1), ("100m", "1/10"), ("1.5Gi", 3 * 2**29), ("2e3", 2000), ("5k", 5000), (".5", "1/2")],
)
def test_quantities_are_exact(text, value):
    assert parse(text) == Fraction(value)


@pytest.mark.parametrize("text", ["", "x", "1x", "Ki"])
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(ValueError):
        parse(text)


def test_a_full_node_is_fine_and_one_millicore_more_is_not():
    nodes = [objects.node("n", cpu=2)]
    full = [placed("a", "n", cpu="1"), placed("b", "n", cpu="1000m")]
    assert checks.nodes_within_allocatable(nodes, full) == []
    over = full + [placed("c", "n", cpu="1m")]
    assert checks.nodes_within_allocatable(nodes, over) == ["node n: cpu 2.001 used of 2"]


def test_finished_pods_take_no_room():
    nodes = [objects.node("n", cpu=1)]
    pods = [placed("a", "n", cpu="1"), placed("b", "n", "Succeeded", cpu="1")]
    assert checks.nodes_within_allocatable(nodes, pods) == []


def test_what_devices_serve_is_no_matter_of_the_node():
    nodes = [objects.node("n")]
    asks = {"resources": {"requests": {"example.com/card": "1"}}}
    pod = placed("a", "n", cpu=None, memory=None, container=asks)
    problem = ["node n: example.com/card 1 used of 0"]
    assert checks.nodes_within_allocatable(nodes, [pod]) == problem
    mapping = {"resourceName": "example.com/card", "containerName": "main", "requestName": "r"}
    pod["status"]["extendedResourceClaimStatus"] = {"requestMappings": [mapping]}
    assert checks.nodes_within_allocatable(nodes, [pod]) == []


def test_the_number_of_pods_is_room_too():
    nodes = [objects.node("n", pods=1)]
    pods = [placed("a", "n", cpu="1m"), placed("b", "n", cpu="1m")]
    assert checks.nodes_within_allocatable(nodes, pods) == ["node n: pods 2 used of 1"]


def test_a_pod_on_a_node_that_is_not_there_is_found():
    assert len(checks.nodes_within_allocatable([], [placed("a", "ghost")])) == 1


def test_init_containers_count_by_their_peak_and_side_cars_always():
    body = placed("a", "n", cpu="1")
    body["spec"]["initContainers"] = [
        {"name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "500m"}}},
        {"name": "init", "resources": {"requests": {"cpu": "3"}}},
    ]
    body["spec"]["overhead"] = {"cpu": "250m"}
    # While running: 1 + 0.5. While starting: 3 + 0.5, which is more. Overhead comes on top.
    assert checks.pod_request(body)["cpu"] == parse("3750m")


def gang(minimum, *nodes):
    group = {"metadata": {"namespace": "ns", "name": "g"}, "spec": {"minMember": minimum}}
    pods = [placed(f"p{i}", node, group="g") for i, node in enumerate(nodes)]
    return [group], pods


@pytest.mark.parametrize(
    "minimum, nodes, is_whole",
    [
        (3, ("n", "n", "n"), True),
        (3, ("n", "n", ""), False),
        (3, ("", "", ""), True),
        (2, ("n", "n", ""), True),
        (1, ("", "n", ""), True),
    ],
)
def test_a_gang_has_its_minimum_or_nothing(minimum, nodes, is_whole):
    assert (checks.gangs_whole(*gang(minimum, *nodes)) == []) is is_whole


def test_a_gang_that_is_being_deleted_is_not_half_a_gang():
    groups, pods = gang(2, "n")
    assert len(checks.gangs_whole(groups, pods)) == 1
    pods[0]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert checks.gangs_whole(groups, pods) == []


def test_host_ports_clash_on_one_node_only():
    def holder(name, node, ip=None):
        port = {"containerPort": 80, "hostPort": 80, **({"hostIP": ip} if ip else {})}
        return placed(name, node, container={"ports": [port]})

    assert checks.host_ports_apart([holder("a", "m"), holder("b", "n")]) == []
    assert len(checks.host_ports_apart([holder("a", "n"), holder("b", "n")])) == 1
    assert len(checks.host_ports_apart([holder("a", "n", "10.0.0.1"), holder("b", "n")])) == 1
    apart = [holder("a", "n", "10.0.0.1"), holder("b", "n", "10.0.0.2")]
    assert checks.host_ports_apart(apart) == []


class FakeWatch:
    """Answers each list and each watch with the next script of its kind, then with nothing new."""

    def __init__(self, lists, watches):
        self._lists, self._watches = lists, watches

    def get(self, path):
        return self

    def expect(self, status):
        items = self._lists.pop(0) if len(self._lists) > 1 else self._lists[0]
        return {"metadata": {"resourceVersion": "1"}, "items": items}

    def watch(self, path, **query):
        yield from (self._watches.pop(0) if self._watches else [])


def event(pod):
    pod["metadata"]["resourceVersion"] = "2"
    return {"type": "MODIFIED", "object": pod}


def test_the_history_finds_a_pod_that_moved():
    steady = [event(placed("a", "m")), event(placed("a", "m", "Succeeded"))]
    moved = [event(placed("b", "m")), event(placed("b", "n"))]
    history = checks.BindHistory(FakeWatch([[placed("c", "")]], [steady + moved]), "ns")
    until(history.problems, 5, "the events are read")
    history.close()
    assert history.problems() == ["pod uid-b moved: ['m', 'n']"]
    assert history.bound() == 2


def test_the_history_lists_anew_when_the_server_has_forgotten():
    expired = {"type": "ERROR", "object": {"code": 410}}
    lists = [[placed("a", "m")], [placed("a", "n"), placed("b", "n")]]
    history = checks.BindHistory(FakeWatch(lists, [[expired]]), "ns")
    until(lambda: history.bound() == 2, 5, "the second list is read")
    history.close()
    assert history.problems() == ["pod uid-a moved: ['m', 'n']"]
