"""Devices of a test: what drivers would publish, and what pods claim of them."""

from support.poll import until
from support.rest import MERGE_PATCH
from support.world import unique

RESOURCE = "/apis/resource.k8s.io/v1"
TAINT_RULES = "/apis/resource.k8s.io/v1beta2/devicetaintrules"
ADMIN_LABEL = "resource.kubernetes.io/admin-access"
MADE_FOR = "resource.kubernetes.io/pod-claim-name"


class Devices:
    """Slices, classes and claims of a world; cluster-wide ones go with it."""

    def __init__(self, world):
        self.world = world
        self.rest = world.rest
        self.driver = f"{unique('driver')}.example.com"
        self.home = f"{RESOURCE}/namespaces/{world.namespace}"
        self.claims = f"{self.home}/resourceclaims"
        self.device_class = self._make("deviceclasses", "DeviceClass", unique("class"), self._ours())

    def _ours(self):
        return {"selectors": [{"cel": {"expression": f'device.driver == "{self.driver}"'}}]}

    def slice(self, node, *devices, generation=1, of=1):
        """Each device is a name, or a body; one of so many slices."""
        bodies = [{"name": d} if isinstance(d, str) else d for d in devices]
        pool = {"name": node, "generation": generation, "resourceSliceCount": of}
        spec = {"driver": self.driver, "nodeName": node, "pool": pool, "devices": bodies}
        return self._make("resourceslices", "ResourceSlice", unique("slice"), spec)

    def wide_slice(self, *devices, **where):
        """A pool of its own that several nodes reach; returns its name."""
        bodies = [{"name": d} if isinstance(d, str) else d for d in devices]
        pool = {"name": unique("wide"), "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": self.driver, "pool": pool, "devices": bodies, **where}
        self._make("resourceslices", "ResourceSlice", unique("slice"), spec)
        return pool["name"]

    def extended_class(self):
        """A class of its own of the same devices; returns the resource that it serves."""
        resource = f"{self.driver}/card"
        spec = {**self._ours(), "extendedResourceName": resource}
        self._make("deviceclasses", "DeviceClass", unique("class"), spec)
        return resource

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

    def claim_with(self, name, expect=201, **exactly):
        """A claim of one request, of whatever it asks for."""
        what = {"deviceClassName": self.device_class, **exactly}
        body = {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": name},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": what}]}},
        }
        return self.rest.post(self.claims, body).expect(expect)

    def template(self, name):
        """Of claims of one device."""
        body = {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": name},
            "spec": {"spec": {"devices": {"requests": [self.request()]}}},
        }
        self.rest.post(f"{self.home}/resourceclaimtemplates", body).expect(201)

    def allow_admin_access(self):
        """From now on claims of the namespace may be for administrators."""
        body = {"metadata": {"labels": {ADMIN_LABEL: "true"}}}
        path = f"/api/v1/namespaces/{self.world.namespace}"
        self.rest.patch(path, body, MERGE_PATCH).expect(200)

    def serves_taint_rules(self):
        return self.rest.get(TAINT_RULES).status == 200

    def taint_rule(self, effect, key="example.com/broken", **selector):
        """Taints devices of ours; returns its name."""
        body = {
            "apiVersion": "resource.k8s.io/v1beta2",
            "kind": "DeviceTaintRule",
            "metadata": {"name": unique("rule")},
            "spec": {
                "deviceSelector": {"driver": self.driver, **selector},
                "taint": {"key": key, "value": "yes", "effect": effect},
            },
        }
        self.rest.post(TAINT_RULES, body).expect(201)
        name = body["metadata"]["name"]
        self.world.removes_later(f"{TAINT_RULES}/{name}")
        return name

    def drop_taint_rule(self, name):
        self.rest.delete(f"{TAINT_RULES}/{name}").expect(200)

    def claim_where(self, name, *expressions, **more):
        """A claim of one device for which the expressions hold."""
        selectors = [{"cel": {"expression": text}} for text in expressions]
        return self.claim(name, selectors=selectors, **more)

    def read(self, claim):
        return self.rest.get(f"{self.claims}/{claim}").expect(200)

    def results(self, claim):
        allocation = self.read(claim).get("status", {}).get("allocation") or {}
        return allocation.get("devices", {}).get("results", [])

    def given(self, claim):
        """"POOL/DEVICE" of each device the claim has."""
        return [f"{r['pool']}/{r['device']}" for r in self.results(claim)]

    def made_for(self, pod):
        """The claim that was made for the pod's first entry; None: not yet."""
        told = self.world.read_pod(pod).get("status", {}).get("resourceClaimStatuses") or [{}]
        return told[0].get("resourceClaimName")

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
                self._change(f"{path}/status", {"status": {"reservedFor": users}})
            if users or not status.get("allocation"):
                continue
            gone = {"status": {"reservedFor": None, "allocation": None, "devices": None}}
            self._change(f"{path}/status", gone)
            self._change(path, {"metadata": {"finalizers": None}})

    def _change(self, path, body):
        """Of a claim that may go meanwhile."""
        answer = self.rest.patch(path, body, MERGE_PATCH)
        assert answer.status in (200, 404), answer.text

    def make_claims(self):
        """The other half of that: makes the claims of pods that name templates."""
        if self.world.collects_claims:
            return
        for pod in self.world.pods():
            known = pod.get("status", {}).get("resourceClaimStatuses") or []
            entries = pod["spec"].get("resourceClaims") or []
            told = {entry["name"] for entry in known}
            wanted = [e for e in entries if e.get("resourceClaimTemplateName")]
            made = [self._made(pod, e) for e in wanted if e["name"] not in told]
            if made:
                path = f"/api/v1/namespaces/{self.world.namespace}/pods/{pod['metadata']['name']}"
                body = {"status": {"resourceClaimStatuses": [*known, *made]}}
                self.rest.patch(f"{path}/status", body, MERGE_PATCH).expect(200)

    def _made(self, pod, entry):
        template = entry["resourceClaimTemplateName"]
        path = f"{self.home}/resourceclaimtemplates/{template}"
        owner = {"apiVersion": "v1", "kind": "Pod", "controller": True, "blockOwnerDeletion": True}
        owner.update({key: pod["metadata"][key] for key in ("name", "uid")})
        head = {"name": unique(f"{pod['metadata']['name']}-{entry['name']}")}
        head.update(annotations={MADE_FOR: entry["name"]}, ownerReferences=[owner])
        body = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": head}
        spec = self.rest.get(path).expect(200)["spec"]["spec"]
        self.rest.post(self.claims, {**body, "spec": spec}).expect(201)
        return {"name": entry["name"], "resourceClaimName": head["name"]}

    def wait_collected(self, question, what, within=30):
        """Waits while claims are made and taken back."""

        def asked():
            self.make_claims()
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
