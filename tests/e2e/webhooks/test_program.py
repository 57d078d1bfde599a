"""vc-webhook-manager at its start, over TLS, and with a review under way at its end."""

import os
import pathlib
import signal
import socket
import ssl
import warnings

import pytest
import yaml

from support.daemon import fetch
from support.hook_server import certificate
from support.poll import until
from support.processes import Process, free_port, ours
from support.webhook_manager import WebhookManager

# The head is read, and the body is missing: a review is under way.
BEGUN = (
    b"POST /jobs/validate HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\n"
    b"Content-Length: 10\r\nExpect: 100-continue\r\n\r\n"
)


@pytest.fixture
def start(backend, prepared, tmp_path):
    """Starts webhooks that serve; nobody is told of them."""
    started = []

    def run(*flags, kubeconfig=None):
        made = WebhookManager(kubeconfig or backend.kubeconfig, tmp_path, flags=flags)
        started.append(made)
        return made

    yield run
    for manager in started:
        manager.close()


def trusting_anybody():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def connected(manager, context=None):
    plain = socket.create_connection(("127.0.0.1", manager.port), timeout=20)
    return (context or trusting_anybody()).wrap_socket(plain)


def test_tls_before_1_2_is_refused(start):
    manager = start().wait_ready()
    context = trusting_anybody()
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError) as refusal:
        connected(manager, context)
    # What the other side says, and no lack on this one.
    assert refusal.value.reason == "TLSV1_ALERT_PROTOCOL_VERSION"
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with connected(manager, context) as connection:
        assert connection.version() == "TLSv1.2"


def test_certificates_from_files_serve_the_health_pages_too(backend, prepared, tmp_path):
    path, key = certificate(tmp_path)
    port, health = free_port(), free_port()
    argv = [ours("vc-webhook-manager"), "--kubeconfig", backend.kubeconfig]
    argv += [f"--tls-cert-file={path}", f"--tls-private-key-file={key}", f"--ca-cert-file={path}"]
    argv += ["--listen-address=127.0.0.1", f"--port={port}"]
    argv += [f"--webhook-url=https://127.0.0.1:{port}", "--enabled-admission="]
    argv += ["--enable-healthz", f"--healthz-address=127.0.0.1:{health}"]
    program = Process("with-files", argv, tmp_path)
    tls = ssl.create_default_context(cafile=path)

    def page(at, name):
        try:
            return fetch(f"https://127.0.0.1:{at}/{name}", tls=tls)
        except OSError:  # Not listening yet.
            return None

    try:
        until(lambda: program.check() and page(health, "readyz"), 30, program.tail)
        until(lambda: page(health, "readyz")[0] == 200, 30, program.tail)
        assert page(health, "healthz") == (200, "ok")
        # No webhook is enabled.
        assert page(port, "jobs/validate")[0] == 404
    finally:
        program.close()


def test_an_api_server_that_does_not_answer_is_waited_for(backend, start, tmp_path):
    port = free_port()
    config = yaml.safe_load(pathlib.Path(backend.kubeconfig).read_text())
    config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{port}"
    elsewhere = tmp_path / "elsewhere.kubeconfig"
    elsewhere.write_text(yaml.safe_dump(config))
    manager = start(kubeconfig=str(elsewhere))
    manager.wait_healthy()
    words = f"the API server 127.0.0.1:{port} does not answer"

    def told():
        manager.process.check()
        status, text = manager.readiness()
        return status == 503 and words in text

    until(told, 20, lambda: f"{words}: {manager.readiness()}")


def test_a_review_under_way_is_answered(start):
    manager = start().wait_ready()
    with connected(manager) as connection:
        connection.sendall(BEGUN)
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
        os.kill(manager.process.pid, signal.SIGTERM)
        until(lambda: "webhooks.stopping" in manager.process.log(), 10, "it is about to end")
        status, text = manager.readiness()
        assert (status, text.splitlines()[0]) == (503, "it is about to end")
        connection.sendall(b"0123456789")
        assert connection.recv(1000).startswith(b"HTTP/1.1 400 ")
    assert manager.process.wait(10) == 0
