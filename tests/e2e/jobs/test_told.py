"""What a person reads of a job that goes wrong: `kubectl describe`, its state, its events."""

import pytest
import yaml

from support import handbook
from support.jobs import BATCH, BUS, job_spec, policy, reference, task
from support.kubectl import Kubectl
from support.objects import SCHEDULING
from support.objects import queue as queue_object
from support.poll import always, until
from support.processes import ROOT
from support.scheduler import Scheduler


@pytest.fixture
def kubectl(backend, world, tmp_path):
    """kubectl in the namespace of the test."""
    made = Kubectl(backend.kubeconfig, world.namespace, tmp_path)
    yield made
    made.close()


def wait_reason(world, job, reason, within=30):
    until(
        lambda: (world.status(job).get("state") or {}).get("reason", "") == reason,
        within,
        lambda: f"{job} says {reason or 'nothing'}; it is {world.story(job)}",
    )
    return world.status(job)["state"].get("message", "")


@pytest.fixture
def person(backend, world, tmp_path):
    """What somebody sees who describes things there; kubectl is not needed for that."""
    return handbook.terminal(backend, world.namespace, tmp_path)


def wait_described(person, job, *words):
    """All of it stands in `kubectl describe`; its lines may be broken anywhere."""
    flat = until(
        lambda: (text := " ".join(person("describe", "vcjob", job).split()))
        and all(w in text for w in words)
        and text,
        30,
        lambda: f"{words} in {person('describe', 'vcjob', job)}",
    )
    return flat


# --- queues -----------------------------------------------------------------------------------


def test_a_job_says_that_its_queue_was_deleted(world, person):
    name = world.queue()
    # More than there is, so that it waits.
    world.job("j", [task("a", 1, cpu="900")], queue=name)
    until(lambda: world.names(SCHEDULING, "podgroups"), 30, "it has a pod group")
    world.rest.delete(f"{SCHEDULING}/queues/{name}").expect(200)
    said = wait_reason(world, "j", "QueueNotFound")
    assert said == (
        f"queue {name} does not exist: create it, or delete the job and create it in another one"
    )
    wait_described(person, "j", f"Message: queue {name} does not exist", "Warning QueueNotFound")
    assert len(world.events("j", "QueueNotFound")) == 1
    world.rest.post(f"{SCHEDULING}/queues", queue_object(name, weight=1)).expect(201)
    assert wait_reason(world, "j", "") == ""


# --- jobs that are dead ------------------------------------------------------------------------


def test_a_quantity_that_nobody_can_read_is_refused_at_the_door(world, kubectl):
    job = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j"},
           "spec": job_spec([task("a", 1, cpu="10mm")])}
    refused = kubectl.run("apply", "-f", "-", stdin=yaml.safe_dump(job))
    assert refused.returncode != 0
    assert "spec.tasks[0].template.spec.containers[0].resources.requests.cpu" in refused.stderr
    assert '"10mm"' in refused.stderr


def test_a_negative_amount_is_told_on_the_job_and_may_be_mended(world, person):
    world.job("j", [task("fine"), task("bad", cpu="-1")])
    said = wait_reason(world, "j", "InvalidJob")
    place = "spec.tasks[1].template.spec.containers[0].resources.requests.cpu"
    assert said == f'{place}: quantity "-1" is negative: mend that field'
    wait_described(person, "j", "Reason: InvalidJob", "Warning InvalidJob", "is negative")
    assert world.pods_of("j") == {}
    world.patch_job("j", {"tasks": [task("fine"), task("bad", cpu="100m")]})
    world.wait_running("j", 2)
    assert wait_reason(world, "j", "") == ""
    assert len(world.events("j", "InvalidJob")) == 1


def test_a_template_that_the_server_refuses_is_told_and_may_be_mended(world, person):
    no_image = task("a", 1)
    no_image["template"]["spec"]["containers"][0]["image"] = ""
    no_image["template"]["spec"]["containers"][0]["name"] = "Not A Name"
    world.job("j", [no_image])
    said = wait_reason(world, "j", "FailedCreate")
    assert "task a: " in said and "spec.containers[0].name" in said
    wait_described(person, "j", "Reason: FailedCreate", "Warning FailedCreate")
    world.job("other", [task("a")])
    world.wait_running("other", 1)
    # Tried again, and told once.
    always(lambda: len(world.events("j", "FailedCreate")) == 1, 1, lambda: world.story("j"))
    world.patch_job("j", {"tasks": [task("a", 1)]})
    world.wait_running("j", 1)
    assert wait_reason(world, "j", "") == ""


@pytest.mark.refuses_by_quota
def test_a_full_quota_is_told_and_waited_for(world, person):
    path = world.path("/api/v1", "resourcequotas")
    body = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none"},
            "spec": {"hard": {"pods": "0"}}}
    world.rest.post(path, body).expect(201)
    until(
        lambda: "hard" in (world.rest.get(f"{path}/none").body.get("status") or {}),
        30,
        "the quota is at work",
    )
    world.job("j", [task("a")])
    assert "exceeded quota: none" in wait_reason(world, "j", "FailedCreate")
    wait_described(person, "j", "exceeded quota: none")
    world.rest.delete(f"{path}/none").expect(200)
    world.wait_running("j", 1, within=60)


def test_used_up_retries_are_told(world, person):
    again = [policy("RestartJob", "PodFailed")]
    world.job("j", [task("a", script="exit 1")], policies=again, maxRetry=1)
    world.wait_phase("j", "Failed")
    said = wait_reason(world, "j", "RetryLimitReached")
    assert said.startswith("retry limit reached: 1 restarts were begun, and maxRetry is 1")
    wait_described(person, "j", "Reason: RetryLimitReached", "Warning RetryLimitReached")


def test_a_failed_job_says_which_pods_failed_and_how(world, person):
    world.job("j", [task("good", script="exit 0"), task("bad", 2, script="exit 3")])
    world.wait_phase("j", "Failed")
    said = wait_reason(world, "j", "PodsFailed")
    assert said == (
        "2 of 3 pods failed, 1 succeeded, and minAvailable of task bad is 2: "
        "pod j-bad-0 failed: container main ended with exit code 3 (Error); "
        "pod j-bad-1 failed: container main ended with exit code 3 (Error)"
    )
    wait_described(person, "j", "Reason: PodsFailed", "Warning PodsFailed", "2 of 3 pods failed")


@pytest.mark.parametrize(
    ("action", "phase"), [("AbortJob", "Aborted"), ("TerminateJob", "Terminated")]
)
def test_an_action_says_which_policy_and_which_pod_asked_for_it(world, person, action, phase):
    ends = [policy("RestartJob", exitCode=4), policy(action, "PodFailed")]
    world.job("j", [task("good"), task("bad", script="exit 3", policies=ends)])
    world.wait_phase("j", phase)
    because = (
        "by spec.tasks[1].policies[1]: pod j-bad-0 failed: "
        "container main ended with exit code 3 (Error)"
    )
    assert wait_reason(world, "j", "PodFailed") == f"{action} {because}"
    wait_described(person, "j", f"Start to execute action {action} {because}")


def test_a_restarted_job_says_which_pod_was_lost(world, person):
    world.job("j", [task("a", 2)], policies=[policy("RestartJob", "PodEvicted")])
    world.wait_running("j", 2)
    world.delete_pod("j-a-1")
    wait_described(
        person,
        "j",
        "Start to execute action RestartJob by spec.policies[0]: pod j-a-1 was deleted or evicted",
    )
    world.wait_running("j", 2)
    assert wait_reason(world, "j", "") == ""


@pytest.mark.parametrize(
    ("policies", "said"),
    [
        (
            [policy("RestartJob", exitCode=0)],
            "spec.policies[0].exitCode: 0 is not a valid error code",
        ),
        (
            [policy("AbortJob", "PodFailed", exitCode=3)],
            "spec.policies[0]: must not specify event and exitCode simultaneously",
        ),
        (
            [policy("AbortJob", "PodFailed"), policy("RestartJob", "PodFailed")],
            "spec.policies[1]: duplicate event PodFailed  across different policy",
        ),
    ],
    ids=["zero", "both", "twice"],
)
def test_a_policy_that_cannot_be_meant_holds_the_job_up(world, person, policies, said):
    world.job("j", [task("a", script="exit 1")], policies=policies)
    assert wait_reason(world, "j", "InvalidJob").startswith(said)
    wait_described(person, "j", "Reason: InvalidJob", "Warning InvalidJob")
    always(lambda: not world.pods_of("j"), 0.5, lambda: world.story("j"))
    assert world.status("j").get("retryCount", 0) == 0
    world.patch_job("j", {"policies": [policy("AbortJob", "PodFailed")]})
    world.wait_phase("j", "Aborted")


def test_a_job_scaled_below_its_minimum_counts_what_still_runs(world, person):
    world.job("j", [task("a", 4)], min_available=2)
    world.wait_running("j", 4)
    world.patch_job("j", {"tasks": [task("a", 1)]})
    assert wait_reason(world, "j", "InvalidJob").startswith("minAvailable 2 is more than the 1")
    always(lambda: world.status("j").get("running") == 4, 2, lambda: world.story("j"))
    wait_described(person, "j", "Running: 4", "Warning InvalidJob")
    world.patch_job("j", {"minAvailable": 1})
    world.wait_running("j", 1)


@pytest.mark.waits
def test_a_scheduler_that_is_not_there_is_told(world, person):
    world.job("j", [task("a")], schedulerName="nobody")
    # Half a minute is given to whoever may serve it.
    until(lambda: world.pods_of("j"), 30, lambda: world.story("j"))
    always(lambda: not world.events("j", "UnknownScheduler"), 5, lambda: world.story("j"))
    said = wait_reason(world, "j", "UnknownScheduler", within=60)
    assert said.startswith("spec.schedulerName is nobody, and the controllers know of volcano")
    wait_described(person, "j", "Reason: UnknownScheduler", "Warning UnknownScheduler")
    assert len(world.events("j", "UnknownScheduler")) == 1


@pytest.mark.waits
def test_a_scheduler_that_the_controllers_do_not_know_and_that_answers(world, backend, tmp_path):
    other = Scheduler(backend.kubeconfig, tmp_path, name="other", flags=["--scheduler-name=other"])
    try:
        other.wait_healthy()
        # One that it can place, and one that it cannot.
        world.job("j", [task("a")], schedulerName="other")
        world.job("big", [task("a", cpu="900")], schedulerName="other")
        world.wait_running("j", 1)
        always(
            lambda: not world.events("j", "UnknownScheduler")
            and not world.events("big", "UnknownScheduler"),
            35,
            lambda: f"{world.story('j')}, {world.story('big')}",
        )
    finally:
        other.close()


def test_pods_beyond_the_minimum_that_find_no_place_are_told_until_they_run(world, person):
    more = task("more", 2, cpu="20", minAvailable=0)
    world.job("j", [task("a"), more], min_available=1)
    said = wait_reason(world, "j", "PodsWaiting")
    assert said.startswith("2 of 3 pods wait for a node: pod j-more-0: 0/"), said
    assert "Insufficient cpu" in said
    assert world.phase("j") == "Running"
    wait_described(person, "j", "Reason: PodsWaiting", "Warning PodsWaiting", said)
    assert len(world.events("j", "PodsWaiting")) == 1
    world.node(cpu=48)
    world.wait_running("j", 3)
    assert wait_reason(world, "j", "") == ""


def test_arguments_that_a_plugin_does_not_know_are_told(world, person):
    world.job("j", [task("a")], plugins={"svc": ["--inject-host-env=false"]})
    world.wait_running("j", 1)
    said = wait_reason(world, "j", "PluginArgument")
    assert "plugin svc: flag provided but not defined: -inject-host-env" in said
    assert "inject-hosts-env" in said, "the nearest one is named"
    wait_described(person, "j", "Reason: PluginArgument", "Warning PluginArgument")


def test_tasks_that_a_plugin_looks_for_in_vain_are_told(world, person):
    arguments = {"pytorch": ["--master=boss", "--worker=work"]}
    world.job("j", [task("work", 2)], plugins=arguments)
    world.wait_running("j", 2)
    assert wait_reason(world, "j", "PluginArgument") == (
        "plugin pytorch: no task is named boss (--master), so its pods get no MASTER_ADDR, RANK "
        "and WORLD_SIZE: name a task so, or mend spec.plugins"
    )
    wait_described(person, "j", "Warning PluginArgument", "plugin pytorch: no task is named boss")


def test_a_job_whose_pods_never_end_is_told(world, person):
    always_on = {"restartPolicy": "Always"}
    world.job("j", [task("a", script="exit 0"), task("b", script="exit 0", spec=always_on)])
    said = wait_reason(world, "j", "NeverCompletes")
    assert said.startswith("task b: restartPolicy is Always (the default), so its pods never end")
    wait_described(person, "j", "Warning NeverCompletes", "task b: restartPolicy is Always")
    # What a policy ends has an end.
    ends = [policy("CompleteJob", "TaskCompleted")]
    world.patch_job("j", {"policies": ends})
    assert wait_reason(world, "j", "") == ""


def test_a_gang_with_tasks_that_wait_for_it_is_told(world, person):
    later = task("later", 2, dependsOn={"name": ["first"]})
    world.job("j", [task("first"), later], min_available=3)
    assert wait_reason(world, "j", "GangOutOfReach") == (
        "minAvailable is 3, and only the 1 pods of tasks without dependsOn are made before the "
        "gang has its place: set minAvailable to at most 1, or leave it out"
    )
    wait_described(person, "j", "Warning GangOutOfReach", "minAvailable is 3")
    world.patch_job("j", {"minAvailable": 1})
    world.wait_running("j", 3)
    assert wait_reason(world, "j", "") == ""


def test_a_task_whose_forerunner_has_failed_is_told(world, person):
    first = task("first", script="exit 1")
    world.job("j", [first, task("later", dependsOn={"name": ["first"]})], min_available=1)
    assert wait_reason(world, "j", "DependencyFailed").startswith(
        "task later waits for task first, which needs 1 ready pods, and 1 of its 1 failed: "
        "pod j-first-0 failed: container main ended with exit code 1 (Error)"
    )
    wait_described(person, "j", "Warning DependencyFailed", "task later waits for task first")


# --- edits ------------------------------------------------------------------------------------


def test_an_edit_of_the_queue_is_told_until_it_is_taken_back(world, person):
    name = world.queue()
    job = world.job("j", [task("a")])
    world.wait_running("j", 1)
    world.patch_job("j", {"queue": name})
    assert wait_reason(world, "j", "QueueNotChanged").startswith(
        f"spec.queue was changed to {name}, and the job stays in queue default"
    )
    assert world.group_of(job)["spec"]["queue"] == "default"
    wait_described(person, "j", "Warning QueueNotChanged")
    world.patch_job("j", {"queue": "default"})
    assert wait_reason(world, "j", "") == ""


def test_an_edit_of_an_image_says_which_pods_keep_theirs(world, person):
    world.job("j", [task("a")])
    before = world.wait_running("j", 1)
    changed = task("a")
    changed["template"]["spec"]["containers"][0]["image"] = "example.invalid/app:2"
    world.patch_job("j", {"tasks": [changed]})
    wait_described(
        person,
        "j",
        "Warning EditWithoutEffect",
        "job updates may not change fields other than `minAvailable`",
        "task a: template was changed: pods that exist keep what they had",
    )
    assert world.uids("j") == before
    assert len(world.events("j", "EditWithoutEffect")) == 1


# --- what is left out, and what is wrong ---------------------------------------------------------


def test_a_job_that_says_next_to_nothing_runs_with_the_defaults(world):
    bare = task("", 2)
    del bare["name"]
    job = world.make(BATCH, "jobs", "Job", "j", {"tasks": [bare]})
    assert set(world.wait_running("j", 2)) == {"j-default0-0", "j-default0-1"}
    group = world.group_of(job)["spec"]
    assert (group["queue"], group["minMember"]) == ("default", 2)
    assert group["minTaskMember"] == {"default0": 2}
    pods = world.pods_of("j").values()
    assert {p["spec"]["schedulerName"] for p in pods} == {"volcano"}


def test_an_invalid_job_is_pending_and_says_why(world, person):
    world.job("j", [task("a", 0), task("a", 0)], min_available=0)
    assert wait_reason(world, "j", "InvalidJob") == "two tasks have the name a: rename one"
    assert world.phase("j") == "Pending"
    wait_described(person, "j", "Reason: InvalidJob", "Warning InvalidJob")
    always(lambda: world.phase("j") == "Pending", 0.5, lambda: world.story("j"))


# --- commands -----------------------------------------------------------------------------------


def test_a_command_for_another_kind_is_told_of(world, person):
    body = {
        "apiVersion": "bus.volcano.sh/v1alpha1",
        "kind": "Command",
        "metadata": {"name": "c"},
        "action": "AbortJob",
        "target": {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": ""},
    }
    world.rest.post(world.path(BUS, "commands"), body).expect(201)
    said = "nobody carries out this Command: its target is a batch/v1 Job, and Commands are for "
    world.wait_event("c", "UnknownTarget", said + "batch.volcano.sh/v1alpha1 Job")
    assert world.names(BUS, "commands") == {"c"}


def test_a_command_for_an_earlier_job_of_the_name_leaves_its_successor_alone(world):
    earlier = world.job("j", [task("a")])
    world.wait_running("j", 1)
    world.delete_job("j")
    world.wait_gone(BATCH, "jobs", "j")
    world.job("j", [task("a")])
    pods = world.wait_running("j", 1)
    body = {
        "apiVersion": "bus.volcano.sh/v1alpha1",
        "kind": "Command",
        "metadata": {"name": "c"},
        "action": "RestartJob",
        "target": reference(earlier),
    }
    world.rest.post(world.path(BUS, "commands"), body).expect(201)
    uid = earlier["metadata"]["uid"]
    said = f"nobody carries out this Command: its target has the uid {uid}, and the Job of that"
    world.wait_event("c", "TargetReplaced", said)
    until(lambda: not world.names(BUS, "commands"), 30, "the command is used up")
    assert world.uids("j") == pods


def test_a_command_for_a_job_that_has_ended_is_said_to_have_no_effect(world, person):
    job = world.job("j", [task("a", script="exit 0")])
    world.wait_phase("j", "Completed")
    command = world.command("RestartJob", job)
    wait_described(
        person,
        "j",
        "Warning CommandWithoutEffect",
        "the job is Completed: RestartJob has no effect; delete the job and create it anew",
    )
    until(lambda: world.rest.get(command).status == 404, 30, "the command is used up")
    assert world.phase("j") == "Completed"


# --- suspend, resume, scale ------------------------------------------------------------------------


def test_the_example_is_suspended_and_resumed_with_kubectl_alone(world, kubectl):
    folder = ROOT / "examples/jobs/suspend"
    name = yaml.safe_load((folder / "job.yaml").read_text())["metadata"]["name"]
    kubectl("apply", "-f", str(folder / "job.yaml"))
    before = world.wait_running(name, 2)
    assert "created" in kubectl("create", "-f", str(folder / "suspend.yaml"))
    world.wait_phase(name, "Aborted")
    until(lambda: not world.pods_of(name), 30, lambda: world.story(name))
    assert "created" in kubectl("create", "-f", str(folder / "resume.yaml"))
    after = world.wait_running(name, 2)
    assert not set(before.values()) & set(after.values())
    until(lambda: not world.names(BUS, "commands"), 30, "the commands are used up")


def test_kubectl_scale_is_refused_and_a_patch_does_it(world, kubectl):
    world.job("j", [task("a", 2)], min_available=1)
    before = world.wait_running("j", 2)
    refused = kubectl.run("scale", "vcjob", "j", "--replicas=3")
    assert refused.returncode != 0
    assert "(NotFound)" in refused.stderr
    page = (ROOT / "docs/controllers/job.md").read_text()
    assert "Error from server (NotFound)" in page
    change = '[{"op":"replace","path":"/spec/tasks/0/replicas","value":3}]'
    assert change in page.replace("\n", "")
    kubectl("patch", "vcjob", "j", "--type=json", "-p", change)
    after = world.wait_running("j", 3)
    assert set(after) - set(before) == {"j-a-2"}
