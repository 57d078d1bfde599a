"""Whether a pod that waits would have found devices somewhere: an exhaustive search with a limit."""

from collections import defaultdict
from fractions import Fraction

from support.device_checker import rules

LOOKS_MAX = 20000


class Unknown(Exception):
    """The search took too long to tell."""


class Search:
    """On one node, with what others have."""

    def __init__(self, claims, node, offer, taken):
        self._claims, self._node, self._offer = claims, node, offer
        self._taken = set(taken)
        self._looks = LOOKS_MAX
        self._left = {key: dict(pool.counters) for key, pool in offer.pools.items()}
        for key in taken:
            device = offer.find(*key)
            if device is not None:
                self._consume(device, -1)

    def finds(self):
        return self._claim(0)

    def _consume(self, device, sign):
        left = self._left[device.driver, device.pool]
        used = device.consumption()
        for counter, amount in used.items():
            left[counter] = left.get(counter, Fraction(0)) + sign * amount
        return all(left[counter] >= 0 for counter in used)

    def _claim(self, index):
        if index == len(self._claims):
            return True
        claim = self._claims[index]
        return self._request(claim, list(claim.demands.values()), [], index)

    def _request(self, claim, open_requests, given, index):
        if not open_requests:
            problems = rules.of_constraints(claim, given)
            problems += rules.of_all(claim, given, self._node, self._offer)
            return not problems and self._claim(index + 1)
        for demand in open_requests[0]:
            fitting = [d for d in self._offer.reachable(self._node) if demand.admits(d)]
            count = len(fitting) if demand.all else demand.count
            if demand.all and not fitting:
                continue
            state = (claim, open_requests[1:], index)
            if self._devices(demand, fitting, count, given, state):
                return True
        return False

    def _devices(self, demand, fitting, count, given, state):
        if count == 0:
            claim, rest, index = state
            return self._request(claim, rest, given, index)
        for i, device in enumerate(fitting[: len(fitting) - count + 1]):
            self._looks -= 1
            if self._looks < 0:
                raise Unknown
            if device.key in self._taken:
                continue
            self._taken.add(device.key)
            fits = self._consume(device, -1)
            further = [*given, (demand.name, device)]
            if fits and self._devices(demand, fitting[i + 1 :], count - 1, further, state):
                return True
            self._consume(device, 1)
            self._taken.remove(device.key)
        return False


def fits_on(claims, node, offer, taken):
    """True, False, or None when it took too long to tell."""
    try:
        return Search(claims, node, offer, taken).finds()
    except Unknown:
        return None


def holders(claims):
    """Device → the claims that have it."""
    found = defaultdict(list)
    for claim in claims:
        for result in claim.results:
            if not result.get("adminAccess") and not result.get("shareID"):
                found[result["driver"], result["pool"], result["device"]].append(claim.name)
    return found
