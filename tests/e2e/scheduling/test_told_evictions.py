"""What a person reads of a batch job that had to make room, and of its PodGroup."""

import pytest

from support import accounts, handbook
from support.controllers import Controllers
from support.jobs import JobWorld, task
from support.poll import always, until

CONF = """\
actions: "enqueue, allocate, preempt, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: predicates
  - name: proportion
  - name: nodeorder
"""


@pytest.fixture
def jobs(installed, nodesim, tmp_path):
    """A namespace with controllers and kubelets, and the kubeconfig of the controllers."""
    kubeconfig = installed.kubeconfig
    if installed.kind != "embedded":
        accounts.install(installed.rest(), "scheduler/namespace.yaml", "controllers/rbac.yaml")
        kubeconfig = accounts.kubeconfig_of(
            installed, "volcano-system", "volcano-controllers", tmp_path
        )
    made = JobWorld(installed)
    made.start_controllers = lambda name: Controllers(kubeconfig, tmp_path, name).wait_acting()
    made.controllers = made.start_controllers("controllers")
    yield made
    try:
        assert made.problems() == []
    finally:
        made.close()
        made.controllers.close()


def told(world, kind, name):
    """Events with the reason Evict: message, and how often it was said."""
    path = f"/api/v1/namespaces/{world.namespace}/events"
    found = world.rest.get(path, fieldSelector=f"involvedObject.name={name}").expect(200)
    return [
        (e["message"], e.get("count", 1))
        for e in found["items"]
        if e["reason"] == "Evict" and e["involvedObject"]["kind"] == kind
    ]


def test_a_job_says_for_whom_its_pods_were_evicted(jobs, installed, new_scheduler, evicting, tmp_path):
    jobs.node(cpu=4)
    low, high = jobs.priority_class(1), jobs.priority_class(1000)
    daemon = new_scheduler(conf=CONF, kubeconfig=evicting)
    victim = jobs.job("low", [task("a", 4, cpu="1")], 1, priorityClassName=low)
    jobs.wait_running("low", 4)
    urgent = jobs.job("high", [task("a", 2, cpu="1")], 2, priorityClassName=high)
    jobs.wait_running("high", 2)
    group = f"low-{victim['metadata']['uid']}"
    for_whom = f"for PodGroup {jobs.namespace}/high-{urgent['metadata']['uid']} of queue default"
    of_group = [(f"preempt, {for_whom}: 2 pods evicted", 1)]
    of_job = [(f"2 pods evicted: PreemptionByScheduler: preempt, {for_whom}", 1)]
    until(
        lambda: (told(jobs, "PodGroup", group), told(jobs, "Job", "low")) == (of_group, of_job),
        30,
        lambda: f"{told(jobs, 'PodGroup', group)}, {jobs.story('low')}",
    )
    person = handbook.terminal(installed, jobs.namespace, tmp_path)
    described = " ".join(person("describe", "vcjob", "low").split())
    assert "Warning Evict" in described and of_job[0][0] in described
    assert of_group[0][0] in " ".join(person("describe", "podgroup", group).split())
    handbook.Handbook(person, {}).holds("Pods of a job were evicted", JOB="low")
    # Whoever starts anew says nothing of it again.
    daemon.close()
    jobs.controllers.close()
    new_scheduler(conf=CONF, kubeconfig=evicting)
    jobs.controllers = jobs.start_controllers("controllers-again")
    # Of which both tell, and for which nobody goes.
    jobs.job("later", [task("a", 1, cpu="900")], priorityClassName=low)
    jobs.wait_event("later", "PodGroupPending")
    always(
        lambda: (told(jobs, "PodGroup", group), told(jobs, "Job", "low")) == (of_group, of_job),
        2,
        lambda: f"{told(jobs, 'PodGroup', group)}, {jobs.story('low')}",
    )
