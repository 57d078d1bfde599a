"""vcctl jobflow and vcctl jobtemplate."""

import json
import re

import pytest
import yaml

KINDS = {"jobflow": "JobFlow", "jobtemplate": "JobTemplate"}


def spec_of(group):
    if group == "jobflow":
        return {"flows": [{"name": "a"}]}
    pod = {"spec": {"containers": [{"name": "c", "image": "example.invalid/app:1"}]}}
    return {"minAvailable": 1, "tasks": [{"name": "t", "replicas": 1, "template": pod}]}


@pytest.fixture(params=sorted(KINDS))
def group(request):
    return request.param


@pytest.fixture
def two(group, namespace, tmp_path):
    """A file with two objects."""
    file = tmp_path / "two.yaml"
    bodies = [
        {"metadata": {"name": name, "namespace": namespace}, "spec": spec_of(group)}
        for name in ("test-a", "test-b")
    ]
    file.write_text(yaml.safe_dump_all(bodies))
    return file


def test_from_creation_to_deletion(vcctl, namespace, group, two):
    kind = KINDS[group]
    vcctl(group, "list", "-n", namespace).prints("No resources found\n")
    vcctl(group, "describe", "-n", namespace).prints("")
    made = "".join(f"Created {kind}: {namespace}/{n}\n" for n in ("test-a", "test-b"))
    vcctl(group, "create", "-f", two).prints(made)
    exists = f'Failed to create {kind}: {group}s.flow.volcano.sh "test-%s" already exists\n'
    vcctl(group, "create", "-f", two).prints(exists % "a" + exists % "b")
    width = max(len(namespace), len("Namespace")) + 4
    more = r" {9}\d+s {4,5}" if group == "jobflow" else ""
    row = rf"test-a    {namespace.ljust(width)}{more}\n"
    for leaf in (("list",), ("get", "-N", "test-a")):
        shown = vcctl(group, *leaf, "-n", namespace)
        assert shown.code == 0 and re.search(f"^{row}", shown.out, re.MULTILINE), (shown, row)
    text = vcctl(group, "describe", "-n", namespace, "-N", "test-a").out
    assert text.startswith(f"apiVersion: flow.volcano.sh/v1alpha1\nkind: {kind}\nmetadata:\n"), text
    described = yaml.safe_load(text)
    assert described["metadata"]["name"] == "test-a" and "managedFields" not in described["metadata"]
    text = vcctl(group, "describe", "-n", namespace, "-N", "test-a", "-o", "json").out
    assert text.startswith(f'{{\n  "kind": "{kind}",\n  "apiVersion": "flow.volcano.sh/v1alpha1",\n')
    assert json.loads(text) == described
    assert list(json.loads(text)) == ["kind", "apiVersion", "metadata", "spec", "status"]
    several = vcctl(group, "describe", "-n", namespace).out.split("\n\n\n")
    assert [yaml.safe_load(t)["metadata"]["name"] for t in several] == ["test-a", "test-b"]
    one = vcctl(group, "delete", "-n", namespace, "-N", "test-a")
    one.prints(f"Deleted {kind}: {namespace}/test-a\n")
    gone = f'Failed to delete {kind}: {group}s.flow.volcano.sh "test-a" not found\n'
    vcctl(group, "delete", "-f", two).prints(gone + f"Deleted {kind}: {namespace}/test-b\n")


def test_mistakes(vcctl, group, namespace):
    words = {"jobflow": "jobflow", "jobtemplate": "job template"}[group]
    vcctl(group, "create").fails(f"Failed to create {group}: open : no such file or directory")
    vcctl(group, "delete").fails(f"Failed to delete {group}: {words} name must be specified")
    why = f"name is mandatory to get the particular {words} details"
    vcctl(group, "get").fails(f"Failed to get {group}: {why}")
    gone = f'{group}s.flow.volcano.sh "x" not found'
    for leaf in ("get", "delete", "describe"):
        vcctl(group, leaf, "-n", namespace, "-N", "x").fails(f"Failed to {leaf} {group}: {gone}")


def test_an_unknown_format_is_told_without_a_line_break(vcctl, group, two):
    vcctl(group, "create", "-f", two)
    name = yaml.safe_load(two.read_text().split("---")[0])["metadata"]
    args = ("-n", name["namespace"], "-N", "test-a", "-o", "xml")
    vcctl(group, "describe", *args).prints("Unsupported format: xml")
