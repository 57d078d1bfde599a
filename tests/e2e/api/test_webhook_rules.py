"""Whom the rules, selectors and addresses of webhooks mean."""

import pytest

from support.hook_server import HookServer, patching
from support.objects import config_map, node, pod
from support.poll import until
from support.rest import MERGE_PATCH
from support.world import unique

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CORE = {"apiGroups": [""], "apiVersions": ["v1"]}
# Beside the rule of a test, so that a config map tells when the configuration is noticed.
NEW_MAPS = {**CORE, "operations": ["CREATE"], "resources": ["configmaps"]}


def asked(server):
    """What the webhook was asked about, in order."""
    return [(seen["operation"], seen.get("name")) for seen in server.seen]


def settled(rest, path, answer):
    """Waits until the server's cache has what was written: a real one judges a change of something
    older, and then once more."""
    assert answer.status in (200, 201), answer.text
    version = answer.body["metadata"]["resourceVersion"]

    def is_cached():
        cached = rest.get(path, resourceVersion="0").body
        return cached["metadata"].get("resourceVersion") == version

    until(is_cached, 10, f"{path} of version {version}")


# --- versions -----------------------------------------------------------------------------------


@pytest.fixture
def parts(rest, namespace):
    """A kind that is served in two versions: its group, and a function that makes one."""
    group = unique("parts") + ".example.com"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"served": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "parts", "singular": "part", "kind": "Part"}
    versions = [{**version, "name": "v1", "storage": True}]
    versions.append({**version, "name": "v2", "storage": False})
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"parts.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": versions},
    }
    rest.post(DEFINITIONS, body).expect(201)

    def make(version, name, **query):
        head = {"apiVersion": f"{group}/{version}", "kind": "Part", "metadata": {"name": name}}
        return rest.post(f"/apis/{group}/{version}/namespaces/{namespace}/parts", head, **query)

    for version in ("v1", "v2"):
        until(
            lambda version=version: make(version, "probe", dryRun="All").status == 201,
            30,
            f"{group}/{version} is served",
        )
    yield group, make
    rest.delete(f"{DEFINITIONS}/parts.{group}")


@pytest.mark.parametrize(
    ("policy", "names"), [("Exact", ["by-v1"]), ("Equivalent", ["by-v1", "by-v2"])]
)
def test_a_rule_for_one_version(server, configure, parts, policy, names):
    group, make = parts
    rule = {"apiGroups": [group], "apiVersions": ["v1"], "resources": ["parts"]}
    configure(
        "validating",
        probe=lambda: make("v1", "probe", dryRun="All"),
        rules=[{**rule, "operations": ["CREATE"]}],
        matchPolicy=policy,
    )
    make("v1", "by-v1").expect(201)
    assert make("v2", "by-v2").expect(201)["apiVersion"] == f"{group}/v2"
    assert [seen["name"] for seen in server.seen] == names
    # Whatever was written, the webhook is shown the version that its rule names.
    for seen, version in zip(server.seen, ("v1", "v2")):
        shown = {"group": group, "version": "v1"}
        written = {"group": group, "version": version}
        assert seen["kind"] == {**shown, "kind": "Part"}
        assert seen["resource"] == {**shown, "resource": "parts"}
        assert seen["requestKind"] == {**written, "kind": "Part"}
        assert seen["requestResource"] == {**written, "resource": "parts"}
        assert seen["object"]["apiVersion"] == f"{group}/v1"


# --- selectors ----------------------------------------------------------------------------------


def test_labels_that_an_object_has_or_had(rest, maps, server, configure):
    labels = {"on": "yes"}
    configure(
        "validating",
        probe=lambda: rest.post(maps, config_map("probe", labels=labels), dryRun="All"),
        objectSelector={"matchLabels": labels},
    )
    settled(rest, f"{maps}/a", rest.post(maps, config_map("a")))
    for change in (
        {"metadata": {"labels": labels}},
        {"data": {"k": "v"}},
        {"metadata": {"labels": None}},
        {"data": {"k": "w"}},
    ):
        settled(rest, f"{maps}/a", rest.patch(f"{maps}/a", change, MERGE_PATCH))
    rest.delete(f"{maps}/a").expect(200)
    settled(rest, f"{maps}/b", rest.post(maps, config_map("b", labels=labels)))
    rest.delete(f"{maps}/b").expect(200)
    # The labels come, are there, and go.
    assert asked(server) == [("UPDATE", "a")] * 3 + [("CREATE", "b"), ("DELETE", "b")]


def test_a_namespace_that_is_left_out(rest, maps, namespace, server, configure):
    other = unique("other")
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": other}}
    rest.post("/api/v1/namespaces", body).expect(201)
    others = f"/api/v1/namespaces/{other}/configmaps"
    key = "kubernetes.io/metadata.name"
    left_out = {"key": key, "operator": "NotIn", "values": [namespace, "kube-system"]}
    try:
        configure(
            "validating",
            probe=lambda: rest.post(others, config_map("probe"), dryRun="All"),
            namespaceSelector={"matchExpressions": [left_out]},
        )
        rest.post(maps, config_map("a")).expect(201)
        rest.post(others, config_map("b")).expect(201)
        assert asked(server) == [("CREATE", "b")]
    finally:
        rest.delete(f"/api/v1/namespaces/{other}")


# --- rules --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "resources"),
    [("*", ["configmaps", "nodes"]), ("Namespaced", ["configmaps"]), ("Cluster", ["nodes"])],
)
def test_a_scope(rest, maps, server, configure, scope, resources):
    def both(name):
        rest.post(maps, config_map(name), dryRun="All").expect(201)
        rest.post("/api/v1/nodes", node(name), dryRun="All").expect(201)

    both_kinds = {**CORE, "operations": ["CREATE"], "resources": ["configmaps", "nodes"]}
    rules = [{**both_kinds, "scope": scope}]
    configure("validating", probe=lambda: both(unique("probe")), rules=rules)
    both(unique("a"))
    # What belongs to no namespace is left out by no namespaceSelector.
    assert [seen["resource"]["resource"] for seen in server.seen] == resources
    assert [seen["resource"]["resource"] for seen in server.seen if "namespace" not in seen] == [
        resource for resource in resources if resource == "nodes"
    ]


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE", "DELETE"])
def test_a_single_operation(rest, maps, server, configure, operation):
    settled(rest, f"{maps}/there", rest.post(maps, config_map("there")))
    change = {"data": {"k": "w"}}

    def trials():
        rest.post(maps, config_map("probe"), dryRun="All").expect(201)
        rest.patch(f"{maps}/there", change, MERGE_PATCH, dryRun="All").expect(200)
        rest.delete(f"{maps}/there", dryRun="All").expect(200)

    rule = {**CORE, "operations": [operation], "resources": ["configmaps"]}
    configure("validating", probe=trials, rules=[rule])
    settled(rest, f"{maps}/a", rest.post(maps, config_map("a")))
    settled(rest, f"{maps}/a", rest.patch(f"{maps}/a", change, MERGE_PATCH))
    rest.delete(f"{maps}/a").expect(200)
    assert asked(server) == [(operation, "a")]


STATUS = ("UPDATE", "status", "Pod")
BINDING = ("CREATE", "binding", "Binding")
CREATION = ("CREATE", "", "Pod")


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("pods", [CREATION]),
        ("*", [CREATION]),
        ("pods/status", [STATUS]),
        ("*/status", [STATUS]),
        ("pods/binding", [BINDING]),
        ("pods/*", [CREATION, STATUS, BINDING]),
    ],
)
def test_subresources(rest, pods, server, configure, resource, expected):
    rule = {**CORE, "operations": ["CREATE", "UPDATE"], "resources": [resource]}
    configure("validating", rules=[NEW_MAPS, rule])
    settled(rest, f"{pods}/a", rest.post(pods, pod("a", scheduler="nobody")))
    told = {"status": {"message": "it waits"}}
    settled(rest, f"{pods}/a", rest.patch(f"{pods}/a/status", told, MERGE_PATCH))
    target = {"apiVersion": "v1", "kind": "Node", "name": "some-node"}
    head = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"}, "target": target}
    rest.post(f"{pods}/a/binding", head).expect(201)
    about = [seen for seen in server.seen if seen.get("name") == "a"]
    assert [
        (seen["operation"], seen.get("subResource", ""), seen["kind"]["kind"]) for seen in about
    ] == expected
    assert {seen["resource"]["resource"] for seen in about} == {"pods"}


def test_a_scale_is_shown_and_changed_as_such(rest, namespace, server, configure):
    rule = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["UPDATE"]}
    configure("mutating", rules=[NEW_MAPS, {**rule, "resources": ["deployments/scale"]}])
    labels = {"a": "b"}
    container = {"name": "c", "image": "example.invalid/app:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}
    rest.post(path, body).expect(201)
    more = patching({"op": "replace", "path": "/spec/replicas", "value": 7})
    server.answer = lambda request: more
    asked_for = {"spec": {"replicas": 3}}
    # Only as a trial: nobody needs the pods.
    made = rest.patch(f"{path}/d/scale", asked_for, MERGE_PATCH, dryRun="All").expect(200)
    assert made["spec"]["replicas"] == 7
    seen = server.seen[-1]
    assert seen["kind"] == {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    assert seen["resource"] == {"group": "apps", "version": "v1", "resource": "deployments"}
    assert (seen["subResource"], seen["object"]["spec"]["replicas"]) == ("scale", 3)


@pytest.mark.parametrize("flavour", ["validating", "mutating"])
def test_a_dry_run_is_shown_as_such(rest, maps, server, configure, flavour):
    configure(flavour, sideEffects="NoneOnDryRun")
    rest.post(maps, config_map("a"), dryRun="All").expect(201)
    rest.get(f"{maps}/a").expect_failure(404, "NotFound")
    rest.post(maps, config_map("a")).expect(201)
    assert [seen["dryRun"] for seen in server.seen] == [True, False]
    assert [seen["options"].get("dryRun") for seen in server.seen] == [["All"], None]


# --- addresses ----------------------------------------------------------------------------------


@pytest.fixture
def behind(namespace, tmp_path):
    """A webhook with the name of a Service."""
    folder = tmp_path / "behind"
    folder.mkdir()
    made = HookServer(folder, f"hook.{namespace}.svc")
    yield made
    made.close()


def _ports(port, target):
    return {"ports": [{"port": port, "targetPort": target}]}


@pytest.mark.parametrize(
    "spec_of",
    [
        # Of the ways to a program on this machine this one needs no network of services.
        pytest.param(
            lambda port: (port, {"type": "ExternalName", "externalName": "127.0.0.1"}),
            id="another name",
        ),
        pytest.param(
            lambda port: (443, _ports(443, port)),
            id="the target port",
            marks=pytest.mark.backend("embedded"),
        ),
    ],
)
def test_a_webhook_behind_a_service(rest, maps, namespace, behind, configure, spec_of):
    port, spec = spec_of(behind.port)
    body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hook"}, "spec": spec}
    rest.post(f"/api/v1/namespaces/{namespace}/services", body).expect(201)
    service = {"name": "hook", "namespace": namespace, "path": "/p", "port": port}
    to_it = {"service": service, "caBundle": behind.ca_bundle}
    name = configure("validating", probe=False, clientConfig=to_it)
    behind.answer = lambda request: {"allowed": False, "status": {"message": "no"}}
    told = f'admission webhook "{name}.example.com" denied the request: no'
    said = []

    def refused():
        said.append(rest.post(maps, config_map("a"), dryRun="All").text)
        return told in said[-1].replace('\\"', '"')

    until(refused, 20, lambda: f"{told}: {said[-1]}")
    assert {seen["path"] for seen in behind.seen} == {"/p"}
