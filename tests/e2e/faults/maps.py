"""Writes that were acknowledged are there afterwards: a client that counts in ConfigMaps."""

import random
import threading
import time

from support.objects import config_map
from support.rest import MERGE_PATCH

NAMES = 40
PAUSE_S = 0.05
GONE = None


class Maps:
    """Creates, changes and deletes ConfigMaps one after the other, and keeps what each may hold: the
    value of the last write that was acknowledged, and those of later ones without an answer."""

    def __init__(self, backend, namespace, seed):
        self._rest = backend.rest()
        self._path = f"/api/v1/namespaces/{namespace}/configmaps"
        self._rng = random.Random(seed)
        self._may_be = {f"map-{i}": [GONE] for i in range(NAMES)}
        self._count = 0
        self._took = []
        self.acknowledged = self.unanswered = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self):
        self._ended.set()
        self._thread.join(60)

    def _run(self):
        while not self._ended.wait(PAUSE_S):
            self._write(self._rng.choice(sorted(self._may_be)))

    def _write(self, name):
        self._count += 1
        value = str(self._count)
        known = self._may_be[name]
        begin = time.monotonic()
        try:
            if self._rng.random() < 0.2:
                value = GONE
                answer = self._rest.delete(f"{self._path}/{name}")
                done = answer.status in (200, 404)
            else:
                patch = {"data": {"value": value}}
                answer = self._rest.patch(f"{self._path}/{name}", patch, MERGE_PATCH)
                if answer.status == 404:
                    answer = self._rest.post(self._path, config_map(name, {"value": value}))
                done = answer.status in (200, 201)
        except Exception:  # The connection broke: nobody knows whether it happened.
            done = False
        if done:
            self._may_be[name] = [value]
            self.acknowledged += 1
            self._took.append(1000 * (time.monotonic() - begin))
        else:
            known.append(value)
            self.unanswered += 1

    def take(self):
        """How long writes took since the last time, in milliseconds."""
        took, self._took = self._took, []
        return took

    def problems(self):
        """What is not there, or is there and should not be; after `stop`."""
        items = self._rest.get(self._path).expect(200)["items"]
        found = {i["metadata"]["name"]: (i.get("data") or {}).get("value") for i in items}
        return [
            f"durable: {name} holds {found.get(name)}, and was last told to hold {may_be}"
            for name, may_be in self._may_be.items()
            if found.get(name, GONE) not in may_be
        ]
