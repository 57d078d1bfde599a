"""ResourceQuotas: what goes beyond one is refused, and its status says what is used."""

import pytest

from support import objects
from support.poll import until


@pytest.fixture
def quota(rest, namespace):
    """Makes a quota, and waits until it holds."""

    def make(name, hard, **spec):
        path = f"/api/v1/namespaces/{namespace}/resourcequotas"
        body = {"metadata": {"name": name}, "spec": {"hard": hard, **spec}}
        rest.post(path, body).expect(201)
        path = f"{path}/{name}"
        until(lambda: set(used(rest, path)) == set(hard), 30, lambda: rest.get(path).text)
        return path

    return make


def used(rest, path):
    return (rest.get(path).expect(200).get("status") or {}).get("used") or {}


def post(rest, namespace, name, **container):
    body = objects.pod(name, scheduler="nobody")
    body["spec"]["containers"][0]["resources"] = container
    return rest.post(f"/api/v1/namespaces/{namespace}/pods", body)


def test_pods_beyond_the_limit_are_refused(rest, namespace, quota):
    path = quota("q", {"pods": "2"})
    for name in ("a", "b"):
        post(rest, namespace, name).expect(201)
    refused = post(rest, namespace, "x").expect_failure(403, "Forbidden")
    assert refused["message"] == (
        'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2'
    )
    until(lambda: used(rest, path) == {"pods": "2"}, 30, lambda: rest.get(path).text)
    rest.delete(f"/api/v1/namespaces/{namespace}/pods/a", body={"gracePeriodSeconds": 0})
    until(lambda: used(rest, path) == {"pods": "1"}, 40, lambda: rest.get(path).text)
    # Admission may know of it a little later than the status tells.
    until(lambda: post(rest, namespace, "x").status == 201, 10, lambda: rest.get(path).text)


def test_requests_and_limits_are_added_up(rest, namespace, quota):
    path = quota("q", {"requests.cpu": "2", "limits.memory": "1Gi", "memory": "1Gi"})
    half = {"requests": {"cpu": "1500m", "memory": "1Mi"}, "limits": {"memory": "512Mi"}}
    post(rest, namespace, "a", **half).expect(201)
    more = {"requests": {"cpu": "600m", "memory": "1Mi"}, "limits": {"memory": "1Gi"}}
    refused = post(rest, namespace, "b", **more).expect_failure(403, "Forbidden")
    assert refused["message"] == (
        'pods "b" is forbidden: exceeded quota: q, requested: limits.memory=1Gi,requests.cpu=600m, '
        "used: limits.memory=512Mi,requests.cpu=1500m, limited: limits.memory=1Gi,requests.cpu=2"
    )
    refused = post(rest, namespace, "c").expect_failure(403, "Forbidden")
    container = objects.pod("c")["spec"]["containers"][0]["name"]
    assert refused["message"] == (
        f'pods "c" is forbidden: failed quota: q: must specify limits.memory for: {container}; '
        f"memory for: {container}; requests.cpu for: {container}"
    )
    wanted = {"limits.memory": "512Mi", "memory": "1Mi", "requests.cpu": "1500m"}
    until(lambda: used(rest, path) == wanted, 30, lambda: rest.get(path).text)


def test_objects_are_counted(rest, namespace, quota):
    quota("q", {"count/configmaps": "1", "secrets": "0"})
    maps = f"/api/v1/namespaces/{namespace}/configmaps"
    rest.post(maps, objects.config_map("a")).expect(201)
    refused = rest.post(maps, objects.config_map("b")).expect_failure(403, "Forbidden")
    assert refused["message"] == (
        'configmaps "b" is forbidden: exceeded quota: q, requested: count/configmaps=1, '
        "used: count/configmaps=1, limited: count/configmaps=1"
    )
    secret = {"metadata": {"name": "s"}}
    refused = rest.post(f"/api/v1/namespaces/{namespace}/secrets", secret)
    assert "requested: secrets=1, used: secrets=0, limited: secrets=0" in refused.text


def test_scopes_choose_pods(rest, namespace, quota):
    quota("q", {"pods": "0"}, scopes=["BestEffort"])
    assert post(rest, namespace, "a").status == 403
    post(rest, namespace, "b", requests={"cpu": "1"}).expect(201)


def test_kubectl_shows_what_is_used(kubectl, rest, namespace, quota):
    quota("q", {"pods": "3"})
    post(rest, namespace, "a").expect(201)
    until(
        lambda: ["pods", "1", "3"] in [s.split() for s in kubectl("describe", "quota").splitlines()],
        30,
        lambda: kubectl("describe", "quota"),
    )
