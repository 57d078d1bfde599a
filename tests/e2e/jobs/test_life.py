"""The life of a job: how it runs, is held and goes on, grows and shrinks, ends and goes."""

from support.jobs import BATCH, GONE_WITHIN_S, policy, reference, task
from support.objects import SCHEDULING
from support.poll import always, until
from support.rest import MERGE_PATCH

CORE = "/api/v1"


def counts(status):
    return {k: status[k] for k in ("pending", "running", "succeeded", "failed") if status.get(k)}


def test_a_gang_runs_to_its_end(world):
    job = world.job("j", [task("a", 3, script="sleep 0.3")])
    group = until(lambda: world.names(SCHEDULING, "podgroups"), 30, "a pod group")
    assert group == {f"j-{job['metadata']['uid']}"}
    body = world.group_of(job)
    assert (body["spec"]["minMember"], body["spec"]["queue"]) == (3, "default")
    assert body["spec"]["minTaskMember"] == {"a": 3}
    assert [o["uid"] for o in body["metadata"]["ownerReferences"]] == [job["metadata"]["uid"]]
    status = world.wait_phase("j", "Completed")["status"]
    assert counts(status) == {"succeeded": 3} and status["minAvailable"] == 3
    seen = [c["status"] for c in status["conditions"]]
    assert seen == ["Pending", "Running", "Completed"]
    pods = world.pods_of("j")
    assert set(pods) == {"j-a-0", "j-a-1", "j-a-2"}
    for index, pod in enumerate(pods[n] for n in sorted(pods)):
        annotations, labels = pod["metadata"]["annotations"], pod["metadata"]["labels"]
        assert annotations["scheduling.k8s.io/group-name"] == body["metadata"]["name"]
        assert annotations["volcano.sh/task-index"] == labels["volcano.sh/task-index"] == str(index)
        assert labels["volcano.sh/task-spec"] == "a"
        assert pod["metadata"]["ownerReferences"][0]["controller"] is True
        assert pod["spec"]["schedulerName"] == "volcano"


def test_a_part_of_a_core_may_be_written_as_a_number(world):
    world.job("half", [task("a", 1, cpu=0.5)])
    world.wait_running("half", 1)


def test_a_gang_that_does_not_fit_has_no_running_pod_and_says_why(world):
    world.job("j", [task("a", 3, cpu="11"), task("b", 1, cpu="6")])
    world.wait_event("j", "PodGroupPending", "unschedulable", "Insufficient cpu")
    phases = world.pod_phases("j")
    assert list(phases.values()) == ["Pending"] * 4 and world.phase("j") == "Pending"
    world.patch_job("j", {"minAvailable": 3})
    until(
        lambda: sorted(world.pod_phases("j").values()) == ["Pending"] + ["Running"] * 3,
        30,
        lambda: world.story("j"),
    )
    world.wait_phase("j", "Running")


def test_a_job_that_fails_says_failed(world):
    world.job("j", [task("a", 2, script="exit 7")])
    status = world.wait_phase("j", "Failed")["status"]
    assert counts(status) == {"failed": 2}


def test_enough_successes_are_enough(world):
    good, bad = task("good", 2, script="sleep 0.2"), task("bad", 1, script="exit 1")
    world.job("j", [good, bad, task("slow")], min_available=1, minSuccess=2)
    world.wait_phase("j", "Completed")


def test_tasks_wait_for_what_they_depend_on(world):
    server = task("server", 2, minAvailable=2)
    client = task("client", 1, script="sleep 0.1", dependsOn={"name": ["server"]})
    client["policies"] = [policy("CompleteJob", "TaskCompleted")]
    late = {"initContainers": [{"name": "w", "image": "i", "command": ["sleep", "0.5"]}]}
    server["template"]["spec"].update(late)
    world.job("j", [server, client], min_available=2)
    until(lambda: len(world.pods_of("j")) >= 2, 30, lambda: world.story("j"))
    assert set(world.pods_of("j")) == {"j-server-0", "j-server-1"}
    world.wait_phase("j", "Completed")
    started = {n: p["metadata"]["creationTimestamp"] for n, p in world.pods_of("j").items()}
    assert set(started) == {"j-client-0"}


def test_an_impossible_job_waits_until_it_is_mended(world):
    world.job("j", [task("a", 1), task("b", 1, dependsOn={"name": ["a"]})], min_available=1)
    world.wait_running("j", 2)
    world.job("k", [task("a", 2)], min_available=5)
    until(
        lambda: (world.status("k").get("state") or {}).get("reason") == "InvalidJob",
        30,
        lambda: world.story("k"),
    )
    world.patch_job("k", {"minAvailable": 2})
    world.wait_running("k", 2)
    assert not (world.status("k")["state"].get("reason") or world.status("k")["state"].get("message"))


def test_a_job_without_a_queue_waits_for_it(world):
    name = f"late-{world.namespace}"
    world.job("j", [task("a")], queue=name)
    until(
        lambda: (world.status("j").get("state") or {}).get("reason") == "QueueNotFound",
        30,
        lambda: world.story("j"),
    )
    body = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
            "metadata": {"name": name}, "spec": {"weight": 1}}
    world.rest.post(f"{SCHEDULING}/queues", body).expect(201)
    world.removes_later(f"{SCHEDULING}/queues/{name}")
    world.wait_running("j", 1)


# --- commands ---------------------------------------------------------------------------------


def test_a_job_is_suspended_and_resumed_by_commands(world):
    job = world.job("j", [task("a", 2)])
    before = world.wait_running("j", 2)
    command = world.command("AbortJob", job)
    world.wait_phase("j", "Aborted")
    until(lambda: world.rest.get(command).status == 404, 30, "the command is used up")
    world.wait_event("j", "CommandIssued", "Start to execute command AbortJob")
    until(lambda: not world.pods_of("j"), 30, lambda: world.story("j"))
    always(lambda: not world.pods_of("j"), 0.5, lambda: world.story("j"))
    world.command("ResumeJob", job)
    after = world.wait_running("j", 2)
    assert not set(before.values()) & set(after.values())
    assert world.status("j")["retryCount"] == 1


def test_commands_restart_complete_and_terminate(world):
    made = {name: world.job(name, [task("a", 2)]) for name in ("r", "c", "t")}
    before = {name: world.wait_running(name, 2) for name in made}
    world.command("CompleteJob", made["c"])
    world.command("TerminateJob", made["t"])
    world.command("RestartJob", made["r"])
    world.wait_phase("c", "Completed")
    world.wait_phase("t", "Terminated")
    until(lambda: world.status("r").get("version") == 1, 30, lambda: world.story("r"))
    after = world.wait_running("r", 2)
    assert not set(before["r"].values()) & set(after.values())


def test_a_command_to_a_finished_job_changes_nothing(world):
    job = world.job("j", [task("a", script="true")])
    world.wait_phase("j", "Completed")
    command = world.command("ResumeJob", job)
    until(lambda: world.rest.get(command).status == 404, 30, "the command is used up")
    always(lambda: world.phase("j") == "Completed", 0.5, lambda: world.story("j"))
    assert world.pod_phases("j") == {"j-a-0": "Succeeded"}


# --- size -------------------------------------------------------------------------------------


def test_a_running_job_grows_and_shrinks(world):
    world.job("j", [task("a", 2), task("b", 1)], min_available=1, plugins={"svc": []})
    before = world.wait_running("j", 3)

    def resize(a, b):
        def change(spec):
            spec["tasks"][0]["replicas"], spec["tasks"][1]["replicas"] = a, b

        world.replace_job_spec("j", change)
        return world.wait_running("j", a + b)

    grown = resize(4, 2)
    assert {n: grown[n] for n in before} == before, "those that ran go on"
    assert set(grown) - set(before) == {"j-a-2", "j-a-3", "j-b-1"}
    hosts = world.read(CORE, "configmaps", "j-svc")["data"]
    assert (hosts["VC_A_NUM"], hosts["VC_B_NUM"]) == ("4", "2")
    shrunk = resize(1, 2)
    assert {n: grown[n] for n in ("j-a-0", "j-b-0", "j-b-1")} == shrunk
    until(
        lambda: counts(world.status("j")) == {"running": 3}, 30, lambda: str(world.status("j"))
    )
    assert world.read(CORE, "configmaps", "j-svc")["data"]["VC_A_NUM"] == "1"


def test_the_minimum_of_a_running_job_may_change(world):
    job = world.job("j", [task("a", 3)], min_available=3)
    world.wait_running("j", 3)

    def change(spec):
        spec["minAvailable"] = 2

    world.replace_job_spec("j", change)
    until(
        lambda: world.group_of(job)["spec"]["minMember"] == 2, 30, lambda: str(world.group_of(job))
    )
    until(lambda: world.status("j")["minAvailable"] == 2, 30, lambda: world.story("j"))


# --- ends -------------------------------------------------------------------------------------


def test_a_finished_job_goes_when_its_time_is_over(world):
    world.job("j", [task("a", script="true")], ttlSecondsAfterFinished=1)
    world.job("kept", [task("a", script="true")])
    world.wait_phase("kept", "Completed")
    world.wait_gone(BATCH, "jobs", "j")
    until(lambda: not world.pods_of("j"), GONE_WITHIN_S, "its pods are gone")
    assert world.phase("kept") == "Completed" and world.pods_of("kept")


def test_what_a_job_made_goes_with_it(world):
    plugins = {"svc": [], "ssh": [], "env": []}
    world.job("j", [task("a", 2)], plugins=plugins)
    world.wait_running("j", 2)
    world.delete_job("j")
    world.wait_gone(BATCH, "jobs", "j")
    made = [(CORE, "services", "j"), (CORE, "configmaps", "j-svc"), (CORE, "secrets", "j-ssh")]
    made.append(("/apis/networking.k8s.io/v1", "networkpolicies", "j"))
    for group, plural, name in made:
        world.wait_gone(group, plural, name)
    until(
        lambda: not world.pods_of("j") and not world.names(SCHEDULING, "podgroups"),
        GONE_WITHIN_S,
        lambda: f"pods {world.uids('j')} and groups {world.names(SCHEDULING, 'podgroups')} gone",
    )


def test_volumes_are_claimed_and_mounted(world):
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    given = {"mountPath": "/given", "volumeClaimName": "data"}
    made = {"mountPath": "/made", "volumeClaim": {**claim, "storageClassName": "none"}}
    job = world.job("j", [task("a", script="true")], volumes=[given, made])
    world.wait_event("j", "PVCError", "data")
    assert not world.pods_of("j")
    spec = {**claim, "storageClassName": "none"}
    world.make(CORE, "persistentvolumeclaims", "PersistentVolumeClaim", "data", spec)
    pod = until(lambda: world.pods_of("j"), 30, lambda: world.story("j"))["j-a-0"]
    names = [v["volumeClaimName"] for v in world.read_job("j")["spec"]["volumes"]]
    assert names[0] == "data" and names[1].startswith("j-pvc-")
    ours = world.read(CORE, "persistentvolumeclaims", names[1])
    assert ours["metadata"]["ownerReferences"][0]["uid"] == job["metadata"]["uid"]
    mounted = {v["name"]: v["persistentVolumeClaim"]["claimName"] for v in pod["spec"]["volumes"]
               if "persistentVolumeClaim" in v}
    mounts = {m["mountPath"]: mounted[m["name"]]
              for m in pod["spec"]["containers"][0]["volumeMounts"] if m["name"] in mounted}
    assert mounts == {"/given": "data", "/made": names[1]}


def test_a_pod_of_somebody_else_is_left_alone(world):
    taken = world.pod("j-a-0", scheduler="nobody")
    world.job("j", [task("a", 1), task("b", 1)], min_available=1)
    world.wait_event("j", "FailedCreate", "does not belong to the job")
    assert world.read_pod("j-a-0")["metadata"]["uid"] == taken["metadata"]["uid"]
    world.delete_pod("j-a-0")
    world.wait_running("j", 2)


def test_controllers_that_start_anew_go_on(world, cluster):
    done = [policy("CompleteJob", "TaskCompleted")]
    world.job("running", [task("a", 2, script="sleep 2", policies=done), task("b")])
    before = world.wait_running("running", 3)
    cluster.kill()
    world.job("fresh", [task("a", 2)])
    cluster.restart()
    cluster.wait_acting()
    world.wait_running("fresh", 2)
    assert {n: u for n, u in world.uids("running").items() if n in before} == before
    world.wait_phase("running", "Completed")


def test_deleting_in_the_foreground_waits_for_the_pods(world):
    job = world.job("j", [task("a", 1)])
    world.wait_running("j", 1)
    world.delete_job("j", policy="Foreground")
    world.wait_gone(BATCH, "jobs", "j")
    assert world.pods_of("j") == {}
    assert reference(job)["uid"] not in str(world.names(SCHEDULING, "podgroups"))


def test_a_change_of_labels_restarts_nothing(world):
    world.job("j", [task("a", 2)])
    before = world.wait_running("j", 2)
    path = world.path(BATCH, "jobs", "j")
    world.rest.patch(path, {"metadata": {"labels": {"x": "y"}}}, MERGE_PATCH).expect(200)
    always(lambda: world.uids("j") == before, 0.5, lambda: world.story("j"))
