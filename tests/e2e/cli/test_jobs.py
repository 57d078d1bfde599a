"""vcctl job and the programs that do the same."""

import re

import yaml

from support.jobs import BATCH, BUS, job_spec, task

TABLE = "Name   Creation       Phase       JobType     Replicas    Min   Pending   Running   "
TABLE += "Succeeded   Failed    Unknown     RetryCount\n"


def read(rest, namespace, name):
    return rest.get(f"{BATCH}/namespaces/{namespace}/jobs/{name}").expect(200)


def test_a_job_of_flags_is_run_listed_shown_and_deleted(vcctl, rest, namespace):
    vcctl("job", "list", "-n", namespace).prints("No resources found\n")
    vcctl("job", "run", "-n", namespace, "-N", "one", "-r", 2).prints("run job one successfully\n")
    job = read(rest, namespace, "one")
    container = job["spec"]["tasks"][0]["template"]["spec"]["containers"][0]
    room = {"cpu": "1", "memory": "100Mi"}
    assert container["resources"] == {"limits": room, "requests": room}
    assert container["image"] == "busybox" and container["imagePullPolicy"] == "IfNotPresent"
    created = job["metadata"]["creationTimestamp"]
    row = f"one    {created[:10]}                 Batch       2           0     0         0         "
    row += "0           0         0           0         \n"
    vcctl("job", "list", "-n", namespace).prints(TABLE + row)
    vcctl("job", "list", "-n", namespace, "-q", "other").prints("No resources found\n")
    everywhere = vcctl("job", "list", "--all-namespaces")
    assert everywhere.out.startswith("Namespace ") and f"\n{namespace}   one " in everywhere.out
    shown = vcctl("job", "view", "-n", namespace, "-N", "one")
    moment = f"{created[:10]} {created[11:19]} +0000 UTC"
    assert shown.code == 0
    assert shown.out.startswith(f"Name:       \tone\nNamespace:  \t{namespace}\n")
    assert f"\n  Creation Timestamp:\t{moment}\n" in shown.out
    assert shown.out.endswith("\n  State:\n    Phase:\t\nEvents: \t<none>\n")
    vcctl("job", "delete", "-n", namespace, "-N", "one").prints("delete job one successfully\n")
    gone = 'jobs.batch.volcano.sh "one" not found'
    vcctl("job", "delete", "-n", namespace, "-N", "one").fails(f"Failed to delete job: {gone}")
    vcctl("job", "view", "-n", namespace, "-N", "one").fails(f"Failed to view job: {gone}")
    vcctl("job", "suspend", "-n", namespace, "-N", "one").fails(f"Failed to suspend job: {gone}")


def test_a_job_of_a_file(vcctl, rest, namespace, tmp_path):
    file = tmp_path / "job.yaml"
    spec = job_spec([task()])
    body = {"metadata": {"name": "filed"}, "unknown": 1, "spec": spec}
    file.write_text(yaml.safe_dump(body))
    vcctl("job", "run", "-n", namespace, "-f", file).prints("run job filed successfully\n")
    again = 'Failed to run job: jobs.batch.volcano.sh "filed" already exists'
    vcctl("job", "run", "-n", namespace, "-f", file).fails(again)
    body["metadata"]["namespace"] = "elsewhere"
    file.write_text(yaml.safe_dump(body))
    why = "the namespace of the provided object does not match the namespace sent on the request"
    elsewhere = vcctl("job", "run", "-n", namespace, "-f", file)
    # Newer servers say which two.
    assert elsewhere.code == 255 and elsewhere.out.startswith(f"Failed to run job: {why}"), elsewhere
    missing = tmp_path / "missing.yaml"
    why = f"failed to read file, err: open {missing}: no such file or directory"
    vcctl("job", "run", "-f", missing).fails(f"Failed to run job: {why}")


def test_suspend_and_resume_leave_commands(vcctl, rest, namespace):
    vcctl("job", "run", "-n", namespace, "-N", "one")
    vcctl("job", "suspend", "-n", namespace, "-N", "one").prints("")
    vcctl("job", "resume", "-n", namespace, "-N", "one").prints("")
    vcctl.run("vsuspend", "-N", namespace, "-n", "one").prints("")
    vcctl.run("vresume", "-N", namespace, "-n", "one").prints("")
    items = rest.get(f"{BUS}/namespaces/{namespace}/commands").expect(200)["items"]
    assert sorted(i["action"] for i in items) == ["AbortJob"] * 2 + ["ResumeJob"] * 2
    uid = read(rest, namespace, "one")["metadata"]["uid"]
    for item in items:
        [owner] = item["metadata"]["ownerReferences"]
        assert owner == item["target"]
        assert owner == {
            "apiVersion": "batch.volcano.sh/v1alpha1",
            "kind": "Job",
            "name": "one",
            "uid": uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
        assert item["metadata"]["name"].startswith(f"one-{item['action'].lower()}-")


def test_the_programs_of_one_command(vcctl, rest, namespace):
    vcctl.run("vjobs", "-N", namespace).prints("No resources found\n")
    done = vcctl.run(
        "vsub", "-n", "one", "-c", "echo 'a b'", VOLCANO_DEFAULT_JOB_NAMESPACE=namespace
    )
    done.prints("run job one successfully\n")
    container = read(rest, namespace, "one")["spec"]["tasks"][0]["template"]["spec"]["containers"][0]
    assert container["command"] == ["echo", "a b"]
    assert vcctl.run("vjobs", "-N", namespace).out.startswith(TABLE + "one    ")
    vcctl.run("vjobs", "-N", namespace, "--selector", "two").prints(TABLE)
    shown = vcctl.run("vjobs", "-N", namespace, "-n", "one")
    assert shown.code == 0 and shown.out.startswith("Name:       \tone\n")
    vcctl.run("vcancel", "-N", namespace, "-n", "one").prints("cancel job one successfully\n")
    gone = 'Failed to: jobs.batch.volcano.sh "one" not found'
    for program in ("vcancel", "vsuspend", "vresume", "vjobs"):
        vcctl.run(program, "-N", namespace, "-n", "one").fails(gone)


def test_what_must_be_given(vcctl):
    vcctl("job", "run").fails("Failed to run job: job name cannot be left blank")
    for leaf in ("suspend", "resume", "delete"):
        why = f"job name is mandatory to {leaf} a particular job"
        vcctl("job", leaf).fails(f"Failed to {leaf} job: {why}")
    vcctl.run("vsub").fails("Failed to: job name cannot be left blank")
    vcctl.run("vcancel").fails("Failed to: job name is mandatory to cancel a particular job")


def test_the_server_may_refuse_a_name(vcctl, namespace):
    done = vcctl("job", "run", "-n", namespace, "-N", "Not_A_Name")
    assert done.code == 255
    assert re.match(r'Failed to run job: Job\.batch\.volcano\.sh "Not_A_Name" is invalid: ', done.out)
