"""Makes what was drawn on an API server, and reads what became of it."""

import json
import random
import re
import time

from support import objects
from support.placement_checker import Cluster, Course, Pod, refusals
from support.placement_checker.claims import is_bound
from support.poll import until
from support.random_world import features, nodes, pods, storage
from support.rest import MERGE_PATCH
from support.storage import CLASSES, VOLUMES
from support.world import condition, unique

CSI_NODES = "/apis/storage.k8s.io/v1/csinodes"
RUNTIME_CLASSES = "/apis/node.k8s.io/v1/runtimeclasses"
NODES = 50
QUIET_S = 3  # A scheduler that has done nothing for so long, with an answer for every pod, is done.


class Stage:
    """One drawn cluster on a server. Stand-ins such as "@7" or "@main" in drawn objects become the
    names of nodes, namespaces and cluster-wide objects."""

    def __init__(self, world, seed, count=500, scheduler="volcano", gangs=True, leaving=True):
        """Without `gangs`, pods come without pod groups, for schedulers that do not know them.
        Without `leaving`, nobody is being deleted: where kubelets are simulated, such pods would be
        gone before the scheduler is judged."""
        self.world, self.rest = world, world.rest
        self._gangs, self._leaving = gangs, leaving
        self.seed = seed
        self._random = random.Random(seed)
        self._scheduler = scheduler
        self._names = {str(i): unique(f"n{i:02}") for i in range(NODES)}
        self._names["main"] = world.namespace
        self._run = unique("drawn")
        self.namespaces = {"main": world.namespace}
        self.claims = storage.Claims(self._random, NODES)
        self.load = pods.Load(self._random, count, self.claims).draw()
        self._there = []

    # --- making -----------------------------------------------------------------------------

    def _resolve(self, body):
        def name(match):
            return self._names.get(match[1]) or f"{self._run}-{match[1]}"

        return json.loads(re.sub(r"@([\w-]+)", name, json.dumps(body)))

    def build(self):
        """Everything but the load. A provisioner must be at work: it binds claims and volumes."""
        self._make_namespaces()
        self._make_nodes()
        self._make_storage()
        self._make_others()

    def _make_namespaces(self):
        colors = {"blue": {"color": "blue", "staff": "yes"}, "green": {"color": "green"}}
        for name, labels in colors.items():
            real = self._names[name] = self.namespaces[name] = unique(name)
            meta = {"name": real, "labels": labels}
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}
            self.rest.post("/api/v1/namespaces", body).expect(201)

    def _make_nodes(self):
        drawn = nodes.draw_nodes(self._random, list(self._names.values())[:NODES])
        for body in drawn:
            self.world.add_node(body)
        for body in nodes.draw_csi_nodes(self._random, drawn):
            self._make(CSI_NODES, body)
        body = {
            "apiVersion": "node.k8s.io/v1",
            "kind": "RuntimeClass",
            "metadata": {"name": features.RUNTIME_CLASS},
            "handler": "heavy",
            "overhead": {"podFixed": features.OVERHEAD},
        }
        # A server that does not know the kind does not check overheads either.
        if self.rest.post(RUNTIME_CLASSES, body).status == 201:
            self.world.removes_later(f"{RUNTIME_CLASSES}/{features.RUNTIME_CLASS}")

    def _make(self, path, body):
        made = self.rest.post(path, self._resolve(body)).expect(201)
        self.world.removes_later(f"{path}/{made['metadata']['name']}")
        return made

    def _make_storage(self):
        for body in storage.draw_classes():
            self._make(CLASSES, body)
        for body in self.claims.volumes:
            name = self._make(VOLUMES, body)["metadata"]["name"]
            patch = {"status": {"phase": "Available"}}
            self.rest.patch(f"{VOLUMES}/{name}/status", patch, MERGE_PATCH).expect(200)
        path = f"/api/v1/namespaces/{self.world.namespace}/persistentvolumeclaims"
        for body in self.claims.open:
            self.rest.post(path, self._resolve(body)).expect(201)
        for claim, volume in self.claims.bound:
            meta = self.rest.post(path, self._resolve(claim)).expect(201)["metadata"]
            reference = {key: meta[key] for key in ("namespace", "name", "uid")}
            reference |= {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
            self._make(VOLUMES, {**volume, "spec": {**volume["spec"], "claimRef": reference}})
        wanted = {claim["metadata"]["name"] for claim, _ in self.claims.bound}

        def missing():
            items = self.rest.get(path).expect(200)["items"]
            return wanted - {i["metadata"]["name"] for i in items if is_bound(i)}

        until(lambda: not missing(), 30, lambda: f"claims are bound: {missing()}")

    def _make_others(self):
        """Pods of another scheduler, rightly placed; some of them are about to end."""
        cluster = Cluster(**self.objects())
        for number in range(30):
            body = features.base(self._random)
            for feature in ("host ports", "pod anti-affinity", "tolerations", "side car"):
                if self._random.random() < 0.3:
                    features.FEATURES[feature][1](self._random, body)
            namespace = self.namespaces[self._random.choice(pods.NAMESPACES)]
            body["metadata"] |= {"name": f"other-{number}", "namespace": namespace}
            body["spec"] |= {"schedulerName": "other", "terminationGracePeriodSeconds": 600}
            pod = Pod(self._resolve(body))
            refused = refusals(pod, cluster)
            node = self._random.choice([n for n in cluster.nodes if n not in refused])
            leaves = self._random.random() < 0.25
            self._place(pod, node, leaves and self._leaving)
            cluster.place(pod, node)

    def _place(self, pod, node, leaves):
        path = f"/api/v1/namespaces/{pod.namespace}/pods"
        self.rest.post(path, pod.body).expect(201)
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        meta = {"name": pod.name}
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": meta, "target": target}
        self.rest.post(f"{path}/{pod.name}/binding", body).expect(201)
        if leaves:
            assert self.rest.delete(f"{path}/{pod.name}").status in (200, 202)

    def create(self, gangs):
        for gang in gangs:
            namespace = self.namespaces[gang.namespace]
            groups = f"{objects.SCHEDULING}/namespaces/{namespace}/podgroups"
            if self._gangs:
                self.rest.post(groups, objects.pod_group(gang.name, gang.minimum)).expect(201)
            for body in gang.pods:
                body = self._resolve(body)
                body["spec"]["schedulerName"] = self._scheduler
                self.rest.post(f"/api/v1/namespaces/{namespace}/pods", body).expect(201)

    # --- looking ----------------------------------------------------------------------------

    def _list(self, path):
        return self.rest.get(path).expect(200)["items"]

    def objects(self):
        """The arguments of Cluster, as they are now."""
        return {
            "nodes": self._list("/api/v1/nodes"),
            "namespaces": self._list("/api/v1/namespaces"),
            "volumes": self._list(VOLUMES),
            "claims": self._list("/api/v1/persistentvolumeclaims"),
            "classes": self._list(CLASSES),
            "csi_nodes": self._list(CSI_NODES),
        }

    def pods(self):
        found = []
        for namespace in self.namespaces.values():
            found += self._list(f"/api/v1/namespaces/{namespace}/pods")
        return found

    def settle(self, order, within):
        """Waits until every pod has a node or has been told why not, and nothing happens."""
        quiet_since = [time.monotonic(), -1]

        def settled():
            placed = order.placed()
            if placed != quiet_since[1]:
                quiet_since[:] = [time.monotonic(), placed]
            return time.monotonic() - quiet_since[0] >= QUIET_S and not self._unanswered()

        until(settled, within, lambda: f"an answer for every pod; none for {self._unanswered()}")

    def _unanswered(self):
        return [
            pod["metadata"]["name"]
            for pod in self.pods()
            if not pod["spec"].get("nodeName")
            and (condition(pod, "PodScheduled") or {}).get("status") != "False"
        ]

    def course(self, before, order):
        """What the scheduler did since `before`."""
        others, placed, waiting = [], [], []
        for body in self.pods():
            pod = Pod(body)
            if pod.spec["schedulerName"] != self._scheduler:
                others.append((pod, pod.spec["nodeName"]))
            else:
                (placed if pod.spec.get("nodeName") else waiting).append(pod)
        settled = {
            (c["metadata"]["namespace"], c["metadata"]["name"])
            for c in before["claims"]
            if is_bound(c)
        }
        return Course(
            before=before,
            after=self.objects(),
            there=others,
            seen=[(p, p.spec["nodeName"]) for p in order.sort(placed, settled)],
            waiting=waiting,
            minimums=self._minimums(),
        )

    def _minimums(self):
        gangs = self.load.gangs if self._gangs else []
        return {(self.namespaces[gang.namespace], gang.name): gang.minimum for gang in gangs}

    def close(self):
        for name, namespace in self.namespaces.items():
            if name != "main":
                path = f"/api/v1/namespaces/{namespace}"
                self.rest.delete(f"{path}/pods", gracePeriodSeconds=0)
                self.rest.delete(f"{objects.SCHEDULING}/namespaces/{namespace}/podgroups")
                self.rest.delete(path)
