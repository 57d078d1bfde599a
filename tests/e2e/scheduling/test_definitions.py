"""Clusters in which somebody has yet to apply deploy/crds, or has those of an older version."""

import pytest
import yaml

from support import backends
from support.backends import DEFINITIONS
from support.controllers import Controllers
from support.poll import until
from support.processes import ROOT
from support.scheduler import Scheduler

QUEUES = "queues.scheduling.volcano.sh"


@pytest.fixture
def bare(request):
    """A server of its own without our kinds."""
    made = backends.make(request.config.getoption("--backend"))
    rest = made.rest()

    def names():
        return [crd["metadata"]["name"] for crd in rest.get(DEFINITIONS).expect(200)["items"]]

    for name in names():
        rest.delete(f"{DEFINITIONS}/{name}").expect(200)
    until(lambda: not names(), 30, "no kinds of ours")
    yield made
    made.close()


def lines(daemon, event, word=""):
    log = daemon.process.log().splitlines()
    return [line for line in log if f" {event} " in line and word in line]


MAKE = {"vc-scheduler": Scheduler, "vc-controller-manager": Controllers}


@pytest.mark.waits
@pytest.mark.parametrize("program", sorted(MAKE))
def test_what_is_missing_is_named_until_it_is_installed(bare, tmp_path, program):
    daemon = MAKE[program](bare.kubeconfig, tmp_path)
    try:
        daemon.wait_healthy()
        until(
            lambda: lines(daemon, "definition.missing", QUEUES),
            30,
            lambda: f"the log names the definition: {daemon.process.tail()}",
        )
        said = lines(daemon, "definition.missing", QUEUES)
        assert "kubectl apply -f deploy/crds" in said[0], said
        answers = []

        def named():
            answers.append(daemon.readiness())
            return answers[-1][0] == 503 and QUEUES in answers[-1][1]

        until(named, 20, lambda: f"/readyz names it: {answers[-1]}")
        assert "kubectl apply -f deploy/crds" in answers[-1][1]
        bare.install_crds()
        until(daemon.is_ready, 60, lambda: f"ready: {daemon.readiness()} {daemon.process.tail()}")
        assert lines(daemon, "definition.found", QUEUES)
        # Once, however often it was asked for.
        assert len(lines(daemon, "definition.missing", QUEUES)) == 1
    finally:
        daemon.close()


def test_queues_without_parents_are_served_and_that_is_told_once(bare, tmp_path):
    old = yaml.safe_load((ROOT / "deploy/crds/scheduling.volcano.sh_queues.yaml").read_text())
    for version in old["spec"]["versions"]:
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        del spec["properties"]["parent"]
    rest = bare.rest()
    rest.post(DEFINITIONS, old).expect(201)
    bare.install_crds()
    queues = "/apis/scheduling.volcano.sh/v1beta1/queues"

    def body(name):
        kind = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue"}
        return {**kind, "metadata": {"name": name}, "spec": {"weight": 1}}

    daemon = Controllers(bare.kubeconfig, tmp_path)
    try:
        for name in ("root", "q1", "q2"):
            rest.post(queues, body(name)).expect(201)
        state = lambda name: rest.get(f"{queues}/{name}").expect(200).get("status", {}).get("state")
        for name in ("q1", "q2"):
            until(
                lambda: state(name) == "Open",
                40,
                lambda: f"{name} is open: {state(name)} {daemon.process.tail()}",
            )
        assert len(lines(daemon, "queue.parent_not_kept")) == 1
    finally:
        daemon.close()
