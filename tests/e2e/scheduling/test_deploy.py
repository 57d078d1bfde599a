"""The manifests of deploy/, as an operator applies them."""

import pytest
import yaml

from support import objects
from support.kubectl import Kubectl
from support.poll import until
from support.processes import ROOT
from support.terminal import Terminal, the_block
from support.world import unique

DAEMONS = ["deployment.apps/volcano-controllers", "deployment.apps/volcano-scheduler"]
RBAC = "/apis/rbac.authorization.k8s.io/v1"


@pytest.fixture
def operator(backend, tmp_path):
    """kubectl in the daemons' namespace; what was applied is deleted afterwards."""
    kubectl = Kubectl(backend.kubeconfig, "volcano-system", tmp_path)
    yield kubectl
    # The accounts stay: other tests of the session run with them.
    kinds = "deployments,services,configmaps,networkpolicies,poddisruptionbudgets"
    kubectl.run("delete", kinds, "--all", within=60)
    kubectl.close()


def apply(operator, folder, *flags):
    """Applies a kustomization, without a word of warning; what became of each object."""
    done = operator.run("apply", "-k", str(ROOT / folder), *flags)
    # Other tests make the accounts without kubectl.
    told = [line for line in done.stderr.splitlines() if "last-applied-configuration" not in line]
    assert (done.returncode, told) == (0, []), done.stderr + done.stdout
    return {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()}


def differing(became):
    """Objects that are not as they were. kubectl says of every budget that it changes it: it replaces
    the selector by the same one."""
    budgets = "poddisruptionbudget.policy/"
    return {o for o, fate in became.items() if fate != "unchanged" and not o.startswith(budgets)}


@pytest.mark.backend("kube")
def test_one_command_deploys_the_daemons_and_repeated_it_changes_nothing(operator):
    first = apply(operator, "deploy")
    assert len(first) > 20
    # Roles may be there already.
    assert set(first.values()) <= {"created", "unchanged", "configured"}, first
    assert sorted(operator("get", "deployments", "-o", "name").split()) == DAEMONS
    assert differing(apply(operator, "deploy")) == set()


@pytest.mark.backend("kube")
def test_two_replicas_survive_a_drain_and_have_bounds(operator):
    apply(operator, "deploy")
    for deployment in operator.json("get", "deployments")["items"]:
        name, spec = deployment["metadata"]["name"], deployment["spec"]
        assert spec["replicas"] == 2, name
        pod = spec["template"]["spec"]
        spread = pod["topologySpreadConstraints"][0]
        assert spread["topologyKey"] == "kubernetes.io/hostname"
        labels = spec["template"]["metadata"]["labels"]
        assert spread["labelSelector"]["matchLabels"].items() <= labels.items(), name
        (container,) = pod["containers"]
        assert "memory" in container["resources"]["limits"], name
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            assert probe in container, (name, probe)
        assert "--leader-elect=true" in container["args"], name
        budget = operator.json("get", "poddisruptionbudget", name)["spec"]
        assert budget["maxUnavailable"] == 1
        assert budget["selector"] == spec["selector"]
        policy = operator.json("get", "networkpolicy", name)["spec"]
        assert policy["podSelector"] == spec["selector"]


@pytest.mark.backend("kube")
def test_the_overlay_that_evicts_is_the_base_with_a_policy_and_a_role(operator):
    base = apply(operator, "deploy")
    dry = apply(operator, "deploy/overlays/evicting", "--dry-run=server")
    assert set(base) < set(dry)
    assert differing(dry) == {
        "configmap/volcano-scheduler-configmap",
        "clusterrole.rbac.authorization.k8s.io/volcano-scheduler-evicting",
        "clusterrolebinding.rbac.authorization.k8s.io/volcano-scheduler-evicting",
    }


@pytest.mark.backend("kube")
def test_the_overlay_that_explains_opens_one_port_and_adds_who_may_come_in(operator):
    base = apply(operator, "deploy")
    dry = apply(operator, "deploy/overlays/explain", "--dry-run=server")
    assert set(base) < set(dry)
    rbac = "rbac.authorization.k8s.io"
    opened = {
        "deployment.apps/volcano-scheduler",
        "networkpolicy.networking.k8s.io/volcano-scheduler",
        "service/volcano-scheduler-explain",
    }
    # Other tests of this server may have made these.
    rights = {
        "serviceaccount/volcano-explain",
        f"clusterrole.{rbac}/volcano-explain",
        f"clusterrolebinding.{rbac}/volcano-explain",
        f"clusterrolebinding.{rbac}/volcano-scheduler-auth-delegator",
        f"role.{rbac}/volcano-explain-reader",
    }
    assert opened <= differing(dry) <= opened | rights


def may(rest, user, namespace, verb, resource):
    group, _, plural = resource.rpartition("/")
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": user,
            "resourceAttributes": {
                "namespace": namespace,
                "verb": verb,
                "group": group,
                "resource": plural,
            },
        },
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return rest.post(path, body).expect(201)["status"]["allowed"]


JOBS, FLOWS = "batch.volcano.sh/jobs", "flow.volcano.sh/jobflows"
GROUPS, QUEUES = "scheduling.volcano.sh/podgroups", "scheduling.volcano.sh/queues"
COMMANDS = "bus.volcano.sh/commands"


@pytest.mark.backend("kube")
def test_who_may_see_or_edit_a_namespace_may_see_or_edit_its_jobs(operator, rest, namespace):
    apply(operator, "deploy")
    for role in ("view", "edit", "admin"):
        binding = {
            "metadata": {"name": role},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": role,
            },
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": role}],
        }
        rest.post(f"{RBAC}/namespaces/{namespace}/rolebindings", binding).expect(201)
    # The cluster's own controller takes the roles in.
    for user, verb in (("view", "list"), ("edit", "create"), ("admin", "create")):
        until(
            lambda: may(rest, user, namespace, verb, JOBS), 60, f"{user} may {verb} {JOBS}"
        )
    for resource in (JOBS, FLOWS, GROUPS):
        assert may(rest, "view", namespace, "watch", resource), resource
        assert not may(rest, "view", namespace, "create", resource), resource
        for user in ("edit", "admin"):
            for verb in ("get", "patch", "delete"):
                assert may(rest, user, namespace, verb, resource), (user, verb, resource)
    for user in ("view", "edit", "admin"):
        assert may(rest, user, namespace, "create", COMMANDS) == (user != "view")
        assert not may(rest, user, "", "create", QUEUES), user
        assert not may(rest, user, namespace, "patch", f"{JOBS}/status"), user
        assert not may(rest, user, "another-namespace", "list", JOBS), user


# --- where Volcano is installed -----------------------------------------------------------------

PAGE = "deploy/README.md"
POLICY = 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n'


@pytest.fixture
def terminal(backend, tmp_path):
    return Terminal(tmp_path / "terminal", backend.kubeconfig)


def paste(terminal, *words):
    code, screen = terminal.paste(the_block(PAGE, *words))
    assert code == 0, screen
    return screen


def as_installed_by_volcano(operator):
    """What of an installation of Volcano has the names of ours: as its chart makes it."""
    operator.run("create", "namespace", "volcano-system")
    for name, app in (
        ("volcano-scheduler", "volcano-scheduler"),
        ("volcano-controllers", "volcano-controller"),
        ("volcano-admission", "volcano-admission"),
    ):
        labels = {"app": app}
        container = {"name": name, "image": f"example.invalid/{name}:1"}
        body = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        }
        operator("create", "-f", "-", stdin=yaml.safe_dump(body))
    policy = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "volcano-scheduler-configmap"},
        "data": {"volcano-scheduler.conf": POLICY},
    }
    operator("create", "-f", "-", stdin=yaml.safe_dump(policy))


def containers(operator):
    return {
        d["metadata"]["name"]: [c["name"] for c in d["spec"]["template"]["spec"]["containers"]]
        for d in operator.json("get", "deployments")["items"]
    }


@pytest.mark.backend("kube")
def test_the_steps_that_take_volcanos_place_and_give_it_back(operator, terminal):
    as_installed_by_volcano(operator)
    refused = operator.run("apply", "-k", str(ROOT / "deploy"))
    assert "field is immutable" in refused.stderr, "what the page warns of"
    operator("delete", "deployments,configmaps", "--all")
    as_installed_by_volcano(operator)
    paste(terminal, "jsonpath", "delete deployment volcano-scheduler")
    paste(terminal, "apply -k deploy", "--from-file")
    assert containers(operator) == {
        "volcano-scheduler": ["scheduler"],
        "volcano-controllers": ["controllers"],
        "volcano-admission": ["volcano-admission"],
    }
    kept = operator.json("get", "configmap", "volcano-scheduler-configmap")["data"]
    assert kept == {"volcano-scheduler.conf": POLICY}
    paste(terminal, "delete deployment,networkpolicy,poddisruptionbudget")
    assert set(containers(operator)) == {"volcano-admission"}
    assert operator("get", "networkpolicies,poddisruptionbudgets", "-o", "name") == ""


@pytest.mark.backend("kube")
def test_volcanos_webhook_is_taken_away_without_shutting_the_door(installed, operator, terminal):
    as_installed_by_volcano(operator)
    rest = installed.rest()
    webhook = {
        "name": "mutatequeue.volcano.sh",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "timeoutSeconds": 1,
        "clientConfig": {
            "service": {"name": "volcano-admission-service", "namespace": "volcano-system"}
        },
        "rules": [
            {
                "apiGroups": ["scheduling.volcano.sh"],
                "apiVersions": ["v1beta1"],
                "resources": ["queues"],
                "operations": ["CREATE"],
            }
        ],
    }
    path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
    name = "volcano-admission-service-queues-mutate"
    body = {"metadata": {"name": name}, "webhooks": [webhook]}
    rest.post(path, body).expect(201)
    queues = "/apis/scheduling.volcano.sh/v1beta1/queues"
    queue = objects.queue(unique("q"))
    try:
        until(
            lambda: rest.post(queues, queue, dryRun="All").status == 500,
            30,
            "the webhook is asked, and is not there",
        )
        paste(terminal, "webhookconfigurations")
        until(
            lambda: rest.post(queues, queue, dryRun="All").status == 201,
            30,
            "nobody is asked any more",
        )
    finally:
        rest.delete(f"{path}/{name}")
    assert "volcano-admission" not in containers(operator)


@pytest.mark.backend("kube")
def test_the_overlay_beside_shares_no_name_with_an_installation(operator):
    theirs = set(apply(operator, "deploy", "--dry-run=client"))
    shown = operator("kustomize", str(ROOT / "deploy/overlays/beside"))
    ours = list(yaml.safe_load_all(shown))
    try:
        made = operator("apply", "--namespace=batholith-system", "-f", "-", stdin=shown)
    finally:
        away = ["delete", "--namespace=batholith-system", "--wait=false", "-f", "-"]
        operator.run(*away, stdin=shown, within=60)
    for body in ours:
        meta = body["metadata"]
        assert meta.get("namespace", "batholith-system") == "batholith-system", meta
        assert meta["name"].startswith("batholith-"), meta
        for subject in body.get("subjects", []):
            assert subject == {
                "kind": "ServiceAccount",
                "name": "batholith-volcano-scheduler",
                "namespace": "batholith-system",
            }
    (deployment,) = [body for body in ours if body["kind"] == "Deployment"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert "--scheduler-name=batholith" in container["args"]
    # Of several the last one wins.
    places = [a for a in container["args"] if a.startswith("--leader-elect-resource-namespace")]
    assert places[-1] == "--leader-elect-resource-namespace=batholith-system"
    assert not {line.split()[0] for line in made.splitlines()} & theirs
