"""Devices of a test: what drivers would publish, and what pods claim of them."""

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

    def slice(self, node, *devices):
        """Each device is a name, or a body."""
        bodies = [{"name": d} if isinstance(d, str) else d for d in devices]
        pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": self.driver, "nodeName": node, "pool": pool, "devices": bodies}
        return self._make("resourceslices", "ResourceSlice", unique("slice"), spec)

    def claim(self, name, count=1, **constraints):
        body = {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": name},
            "spec": {"devices": {"requests": [self.request(count)], **constraints}},
        }
        self.rest.post(self.claims, body).expect(201)

    def request(self, count=1):
        return {"name": "r", "exactly": {"deviceClassName": self.device_class, "count": count}}

    def read(self, claim):
        return self.rest.get(f"{self.claims}/{claim}").expect(200)

    def given(self, claim):
        """"POOL/DEVICE" of each device the claim has."""
        allocation = self.read(claim).get("status", {}).get("allocation") or {}
        results = allocation.get("devices", {}).get("results", [])
        return [f"{r['pool']}/{r['device']}" for r in results]

    def users(self, claim):
        return [u["name"] for u in self.read(claim).get("status", {}).get("reservedFor") or []]

    def _make(self, plural, kind, name, spec):
        body = {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}}
        path = f"{RESOURCE}/{plural}"
        self.rest.post(path, {**body, "spec": spec}).expect(201)
        self.world.removes_later(f"{path}/{name}")
        return name


def claims(name):
    """The spec of a pod that uses the claim."""
    return {"resourceClaims": [{"name": "d", "resourceClaimName": name}]}
