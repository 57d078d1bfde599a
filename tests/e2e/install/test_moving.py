"""docs/moving-from-volcano.md, as a reader follows it: its commands are run from the page."""

import os
import re
import subprocess

import pytest

from support.poll import until
from support.processes import ROOT, ours, theirs
from support.terminal import the_block

PAGE = "docs/moving-from-volcano.md"
SELECTORS = {
    "volcano-scheduler": "volcano-scheduler",
    "volcano-controllers": "volcano-controller",
    "volcano-admission": "volcano-admission",
}
# What Volcano's chart makes, as far as names can be in one another's way.
TEMPLATE = """\
{{- if .Values.custom.%(value)s_enable }}
apiVersion: apps/v1
kind: Deployment
metadata: {name: %(name)s, labels: {app: %(app)s}}
spec:
  selector: {matchLabels: {app: %(app)s}}
  template:
    metadata: {labels: {app: %(app)s}}
    spec: {containers: [{name: %(name)s, image: "example.invalid/%(name)s:1"}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: %(name)s}
{{- end }}
"""
# Among the templates, and without the annotation that has Helm keep it.
DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: keepsakes.moving.volcano.sh}
spec:
  group: moving.volcano.sh
  scope: Namespaced
  names: {kind: Keepsake, listKind: KeepsakeList, plural: keepsakes, singular: keepsake}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
KEEPSAKE = """\
apiVersion: moving.volcano.sh/v1
kind: Keepsake
metadata: {name: kept}
"""
CONFIGURATION = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: volcano-scheduler-configmap}
data:
  volcano-scheduler.conf: |
    actions: "enqueue, allocate, backfill"
    tiers: [{plugins: [{name: gang}, {name: predicates}, {name: proportion}]}]
"""


@pytest.fixture
def volcano(tmp_path):
    """A chart with the names of Volcano's."""
    chart = tmp_path / "volcano"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: volcano\nversion: 1.15.0\n")
    values = [f"  {part}_enable: true" for part in ("scheduler", "controller", "admission")]
    (chart / "values.yaml").write_text("\n".join(["custom:", *values]) + "\n")
    for name, app in SELECTORS.items():
        value = app.removeprefix("volcano-")
        text = TEMPLATE % {"name": name, "app": app, "value": value}
        (chart / f"templates/{name}.yaml").write_text(text)
    (chart / "templates/configmap.yaml").write_text(CONFIGURATION)
    (chart / "templates/keepsakes.yaml").write_text(DEFINITION)
    return chart


@pytest.fixture
def shell(helm, installed, kubectl, tmp_path, volcano):
    """Runs lines of the page; its files go into a folder of the test."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "helm").symlink_to(helm.program())
    (programs / "kubectl").symlink_to(theirs("kubectl"))
    env = {**os.environ, "HOME": str(tmp_path), "KUBECONFIG": installed.kubeconfig}
    env["PATH"] = f"{programs}:{env['PATH']}"

    def run(lines):
        lines = lines.replace("/tmp/", f"{tmp_path}/").replace("volcano-sh/volcano", str(volcano))
        lines = lines.replace("--version OLD", "--version 1.15.0")
        lines = lines.replace("build/release/bin/", f"{os.path.dirname(ours('vc-sim'))}/")
        argv = ["bash", "-e", "-c", lines]
        quiet = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        done = subprocess.run(argv, cwd=ROOT, env=env, timeout=180, **quiet)
        assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
        return done.stdout

    yield run
    for release, namespace in (("volcano", "volcano-system"), ("batholith", "batholith-system")):
        run(f"helm -n {namespace} uninstall {release} --ignore-not-found")
    run("kubectl delete --ignore-not-found crd keepsakes.moving.volcano.sh")


def lines_of(*words):
    """The only indented line of the page with these words."""
    text = (ROOT / PAGE).read_text("utf-8")
    indented = re.findall(r"^ {4,}(\S.*)$", text, re.M)
    found = [line for line in indented if all(word in line for word in words)]
    assert len(found) == 1, f"{len(found)} lines with {words}"
    return found[0]


def containers(kubectl):
    return {
        d["metadata"]["name"]: d["spec"]["template"]["spec"]["containers"][0]["name"]
        for d in kubectl.json("get", "deployments")["items"]
    }


def uid_of_the_keepsake(kubectl):
    return kubectl.json("get", "keepsake", "kept")["metadata"]["uid"]


def test_over_it_and_back(shell, kubectl, volcano):
    # What tests before this one may have left would belong to nobody.
    kinds = "deployments,configmaps,serviceaccounts,services,networkpolicies,poddisruptionbudgets"
    kubectl.run("delete", kinds, "--all", within=60)
    labelled = "--set custom.common_labels.a=b"
    shell(f"helm -n volcano-system install volcano volcano-sh/volcano {labelled}")
    assert containers(kubectl) == {name: name for name in SELECTORS}
    kubectl("wait", "--for=condition=Established", "crd/keepsakes.moving.volcano.sh")
    until(
        lambda: kubectl.run("apply", "-f", "-", stdin=KEEPSAKE).returncode == 0, 30, "a keepsake"
    )
    uid = uid_of_the_keepsake(kubectl)
    assert "volcano-scheduler.conf: accepted" in shell(the_block(PAGE, "conf check", "vc-sim run"))
    assert "pods fare differently" in shell(the_block(PAGE, "conf diff"))
    shell("helm -n volcano-system get values volcano -o yaml > /tmp/values.yaml")
    template = the_block(PAGE, "helm template", "--dry-run=server").splitlines()
    shell(next(line for line in template if line.startswith("helm template")))
    shell(lines_of("kubectl annotate", "resource-policy=keep"))
    kept = shell(lines_of("custom-columns", "resource-policy")).splitlines()
    assert len(kept) > 10 and all(line.split()[1] == "keep" for line in kept), kept
    shell(lines_of("upgrade", "volcano-sh/volcano", "--reuse-values"))
    assert containers(kubectl) == {}
    shell(lines_of("upgrade", "deploy/helm/batholith", "--take-ownership"))
    assert uid_of_the_keepsake(kubectl) == uid
    assert containers(kubectl) == {
        "volcano-scheduler": "scheduler",
        "volcano-controllers": "controllers",
        "volcano-admission": "admission",
    }
    # Nobody runs the pods here: that is what the doctor finds, and ends with 255 for.
    assert "scheduler, 0 of 2 ready" in shell(f"{lines_of('vcctl doctor')} || test $? = 255")
    labels = kubectl.json("get", "deployment", "volcano-scheduler")["metadata"]["labels"]
    assert labels["a"] == "b", "values of the release go on holding"
    shell(lines_of("upgrade", "--reuse-values", "deploy/helm/batholith"))
    assert containers(kubectl) == {}
    shell(lines_of("upgrade", "volcano-sh/volcano", "--take-ownership"))
    assert containers(kubectl) == {name: name for name in SELECTORS}
    assert uid_of_the_keepsake(kubectl) == uid


def test_beside_it_and_away(shell, kubectl):
    shell(the_block(PAGE, "helm install batholith"))
    found = kubectl.json("get", "deployments", "--namespace=batholith-system")["items"]
    assert [d["metadata"]["name"] for d in found] == ["batholith-scheduler"]
    away = the_block(PAGE, "uninstall batholith")
    shell(away.replace("delete namespace", "delete --wait=false namespace"))
    assert kubectl.json("get", "deployments", "--namespace=batholith-system")["items"] == []


def test_away_with_it(shell, kubectl):
    kubectl.run("delete", "serviceaccounts,configmaps", "--all", within=60)
    flags = "--skip-crds --take-ownership"
    shell(f"helm -n volcano-system install volcano deploy/helm/batholith {flags}")
    secret = ["create", "secret", "generic", "volcano-admission-secret", "--from-literal=a=b"]
    kubectl.run(*secret)
    shell(the_block(PAGE, "uninstall volcano", "volcano-admission-secret"))
    kinds = "deployments,services,secrets,leases,networkpolicies"
    assert [n for n in kubectl("get", kinds, "-o", "name").split() if "volcano" in n] == []
    kinds = "mutatingwebhookconfigurations,validatingwebhookconfigurations"
    assert "volcano-admission" not in kubectl("get", kinds, "-o", "name")
