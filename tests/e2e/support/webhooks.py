"""The webhook server as its own process, registered by its address."""

from support.poll import until
from support.processes import Process, free_port, ours

NAMESPACE = "volcano-system"
PATHS = [
    f"/{kind}/{act}"
    for kind, acts in {
        "jobs": ("mutate", "validate"),
        "pods": ("mutate", "validate"),
        "podgroups": ("mutate", "validate"),
        "queues": ("mutate", "validate"),
        "jobflows": ("validate",),
        "cronjobs": ("validate",),
        "hypernodes": ("validate",),
    }.items()
    for act in acts
]


class Webhooks:
    """`vc-webhook-manager` with every webhook and certificates of its own."""

    def __init__(self, backend, folder, flags=()):
        self._rest = backend.rest()
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
        assert self._rest.post("/api/v1/namespaces", body).status in (201, 409)
        port = free_port()
        argv = [ours("vc-webhook-manager"), "--kubeconfig", backend.kubeconfig]
        argv += ["--listen-address", "127.0.0.1", "--port", port]
        argv += ["--webhook-url", f"https://127.0.0.1:{port}", "--webhook-namespace", NAMESPACE]
        argv += ["--certificate-secret", "volcano-admission-secret", "--self-register"]
        argv += ["--enabled-admission", ",".join(PATHS), *flags]
        self.process = Process("vc-webhook-manager", argv, folder)

    def wait_registered(self, within=60):
        """Until each of its webhooks is known to the API server."""
        group = "/apis/admissionregistration.k8s.io/v1"

        def registered():
            self.process.check()
            names = set()
            for plural in ("mutating", "validating"):
                answer = self._rest.get(f"{group}/{plural}webhookconfigurations")
                names |= {one["metadata"]["name"] for one in answer.expect(200)["items"]}
            return {f"volcano-admission-service{p.replace('/', '-')}" for p in PATHS} <= names

        until(registered, within, lambda: f"webhooks registered; log:\n{self.process.tail()}")
        return self

    def close(self):
        self.process.close()
