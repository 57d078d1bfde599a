"""Fixtures of the tests of API behaviour."""

import time

import pytest
from kubernetes import client

from support.hook_server import HookServer
from support.objects import config_map
from support.poll import until
from support.world import unique

REGISTRATION = "admissionregistration.k8s.io/v1"


@pytest.fixture
def core(backend):
    return client.CoreV1Api(backend.client())


@pytest.fixture
def maps(namespace):
    """The path of the config maps of the test's namespace."""
    return f"/api/v1/namespaces/{namespace}/configmaps"


@pytest.fixture
def pods(namespace):
    """The path of the pods of the test's namespace."""
    return f"/api/v1/namespaces/{namespace}/pods"


@pytest.fixture
def crd(backend):
    """A definition of a namespaced kind Widget in a group of this test, established."""
    group = unique("widgets") + ".example.com"
    schema = {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {
                    "size": {"type": "integer", "minimum": 1, "maximum": 100},
                    "replicas": {"type": "integer", "default": 3},
                    "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
                    "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
                    "parts": {
                        "type": "array",
                        "maxItems": 2,
                        "items": {
                            "type": "object",
                            "properties": {
                                "kind": {"type": "string"},
                                "count": {"type": "integer", "default": 1},
                            },
                        },
                    },
                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                },
            },
            "status": {
                "type": "object",
                "properties": {
                    "phase": {"type": "string"},
                    "replicas": {"type": "integer"},
                },
            },
        },
    }
    columns = [
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
        {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
    ]
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas",
                "statusReplicasPath": ".status.replicas",
            },
        },
        "additionalPrinterColumns": columns,
    }
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {
                "plural": "widgets",
                "singular": "widget",
                "kind": "Widget",
                "shortNames": ["wg"],
            },
            "versions": [version],
        },
    }
    rest = backend.rest()
    root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    rest.post(root, body).expect(201)
    # Established says that the kind will be served; its paths answer a moment later.
    until(lambda: rest.get(f"/apis/{group}/v1/widgets").status == 200, 30, f"{group} is served")
    yield group
    rest.delete(f"{root}/widgets.{group}")


@pytest.fixture
def widgets(crd, namespace):
    """The path of the widgets of the test's namespace."""
    return f"/apis/{crd}/v1/namespaces/{namespace}/widgets"


@pytest.fixture
def widget(crd):
    """Builds a widget."""

    def build(name, /, **spec):
        return {
            "apiVersion": f"{crd}/v1",
            "kind": "Widget",
            "metadata": {"name": name},
            "spec": spec,
        }

    return build


@pytest.fixture
def server(tmp_path):
    """A webhook that nobody is told of yet."""
    made = HookServer(tmp_path)
    yield made
    made.close()


@pytest.fixture
def configure(rest, namespace, server):
    """Adds a configuration with one webhook, for the test's namespace alone, and waits until it
    holds: a real server takes a moment to notice it. `probe` is a request that the webhook is asked
    about, other than for a config map; or False."""
    made = []
    path_of_maps = f"/api/v1/namespaces/{namespace}/configmaps"

    def add(flavour, expect=201, probe=True, prefix="hook", **more):
        name = unique(prefix)
        rule = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"]}
        hook = {
            "name": f"{name}.example.com",
            "clientConfig": {
                "url": f"https://127.0.0.1:{server.port}/{name}",
                "caBundle": server.ca_bundle,
            },
            "rules": [{**rule, "resources": ["configmaps"]}],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **more,
        }
        path = f"/apis/{REGISTRATION}/{flavour}webhookconfigurations"
        kind = f"{flavour.capitalize()}WebhookConfiguration"
        body = {"kind": kind, "metadata": {"name": name}, "webhooks": [hook]}
        answer = rest.post(path, {"apiVersion": REGISTRATION, **body})
        if expect != 201:
            return answer.expect_failure(expect, "Invalid")
        made.append(f"{path}/{name}")
        answer.expect(201)
        if probe:
            ask = probe if callable(probe) else ask_about_a_map
            until(lambda: _reaches(server, name, ask), 20, f"{name} is called")
        return name

    def ask_about_a_map():
        rest.post(path_of_maps, config_map("probe", {"k": "v"}), dryRun="All")

    yield add
    for path in made:
        rest.delete(path)


def _reaches(server, name, ask):
    before = len(server.seen)
    ask()
    reached = any(seen["path"] == f"/{name}" for seen in server.seen[before:])
    if reached:
        time.sleep(0.2)  # A probe that came late must not stand among what the test counts.
        server.seen.clear()
    return reached


@pytest.fixture
def policy(rest, namespace):
    """Adds a policy for the config maps of the test's namespace with a binding of the same name."""
    made = []

    def add(flavour="Validating", expect=201, binding=None, prefix="policy", **spec):
        name = unique(prefix)
        rule = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"]}
        rules = [{**rule, "resources": ["configmaps"]}]
        if flavour == "Mutating":
            rules[0]["operations"] = ["CREATE", "UPDATE"]
            spec.setdefault("reinvocationPolicy", "Never")
        body = {
            "apiVersion": REGISTRATION,
            "kind": f"{flavour}AdmissionPolicy",
            "metadata": {"name": name},
            "spec": {"matchConstraints": {"resourceRules": rules}, **spec},
        }
        path = f"/apis/{REGISTRATION}/{flavour.lower()}admissionpolicies"
        answer = rest.post(path, body)
        if expect != 201:
            return answer.expect_failure(expect, "Invalid")["message"]
        answer.expect(201)
        made.append(f"{path}/{name}")
        selector = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
        bound = {"policyName": name, "matchResources": {"namespaceSelector": selector}}
        if flavour == "Validating":
            bound["validationActions"] = ["Deny"]
        path = f"/apis/{REGISTRATION}/{flavour.lower()}admissionpolicybindings"
        body["kind"] += "Binding"
        rest.post(path, {**body, "spec": {**bound, **(binding or {})}}).expect(201)
        made.append(f"{path}/{name}")
        return name

    yield add
    for path in made:
        rest.delete(path)
