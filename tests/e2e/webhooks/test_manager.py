"""vc-webhook-manager as a program: registrations, certificates, replicas, ends."""

import base64
import contextlib
import os
import signal
import socket
import ssl

import pytest

from support import accounts, hook_server
from support import webhook_manager as webhooks
from support.daemon import fetch
from support.jobs import BATCH, JobWorld, job_spec, task
from support.poll import until
from support.processes import Process, free_port, ours
from support.rest import JSON_PATCH
from support.webhook_manager import WebhookManager, bundle_of
from support.world import unique

DEPLOYED = webhooks.ALL.replace("/pods/validate,", "")
KEPT = f"/api/v1/namespaces/{webhooks.NAMESPACE}/secrets/{webhooks.SECRET}"


@pytest.fixture
def clean(prepared):
    """No configurations before and after."""
    webhooks.remove_all(prepared)
    yield prepared
    webhooks.remove_all(prepared)


@pytest.fixture
def running():
    started = []
    yield started
    for daemon in reversed(started):
        daemon.close()


@pytest.fixture
def place(backend):
    made = JobWorld(backend)
    yield made
    made.close()


def make_job(place):
    spec = job_spec([task()], queue="nowhere")
    body = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": unique("j")},
        "spec": spec,
    }
    return place.rest.post(place.path(BATCH, "jobs"), body)


def is_denied(place):
    answer = make_job(place)
    return answer.status >= 400 and "denied the request: unable to find" in answer.body["message"]


def trusting(rest):
    """TLS with the authorities that the webhooks keep in their Secret."""
    kept = rest.get(KEPT).expect(200)["data"]
    return ssl.create_default_context(cadata=base64.b64decode(kept["ca.crt"]).decode())


@contextlib.contextmanager
def unfinished_review(manager, rest):
    """A review whose body does not come: the webhooks have read its head, and wait."""
    head = "POST /jobs/validate HTTP/1.1\r\nHost: webhooks\r\nContent-Type: application/json\r\n"
    head += "Content-Length: 10\r\nExpect: 100-continue\r\n\r\n"
    with socket.create_connection(("127.0.0.1", manager.port), timeout=10) as line:
        with trusting(rest).wrap_socket(line, server_hostname="127.0.0.1") as tls:
            tls.sendall(head.encode())
            assert tls.recv(100).startswith(b"HTTP/1.1 100 ")
            yield


def test_it_registers_itself_and_two_replicas_agree(backend, clean, running, place, tmp_path):
    clean.delete(KEPT)
    port = free_port()
    first = WebhookManager(
        backend.kubeconfig, tmp_path, "first", flags=["--self-register"], port=port
    )
    running.append(first)
    second = WebhookManager(backend.kubeconfig, tmp_path, "second")
    running.append(second)
    first.wait_ready().wait_registered()
    second.wait_ready().wait_registered()
    assert is_denied(place)
    kept = clean.get(KEPT).expect(200)["data"]
    assert set(kept) == {"ca.crt", "ca.key", "tls.crt", "tls.key"}
    assert bundle_of(clean, "jobs-validate") == kept["ca.crt"]
    tls = trusting(clean)
    for daemon in (first, second):
        status, text = fetch(f"{daemon.url}/jobs/validate", tls=tls)
        assert (status, text) == (405, "reviews are sent by POST\n")


def test_when_it_is_gone_the_failure_policy_decides(backend, clean, running, place, tmp_path):
    manager = WebhookManager(backend.kubeconfig, tmp_path, flags=["--self-register"])
    running.append(manager)
    manager.wait_ready().wait_registered()
    assert is_denied(place)
    manager.kill()
    answer = make_job(place)
    assert answer.status == 500
    assert 'failed calling webhook "mutatejob.volcano.sh"' in answer.body["message"]
    ignore = [{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}]
    for kind, name in (("mutating", "jobs-mutate"), ("validating", "jobs-validate")):
        path = f"{webhooks.API}/{kind}webhookconfigurations/volcano-admission-service-{name}"
        clean.patch(path, ignore, JSON_PATCH).expect(200)
    until(lambda: make_job(place).status == 201, 10, "jobs are let through")
    manager.process.start()
    manager.wait_ready()
    until(lambda: is_denied(place), 10, "the webhook is asked again")


def test_it_waits_for_configurations_and_needs_no_right_but_its_role(
    backend, clean, running, place, tmp_path
):
    kubeconfig = backend.kubeconfig
    if backend.kind == "kube":
        accounts.install(clean, "scheduler/namespace.yaml", "admission/rbac.yaml")
        kubeconfig = accounts.kubeconfig_of(
            backend, webhooks.NAMESPACE, "volcano-admission", tmp_path
        )
    manager = WebhookManager(kubeconfig, tmp_path, enabled=DEPLOYED)
    running.append(manager)
    manager.wait_ready()
    until(lambda: "registration.waiting" in manager.process.log(), 10, "it waits")
    webhooks.install(clean, manager.url)
    kind = "validatingwebhookconfigurations"
    clean.delete(f"{webhooks.API}/{kind}/volcano-admission-service-pods-validate")
    manager.wait_registered()
    assert is_denied(place)
    assert "orbidden" not in manager.process.log(), "the role in deploy/admission lacks a verb"


def test_sigterm_ends_it_with_0(backend, clean, running, tmp_path):
    manager = WebhookManager(backend.kubeconfig, tmp_path, flags=["--self-register"])
    running.append(manager)
    manager.wait_ready()
    assert manager.process.stop() == 0
    log = manager.process.log()
    assert "webhooks.stopping" in log
    assert f"flag name=port value={manager.port}" in log


def test_reviews_are_waited_for_no_longer_than_may_be(backend, clean, running, tmp_path):
    flags = ["--self-register", "--graceful-shutdown-time=1s"]
    manager = WebhookManager(backend.kubeconfig, tmp_path, flags=flags)
    running.append(manager)
    manager.wait_ready()
    with unfinished_review(manager, clean):
        assert manager.process.stop() == 1
    assert "close admission server failed: " in manager.process.log()


def test_a_second_signal_ends_it_at_once(backend, clean, running, tmp_path):
    manager = WebhookManager(backend.kubeconfig, tmp_path, flags=["--self-register"])
    running.append(manager)
    manager.wait_ready()
    with unfinished_review(manager, clean):
        os.kill(manager.process.pid, signal.SIGTERM)
        until(lambda: "webhooks.stopping" in manager.process.log(), 10, "it is about to end")
        assert manager.process.check()
        assert manager.process.stop() == 1
    assert "close admission server failed" not in manager.process.log()


def test_with_tls_1_2_few_suites_are_taken(backend, clean, running, tmp_path):
    manager = WebhookManager(backend.kubeconfig, tmp_path, flags=["--self-register"])
    running.append(manager)
    manager.wait_ready()
    tls = trusting(clean)
    tls.maximum_version = ssl.TLSVersion.TLSv1_2
    tls.set_ciphers("ECDHE-ECDSA-AES256-GCM-SHA384")
    assert fetch(f"{manager.url}/jobs/validate", tls=tls)[0] == 405
    tls.set_ciphers("ECDHE-ECDSA-CHACHA20-POLY1305")
    with pytest.raises(OSError):
        fetch(f"{manager.url}/jobs/validate", tls=tls)


OF_OUR_OWN = ["--certificate-secret=s", "--webhook-namespace=n", "--webhook-url=https://h"]


@pytest.mark.parametrize(
    "flags, code, said",
    [
        ([], 255, "Failed to parse CA file: failed to read cacert file ("),
        (["--port=0"], 255, "Configured port is invalid: the port should be in the range of 1 and"),
        (
            ["--certificate-secret=s", "--webhook-namespace=n", "--enabled-admission=/jobs"],
            1,
            "enabled admission /jobs not found on the admission registered map",
        ),
        (
            [*OF_OUR_OWN, "--kubeconfig=/nowhere/config"],
            1,
            "vc-webhook-manager: unable to build k8s config: ",
        ),
        (["--no-such-flag"], 2, "unknown flag: --no-such-flag"),
        (
            ["--feature-gates=Nothing=true"],
            2,
            'invalid argument "Nothing=true" for "--feature-gates" flag: unrecognized feature gate',
        ),
    ],
    ids=[
        "no certificate",
        "no port",
        "an unknown path",
        "no kubeconfig",
        "an unknown flag",
        "an unknown gate",
    ],
)
def test_mistakes_end_it_with_a_reason(backend, tmp_path, flags, code, said):
    argv = [ours("vc-webhook-manager"), "--kubeconfig", backend.kubeconfig, *flags]
    program = Process("mistaken", argv, tmp_path)
    try:
        assert program.wait(20) == code
        assert said in program.log()
    finally:
        program.close()


def test_it_must_be_told_where_it_is_found(backend, tmp_path):
    certificate, key = hook_server.certificate(tmp_path)
    argv = [ours("vc-webhook-manager"), "--kubeconfig", backend.kubeconfig]
    argv += [f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}"]
    program = Process("nowhere", [*argv, f"--ca-cert-file={certificate}"], tmp_path)
    try:
        assert program.wait(20) == 1
        said = "failed to start webhooks as both 'url' and 'namespace/name' of webhook are empty"
        assert said in program.log()
    finally:
        program.close()


def test_a_port_that_is_taken_is_fatal(backend, clean, running, tmp_path):
    manager = WebhookManager(backend.kubeconfig, tmp_path)
    running.append(manager)
    manager.wait_ready()
    second = WebhookManager(backend.kubeconfig, tmp_path, "second", port=manager.port)
    running.append(second)
    assert second.process.wait(20) == 255
    assert "ListenAndServeTLS for admission webhook failed: " in second.process.log()
