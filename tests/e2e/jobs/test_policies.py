"""Each action of a lifecycle policy, brought about by what really happens to pods."""

import time

import pytest

from support.jobs import BUS, policy, task
from support.poll import always, until

FAILS = "exit 3"


def version_and_retries(world, job):
    status = world.status(job)
    return status.get("version", 0), status.get("retryCount", 0)


def replaced(before, after):
    """Names of the pods that are others now."""
    assert set(before) == set(after)
    return {name for name in before if before[name] != after[name]}


def wait_replaced(world, job, before, names):
    """Waits until exactly these pods were replaced and all run again."""

    def there():
        after = world.uids(job)
        return set(after) == set(before) and replaced(before, after) >= set(names)

    until(there, 30, lambda: f"{names} replaced: {world.story(job)}")
    after = world.wait_running(job, len(before))
    assert replaced(before, after) == set(names)
    return after


@pytest.mark.parametrize(
    ("action", "phase"),
    [("AbortJob", "Aborted"), ("TerminateJob", "Terminated"), ("CompleteJob", "Completed")],
)
def test_a_failed_pod_ends_the_job_as_its_exit_code_says(world, action, phase):
    on_failure = [policy("RestartJob", exitCode=4), policy(action, exitCode=3)]
    world.job("j", [task("good", 2), task("bad", script=FAILS, policies=on_failure)])
    status = world.wait_phase("j", phase)["status"]
    assert world.pod_phases("j") == {"j-bad-0": "Failed"}, "what had ended is kept for its logs"
    assert status.get("running", 0) == status.get("pending", 0) == 0
    world.wait_event("j", "ExecuteAction", f"Start to execute action {action}")
    assert [c["status"] for c in status["conditions"]][-1] == phase


def test_a_mistyped_action_is_told_with_the_one_that_is_meant(world):
    world.job("j", [task("t", 1)], policies=[policy("RestratJob", "PodFailed")])
    said = 'spec.policies[0].action: Invalid value: "RestratJob": invalid policy action'
    world.wait_event("j", "InvalidJob", said, 'did you mean "RestartJob"?')


def test_a_mistyped_action_for_an_exit_code_changes_nothing_and_is_told(world):
    world.job("j", [task("bad", script=FAILS)], policies=[policy("RestratJob", exitCode=3)])
    world.wait_phase("j", "Failed")
    world.wait_event("j", "UnknownAction", '"RestratJob" (did you mean "RestartJob"?)')
    assert version_and_retries(world, "j") == (0, 0)


def test_an_exit_code_may_be_left_out_of_what_restarts_the_job(world):
    failed = [policy("RestartJob", "PodFailed")]
    left_out = [policy("SyncJob", exitCode=3)]
    world.job("j", [task("bad", script=FAILS, policies=left_out)], policies=failed)
    world.wait_phase("j", "Failed")
    assert version_and_retries(world, "j") == (0, 0)


def test_a_command_with_a_mistyped_action_changes_nothing_and_is_told(world):
    job = world.job("j", [task("t", 1)])
    before = world.wait_running("j", 1)
    world.command("RestratJob", job)
    world.wait_event("j", "UnknownAction", '"RestratJob" (did you mean "RestartJob"?)')
    until(lambda: not world.names(BUS, "commands"), 30, "the command is used up")
    assert world.uids("j") == before


def test_an_evicted_pod_restarts_the_whole_job(world):
    evicted = [policy("RestartJob", "PodEvicted")]
    world.job("j", [task("a", 2), task("b", 1)], policies=evicted)
    before = world.wait_running("j", 3)
    assert version_and_retries(world, "j") == (0, 0)
    world.delete_pod("j-a-1")
    wait_replaced(world, "j", before, before)
    assert version_and_retries(world, "j") == (1, 1)
    versions = {p["metadata"]["annotations"]["volcano.sh/job-version"] for p in world.pods()}
    assert versions == {"1"}


def test_an_evicted_pod_restarts_its_task(world):
    evicted = [policy("RestartTask", "PodEvicted")]
    world.job("j", [task("a", 2, policies=evicted), task("b", 2)])
    before = world.wait_running("j", 4)
    world.delete_pod("j-a-0")
    wait_replaced(world, "j", before, ["j-a-0", "j-a-1"])
    assert version_and_retries(world, "j") == (0, 1)


def test_an_evicted_pod_is_restarted_alone(world):
    evicted = [policy("RestartPod", "PodEvicted")]
    world.job("j", [task("a", 2, policies=evicted), task("b", 1)])
    before = world.wait_running("j", 3)
    world.delete_pod("j-a-1")
    wait_replaced(world, "j", before, ["j-a-1"])
    assert version_and_retries(world, "j") == (0, 1)


def test_an_evicted_pod_restarts_its_partition(world):
    evicted = [policy("RestartPartition", "PodEvicted")]
    halves = {"totalPartitions": 2, "partitionSize": 2}
    world.job("j", [task("a", 4, policies=evicted, partitionPolicy=halves)])
    before = world.wait_running("j", 4)
    pods = world.pods_of("j").items()
    labels = {n: p["metadata"]["labels"]["volcano.sh/partition-id"] for n, p in pods}
    assert labels == {"j-a-0": "0", "j-a-1": "0", "j-a-2": "1", "j-a-3": "1"}
    world.delete_pod("j-a-3")
    wait_replaced(world, "j", before, ["j-a-2", "j-a-3"])
    assert version_and_retries(world, "j") == (0, 1)


def test_a_failed_pod_is_restarted_until_the_retries_are_used_up(world):
    failed = [policy("RestartPod", "PodFailed")]
    world.job("j", [task("good"), task("bad", script=FAILS, policies=failed)], maxRetry=2)
    status = world.wait_phase("j", "Failed")["status"]
    assert status["retryCount"] == 2
    restarts = [m for m in world.events("j", "ExecuteAction") if "RestartPod" in m]
    assert restarts, world.events("j")


def test_a_failed_job_is_restarted_until_the_retries_are_used_up(world):
    failed = [policy("RestartJob", "PodFailed")]
    world.job("j", [task("good"), task("bad", script=FAILS)], policies=failed, maxRetry=3)
    status = world.wait_phase("j", "Failed")["status"]
    assert (status["retryCount"], status["version"]) == (3, 3)
    seen = [c["status"] for c in status["conditions"]]
    assert seen[-1] == "Failed" and "Restarting" in seen


def test_a_completed_task_completes_the_job(world):
    done = [policy("CompleteJob", "TaskCompleted")]
    world.job("j", [task("server", 2), task("client", 2, script="sleep 0.2", policies=done)])
    world.wait_phase("j", "Completed")
    assert world.pod_phases("j") == {"j-client-0": "Succeeded", "j-client-1": "Succeeded"}


def test_containers_that_restart_too_often_fail_their_task(world):
    failing = [policy("TerminateJob", "TaskFailed")]
    again = {"restartPolicy": "OnFailure"}
    world.job("j", [task("a", script=FAILS, spec=again, policies=failing, maxRetry=2), task("b")])
    world.wait_phase("j", "Terminated")


def test_any_event_means_every_event(world):
    world.job("j", [task("a", 2)], policies=[policy("AbortJob", "*")])
    world.wait_running("j", 2)
    world.delete_pod("j-a-0")
    world.wait_phase("j", "Aborted")


def test_the_task_decides_before_the_job_and_the_first_policy_before_the_second(world):
    events = policy("CompleteJob", events=["PodEvicted", "PodFailed"])
    mine = [events, policy("AbortJob", exitCode=3)]
    theirs = [policy("TerminateJob", "PodFailed")]
    world.job("j", [task("a", script=FAILS, policies=mine), task("b")], policies=theirs)
    world.wait_phase("j", "Completed")
    world.wait_event("j", "ExecuteAction", "action CompleteJob by spec.tasks[0].policies[0]: pod j-a-0")


def test_without_a_policy_an_evicted_pod_comes_back(world):
    world.job("j", [task("a", 2)])
    before = world.wait_running("j", 2)
    world.delete_pod("j-a-0")
    wait_replaced(world, "j", before, ["j-a-0"])
    assert version_and_retries(world, "j") == (0, 0)


def test_a_pod_that_waits_too_long_aborts_the_job(world):
    late = [policy("AbortJob", "PodPending", timeout="1s")]
    nowhere = {"nodeSelector": {"no": "where"}}
    begin = time.monotonic()
    world.job("j", [task("a"), task("b", spec=nowhere)], min_available=1, policies=late)
    world.wait_event("j", "ExecuteAction", "Execute action AbortJob after 1s")
    world.wait_phase("j", "Aborted")
    assert time.monotonic() - begin > 1


def test_a_pod_that_runs_in_time_aborts_nothing(world):
    late = [policy("AbortJob", "PodPending", timeout="2s")]
    world.job("j", [task("a", 2)], policies=late)
    world.wait_running("j", 2)
    always(lambda: world.phase("j") == "Running", 2.5, lambda: world.story("j"))


def test_a_timeout_gives_the_other_pods_time(world):
    failed = [policy("TerminateJob", "PodFailed", timeout="1s")]
    bad = task("bad", script=FAILS, policies=failed)
    world.job("j", [bad, task("quick", script="sleep 0.5"), task("slow")])
    world.wait_event("j", "ExecuteAction", "Execute action TerminateJob after 1s")
    world.wait_phase("j", "Terminated")
    assert world.pod_phases("j") == {"j-bad-0": "Failed", "j-quick-0": "Succeeded"}


def test_a_gang_that_lost_a_member_for_good_is_unknown(world):
    """The pod group turns Unknown when a member is gone and finds no place again."""
    only = world.node("only", cpu=1, labels={"only": world.namespace})
    here = {"nodeSelector": {"only": world.namespace}}
    world.job("j", [task("a", 2, spec=here)], policies=[policy("AbortJob", "Unknown")])
    world.wait_running("j", 2)
    world.cordon(only)
    world.delete_pod("j-a-0")
    world.wait_phase("j", "Aborted")
