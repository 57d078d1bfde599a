"""Follows the claims of a namespace: no device is with two claims at any moment."""

import threading

from support.follow import Follower


class LendingHistory:
    """All writes of claims are seen in their order, so that what is noted here was so in the store."""

    def __init__(self, rest, path):
        self._lock = threading.Lock()
        self._holder = {}  # Device → claim.
        self._devices = {}  # Claim → devices.
        self._problems = []
        self.lent = 0
        self._follower = Follower(rest, path, self._note)

    def _note(self, claim):
        name = claim["metadata"]["name"]
        allocation = (claim.get("status") or {}).get("allocation") or {}
        results = (allocation.get("devices") or {}).get("results") or []
        now = {(r["driver"], r["pool"], r["device"]) for r in results if not r.get("adminAccess")}
        with self._lock:
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

    def is_gapless(self):
        return self._follower.lists == 1
