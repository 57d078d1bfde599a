"""Job flows: jobs made from templates, in the order of their dependencies."""

import pytest

from support.jobs import BATCH, FLOW, FOREVER, job_spec, task
from support.poll import always, until
from support.rest import MERGE_PATCH


def template(world, name, script="sleep 0.2", replicas=1, **more):
    spec = {**job_spec([task("a", replicas, script=script)]), **more}
    return world.make(FLOW, "jobtemplates", "JobTemplate", name, spec)


def flow(world, *flows, name="f", **spec):
    entries = [
        {"name": name, **({"dependsOn": after} if after else {})} for name, after in flows
    ]
    return world.make(FLOW, "jobflows", "JobFlow", name, {"flows": entries, **spec})


def status(world):
    return world.read(FLOW, "jobflows", "f").get("status") or {}


def wait_phase(world, phase):
    until(
        lambda: (status(world).get("state") or {}).get("phase") == phase,
        30,
        lambda: f"flow {phase}; it is {status(world)}",
    )


def after(*targets, **more):
    return {"targets": list(targets), **more}


def test_jobs_run_one_after_the_other(world):
    for name in ("a", "b", "c"):
        template(world, name)
    made = flow(world, ("a", None), ("b", after("a")), ("c", after("a", "b")))
    begun = {}

    def done():
        for name in world.names(BATCH, "jobs") - set(begun):
            before = {"f-a": [], "f-b": ["f-a"], "f-c": ["f-a", "f-b"]}[name]
            begun[name] = [world.phase(n) for n in before]
        return (status(world).get("state") or {}).get("phase") == "Succeed"

    until(done, 30, lambda: str(status(world)))
    assert begun == {"f-a": [], "f-b": ["Completed"], "f-c": ["Completed"] * 2}
    assert sorted(status(world)["completedJobs"]) == ["f-a", "f-b", "f-c"]
    job = world.read_job("f-b")
    assert job["metadata"]["ownerReferences"][0]["uid"] == made["metadata"]["uid"]
    names = {"createdByJobFlow": "f", "createdByJobTemplate": "b"}
    for key, name in names.items():
        assert job["metadata"]["labels"][f"volcano.sh/{key}"] == f"{world.namespace}.{name}"
    until(
        lambda: (world.read(FLOW, "jobtemplates", "b").get("status") or {}).get("jobDependsOnList")
        == ["f-b"],
        30,
        lambda: str(world.read(FLOW, "jobtemplates", "b")),
    )
    world.wait_event("f", "Created", "f-c")


def test_a_probe_of_tasks_is_enough(world):
    template(world, "server", script=FOREVER, replicas=2)
    template(world, "client")
    probe = {"taskStatusList": [{"taskName": "a", "phase": "Running"}]}
    flow(world, ("server", None), ("client", after("server", probe=probe)))
    world.wait_there(BATCH, "jobs", "f-client")
    assert world.phase("f-server") in ("Pending", "Running")
    world.wait_phase("f-client", "Completed")


def test_a_failed_job_fails_the_flow(world):
    template(world, "bad", script="exit 1")
    template(world, "next")
    flow(world, ("bad", None), ("next", after("bad")))
    wait_phase(world, "Failed")
    assert status(world)["failedJobs"] == ["f-bad"]
    assert world.names(BATCH, "jobs") == {"f-bad"}


def test_a_flow_that_succeeded_may_clear_up(world):
    template(world, "a")
    flow(world, ("a", None), jobRetainPolicy="delete")
    wait_phase(world, "Succeed")
    world.wait_gone(BATCH, "jobs", "f-a")
    always(lambda: not world.names(BATCH, "jobs"), 0.5, "the jobs stay away")


def test_jobs_go_with_their_flow(world):
    template(world, "a", script=FOREVER)
    flow(world, ("a", None))
    world.wait_there(BATCH, "jobs", "f-a")
    world.wait_running("f-a", 1)
    wait_phase(world, "Running")
    world.rest.delete(world.path(FLOW, "jobflows", "f"), propagationPolicy="Background").expect(200)
    world.wait_gone(BATCH, "jobs", "f-a")


@pytest.mark.parametrize(
    ("flows", "why"),
    [
        (
            [("a", None), ("b", after("aa"))],
            'vertex is not defined: aa: flow b depends on it, and no flow has that name '
            '(did you mean "a"?)',
        ),
        ([("a", after("b")), ("b", after("a"))], "these wait for each other: a, b"),
    ],
    ids=["unknown", "circle"],
)
def test_a_flow_that_can_never_end_says_why_and_starts_nothing(world, flows, why):
    for name in ("a", "b"):
        template(world, name)
    flow(world, *flows)
    world.wait_event("f", "InvalidJobFlow", f"jobflow Flow is not DAG: {why}")
    always(lambda: not world.names(BATCH, "jobs"), 0.5, "nothing is started")
    path = world.path(FLOW, "jobflows", "f")
    mended = {"spec": {"flows": [{"name": "a"}, {"name": "b", "dependsOn": after("a")}]}}
    world.rest.patch(path, mended, MERGE_PATCH).expect(200)
    wait_phase(world, "Succeed")


def test_a_flow_that_succeeded_does_not_begin_again(world):
    template(world, "a")
    flow(world, ("a", None))
    wait_phase(world, "Succeed")
    world.delete_job("f-a")
    world.wait_gone(BATCH, "jobs", "f-a")
    # Another change of it: the controllers look at it anew.
    path = world.path(FLOW, "jobflows", "f")
    template(world, "b")
    more = {"spec": {"flows": [{"name": "a"}, {"name": "b"}]}}
    world.rest.patch(path, more, MERGE_PATCH).expect(200)
    flow(world, ("b", None), name="g")
    world.wait_there(BATCH, "jobs", "g-b")
    world.wait_phase("g-b", "Completed")
    assert world.names(BATCH, "jobs") == {"g-b"}
    assert status(world)["state"]["phase"] == "Succeed"


def test_a_job_that_is_cleaned_up_after_it_completed_is_not_run_again(world):
    template(world, "short", ttlSecondsAfterFinished=1)
    template(world, "long", script="sleep 6")
    flow(world, ("short", None), ("long", after("short")))
    world.wait_there(BATCH, "jobs", "f-long")
    world.wait_gone(BATCH, "jobs", "f-short")
    assert status(world)["completedJobs"] == ["f-short"]
    wait_phase(world, "Succeed")
    assert world.names(BATCH, "jobs") == {"f-long"}
    assert set(status(world)["completedJobs"]) == {"f-long", "f-short"}
    made = world.events("f", "Created")
    assert sorted(made) == ["create a job named f-long!", "create a job named f-short!"]


def test_a_template_that_comes_later_is_waited_for(world):
    flow(world, ("late", None))
    world.wait_event("f", "SyncJobFlow", f"jobtemplate {world.namespace}/late does not exist")
    always(lambda: not world.names(BATCH, "jobs"), 0.5, "no job without a template")
    template(world, "late")
    world.wait_there(BATCH, "jobs", "f-late")
    world.wait_phase("f-late", "Completed")
    wait_phase(world, "Succeed")
