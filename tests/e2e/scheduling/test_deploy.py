"""The manifests of deploy/, as an operator applies them."""

import pytest

from support.kubectl import Kubectl
from support.poll import until
from support.processes import ROOT

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
