"""The chart on a server: what it makes is accepted without a word of warning, Helm installs,
upgrades and removes it, and nothing stays behind."""

import os
import pathlib

import pytest

from support.poll import until
from support.processes import ROOT

VALUES = sorted((ROOT / "tests/deploy/values").glob("*.yaml"))
REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
WAYS = {"server": ["--server-side", "--force-conflicts"], "client": []}
# Kinds of the Prometheus operator, which these servers do not have.
FOREIGN = ("ServiceMonitor", "PrometheusRule")


def manifest(helm, *flags):
    done = helm.template(*flags)
    assert (done.returncode, done.stderr) == (0, "")
    parts = done.stdout.split("\n---\n")
    return "\n---\n".join(p for p in parts if not any(f"kind: {k}\n" in p for k in FOREIGN))


# The second way takes as long again, and is the same for our server.
@pytest.mark.parametrize(
    "way", ["server", pytest.param("client", marks=pytest.mark.backend("kube"))]
)
@pytest.mark.parametrize("values", VALUES, ids=lambda p: p.stem)
def test_what_it_makes_is_accepted_without_a_warning(helm, kubectl, values, way):
    text = manifest(helm, f"--values={values}")
    # The ConfigMap of the vGPU device plugin lies elsewhere, and so does the role for it; MindCluster
    # has a namespace of its own.
    kubectl.run("create", "namespace", "mindx-dl")
    by_namespace = {"volcano-system": [], "kube-system": [], "mindx-dl": []}
    for part in text.split("\n---\n"):
        named = [name for name in by_namespace if f"\n  namespace: {name}\n" in part]
        by_namespace[named[0] if named else "volcano-system"].append(part)
    taken = 0
    for namespace, those in by_namespace.items():
        if not those:
            continue
        argv = ["apply", "--namespace", namespace, "--dry-run=server", *WAYS[way], "-f", "-"]
        done = kubectl.run(*argv, stdin="\n---\n".join(those), within=120)
        told = [li for li in done.stderr.splitlines() if "last-applied-configuration" not in li]
        assert (done.returncode, told) == (0, []), done.stderr + done.stdout
        taken += len(done.stdout.splitlines())
    assert taken > 8


class Operator:
    """Helm with the rights of the administrator, and a home of its own."""

    def __init__(self, helm, backend, folder):
        self._helm, self._kubeconfig = helm, backend.kubeconfig
        self._env = {**os.environ, "HOME": str(folder), "HELM_NAMESPACE": "volcano-system"}

    def run(self, *args):
        argv = [*args, f"--kubeconfig={self._kubeconfig}"]
        return self._helm.run(*argv, within=180, env=self._env)

    def __call__(self, *args):
        done = self.run(*args)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout


@pytest.fixture
def operator(helm, installed, tmp_path, kubectl):
    made = Operator(helm, installed, tmp_path)
    yield made
    made.run("uninstall", "volcano", "--ignore-not-found")
    made.run("uninstall", "batch", "--ignore-not-found")


def ours(kubectl, name="volcano"):
    """All that is there under the release's name, and the roles and configurations it makes."""
    kinds = (
        "deployments,services,configmaps,secrets,serviceaccounts,roles,rolebindings,"
        "networkpolicies,poddisruptionbudgets,clusterroles,clusterrolebindings,"
        "mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies,leases"
    )
    names = kubectl("get", kinds, "-o", "name", within=60).split()
    return {n for n in names if n.split("/")[1].startswith((f"{name}-", "vcjob-"))}


def test_installed_upgraded_removed(helm, operator, kubectl, installed):
    before = ours(kubectl)
    # What other tests have applied by kubectl is taken over, as the page says.
    said = operator("install", "volcano", helm.CHART, "--take-ownership", "--skip-crds")
    assert "is installed as volcano in namespace volcano-system" in said
    made = ours(kubectl)
    assert {
        "deployment.apps/volcano-scheduler",
        "deployment.apps/volcano-controllers",
        "deployment.apps/volcano-admission",
        "service/volcano-admission-service",
        "clusterrole.rbac.authorization.k8s.io/volcano-scheduler",
    } <= made
    # The webhooks write their authorities; an upgrade leaves them there.
    rest = installed.rest()
    name = "volcano-admission-service-queues-validate"
    path = f"{REGISTRATION}/validatingwebhookconfigurations/{name}"
    authority = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCi0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K"
    body = rest.get(path).expect(200)
    body["webhooks"][0]["clientConfig"]["caBundle"] = authority
    taken = rest.put(path, body)
    evicting = "basic.scheduler_config_file=config/volcano-scheduler-evicting.conf"
    less = "custom.network_policy_enable=false"
    operator("upgrade", "volcano", helm.CHART, "--set", evicting, "--set", less)
    after = ours(kubectl)
    assert after - made == {
        "clusterrole.rbac.authorization.k8s.io/volcano-scheduler-evicting",
        "clusterrolebinding.rbac.authorization.k8s.io/volcano-scheduler-evicting",
    } - made
    assert not any(name.startswith("networkpolicy") for name in after)
    if taken.status == 200:  # The real server reads what it is given.
        body = rest.get(path).expect(200)
        assert body["webhooks"][0]["clientConfig"]["caBundle"] == authority
    policy = kubectl.json("get", "configmap", "volcano-scheduler-configmap")["data"]
    assert "preempt, reclaim" in policy["volcano-scheduler.conf"]
    operator("rollback", "volcano", "1")
    assert ours(kubectl) == made
    operator("uninstall", "volcano")
    left = ours(kubectl)
    assert left <= before and not any("deployment" in name or "webhook" in name for name in left)


def test_two_releases_live_side_by_side(helm, operator, kubectl):
    beside = f"--values={ROOT / 'tests/deploy/values/beside.yaml'}"
    operator("install", "volcano", helm.CHART, "--take-ownership", "--skip-crds")
    both = ours(kubectl)
    operator("install", "batch", helm.CHART, "--skip-crds", beside)
    args = kubectl.json("get", "deployment", "batch-scheduler")["spec"]["template"]["spec"]
    assert "--leader-elect-resource-name=batholith" in args["containers"][0]["args"]
    operator("uninstall", "batch")
    assert ours(kubectl) == both


def test_a_value_that_nobody_knows_is_refused_before_anything_is_made(helm, operator, kubectl):
    argv = ["install", "batch", helm.CHART, "--skip-crds", "--set", "custom.scheduler_replica=3"]
    done = operator.run(*argv)
    assert done.returncode != 0 and "scheduler_replica" in done.stderr
    assert not ours(kubectl, "batch") - {n for n in ours(kubectl) if "vcjob-" in n}


def test_definitions_come_with_the_chart_and_stay_when_it_goes(helm, operator, kubectl):
    operator("install", "volcano", helm.CHART, "--take-ownership")
    operator("uninstall", "volcano")
    kinds = kubectl("get", "crds", "-o", "name").split()
    assert len([k for k in kinds if k.endswith("volcano.sh")]) == len(
        list(pathlib.Path(ROOT / "deploy/crds").glob("*.yaml"))
    )
    until(lambda: kubectl("get", "queues", "-o", "name") is not None, 10, "they are served")
