"""The order of decisions, as events show it."""

from checks.cases import pod
from support.binding_order import BindingOrder
from support.placement_checker.claims import SELECTED_NODE
from support.poll import until
from support.storage import uses


class Server:
    """Lists nothing, then shows each kind its events once."""

    def __init__(self, **events):
        self._events = events

    def get(self, path):
        return self

    def expect(self, status):
        return {"metadata": {"resourceVersion": "1"}, "items": []}

    def watch(self, path, **query):
        yield from self._events.pop(path.rpartition("/")[2], [])


def event(body, version):
    body["metadata"]["resourceVersion"] = str(version)
    return {"type": "MODIFIED", "object": body}


def bound(name, version):
    body = {"metadata": {"namespace": "ns", "name": name}, "spec": {"nodeName": "n"}}
    return event(body, version)


def test_a_decision_shows_in_a_claim_before_it_shows_in_the_pod():
    notes = {SELECTED_NODE: "n"}
    chosen = {"metadata": {"namespace": "ns", "name": "c", "annotations": notes}, "spec": {}}
    reference = {"namespace": "ns", "name": "d"}
    given = {"metadata": {"name": "v"}, "spec": {"claimRef": reference}}
    order = BindingOrder(
        Server(
            pods=[bound("plain", 12), bound("maker", 20), bound("taker", 21), bound("second", 22)],
            persistentvolumeclaims=[event(chosen, 11)],
            persistentvolumes=[event(given, 10)],
        )
    )
    with_claims = [pod("maker", **uses("c")), pod("taker", **uses("d")), pod("second", **uses("c"))]
    pods = [pod("plain"), *with_claims]
    try:
        until(lambda: order.placed() == 4 and order.settled() == 2, 5, "the events are read")
    finally:
        order.close()
    assert order.is_gapless()
    # The claim was settled for the first of its two pods.
    assert [p.name for p in order.sort(pods, set())] == ["taker", "maker", "plain", "second"]
    # What was settled before tells nothing.
    settled = {("ns", "c"), ("ns", "d")}
    assert [p.name for p in order.sort(pods, settled)] == ["plain", "maker", "taker", "second"]
