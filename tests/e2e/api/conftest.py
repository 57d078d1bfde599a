"""Fixtures of the tests of API behaviour."""

import pytest
from kubernetes import client

from support.poll import until
from support.world import unique


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
