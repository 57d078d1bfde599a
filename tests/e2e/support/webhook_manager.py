"""The webhooks as their own process, on a loopback port that the API server is told of."""

import copy

import yaml

from support.daemon import Daemon
from support.poll import until
from support.processes import ROOT, Process, free_port, ours

API = "/apis/admissionregistration.k8s.io/v1"
ALL = (
    "/jobs/mutate,/jobs/validate,/podgroups/mutate,/podgroups/validate,/pods/validate,"
    "/queues/mutate,/queues/validate,/jobflows/validate,/cronjobs/validate,/hypernodes/validate"
)
NAMESPACE = "volcano-system"
SECRET = "volcano-admission-secret"


class WebhookManager(Daemon):
    """`vc-webhook-manager` with certificates of its own, found by URL."""

    def __init__(
        self, kubeconfig, folder, name="vc-webhook-manager", flags=(), enabled=ALL, port=None
    ):
        self.http, self._health = free_port(), free_port()
        self.port = port or free_port()
        argv = [ours("vc-webhook-manager"), "--kubeconfig", kubeconfig]
        argv += ["--listen-address=127.0.0.1", f"--port={self.port}"]
        argv += [f"--webhook-url={self.url}", f"--webhook-namespace={NAMESPACE}"]
        argv += ["--enable-healthz", f"--healthz-address=127.0.0.1:{self._health}"]
        argv += ["--enable-metrics", f"--metrics-address=127.0.0.1:{self.http}"]
        argv += [f"--certificate-secret={SECRET}", f"--enabled-admission={enabled}", "-v=3"]
        self.process = Process(name, [*argv, *flags], folder)

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    def wait_ready(self, within=30):
        until(
            lambda: self.process.check() and self.is_ready(),
            within,
            lambda: f"{self.process.name} ready; its log:\n{self.process.tail()}",
        )
        return self

    def wait_registered(self, within=30):
        until(
            lambda: self.process.check() and "registration.done" in self.process.log(),
            within,
            lambda: f"{self.process.name} registered; its log:\n{self.process.tail()}",
        )
        return self


def plural(configuration):
    return configuration["kind"].lower() + "s"


def configurations(url):
    """Those of deploy/admission, and what tests ask about beside them, with a URL in the place of
    the Service."""
    text = (ROOT / "deploy/admission/webhooks.yaml").read_text()
    made = [body for body in yaml.safe_load_all(text) if body]
    made.append(pods_validate(next(body for body in made if "jobs-validate" in name_of(body))))
    for body in made:
        for entry in body["webhooks"]:
            path = entry["clientConfig"]["service"]["path"]
            entry["clientConfig"] = {"url": url + path}
    return made


def pods_validate(like):
    body = copy.deepcopy(like)
    body["metadata"]["name"] = "volcano-admission-service-pods-validate"
    (entry,) = body["webhooks"]
    entry["name"] = "validatepod.volcano.sh"
    entry["clientConfig"]["service"]["path"] = "/pods/validate"
    entry["rules"] = [
        {
            "apiGroups": [""],
            "apiVersions": ["v1"],
            "operations": ["CREATE"],
            "resources": ["pods"],
            "scope": "*",
        }
    ]
    return body


def name_of(body):
    return body["metadata"]["name"]


def install(rest, url):
    for body in configurations(url):
        rest.post(f"{API}/{plural(body)}", body).expect(201)


def remove_all(rest):
    """Every configuration of ours: whatever stays would refuse what later tests make."""
    for kind in ("mutatingwebhookconfigurations", "validatingwebhookconfigurations"):
        for item in rest.get(f"{API}/{kind}").expect(200)["items"]:
            if name_of(item).startswith("volcano-admission-service-"):
                rest.delete(f"{API}/{kind}/{name_of(item)}")


def bundle_of(rest, name, kind="validatingwebhookconfigurations"):
    body = rest.get(f"{API}/{kind}/volcano-admission-service-{name}").expect(200)
    return body["webhooks"][0]["clientConfig"].get("caBundle")
