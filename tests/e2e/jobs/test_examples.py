"""Every example runs to its end on vc-standalone, as a user applies it."""

import pytest
import yaml
from kubernetes import config

from support import clock, rest
from support.jobs import BATCH, FLOW, JobWorld
from support.poll import until
from support.processes import ROOT, Process, free_port, ours, theirs
from support.kubectl import Kubectl
from support.rest import MERGE_PATCH

pytestmark = pytest.mark.backend("embedded")
EXAMPLES = sorted((ROOT / "examples/jobs").glob("*.yaml"))
PLURALS = {
    "Job": (BATCH, "jobs"),
    "CronJob": (BATCH, "cronjobs"),
    "JobTemplate": (FLOW, "jobtemplates"),
    "JobFlow": (FLOW, "jobflows"),
}


class Standalone:
    """vc-standalone with its own API server, nodes, scheduler and controllers."""

    kind = "embedded"

    def __init__(self, folder):
        self.kubeconfig = str(folder / "kubeconfig")
        argv = [ours("vc-standalone"), "--port", free_port(), "--nodes", 4]
        self.process = Process("standalone", [*argv, "--write-kubeconfig", self.kubeconfig], folder)
        until(lambda: "ready" in self.process.log().splitlines(), 30, self.process.tail)

    def rest(self):
        return rest.Rest(config.new_client_from_config(self.kubeconfig))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """All examples are applied at once; each test waits for the end of its own."""
    folder = tmp_path_factory.mktemp("examples")
    standalone = Standalone(folder)
    world = JobWorld(standalone)
    try:
        for example in EXAMPLES:
            apply(world, standalone, example, folder)
        yield world
    finally:
        world.close()
        standalone.process.close()


def apply(world, standalone, example, folder):
    """With kubectl if it is there: CI without Go has none."""
    try:
        theirs("kubectl")
    except FileNotFoundError:
        for body in yaml.safe_load_all(example.read_text()):
            world.rest.post(world.path(*PLURALS[body["kind"]]), body).expect(201)
        return
    kubectl = Kubectl(standalone.kubeconfig, world.namespace, folder)
    assert "created" in kubectl("apply", "-f", str(example))
    kubectl.close()


def miss_a_run(world, name):
    """The last full minute of its schedule was not seen: a quarter of an hour ago, it says."""
    path = world.path(BATCH, "cronjobs", name)
    world.rest.patch(path, {"spec": {"suspend": True}}, MERGE_PATCH).expect(200)
    last = clock.stamp(clock.minute_ago(15))
    status = {"status": {"lastScheduleTime": last}}
    world.rest.patch(f"{path}/status", status, MERGE_PATCH).expect(200)
    # With the deadline the run might be too old by some seconds.
    changed = {"spec": {"suspend": False, "startingDeadlineSeconds": None}}
    world.rest.patch(path, changed, MERGE_PATCH).expect(200)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_comes_to_its_end(place, example):
    for body in yaml.safe_load_all(example.read_text()):
        name = body["metadata"]["name"]
        if body["kind"] == "Job":
            place.wait_phase(name, "Completed", within=60)
        elif body["kind"] == "JobFlow":
            flow = place.path(FLOW, "jobflows", name)
            until(
                lambda: place.rest.get(flow).body.get("status", {}).get("state", {}).get("phase")
                == "Succeed",
                60,
                lambda: place.rest.get(flow).text,
            )
        elif body["kind"] == "CronJob":
            miss_a_run(place, name)
            made = until(
                lambda: {n for n in place.names(BATCH, "jobs") if n.startswith(f"{name}-")},
                30,
                lambda: str(place.read(BATCH, "cronjobs", name)),
            )
            place.wait_phase(made.pop(), "Completed", within=60)
