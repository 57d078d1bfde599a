"""Who may see the debug pages of a scheduler, and from where."""

import ssl
import subprocess

import pytest
import yaml

from support import accounts
from support.daemon import fetch
from support.poll import until
from support.processes import ROOT, free_port
from support.world import unique

PAGE = "/debug/queues"


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A certificate for 127.0.0.1 and its key, signed by itself."""
    folder = tmp_path_factory.mktemp("debug-tls")
    crt, key = folder / "tls.crt", folder / "tls.key"
    argv = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    argv += ["-nodes", "-days", "2", "-subj", "/CN=debug", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*argv, "-keyout", key, "-out", crt], check=True, capture_output=True)
    return crt, key


class Door:
    """The debug pages of a scheduler that serves them on every address, over TLS."""

    def __init__(self, new_scheduler, certificate, **more):
        crt, key = certificate
        self._port = free_port()
        self._tls = ssl.create_default_context(cafile=crt)
        flags = [f"--debug-bind-address=0.0.0.0:{self._port}"]
        flags += [f"--debug-tls-cert-file={crt}", f"--debug-tls-private-key-file={key}"]
        self.daemon = new_scheduler(flags=[*flags, *more.pop("flags", [])], **more)

    def knock(self, token=None, page=PAGE):
        return fetch(f"https://127.0.0.1:{self._port}{page}", token=token, tls=self._tls)

    def status(self, token=None, page=PAGE):
        return self.knock(token, page)[0]

    def refusal(self, token=None):
        """Code and reason of the Status document that the caller gets."""
        status, text = self.knock(token)
        body = yaml.safe_load(text)
        assert (body["kind"], body["apiVersion"], body["code"]) == ("Status", "v1", status), body
        return status, body["reason"]


def test_debug_pages_are_not_beside_the_metrics(world, scheduler):
    assert scheduler.page("/metrics")[0] == 200
    for name in ("queues", "cycle", "dump", "invariants", "explain?job=a/b"):
        assert scheduler.page(f"/debug/{name}")[0] == 404, name
    until(lambda: scheduler.debug_page(PAGE)[0] == 200, 10, "the debug page on loopback")


def test_debug_pages_leave_loopback_over_tls_only(installed, new_scheduler):
    daemon = new_scheduler(flags=[f"--debug-bind-address=:{free_port()}"], healthy=False)
    assert daemon.process.wait(30) == 1
    assert "--debug-tls-cert-file" in daemon.process.tail()


def test_off_loopback_only_those_see_them_whom_the_api_server_knows(
    installed, new_scheduler, certificate
):
    door = Door(new_scheduler, certificate, kubeconfig=installed.kubeconfig)
    assert door.refusal() == (401, "Unauthorized")
    assert door.refusal("a-guess") == (401, "Unauthorized")
    token = accounts.admin_token(installed)
    until(lambda: door.status(token) == 200, 10, "the page for whoever has a token")
    counts = door.daemon.metrics()
    assert counts['batholith_debug_requests_total{result="unauthenticated"}'] == 2
    assert counts['batholith_debug_requests_total{result="allowed"}'] >= 1


def test_a_standby_lets_callers_in_as_the_leader_does(
    installed, world, new_scheduler, certificate
):
    _, lease = world.held_lease("debug")
    door = Door(new_scheduler, certificate, flags=lease)
    until(door.daemon.is_ready, 30, "the standby has read the cluster")
    # It runs no cycle that the page could tell of, but it knows its caller.
    token = accounts.admin_token(installed)
    assert door.status(token, "/debug/invariants") == 200
    assert door.status(None, "/debug/invariants") == 401


def may_get(world, account, path):
    """Lets a service account of the world get a path."""
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    name = unique("reader")
    role = {"metadata": {"name": name}, "rules": [{"nonResourceURLs": [path], "verbs": ["get"]}]}
    world.rest.post(f"{rbac}/clusterroles", role).expect(201)
    for plural in ("clusterroles", "clusterrolebindings"):
        world.removes_later(f"{rbac}/{plural}/{name}")
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": world.namespace}],
    }
    world.rest.post(f"{rbac}/clusterrolebindings", binding).expect(201)


@pytest.mark.backend("kube")
def test_roles_say_who_may_see_them(installed, world, new_scheduler, certificate, tmp_path):
    """The scheduler itself has no rights but those of deploy/."""
    namespace = world.namespace
    manifests = ["scheduler/namespace.yaml", "scheduler/rbac.yaml", "optional/debug_access.yaml"]
    accounts.install(world.rest, *manifests)
    kubeconfig = accounts.kubeconfig_of(installed, "volcano-system", "volcano-scheduler", tmp_path)
    for name in ("reader", "stranger"):
        body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
        world.rest.post(f"/api/v1/namespaces/{namespace}/serviceaccounts", body).expect(201)
    may_get(world, "reader", PAGE)
    door = Door(new_scheduler, certificate, kubeconfig=kubeconfig)
    reader = accounts.token_of(installed, namespace, "reader")
    until(lambda: door.status(reader) == 200, 20, lambda: f"the page: {door.knock(reader)}")
    assert door.status(reader, "/debug/dump") == 403
    stranger = accounts.token_of(installed, namespace, "stranger")
    assert door.refusal(stranger) == (403, "Forbidden")


def test_the_api_server_takes_the_network_policies_of_deploy(rest):
    rest.post("/api/v1/namespaces", {"metadata": {"name": "volcano-system"}})
    path = "/apis/networking.k8s.io/v1/namespaces/volcano-system/networkpolicies"
    for part in ("scheduler", "controllers"):
        policy = yaml.safe_load((ROOT / "deploy" / part / "networkpolicy.yaml").read_text())
        query = {"dryRun": "All", "fieldValidation": "Strict"}
        rest.post(path, policy, **query).expect(201)
        deployment = yaml.safe_load((ROOT / "deploy" / part / "deployment.yaml").read_text())
        container = deployment["spec"]["template"]["spec"]["containers"][0]
        open_ports = {p["port"] for p in policy["spec"]["ingress"][0]["ports"]}
        assert open_ports == {p["name"] for p in container["ports"]}
