"""Slips in pods that an API server refuses, by their words."""

import pytest

from support import objects

LIMITS = "spec.containers[0].resources.limits"
REQUESTS = "spec.containers[0].resources.requests"
GPU = "nvidia.com/gpu"

RESOURCES = [
    (
        {"requests": {"cpu": "2"}, "limits": {"cpu": "1500m"}},
        {f'{REQUESTS}: Invalid value: "2": must be less than or equal to cpu limit of 1500m'},
    ),
    (
        {"requests": {GPU: "1"}},
        {f"{LIMITS}: Required value: Limit must be set for non overcommitable resources"},
    ),
    (
        {"requests": {GPU: "1"}, "limits": {GPU: "2"}},
        {f'{REQUESTS}: Invalid value: "1": must be equal to {GPU} limit of 2'},
    ),
    (
        {"limits": {GPU: "0.5"}},
        {
            f'{LIMITS}[{GPU}]: Invalid value: "500m": must be an integer',
            f'{REQUESTS}[{GPU}]: Invalid value: "500m": must be an integer',
        },
    ),
    (
        {"limits": {"gpu": "1"}},
        {
            f'{part}[gpu]: Invalid value: "gpu": must be a standard resource {words}'
            for part in (LIMITS, REQUESTS)
            for words in ("type or fully qualified", "for containers")
        },
    ),
    (
        {"requests": {"cpu": "-1"}},
        {f'{REQUESTS}[cpu]: Invalid value: "-1": must be greater than or equal to 0'},
    ),
]


def refusal(rest, namespace, container, **spec):
    body = objects.pod("p", cpu=None, memory=None, container=container, **spec)
    said = rest.post(f"/api/v1/namespaces/{namespace}/pods", body).expect_failure(422, "Invalid")
    return {f"{c['field']}: {c['message']}" for c in said["details"]["causes"]}


@pytest.mark.parametrize("resources, words", RESOURCES)
def test_amounts_that_cannot_be_are_refused(rest, namespace, resources, words):
    assert refusal(rest, namespace, {"resources": resources}) == words


def test_mounts_of_nothing_are_refused(rest, namespace):
    mounts = [{"name": "there", "mountPath": "/a"}, {"name": "data", "mountPath": "/b"}]
    words = refusal(
        rest, namespace, {"volumeMounts": mounts}, volumes=[{"name": "there", "emptyDir": {}}]
    )
    assert words == {'spec.containers[0].volumeMounts[1].name: Not found: "data"'}


TYPES = [
    ({"env": [{"name": "A", "value": 1}]}, "number", "EnvVar.spec.containers.env.value", "string"),
    ({"command": "sleep"}, "string", "Container.spec.containers.command", "[]string"),
    ({"tty": "yes"}, "string", "Container.spec.containers.tty", "bool"),
    ({"env": {"A": "1"}}, "object", "Container.spec.containers.env", "[]v1.EnvVar"),
]


@pytest.mark.parametrize("container, found, field, wanted", TYPES)
def test_fields_of_another_type_are_refused(rest, namespace, container, found, field, wanted):
    body = objects.pod("p", container=container)
    said = rest.post(f"/api/v1/namespaces/{namespace}/pods", body).expect_failure(400, "BadRequest")
    assert said["message"] == (
        'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal '
        f"{found} into Go struct field {field} of type {wanted}"
    )


def test_slips_in_names_and_images_are_refused(rest, namespace):
    words = refusal(rest, namespace, {"name": "c" * 64, "image": " busybox"})
    assert words == {
        f'spec.containers[0].name: Invalid value: "{"c" * 64}": must be no more than 63 characters',
        'spec.containers[0].image: Invalid value: " busybox": '
        "must not have leading or trailing whitespace",
    }


def test_what_a_cluster_takes_is_taken(rest, namespace):
    resources = {
        "requests": {"cpu": "500m", GPU: "2", "ephemeral-storage": "1Gi"},
        "limits": {"cpu": "1", GPU: "2", "example.com/dongle": "1"},
    }
    mounts = [{"name": "there", "mountPath": "/a"}]
    container = {"resources": resources, "volumeMounts": mounts}
    volumes = [{"name": "there", "emptyDir": {}}]
    body = objects.pod("p", cpu=None, memory=None, container=container, volumes=volumes)
    rest.post(f"/api/v1/namespaces/{namespace}/pods", body).expect(201)
