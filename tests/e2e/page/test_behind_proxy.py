"""The page of vc-webhook-manager, through the API server's proxy of Services, on both API servers."""

import pytest

from support import objects, proxied
from support import webhook_manager as webhooks
from support.daemon import fetch
from support.objects import SCHEDULING
from support.poll import until
from support.processes import Process, free_port, theirs
from support.world import unique

SERVICE = "volcano-admission-service"
# As docs/page.md has it.
PAGE = f"/api/v1/namespaces/{webhooks.NAMESPACE}/services/https:{SERVICE}:443/proxy"


@pytest.fixture(scope="module")
def page(backend, tmp_path_factory):
    """The webhooks with the page, behind their Service; a queue is there to look at."""
    backend.install_crds()
    rest = backend.rest()
    rest.post("/api/v1/namespaces", {"metadata": {"name": webhooks.NAMESPACE}})
    queue = unique("shown")
    rest.post(f"{SCHEDULING}/queues", objects.queue(queue)).expect(201)
    # The API server passes on to no address on loopback.
    address, port = proxied.local_address(), free_port()
    flags = ["--enable-page", f"--listen-address={address}"]
    daemon = webhooks.WebhookManager(
        backend.kubeconfig, tmp_path_factory.mktemp("page"), flags=flags, port=port
    )
    service = None
    try:
        daemon.wait_ready()
        service = proxied.ProxiedService(rest, webhooks.NAMESPACE, SERVICE, 443, address, port)
        yield queue
    finally:
        if service:
            service.close()
        daemon.close()
        webhooks.remove_all(rest)
        rest.delete(f"{SCHEDULING}/queues/{queue}")


@pytest.fixture
def kubectl_proxy(backend, page, tmp_path):
    """The address of `kubectl proxy`, which shows the token for whoever comes to it."""
    port = free_port()
    argv = [theirs("kubectl"), "--kubeconfig", backend.kubeconfig, "proxy", f"--port={port}"]
    process = Process("kubectl-proxy", argv, tmp_path)
    url = f"http://127.0.0.1:{port}"

    def answers():
        try:
            return fetch(f"{url}/version")[0] == 200
        except OSError:  # It does not listen yet.
            return False

    until(lambda: process.check() and answers(), 30, lambda: f"kubectl proxy; {process.tail()}")
    yield url
    process.close()


def test_the_api_server_hands_out_the_files_of_the_page(backend, page):
    rest = backend.rest()
    answer = rest.request("GET", f"{PAGE}/ui/", accept="*/*")
    assert answer.status == 200, answer
    headers = {name.lower(): value for name, value in answer.headers.items()}
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert answer.text.lower().startswith("<!doctype html>")
    for name in ("main.js", "page.css", "icon.svg"):
        assert rest.request("GET", f"{PAGE}/ui/{name}", accept="*/*").status == 200, name
    assert rest.request("GET", f"{PAGE}/ui/none.js", accept="*/*").status == 404
    # The webhooks hand out files and nothing of the cluster.
    assert rest.request("GET", f"{PAGE}/api/v1/nodes", accept="*/*").status == 404


def test_in_the_browser_it_shows_the_cluster_it_came_through(new_tab, page, kubectl_proxy, kubectl):
    tab = new_tab()
    tab.visit(f"{kubectl_proxy}{PAGE}/ui/#/queues")
    tab.until(f"!!document.querySelector('[data-queue={page}]')")
    tab.until_text("Live", "#contact")
    assert all(url.startswith(kubectl_proxy) for url in tab.requests() if url.startswith("http"))
