"""vc-webhook-manager as a program: registrations, certificates, replicas, ends."""

import base64
import ssl

import pytest

from support import accounts
from support import webhook_manager as webhooks
from support.daemon import fetch
from support.jobs import BATCH, JobWorld, job_spec, task
from support.poll import until
from support.processes import Process, free_port, ours
from support.rest import JSON_PATCH
from support.webhook_manager import WebhookManager, bundle_of
from support.world import unique

DEPLOYED = webhooks.ALL.replace("/pods/validate,", "")


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


def test_it_registers_itself_and_two_replicas_agree(backend, clean, running, place, tmp_path):
    secret = f"/api/v1/namespaces/{webhooks.NAMESPACE}/secrets/{webhooks.SECRET}"
    clean.delete(secret)
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
    kept = clean.get(secret).expect(200)["data"]
    assert set(kept) == {"ca.crt", "ca.key", "tls.crt", "tls.key"}
    assert bundle_of(clean, "jobs-validate") == kept["ca.crt"]
    authorities = base64.b64decode(kept["ca.crt"]).decode()
    tls = ssl.create_default_context(cadata=authorities)
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
    assert "webhooks.stopping" in manager.process.log()


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
        (["--no-such-flag"], 2, "unknown flag: --no-such-flag"),
    ],
    ids=["no certificate", "no port", "an unknown path", "an unknown flag"],
)
def test_mistakes_end_it_with_a_reason(backend, tmp_path, flags, code, said):
    argv = [ours("vc-webhook-manager"), "--kubeconfig", backend.kubeconfig, *flags]
    program = Process("mistaken", argv, tmp_path)
    try:
        assert program.wait(20) == code
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
