"""A server of its own for each way of admission: what it refuses, other tests make."""

import pytest

from support import backends, policies, verdict_cases
from support.poll import until
from support.rest import MERGE_PATCH
from support.verdicts import QUEUES, Judge
from support.webhooks import Webhooks

# Until policies are compiled and their parameters known, or webhooks registered and asked.
EFFECTIVE_WITHIN_S = 30


def start(kind):
    """A server with the kinds of deploy/crds and the two queues that are always there."""
    server = backends.make(kind)
    try:
        server.install_crds()
        for name in ("root", "default"):
            make_queue(server.rest(), name)
        return server
    except BaseException:
        server.close()
        raise


def make_queue(rest, name):
    head = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
    body = {**head, "metadata": {"name": name}}
    until(lambda: rest.post(QUEUES, body).status in (201, 409), 30, f"queue {name}")
    state = {"status": {"state": "Open"}}
    rest.patch(f"{QUEUES}/{name}/status", state, MERGE_PATCH).expect(200)


def effective(server, way):
    """A judge of that way, once it refuses something of each kind."""
    judge = Judge(server.rest())
    refused = {}
    for case in verdict_cases.load():
        if "schema" not in case.body and not case.allowed(way):
            refused.setdefault(case.kind, case)
    for case in refused.values():
        judge.until_as_told(case, way, EFFECTIVE_WITHIN_S)
    return judge


@pytest.fixture(scope="package")
def policy(request):
    """Judges by deploy/policies."""
    server = start(request.config.getoption("--backend"))
    try:
        policies.install(server.rest())
        yield effective(server, "policy")
    finally:
        server.close()


@pytest.fixture(scope="package")
def webhook(request, tmp_path_factory):
    """Judges by the webhook server."""
    server = start(request.config.getoption("--backend"))
    program = None
    try:
        program = Webhooks(server, tmp_path_factory.mktemp("webhooks"))
        program.wait_registered()
        yield effective(server, "webhook")
    finally:
        if program is not None:
            program.close()
        server.close()
