"""Fixtures of the webhooks' tests."""

import pytest

from support import objects
from support import webhook_manager as webhooks
from support.jobs import JobWorld
from support.objects import SCHEDULING


@pytest.fixture(scope="package")
def prepared(backend):
    """Definitions, the webhooks' namespace and the queues that a scheduler would make."""
    backend.install_crds()
    rest = backend.rest()
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": webhooks.NAMESPACE}}
    assert rest.post("/api/v1/namespaces", body).status in (201, 409)
    made = []
    for name in ("root", "default"):
        if rest.post(f"{SCHEDULING}/queues", objects.queue(name)).status == 201:
            made.append(name)
    yield rest
    webhooks.remove_all(rest)
    for name in made:
        rest.delete(f"{SCHEDULING}/queues/{name}")


@pytest.fixture(scope="package")
def manager(backend, prepared, tmp_path_factory):
    """The webhooks of the tests in this folder, registered as deploy/admission does it."""
    daemon = webhooks.WebhookManager(backend.kubeconfig, tmp_path_factory.mktemp("webhooks"))
    try:
        daemon.wait_ready()
        webhooks.install(prepared, daemon.url)
        yield daemon.wait_registered()
    finally:
        webhooks.remove_all(prepared)
        daemon.close()


@pytest.fixture
def world(backend, manager):
    made = JobWorld(backend)
    try:
        yield made
        assert manager.process.check()
    finally:
        made.close()
