"""In which order a scheduler's decisions became visible."""

import threading

from support.follow import Follower
from support.placement_checker.claims import SELECTED_NODE, annotation, claim_keys
from support.storage import VOLUMES


class BindingOrder:
    """Follows pods, claims and volumes. A decision about a pod shows when the pod has a node, or,
    before that, when one of its claims is given a volume or a node. All kinds are versions of one
    store, so that their versions have one order.
    """

    def __init__(self, rest):
        self._lock = threading.Lock()
        self._pods = {}  # (namespace, name) → version.
        self._claims = {}
        self._followers = [
            Follower(rest, "/api/v1/pods", self._note_pod),
            Follower(rest, "/api/v1/persistentvolumeclaims", self._note_claim),
            Follower(rest, VOLUMES, self._note_volume),
        ]

    def _note_pod(self, pod):
        if pod["spec"].get("nodeName"):
            self._note(self._pods, _key(pod["metadata"]), pod)

    def _note_claim(self, claim):
        if annotation(claim, SELECTED_NODE) or claim["spec"].get("volumeName"):
            self._note(self._claims, _key(claim["metadata"]), claim)

    def _note_volume(self, volume):
        holder = volume["spec"].get("claimRef")
        if holder:
            self._note(self._claims, _key(holder), volume)

    def _note(self, versions, key, body):
        version = int(body["metadata"]["resourceVersion"])
        with self._lock:
            versions[key] = min(version, versions.get(key, version))

    def placed(self):
        """How many pods have a node."""
        with self._lock:
            return len(self._pods)

    def settled(self):
        """How many claims were given a volume or a node."""
        with self._lock:
            return len(self._claims)

    def close(self):
        for follower in self._followers:
            follower.close()

    def is_gapless(self):
        """Whether every event was seen."""
        return all(follower.lists == 1 for follower in self._followers)

    def sort(self, pods, settled_claims):
        """Pods on nodes, in the order of the decisions. Claims that were settled before say
        nothing about it; a claim of several pods was settled for the first of them."""
        with self._lock:
            versions = {pod: self._pods[pod.namespace, pod.name] for pod in pods}
            in_order = sorted(pods, key=versions.get)
            known = set(settled_claims)
            for pod in in_order:
                fresh = {key for key in claim_keys(pod) if key in self._claims} - known
                known |= fresh
                versions[pod] = min([versions[pod], *(self._claims[key] for key in fresh)])
            return sorted(in_order, key=versions.get)


def _key(metadata):
    return metadata["namespace"], metadata["name"]
