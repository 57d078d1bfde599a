"""What docs/troubleshooting.md says of batch jobs."""

import pytest

from support import handbook as handbooks
from support.jobs import BATCH, FLOW, job_spec, policy, task
from support.objects import SCHEDULING
from support.poll import until


@pytest.fixture
def handbook(backend, world, tmp_path):
    return handbooks.Handbook(handbooks.terminal(backend, world.namespace, tmp_path), {})


def test_not_admitted(world, handbook):
    queue = world.queue(capability={"cpu": "8"})
    world.job("j", [task("a", 3, cpu="3")], queue=queue)
    handbook.holds("A job is not admitted", JOB="j", QUEUE=queue)


def test_refused_template(world, handbook):
    broken = task("work")
    broken["template"]["spec"]["containers"][0]["name"] = "Not A Name"
    world.job("j", [broken])
    handbook.holds("A job has no pods", JOB="j", TASK="work")


def test_failed(world, handbook):
    world.job("j", [task("work", 2, script="exit 3")])
    handbook.holds("A job has failed", JOB="j", TASK="work")


def test_stopped_by_a_policy(world, handbook):
    world.job("j", [task("work", script="exit 3")], policies=[policy("AbortJob", "PodFailed")])
    handbook.holds("A policy has stopped or restarted a job", JOB="j", TASK="work")


def test_used_up_retries(world, handbook):
    again = [policy("RestartJob", "PodFailed")]
    world.job("j", [task("a", script="exit 1")], policies=again, maxRetry=1)
    handbook.holds("A job has failed after restarts", JOB="j")


def test_restarted_for_ever(world, handbook):
    world.job("j", [task("work", script="exit 0", spec={"restartPolicy": "Always"})])
    handbook.holds("A job never completes", JOB="j", TASK="work")


def test_gang_with_those_that_wait(world, handbook):
    later = task("work", 2, dependsOn={"name": ["prep"]})
    world.job("j", [task("prep"), later], min_available=3)
    handbook.holds("A gang waits for tasks that depend on it", JOB="j")


def test_waiting_for_what_has_failed(world, handbook):
    prep = task("prep", script="exit 1")
    world.job("j", [prep, task("work", dependsOn={"name": ["prep"]})], min_available=1)
    handbook.holds("A task waits for one that has failed", JOB="j", TASK="work", OTHER="prep")


def test_no_task_of_that_name(world, handbook):
    world.job("j", [task("work", 2)], plugins={"pytorch": ["--master=boss", "--worker=work"]})
    handbook.holds("A plugin finds no task of a name", JOB="j")


@pytest.mark.waits
def test_unknown_scheduler(world, handbook):
    world.job("j", [task("a")], schedulerName="nobody")
    handbook.holds("A job names another scheduler", JOB="j", NAME="nobody")


def test_some_pods_without_a_place(world, handbook):
    more = task("more", 2, cpu="20", minAvailable=0)
    world.job("j", [task("a"), more], min_available=1)
    handbook.holds("A job runs with only some of its pods", JOB="j")


def test_queue_that_went(world, handbook):
    queue = world.queue()
    world.job("j", [task("a", cpu="900")], queue=queue)
    until(lambda: world.names(SCHEDULING, "podgroups"), 30, "it has a pod group")
    world.rest.delete(f"{SCHEDULING}/queues/{queue}").expect(200)
    handbook.holds("A job waits for its queue", JOB="j", QUEUE=queue)


def test_bad_schedule(world, handbook):
    spec = {"schedule": "61 * * * *", "jobTemplate": {"spec": job_spec([task("a")])}}
    world.make(BATCH, "cronjobs", "CronJob", "c", spec)
    handbook.holds("A CronJob makes no jobs", CRON="c")


def test_flow_with_an_unknown_name(world, handbook):
    flows = [{"name": "prepare"}, {"name": "train", "dependsOn": {"targets": ["prepar"]}}]
    world.make(FLOW, "jobflows", "JobFlow", "f", {"flows": flows})
    handbook.holds("A JobFlow does not go on", FLOW="f")


def test_edit_without_effect(world, handbook):
    world.job("j", [task("a")])
    world.wait_running("j", 1)
    changed = task("a")
    changed["template"]["spec"]["containers"][0]["image"] = "example.invalid/app:2"
    world.patch_job("j", {"tasks": [changed]})
    handbook.holds("An edit of a job changes nothing", JOB="j", TASK="a")
