"""What is said about jobs that are not admitted to their queue, and where a person sees it."""

import json

import pytest

from support import handbook
from support.jobs import task
from support.objects import SCHEDULING
from support.poll import always, until

START = "queue resource quota insufficient: insufficient cpu: asks for "


@pytest.fixture
def person(backend, world, tmp_path):
    """What somebody sees who describes things there."""
    return handbook.terminal(backend, world.namespace, tmp_path)


def open_queue(world, **spec):
    name = world.queue(**spec)
    until(
        lambda: (world.rest.get(f"{SCHEDULING}/queues/{name}").body.get("status") or {}).get("state")
        == "Open",
        30,
        f"queue {name} is open",
    )
    return name


def group_name(job):
    return f"{job['metadata']['name']}-{job['metadata']['uid']}"


def wait_condition(world, job, status):
    """The condition Unschedulable of the job's pod group, once it has that status."""
    name = group_name(job)
    until(lambda: name in world.names(SCHEDULING, "podgroups"), 30, f"pod group {name}")
    return world.wait_group_condition(name, "Unschedulable", status=status)


def group_events(world, job):
    path = f"/api/v1/namespaces/{world.namespace}/events"
    found = world.rest.get(path, fieldSelector=f"involvedObject.name={group_name(job)}").expect(200)
    return [(e["type"], e["reason"], e["message"], e.get("count", 1)) for e in found["items"]]


def queue_page(scheduler, name):
    status, text = scheduler.debug_page("/debug/queues")
    assert status == 200, text
    return next(q for q in json.loads(text) if q["name"] == name)


def test_a_job_that_its_queue_can_never_hold_says_so_on_job_and_group(world, scheduler, person):
    queue = open_queue(world, capability={"cpu": "8"})
    job = world.job("j", [task("a", 3, cpu="3")], queue=queue)
    words = f"{START}9 cpu; queue {queue} may hold 8 cpu (spec.capability), "
    words += "so it can never be admitted"
    said = wait_condition(world, job, "True")
    assert (said["reason"], said["message"]) == ("NotEnqueued", words)
    world.wait_event("j", "PodGroupPending", words)
    # Its own state is silent, as the page of the controller says.
    assert {"reason", "message"}.isdisjoint(world.status("j")["state"])

    seen = person("describe", "vcjob", "j")
    assert "PodGroupPending" in seen and words in " ".join(seen.split())
    seen = person("describe", "podgroup", group_name(job))
    assert "NotEnqueued" in seen and words in " ".join(seen.split())

    page = json.loads(scheduler.explain(world.namespace, "j"))
    assert page["job"] == f"{world.namespace}/{group_name(job)}"
    assert (page["gate"], page["plugin"], page["message"]) == ("NotEnqueued", "proportion", words)
    assert (page["queue"], page["phase"]) == (queue, "Pending")
    assert queue_page(scheduler, queue)["jobsNotAdmitted"] == 1
    assert queue_page(scheduler, queue)["capability"] == {"cpu": "8"}

    version = world.group_of(job)["metadata"]["resourceVersion"]
    always(
        lambda: [e[1:] for e in group_events(world, job)] == [("Unschedulable", words, 1)]
        and world.group_of(job)["metadata"]["resourceVersion"] == version,
        2,
        lambda: f"it is said once: {group_events(world, job)}",
    )
    assert len(world.events("j", "PodGroupPending")) == 1
    assert world.pods_of("j") == {}


def test_what_is_in_use_is_told_once_and_ends_with_the_admission(world, scheduler):
    queue = open_queue(world, capability={"cpu": "8"})
    first = world.job("first", [task("a", 3, cpu="2")], queue=queue)
    world.wait_running("first", 3)
    job = world.job("j", [task("a", 2, cpu="2")], queue=queue)
    words = f"{START}4 cpu; queue {queue} has too little left "
    words += "(as of this writing: 6 of 8 cpu used or promised)"
    said = wait_condition(world, job, "True")
    assert (said["reason"], said["message"]) == ("NotEnqueued", words)
    world.wait_event("j", "PodGroupPending", words)
    page = queue_page(scheduler, queue)
    assert page["allocated"]["cpu"] == "6" and page["deserved"]["cpu"] == "6"
    assert (page["jobs"], page["jobsNotAdmitted"], page["jobsWaiting"]) == (2, 1, 0)

    # A small one comes in beside it: other figures, and no word about them.
    version = world.group_of(job)["metadata"]["resourceVersion"]
    world.job("small", [task("a", 1, cpu="1")], queue=queue)
    world.wait_running("small", 1)
    always(
        lambda: world.group_of(job)["metadata"]["resourceVersion"] == version,
        2,
        lambda: f"nothing is written: {world.group_of(job)}",
    )

    world.command("TerminateJob", first)
    world.wait_running("j", 2)
    said = wait_condition(world, job, "False")
    assert (said["reason"], said["message"]) == ("Enqueued", "pod group is admitted to its queue")
    assert len(world.events("j", "PodGroupPending")) == 1


def test_a_job_beyond_the_cluster_names_the_cluster(world):
    job = world.job("j", [task("a", 100, cpu="4")])
    said = wait_condition(world, job, "True")
    assert said["message"].startswith(
        "resource in cluster is overused: overused cpu: asks for 400 cpu; the cluster, counted 1.2 "
        "times (overcommit-factor), can never hold that (as of this writing: at most "
    )
    assert said["message"].endswith(" cpu) unless the cluster grows")
    world.wait_event("j", "PodGroupPending", said["message"])
