"""A namespace, nodes and queues of one test, made through the public API and removed after it."""

import itertools
import os

from support import objects
from support.checks import BindHistory, gangs_whole, host_ports_apart, nodes_within_allocatable
from support.objects import NOT_READY_TAINT, SCHEDULING
from support.poll import until
from support.rest import MERGE_PATCH

_numbers = itertools.count(1)


def unique(prefix):
    """A name that no other test of this session and no session beside it uses."""
    return f"{prefix}-{os.getpid()}-{next(_numbers)}"


class World:
    def __init__(self, backend):
        self.rest = backend.rest()
        # Whether somebody takes back device claims of pods that are gone.
        self.collects_claims = backend.kind == "kube"
        self.namespace = unique("world")
        self._cluster_wide = []  # Paths to delete at the end.
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}}
        self.rest.post("/api/v1/namespaces", body).expect(201)
        self.history = BindHistory(self.rest, self.namespace)

    # --- making -----------------------------------------------------------------------------

    def node(self, name="node", **more):
        """A ready node; its real name, which is unique, is returned."""
        return self.add_node(objects.node(unique(name), **more))

    def add_node(self, body):
        """A node with this very name, which nobody else uses."""
        made = self.rest.post("/api/v1/nodes", body).expect(201)
        path = f"/api/v1/nodes/{made['metadata']['name']}"
        self._cluster_wide.append(path)
        # A server taints new nodes until somebody vouches for them.
        if any(t["key"] == NOT_READY_TAINT for t in made["spec"].get("taints") or []):
            patch = {"spec": {"taints": body["spec"]["taints"] or None}}
            self.rest.patch(path, patch, MERGE_PATCH).expect(200)
        return made["metadata"]["name"]

    def nodes(self, count, **more):
        return [self.node(**more) for _ in range(count)]

    def queue(self, name="queue", state=None, **spec):
        body = objects.queue(unique(name), **spec)
        name = self.rest.post(f"{SCHEDULING}/queues", body).expect(201)["metadata"]["name"]
        self._cluster_wide.append(f"{SCHEDULING}/queues/{name}")
        if state:
            self.set_queue_state(name, state)
        return name

    def set_queue_state(self, name, state):
        path = f"{SCHEDULING}/queues/{name}/status"
        self.rest.patch(path, {"status": {"state": state}}, MERGE_PATCH).expect(200)

    def priority_class(self, value):
        body = objects.priority_class(unique("priority"), value)
        path = "/apis/scheduling.k8s.io/v1/priorityclasses"
        name = self.rest.post(path, body).expect(201)["metadata"]["name"]
        self._cluster_wide.append(f"{path}/{name}")
        return name

    def pod_group(self, name, min_member, **spec):
        body = objects.pod_group(name, min_member, **spec)
        return self.rest.post(self._groups(), body).expect(201)

    def pod(self, name, **more):
        return self.rest.post(self._pods(), objects.pod(name, **more)).expect(201)

    def gang(self, name, size, min_member=None, group=None, **pod):
        """A pod group and its pods NAME-0, NAME-1 …; returns the names of the pods."""
        self.pod_group(name, size if min_member is None else min_member, **(group or {}))
        names = [f"{name}-{i}" for i in range(size)]
        for pod_name in names:
            self.pod(pod_name, group=name, **pod)
        return names

    def held_lease(self, name):
        """A lease that somebody else holds: its path, and the flags of one who waits for it."""
        path = f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases"
        self.rest.post(path, objects.lease(name, "somebody-else")).expect(201)
        flags = ["--leader-elect=true", f"--leader-elect-resource-name={name}"]
        flags.append(f"--leader-elect-resource-namespace={self.namespace}")
        return f"{path}/{name}", flags

    def budget(self, name, labels, **spec):
        path = f"/apis/policy/v1/namespaces/{self.namespace}/poddisruptionbudgets"
        return self.rest.post(path, objects.disruption_budget(name, labels, **spec)).expect(201)

    def delete_pod(self, name):
        self.rest.delete(f"{self._pods()}/{name}", gracePeriodSeconds=0)

    def delete_group(self, name):
        self.rest.delete(f"{self._groups()}/{name}").expect(200)

    def delete_queue(self, name):
        self.rest.delete(f"{SCHEDULING}/queues/{name}").expect(200)

    def removes_later(self, path):
        """A cluster-wide object of this test."""
        self._cluster_wide.append(path)

    # --- looking ----------------------------------------------------------------------------

    def _pods(self):
        return f"/api/v1/namespaces/{self.namespace}/pods"

    def _groups(self):
        return f"{SCHEDULING}/namespaces/{self.namespace}/podgroups"

    def pods(self):
        return self.rest.get(self._pods()).expect(200)["items"]

    def read_pod(self, name):
        return self.rest.get(f"{self._pods()}/{name}").expect(200)

    def read_group(self, name):
        return self.rest.get(f"{self._groups()}/{name}").expect(200)

    def placement(self):
        """Pod → node, for the pods that have one."""
        found = {p["metadata"]["name"]: p["spec"].get("nodeName") for p in self.pods()}
        return {name: node for name, node in found.items() if node}

    def pod_condition(self, name, kind="PodScheduled"):
        return condition(self.read_pod(name), kind)

    def group_condition(self, name, kind):
        return condition(self.read_group(name), kind)

    # --- waiting ----------------------------------------------------------------------------

    def wait_placed(self, names, within=30):
        """Waits until all these pods have a node; returns the placement."""
        names = set(names)
        until(
            lambda: names <= set(self.placement()),
            within,
            lambda: f"placed {sorted(names)}; missing {sorted(names - set(self.placement()))}",
        )
        return self.placement()

    def wait_pod_condition(self, name, kind="PodScheduled", within=30, **wanted):
        """Waits for a condition with these fields; returns it."""
        return until(
            lambda: _matching(self.pod_condition(name, kind), wanted),
            within,
            lambda: f"pod {name}: {kind} {wanted}; it is {self.pod_condition(name, kind)}",
        )

    def wait_group_condition(self, name, kind, within=30, **wanted):
        return until(
            lambda: _matching(self.group_condition(name, kind), wanted),
            within,
            lambda: f"pod group {name}: {kind} {wanted}; it is {self.read_group(name)}",
        )

    def wait_pod_told(self, name, *words, within=30):
        """Waits until the pod says that it waits, in all of these words; returns the sentence."""
        return self._wait_told(lambda: self.pod_condition(name), "False", words, within)

    def wait_group_told(self, name, *words, within=30):
        """The same of a pod group."""
        return self._wait_told(
            lambda: self.group_condition(name, "Unschedulable"), "True", words, within
        )

    def _wait_told(self, read, status, words, within):
        def told():
            entry = _matching(read(), {"status": status})
            message = entry["message"] if entry else ""
            return message if all(word in message for word in words) else None

        return until(told, within, lambda: f"{words} is told: {read()}")

    # --- judging and ending -----------------------------------------------------------------

    def problems(self):
        """Everything that is wrong with the cluster as it stands."""
        nodes = self.rest.get("/api/v1/nodes").expect(200)["items"]
        everywhere = self.rest.get("/api/v1/pods").expect(200)["items"]
        groups = self.rest.get(self._groups()).expect(200)["items"]
        mine = [p for p in everywhere if p["metadata"]["namespace"] == self.namespace]
        return (
            nodes_within_allocatable(nodes, everywhere)
            + gangs_whole(groups, mine)
            + host_ports_apart(everywhere)
            + self.history.problems()
        )

    def close(self):
        self.history.close()
        self.rest.delete(self._pods(), gracePeriodSeconds=0)
        self.rest.delete(self._groups())
        self.rest.delete(f"/api/v1/namespaces/{self.namespace}")
        until(lambda: not self.pods(), 30, lambda: f"pods of {self.namespace} gone: {self.pods()}")
        for path in reversed(self._cluster_wide):
            self.rest.delete(path)


def condition(thing, kind):
    for entry in thing.get("status", {}).get("conditions") or []:
        if entry["type"] == kind:
            return entry
    return None


def _matching(entry, wanted):
    if entry is None or any(entry.get(key) != value for key, value in wanted.items()):
        return None
    return entry
