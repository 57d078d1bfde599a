"""Webhooks as any API server calls them: who is asked, with what, and what becomes of the answer."""

import time

import pytest

from support.hook_server import denying, patching
from support.poll import until
from support.processes import free_port


def _map(name, **data):
    body = {"metadata": {"name": name}, "data": data or {"k": "v"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", **body}


@pytest.mark.parametrize("flavour", ["validating", "mutating"])
@pytest.mark.parametrize(
    ("status", "code", "text"),
    [
        ({"message": "no"}, 400, ": no"),
        ({"message": "no", "code": 403, "reason": "Forbidden"}, 403, ": no"),
        ({"reason": "Gone"}, 400, ": Gone"),
        ({"message": "x", "code": 200, "status": "Success"}, 400, ": x"),
        (None, 400, " without explanation"),
    ],
)
def test_a_refusal_is_told(rest, maps, server, configure, flavour, status, code, text):
    name = configure(flavour)
    server.answer = lambda request: {"allowed": False, "status": status}
    body = rest.post(maps, _map("a")).expect(code)
    denied = f'admission webhook "{name}.example.com" denied the request{text}'
    assert (body["kind"], body["status"], body["message"]) == ("Status", "Failure", denied)
    assert body["code"] == code and body.get("reason", "") == (status or {}).get("reason", "")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ((404, ""), "failed to call webhook: the server could not find the requested resource"),
        (
            (500, "boom"),
            'failed to call webhook: an error on the server ("unknown") has prevented the request '
            "from succeeding",
        ),
        ((200, "{}"), "received invalid webhook response: webhook response was absent"),
        (
            (200, '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}'),
            "received invalid webhook response: webhook response was absent",
        ),
    ],
)
def test_an_unusable_answer_is_a_failed_call(rest, maps, server, configure, answer, text):
    name = configure("validating")
    server.answer = lambda request: answer
    body = rest.post(maps, _map("a")).expect_failure(500, "InternalError")
    told = f'failed calling webhook "{name}.example.com": {text}'
    assert body["message"] == f"Internal error occurred: {told}"
    assert body["details"]["causes"] == [{"message": told}]


def test_a_server_that_is_not_there(rest, maps, configure):
    url = f"https://127.0.0.1:{free_port()}/p"
    name = configure("validating", probe=False, clientConfig={"url": url})
    start = f'Internal error occurred: failed calling webhook "{name}.example.com": failed to call '

    def refusal():
        answer = rest.post(maps + "?dryRun=All", _map("a"))
        return answer.status == 500 and answer.body["message"]

    message = until(refusal, 20, "a refusal")
    address = url.removeprefix("https://").removesuffix("/p")
    assert message == (
        f'{start}webhook: Post "{url}?timeout=10s": dial tcp {address}: connect: connection refused'
    )


def test_a_slow_webhook(rest, maps, server, configure):
    name = configure("validating", timeoutSeconds=1)
    server.answer = lambda request: time.sleep(2) or {"allowed": True}
    body = rest.post(maps, _map("a")).expect_failure(500, "InternalError")
    assert body["message"] == (
        f'Internal error occurred: failed calling webhook "{name}.example.com": failed to call '
        f'webhook: Post "https://127.0.0.1:{server.port}/{name}?timeout=1s": context deadline '
        "exceeded"
    )


def test_a_service_that_is_not_there(rest, maps, configure):
    service = {"name": "none", "namespace": "default", "path": "/p"}
    name = configure("validating", probe=False, clientConfig={"service": service})
    message = (
        f'Internal error occurred: failed calling webhook "{name}.example.com": failed to call '
        'webhook: Post "https://none.default.svc:443/p?timeout=10s": service "none" not found'
    )
    until(
        lambda: rest.post(maps + "?dryRun=All", _map("a")).body.get("message") == message,
        20,
        message,
    )


def test_failures_can_be_ignored(rest, maps, server, configure):
    configure("validating", failurePolicy="Ignore")
    server.answer = lambda request: (500, "")
    rest.post(maps, _map("a")).expect(201)


def test_the_review(rest, maps, namespace, server, configure):
    configure("validating")
    rest.post(maps + "?fieldManager=me", _map("a")).expect(201)
    [seen] = server.seen
    kind = {"group": "", "version": "v1", "kind": "ConfigMap"}
    resource = {"group": "", "version": "v1", "resource": "configmaps"}
    assert seen["kind"] == seen["requestKind"] == kind
    assert seen["resource"] == seen["requestResource"] == resource
    assert (seen["operation"], seen["name"], seen["namespace"]) == ("CREATE", "a", namespace)
    assert seen["query"] == "timeout=10s" and seen["dryRun"] is False
    assert seen["object"]["data"] == {"k": "v"} and seen["oldObject"] is None
    assert seen["object"]["metadata"]["uid"]
    options = {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"}
    assert seen["options"] == options
    assert {"username", "groups"} <= set(seen["userInfo"])
    rest.delete(maps + "/a", {"propagationPolicy": "Background"}).expect(200)
    assert server.seen[-1]["operation"] == "DELETE" and server.seen[-1]["object"] is None
    assert server.seen[-1]["oldObject"]["data"] == {"k": "v"}


def test_patches_and_what_they_cannot_do(rest, maps, server, configure):
    configure("mutating")
    add = {"op": "add", "path": "/data/n", "value": "1"}
    uid = {"op": "add", "path": "/metadata/uid", "value": "mine"}
    server.answer = lambda request: patching(add, uid)
    made = rest.post(maps, _map("a")).expect(201)
    assert made["data"] == {"k": "v", "n": "1"} and made["metadata"]["uid"] != "mine"
    server.answer = lambda request: patching({"op": "remove", "path": "/data/none"})
    rest.post(maps, _map("b")).expect_failure(500, "InternalError")
    server.answer = lambda request: patching({"op": "add", "path": "/data", "value": 5})
    rest.post(maps, _map("b")).expect_failure(500, "InternalError")


def test_a_name_that_is_still_to_be_made_up(rest, maps, server, configure):
    configure("mutating")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "made-"}}
    made = rest.post(maps, body).expect(201)
    [seen] = server.seen
    assert made["metadata"]["name"].startswith("made-")
    assert "name" not in seen and "uid" not in seen["object"]["metadata"]


def test_one_is_asked_again_when_a_later_one_changed_the_object(rest, maps, server, configure):
    first = configure("mutating", prefix="first", reinvocationPolicy="IfNeeded")
    second = configure("mutating", prefix="second")
    change = patching({"op": "add", "path": "/data/n", "value": "1"})
    server.answer = lambda request: (
        change if server.seen[-1]["path"] == f"/{second}" else {"allowed": True}
    )
    rest.post(maps, _map("a")).expect(201)
    assert [seen["path"] for seen in server.seen] == [f"/{first}", f"/{second}", f"/{first}"]


def test_warnings(rest, maps, server, configure):
    configure("validating")
    server.answer = lambda request: {"allowed": True, "warnings": ["mind the gap"]}
    answer = rest.post(maps, _map("a"))
    answer.expect(201)
    assert '"mind the gap"' in answer.headers["Warning"]


def test_match_conditions(rest, maps, server, configure):
    condition = {"name": "named", "expression": "object.metadata.name.startsWith('p')"}
    configure("validating", matchConditions=[condition])
    server.answer = lambda request: denying("asked")
    rest.post(maps, _map("other")).expect(201)
    rest.post(maps, _map("pa")).expect(400)


def test_match_conditions_that_cannot_be_told(rest, maps, configure):
    condition = {"name": "c", "expression": "object.none.x == 1"}
    configure("validating", probe=False, matchConditions=[condition])
    message = (
        "configmaps \"a\" is forbidden: expression 'object.none.x == 1' resulted in error: no such "
        "key: none"
    )
    until(
        lambda: rest.post(maps + "?dryRun=All", _map("a")).body.get("message") == message,
        20,
        message,
    )


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (
            {"name": "short"},
            'webhooks[0].name: Invalid value: "short": should be a domain with at least three '
            "segments separated by dots",
        ),
        (
            {"sideEffects": "Some"},
            'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", '
            '"NoneOnDryRun"',
        ),
        (
            {"timeoutSeconds": 31},
            "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 "
            "and 30 seconds",
        ),
        (
            {"failurePolicy": "Maybe"},
            'webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", '
            '"Ignore"',
        ),
        (
            {"admissionReviewVersions": ["v9"]},
            'webhooks[0].admissionReviewVersions: Invalid value: ["v9"]: must include at least one '
            "of v1, v1beta1",
        ),
        (
            {"clientConfig": {}},
            "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
        ),
        (
            {"clientConfig": {"url": "http://a/b"}},
            "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed "
            "URL scheme; desired format: https://host[/path]",
        ),
        (
            {"clientConfig": {"service": {"name": "s", "namespace": "n", "port": 0}}},
            "webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be "
            "between 1 and 65535, inclusive",
        ),
        (
            {"matchConditions": [{"name": "c", "expression": "1"}]},
            'webhooks[0].matchConditions[0].expression: Invalid value: "1": must evaluate to bool',
        ),
        (
            {"matchConditions": [{"name": "c", "expression": "none == 1"}]},
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'none' (in container "
            "'')",
        ),
        (
            {"matchConditions": [{"name": "a b", "expression": "true"}]},
            'webhooks[0].matchConditions[0].name: Invalid value: "a b": name part must consist of '
            "alphanumeric characters",
        ),
        (
            {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
            "webhooks[0].objectSelector.matchExpressions[0].values: Required value: must be "
            "specified when `operator` is 'In' or 'NotIn'",
        ),
    ],
)
def test_broken_configurations_are_refused(configure, more, text):
    assert text in configure("validating", expect=422, **more)["message"]
