"""vc-standalone, as users of kubectl see it."""

import json

import pytest

from support.kubectl import Kubectl
from support.objects import QUEUE_COLUMNS, pod
from support.poll import until

pytestmark = pytest.mark.backend("embedded")


@pytest.fixture
def kubectl(standalone, tmp_path):
    """In the default namespace."""
    _, connect = standalone
    connect()
    runner = Kubectl(str(tmp_path / "kubeconfig"), "default", tmp_path)
    yield runner
    runner.close()


def test_a_pod_that_names_no_scheduler_runs(standalone, kubectl):
    process, _ = standalone
    kubectl("run", "plain", "--image=busybox")
    until(
        lambda: kubectl("get", "pod", "plain", "-o", "jsonpath={.status.phase}") == "Running",
        30,
        lambda: f"it runs: {kubectl('describe', 'pod', 'plain')}; the log:\n{process.tail()}",
    )
    assert kubectl("get", "pod", "plain", "-o", "jsonpath={.spec.schedulerName}") == (
        "default-scheduler"
    )
    assert "Scheduled" in kubectl("describe", "pod", "plain")


def test_what_nobody_runs_says_so(standalone, kubectl):
    kubectl("create", "deployment", "web", "--image=nginx")
    kubectl("create", "job", "once", "--image=busybox", "--", "true")
    for kind, name in (("deployment", "web"), ("job.batch", "once")):
        until(
            lambda k=kind, n=name: "NoController" in kubectl("describe", k, n),
            40,
            lambda k=kind, n=name: f"{k} tells: {kubectl('describe', k, n)}",
        )
    text = kubectl("describe", "deployment", "web")
    assert "nobody runs a controller of deployments here" in text and "vc-standalone" in text


def test_the_queues_are_listed_with_what_they_hold(standalone, kubectl):
    for name in ("a", "b"):
        body = pod(name, cpu="500m", memory="64Mi", scheduler="default-scheduler")
        kubectl("create", "-f", "-", stdin=json.dumps(body))

    def held():
        rows = [line.split() for line in kubectl("get", "queue").splitlines()]
        assert rows[0] == QUEUE_COLUMNS
        return [row[2:9] for row in rows[1:] if row[0] == "default"]

    until(lambda: held() == [["Open", "1", "1", "128Mi", "0", "0", "2"]], 30, lambda: f"{held()}")
