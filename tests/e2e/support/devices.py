"""Devices of a test: what drivers would publish, and what pods claim of them."""

from support.poll import until
from support.rest import MERGE_PATCH
from support.world import unique

RESOURCE = "/apis/resource.k8s.io/v1"


class Devices:
    """Slices, classes and claims of a world; cluster-wide ones go with it."""

    def __init__(self, world):
        self.world = world
        self.rest = world.rest
        self.driver = f"{unique('driver')}.example.com"
        self.claims = f"{RESOURCE}/namespaces/{world.namespace}/resourceclaims"
        self.device_class = self._make("deviceclasses", "DeviceClass", unique("class"), self._ours())

    def _ours(self):
        return {"selectors": [{"cel": {"expression": f'device.driver == "{self.driver}"'}}]}

    def slice(self, node, *devices, generation=1, of=1):
        """Each device is a name, or a body; one of so many slices."""
        bodies = [{"name": d} if isinstance(d, str) else d for d in devices]
        pool = {"name": node, "generation": generation, "resourceSliceCount": of}
        spec = {"driver": self.driver, "nodeName": node, "pool": pool, "devices": bodies}
        return self._make("resourceslices", "ResourceSlice", unique("slice"), spec)

    def drop_slice(self, name):
        self.rest.delete(f"{RESOURCE}/resourceslices/{name}").expect(200)

    def claim(self, name, count=1, selectors=None, expect=201, **constraints):
        exactly = {"selectors": selectors} if selectors else {}
        body = {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": name},
            "spec": {"devices": {"requests": [self.request(count, **exactly)], **constraints}},
        }
        return self.rest.post(self.claims, body).expect(expect)

    def request(self, count=1, **exactly):
        what = {"deviceClassName": self.device_class, "count": count, **exactly}
        return {"name": "r", "exactly": what}

    def claim_where(self, name, *expressions, **more):
        """A claim of one device for which the expressions hold."""
        selectors = [{"cel": {"expression": text}} for text in expressions]
        return self.claim(name, selectors=selectors, **more)

    def read(self, claim):
        return self.rest.get(f"{self.claims}/{claim}").expect(200)

    def given(self, claim):
        """"POOL/DEVICE" of each device the claim has."""
        allocation = self.read(claim).get("status", {}).get("allocation") or {}
        results = allocation.get("devices", {}).get("results", [])
        return [f"{r['pool']}/{r['device']}" for r in results]

    def users(self, claim):
        return [u["name"] for u in self.read(claim).get("status", {}).get("reservedFor") or []]

    def tell(self, claim, *conditions):
        """As the driver of the claim's first device: these conditions of it are true."""
        result = self.read(claim)["status"]["allocation"]["devices"]["results"][0]
        told = [
            {
                "type": kind,
                "status": "True",
                "reason": "Told",
                "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
            for kind in conditions
        ]
        device = {key: result[key] for key in ("driver", "pool", "device")}
        body = {"status": {"devices": [{**device, "conditions": told}]}}
        self.rest.patch(f"{self.claims}/{claim}/status", body, MERGE_PATCH).expect(200)

    def wait_free(self, claim, within=30):
        """Waits until nothing of it is left that was written for a pod."""

        def free():
            body = self.read(claim)
            taken = body.get("status", {}).get("allocation"), self.users(claim)
            return not any(taken) and not body["metadata"].get("finalizers")

        until(free, within, lambda: f"{claim} is free: {self.read(claim)}")

    def collect(self):
        """What kube-controller-manager does, for servers that are without it: takes back what pods
        have that are gone, and lets go of claims that nobody has any more."""
        if self.world.collects_claims:
            return
        pods = {pod["metadata"]["uid"] for pod in self.world.pods()}
        for claim in self.rest.get(self.claims).expect(200)["items"]:
            status = claim.get("status", {})
            known = status.get("reservedFor") or []
            users = [user for user in known if user["uid"] in pods]
            path = f"{self.claims}/{claim['metadata']['name']}"
            if users and users != known:
                fewer = {"status": {"reservedFor": users}}
                self.rest.patch(f"{path}/status", fewer, MERGE_PATCH).expect(200)
            if users or not status.get("allocation"):
                continue
            gone = {"status": {"reservedFor": None, "allocation": None, "devices": None}}
            self.rest.patch(f"{path}/status", gone, MERGE_PATCH).expect(200)
            self.rest.patch(path, {"metadata": {"finalizers": None}}, MERGE_PATCH).expect(200)

    def wait_collected(self, question, what, within=30):
        """Waits while claims are taken back."""

        def asked():
            self.collect()
            return question()

        return until(asked, within, what)

    def _make(self, plural, kind, name, spec):
        body = {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}}
        path = f"{RESOURCE}/{plural}"
        self.rest.post(path, {**body, "spec": spec}).expect(201)
        self.world.removes_later(f"{path}/{name}")
        return name


def claims(name):
    """The spec of a pod that uses the claim."""
    return {"resourceClaims": [{"name": "d", "resourceClaimName": name}]}
