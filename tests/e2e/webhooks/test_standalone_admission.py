"""vc-standalone with the product's own admission, as a user starts it."""

import contextlib

import pytest
from kubernetes import config

from support import objects, rest
from support.jobs import BATCH, job_spec, task
from support.objects import SCHEDULING
from support.poll import until
from support.processes import Process, free_port, ours

JOBS = f"{BATCH}/namespaces/default/jobs"


@contextlib.contextmanager
def started(folder, *flags):
    """Rest to a server of its own."""
    kubeconfig = folder / "kubeconfig"
    argv = [ours("vc-standalone"), "--port", free_port(), "--nodes", 1]
    argv += ["--write-kubeconfig", kubeconfig, *flags]
    program = Process("vc-standalone", argv, folder)
    try:
        until(lambda: program.check() and "ready" in program.log(), 30, program.tail)
        yield rest.Rest(config.new_client_from_config(str(kubeconfig)))
    finally:
        program.close()


@pytest.fixture(scope="module", params=[True, False], ids=["admission", "without"])
def standalone(request, tmp_path_factory):
    """Rest to a server of its own, and whether it has admission."""
    flags = ["--no-controllers"] if request.param else ["--no-controllers", "--admission=false"]
    with started(tmp_path_factory.mktemp("standalone"), *flags) as server:
        yield server, request.param


@pytest.mark.backend("embedded")
def test_a_bad_job_is_refused_unless_admission_is_left_out(standalone):
    server, admits = standalone
    body = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "bad"},
        "spec": job_spec([task()], min_available=7),
    }
    answer = server.post(JOBS, body)
    if not admits:
        assert answer.status == 201
        return
    message = answer.expect(400)["message"]
    assert message == (
        'admission webhook "validatejob.volcano.sh" denied the request: '
        "job 'minAvailable' should not be greater than total replicas in tasks;"
    )


@pytest.mark.backend("embedded")
def test_a_job_is_filled_in_unless_admission_is_left_out(standalone):
    server, admits = standalone
    until(lambda: server.get(f"{SCHEDULING}/queues/default").status == 200, 20, "queue default")
    bare = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "bare"},
        "spec": {"tasks": [task(replicas=2)]},
    }
    made = server.post(JOBS, bare).expect(201)
    assert made["spec"].get("minAvailable", 0) == (2 if admits else 0)
    assert made["spec"].get("schedulerName") == ("volcano" if admits else None)


@pytest.mark.backend("embedded")
def test_a_queue_counts_as_soon_as_it_is_there(standalone):
    server, admits = standalone
    server.post(f"{SCHEDULING}/queues", objects.queue("fresh")).expect(201)
    child = server.post(f"{SCHEDULING}/queues", objects.queue("under", parent="fresh"))
    child.expect(201)
    answer = server.delete(f"{SCHEDULING}/queues/fresh")
    assert answer.status == (400 if admits else 200)


@pytest.mark.backend("embedded")
def test_a_job_whose_tasks_wait_for_each_other_starts(tmp_path):
    """It does not say how many pods its gang needs: admission fills that in, and leaves out those
    that are made only when others run."""
    with started(tmp_path) as server:
        until(lambda: server.get(f"{SCHEDULING}/queues/default").status == 200, 20, "queue default")
        body = {
            "apiVersion": "batch.volcano.sh/v1alpha1",
            "kind": "Job",
            "metadata": {"name": "j"},
            "spec": {"tasks": [task("prep"), task("work", 2, dependsOn={"name": ["prep"]})]},
        }
        made = server.post(JOBS, body).expect(201)
        assert made["spec"]["minAvailable"] == 1
        assert [t["minAvailable"] for t in made["spec"]["tasks"]] == [1, 2]

        def running():
            pods = server.get("/api/v1/namespaces/default/pods").expect(200)["items"]
            return {p["metadata"]["name"] for p in pods if p["status"].get("phase") == "Running"}

        until(
            lambda: running() == {"j-prep-0", "j-work-0", "j-work-1"},
            30,
            lambda: server.get(f"{JOBS}/j").text,
        )
