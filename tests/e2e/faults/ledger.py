"""The cluster as a watcher sees it who has a connection of his own, past every fault."""

import threading
import time
from dataclasses import dataclass

from kubernetes import config

from support.jobs import BATCH, BUS
from support.objects import SCHEDULING
from support.rest import Rest

PATHS = {
    "nodes": "/api/v1/nodes",
    "queues": f"{SCHEDULING}/queues",
    "podgroups": f"{SCHEDULING}/podgroups",
    "jobs": f"{BATCH}/jobs",
    "pods": "/api/v1/pods",
    "commands": f"{BUS}/commands",
    "leases": "/apis/coordination.k8s.io/v1/namespaces/volcano-system/leases",
}
# Renewed for ever, which is no unrest.
NEVER_SILENT = ("leases",)
# Shorter than the client waits for the next byte.
WATCH_S = 25


def uid(thing):
    return thing["metadata"]["uid"]


def key(thing):
    meta = thing["metadata"]
    return f"{meta['namespace']}/{meta['name']}" if "namespace" in meta else meta["name"]


def version(thing):
    return int(thing["metadata"]["resourceVersion"])


@dataclass(frozen=True)
class Change:
    """One object as it was and as it is; `None`: it was not there, or is not any more. After a gap
    the watcher had to read the list anew: what lay in between he has not seen."""

    kind: str
    before: dict | None
    after: dict | None
    gap: bool
    at: float

    @property
    def any(self):
        return self.after or self.before


class Ledger:
    """The present objects by kind and key. Promises and others look on: they are told of each change,
    one after the other (`on`), and when a list has been taken in (`settled`).

    Thread: one per kind follows; `lock` guards the objects and serialises what onlookers are told.
    """

    def __init__(self, kubeconfig):
        self._client = config.new_client_from_config(kubeconfig)
        self._client.rest_client.pool_manager.connection_pool_kw["maxsize"] = 2 * len(PATHS)
        self.rest = Rest(self._client)
        self.lock = threading.RLock()
        self.objects = {kind: {} for kind in PATHS}
        self.onlookers = []
        self.breaches = []  # Of `durable`, which nobody else can judge.
        self.changes = 0
        self.lists = 0
        self._versions = {}
        self._ended = threading.Event()
        self._threads = []

    def begin(self):
        """Reads all lists, and follows them from there on."""
        for kind in PATHS:
            self._list(kind, gap=False)
        for kind in PATHS:
            thread = threading.Thread(target=self._follow, args=(kind,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self):
        self._ended.set()
        for thread in self._threads:
            thread.join(WATCH_S + 5)
        self._client.close()

    def copy(self):
        """What there is now, by kind, as lists."""
        with self.lock:
            return {kind: list(found.values()) for kind, found in self.objects.items()}

    # --- following --------------------------------------------------------------------------

    def _follow(self, kind):
        while not self._ended.is_set():
            try:
                if self._versions[kind] is None:
                    self._list(kind, gap=True)
                self._watch_once(kind)
            except Exception:  # The server is away: go on when it answers again.
                self._ended.wait(0.05)

    def _watch_once(self, kind):
        begin = {"resourceVersion": self._versions[kind], "timeoutSeconds": WATCH_S}
        for event in self.rest.watch(PATHS[kind], **begin):
            if event["type"] in ("ERROR", "HTTP"):
                if event["object"].get("code") == 410:
                    self._versions[kind] = None
                elif event["object"].get("code") == 429:  # A server that has just started.
                    self._ended.wait(0.5)
                return
            thing = event["object"]
            with self.lock:
                self._apply(kind, thing, gone=event["type"] == "DELETED", gap=False)
            self._versions[kind] = thing["metadata"]["resourceVersion"]
            if self._ended.is_set():
                return

    def _list(self, kind, gap):
        listed = self.rest.get(PATHS[kind]).expect(200)
        reached = int(listed["metadata"]["resourceVersion"])
        present = {key(item): item for item in listed["items"]}
        with self.lock:
            self.lists += 1
            known = self.objects[kind]
            if gap:
                self._judge_durable(kind, reached, present)
            # What is gone goes first: it makes room for what has come.
            for name in [n for n in known if n not in present or uid(present[n]) != uid(known[n])]:
                self._apply(kind, known[name], gone=True, gap=gap)
            for item in listed["items"]:
                self._apply(kind, item, gone=False, gap=gap)
            for onlooker in self.onlookers:
                onlooker.settled(kind)
        self._versions[kind] = listed["metadata"]["resourceVersion"]

    def _apply(self, kind, thing, gone, gap):
        known = self.objects[kind]
        before = known.get(key(thing))
        if before and uid(before) != uid(thing):  # Made anew within one list.
            self._tell(Change(kind, before, None, gap, time.monotonic()))
            before = None
        if gone:
            known.pop(key(thing), None)
        else:
            known[key(thing)] = thing
        if gone and before is None:
            return
        if not gone and before and version(before) == version(thing):
            return
        self._tell(Change(kind, before, None if gone else thing, gap, time.monotonic()))

    def _tell(self, change):
        self.changes += change.kind not in NEVER_SILENT
        for onlooker in self.onlookers:
            onlooker.on(change)

    def _judge_durable(self, kind, reached, present):
        """Nothing that a watcher was told of is undone, whatever happened to the server."""
        for name, before in self.objects[kind].items():
            after = present.get(name)
            if version(before) > reached:
                self.breaches.append(
                    f"durable: the list of {kind} is of version {reached}, and {name} was seen in"
                    f" version {version(before)}"
                )
            elif after and uid(after) == uid(before) and version(after) < version(before):
                self.breaches.append(
                    f"durable: {kind} {name} was seen in version {version(before)}, and is in"
                    f" version {version(after)} now"
                )
