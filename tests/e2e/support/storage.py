"""Volumes of a test: objects, and who makes volumes, and binds them where no controller does."""

import threading

from support.rest import MERGE_PATCH
from support.world import unique

CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
VOLUMES = "/api/v1/persistentvolumes"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
NO_PROVISIONER = "kubernetes.io/no-provisioner"
STEP_S = 0.05


class Storage:
    """Classes, claims and volumes of a world; cluster-wide ones go with it."""

    def __init__(self, world):
        self.world = world
        self.rest = world.rest
        self.claims = f"/api/v1/namespaces/{world.namespace}/persistentvolumeclaims"

    def storage_class(self, name, provisioner=NO_PROVISIONER, mode="WaitForFirstConsumer", **more):
        body = {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": unique(name)},
            "provisioner": provisioner,
            "volumeBindingMode": mode,
            **more,
        }
        return self._make(CLASSES, body)

    def volume(self, name, storage_class, node=None, size="1Gi"):
        spec = {
            "storageClassName": storage_class,
            "capacity": {"storage": size},
            "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": "/tmp"},
        }
        if node:
            match = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
            terms = [{"matchExpressions": [match]}]
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
        meta = {"name": unique(name)}
        body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta, "spec": spec}
        made = self._make(VOLUMES, body)
        self.set_phase(made, "Available")
        return made

    def claim(self, name, storage_class, size="1Gi"):
        body = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name},
            "spec": {
                "storageClassName": storage_class,
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": size}},
            },
        }
        self.rest.post(self.claims, body).expect(201)
        return name

    def _make(self, path, body):
        name = self.rest.post(path, body).expect(201)["metadata"]["name"]
        self.world.removes_later(f"{path}/{name}")
        return name

    def set_phase(self, volume, phase):
        patch = {"status": {"phase": phase}}
        self.rest.patch(f"{VOLUMES}/{volume}/status", patch, MERGE_PATCH).expect(200)

    def read_claim(self, name):
        return self.rest.get(f"{self.claims}/{name}").expect(200)

    def read_volume(self, name):
        return self.rest.get(f"{VOLUMES}/{name}").expect(200)

    def claimant(self, volume):
        return (self.read_volume(volume)["spec"].get("claimRef") or {}).get("name")

    def selected_node(self, claim):
        return (self.read_claim(claim)["metadata"].get("annotations") or {}).get(SELECTED_NODE)


def uses(claim):
    """The spec of a pod that mounts the claim."""
    return {"volumes": [{"name": claim, "persistentVolumeClaim": {"claimName": claim}}]}


class Provisioner:
    """Does for one namespace what volume controller and provisioners do; ends with the block.

    Beside a real volume controller both come to the same end.
    """

    def __init__(self, storage):
        self._storage = storage
        self._rest = storage.rest
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.failure = None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(30)
        assert self.failure is None, self.failure

    def _run(self):
        try:
            while not self._stop.wait(STEP_S):
                self._turn()
        except Exception as error:  # Told by the test's own thread.
            self.failure = error

    def _turn(self):
        volumes = self._rest.get(VOLUMES).expect(200)["items"]
        for claim in self._rest.get(self._storage.claims).expect(200)["items"]:
            if BIND_COMPLETED in (claim["metadata"].get("annotations") or {}):
                continue
            uid = claim["metadata"]["uid"]
            ours = [v for v in volumes if (v["spec"].get("claimRef") or {}).get("uid") == uid]
            if ours:
                self._bind(claim, ours[0]["metadata"]["name"])
            elif SELECTED_NODE in (claim["metadata"].get("annotations") or {}):
                self._provision(claim)

    def _bind(self, claim, volume):
        meta = {"annotations": {BIND_COMPLETED: "yes"}}
        path = f"{self._storage.claims}/{claim['metadata']['name']}"
        patch = {"metadata": meta, "spec": {"volumeName": volume}}
        self._rest.patch(path, patch, MERGE_PATCH)
        self._rest.patch(f"{path}/status", {"status": {"phase": "Bound"}}, MERGE_PATCH)
        self._storage.set_phase(volume, "Bound")

    def _provision(self, claim):
        meta, spec = claim["metadata"], claim["spec"]
        name = f"pvc-{meta['uid']}"
        reference = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": meta["namespace"],
            "name": meta["name"],
            "uid": meta["uid"],
        }
        body = {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": name},
            "spec": {
                "storageClassName": spec["storageClassName"],
                "capacity": {"storage": spec["resources"]["requests"]["storage"]},
                "accessModes": spec["accessModes"],
                "claimRef": reference,
                "hostPath": {"path": "/tmp"},
            },
        }
        if self._rest.post(VOLUMES, body).status == 201:
            self._storage.world.removes_later(f"{VOLUMES}/{name}")
