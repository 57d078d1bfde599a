"""What /debug/explain says of jobs that no rule of the scheduler holds, and what helps."""

import json

import pytest

from support.jobs import BATCH, task
from support.poll import until


@pytest.fixture
def explained(world, scheduler):
    """Waits for words on the page of a job, and returns the page."""

    def wait(job, **wanted):
        seen = {}

        def told():
            path = f"/debug/explain?job={world.namespace}/{job}"
            seen["page"] = json.loads(scheduler.debug_page(path)[1])
            page = {key: seen["page"].get(key, "") for key in wanted}
            return all(word in page[key] for key, word in wanted.items())

        until(told, 30, lambda: f"{wanted} of {job}: {seen['page']}")
        return seen["page"]

    return wait


def test_nothing_waits_of_a_job_that_is_completed(world, explained):
    world.job("j", [task("a", 2, script="exit 0")])
    world.wait_phase("j", "Completed")
    page = explained("j", message="no pod of it waits for a node: 2 Succeeded")
    assert page["gate"] == "None"
    assert "advice" not in page


def test_a_job_that_the_controllers_hold_back(world, explained):
    world.job("j", [task("a")], queue="no-such-queue")
    world.wait_event("j", "QueueNotFound", "no-such-queue")
    explained(
        "j",
        message="the name is wrong, or the controllers hold the job back: "
        f"kubectl -n {world.namespace} describe vcjob j",
    )


def test_a_job_whose_pods_are_for_another_scheduler(world, explained):
    world.job("j", [task("a")], schedulerName="nobody")
    until(lambda: world.pods_of("j"), 30, "its pods are there")
    page = explained(
        "j",
        message="no pod of it is known here",
        advice="they name another scheduler (spec.schedulerName): "
        f"kubectl -n {world.namespace} describe vcjob j",
    )
    assert page["gate"] == "None"


def test_a_job_whose_pods_are_refused(world, explained):
    broken = task("work")
    broken["template"]["spec"]["containers"][0]["name"] = "Not A Name"
    world.job("j", [broken])
    explained(
        "j",
        message="no pod of it is known here",
        advice="either no pods were made, or they name another scheduler (spec.schedulerName): "
        f"kubectl -n {world.namespace} describe vcjob j",
    )


def test_a_pod_on_a_node_that_does_not_exist(world, explained):
    world.job("j", [task("a", spec={"nodeName": "no-such-node"})])
    explained("j", message=f"{world.namespace}/j-a-0 is bound to a node that does not exist")
    world.delete_job("j")  # No kubelet would end the pod.

    def gone():
        for pod in world.pods():
            world.delete_pod(pod["metadata"]["name"])
        return not world.exists(BATCH, "jobs", "j") and not world.pods()

    until(gone, 30, "the job has left nothing")


def test_a_pod_that_no_node_could_hold(world, explained):
    world.job("j", [task("a", cpu="20")])
    page = explained(
        "j",
        message="Insufficient cpu",
        advice=f"{world.namespace}/j-a-0 asks for 20 cpu and the largest node has 16 cpu: no node "
        "of this cluster can ever hold it",
    )
    assert page["gate"] == "Filters"
