"""Whether a pod that waits would have found devices somewhere: an exhaustive search with a limit."""

from collections import defaultdict
from fractions import Fraction

from support.device_checker import rules

LOOKS_MAX = 20000


class Unknown(Exception):
    """The search took too long to tell."""


class Taken:
    """What claims have: whole devices, and parts of those that are shared."""

    def __init__(self, whole=(), parts=()):
        self.whole = set(whole)
        self.parts = defaultdict(lambda: defaultdict(Fraction))  # Device → capacity → amount.
        for key, part in parts:
            self.add(key, part, 1)

    def add(self, key, part, sign):
        for name, amount in part.items():
            self.parts[key][name] += sign * amount

    def copy(self):
        return Taken(self.whole, self.parts.items())

    def keys(self):
        return self.whole | {key for key, part in self.parts.items() if any(part.values())}


class Search:
    """On one node, with what others have."""

    def __init__(self, claims, node, offer, taken):
        self._claims, self._node, self._offer = claims, node, offer
        self._taken = taken.copy()
        self._looks = LOOKS_MAX
        self._left = {key: dict(pool.counters) for key, pool in offer.pools.items()}
        for key in taken.keys():
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

    def _take(self, demand, device):
        """False: it is not to be had; then nothing has changed."""
        if demand.admin:
            return True
        if device.shared:
            part = demand.part(device)
            there, has = device.capacities(), self._taken.parts[device.key]
            if any(has[name] + amount > there[name][0] for name, amount in part.items()):
                return False
            self._taken.add(device.key, part, 1)
            return True
        if device.key in self._taken.whole:
            return False
        self._taken.whole.add(device.key)
        if self._consume(device, -1):
            return True
        self._put_back(demand, device)
        return False

    def _put_back(self, demand, device):
        if demand.admin:
            return
        if device.shared:
            self._taken.add(device.key, demand.part(device), -1)
        else:
            self._consume(device, 1)
            self._taken.whole.remove(device.key)

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
            fitting = [d for d in self._offer.reachable(self._node) if demand.selects(d)]
            if demand.all:
                # Who asks for all of them does without none that it may not have.
                if not fitting or not all(demand.tolerates(d) for d in fitting):
                    continue
            else:
                fitting = [d for d in fitting if demand.tolerates(d)]
            count = len(fitting) if demand.all else demand.count
            state = (claim, open_requests[1:], index)
            if self._devices(demand, fitting, count, given, state):
                return True
        return False

    def _devices(self, demand, fitting, count, given, state):
        if count == 0:
            claim, rest, index = state
            return self._request(claim, rest, given, index)
        # A claim may have several parts of a device.
        again = not demand.all and not demand.admin
        enough = len(fitting) - count + 1
        if again and any(device.shared for device in fitting):
            enough = len(fitting)
        for i, device in enumerate(fitting[: max(0, enough)]):
            self._looks -= 1
            if self._looks < 0:
                raise Unknown
            if any(d is device and not (again and d.shared) for _, d in given):
                continue
            if not self._take(demand, device):
                continue
            further = [*given, (demand.name, device)]
            rest = fitting[i:] if again and device.shared else fitting[i + 1 :]
            if self._devices(demand, rest, count - 1, further, state):
                return True
            self._put_back(demand, device)
        return False


def fits_on(claims, node, offer, taken):
    """True, False, or None when it took too long to tell."""
    try:
        return Search(claims, node, offer, taken).finds()
    except Unknown:
        return None


def holders(claims):
    """Device → the claims that have all of it."""
    found = defaultdict(list)
    for claim in claims:
        for result in claim.results:
            if not result.get("adminAccess") and not result.get("shareID"):
                found[result["driver"], result["pool"], result["device"]].append(claim.name)
    return found


def parts(claims, offer):
    """(Device, what a claim takes of it), of each part that some claim has."""
    found = []
    for claim in claims:
        for result in claim.results:
            key = result["driver"], result["pool"], result["device"]
            device = offer.find(*key)
            if device is not None and result.get("shareID") and not result.get("adminAccess"):
                found.append((key, rules.consumed(result, device)))
    return found
