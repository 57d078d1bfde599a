"""Follows the claims of a namespace: no device is with two claims at any moment, and none gives more
than it has."""

import threading
from collections import defaultdict
from fractions import Fraction

from support.device_checker.model import Offer
from support.follow import Follower
from support.quantity import parse


class LendingHistory:
    """All writes of claims are seen in their order, so that what is noted here was so in the store."""

    def __init__(self, rest, path):
        self._lock = threading.Lock()
        self._holder = {}  # Device → claim.
        self._devices = {}  # Claim → devices.
        self._parts = {}  # Claim → device → what it consumes, by the names of results.
        self._peaks = defaultdict(Fraction)  # (Device, name) → the most that was consumed at a time.
        self._problems = []
        self.lent = 0
        self._follower = Follower(rest, path, self._note)

    def _note(self, claim):
        name = claim["metadata"]["name"]
        allocation = (claim.get("status") or {}).get("allocation") or {}
        results = (allocation.get("devices") or {}).get("results") or []
        lent = [r for r in results if not r.get("adminAccess")]
        # Parts of a device have names of their own.
        now = {(r["driver"], r["pool"], r["device"], r.get("shareID")) for r in lent}
        parts = defaultdict(Fraction)
        for result in lent:
            for what, amount in (result.get("consumedCapacity") or {}).items():
                key = result["driver"], result["pool"], result["device"]
                parts[key, what] += parse(amount)
        with self._lock:
            self._parts[name] = parts
            for key in parts:
                sum_ = sum((p.get(key, 0) for p in self._parts.values()), Fraction(0))
                self._peaks[key] = max(self._peaks[key], sum_)
            before = self._devices.get(name, set())
            self.lent += len(now - before)
            for device in before - now:
                if self._holder.get(device) == name:
                    del self._holder[device]
            for device in now - before:
                other = self._holder.setdefault(device, name)
                if other != name:
                    self._problems.append(f"{device} went to {name} while {other} had it")
            self._devices[name] = now

    def close(self):
        self._follower.close()

    def problems(self):
        with self._lock:
            return list(self._problems)

    def beyond(self, slices):
        """Shared devices of which more was given at some moment than there is."""
        offer = Offer(slices)
        problems = []
        with self._lock:
            for (key, what), most in self._peaks.items():
                device = offer.find(*key)
                room = device.capacities().get(device.full(what), (0,))[0] if device else 0
                if most > room:
                    problems.append(f"{key} gave {most} of {room} of its {what}")
        return problems

    def is_gapless(self):
        return self._follower.lists == 1
