"""What is true once nothing goes wrong any more and everybody had time, judged from lists alone.

Works on plain dictionaries, as `support/checks.py` does; each function returns sentences.
"""

from collections import Counter, defaultdict

from faults.ledger import key, uid
from faults.load import OVER
from support.checks import (
    group_of,
    holds_room,
    is_leaving,
    node_of,
    nodes_within_allocatable,
    phase_of,
    pod_request,
)
from support.jobs import state_of
from support.quantity import parse


def jobs_over(jobs, pods):
    """Every job has ended: all of them can run, and end by themselves."""
    story = defaultdict(list)
    for pod in pods:
        for owner in pod["metadata"].get("ownerReferences") or []:
            story[owner["uid"]].append(f"{pod['metadata']['name']} {phase_of(pod)} {node_of(pod)}")
    return [
        f"all-run: job {key(job)} is {state_of(job)}, pods {story[uid(job)]}"
        for job in jobs
        if state_of(job).get("phase") not in OVER
    ]


def hopeless(objects):
    """Jobs that cannot run as things are, as docs/promises.md has it: too few pods of the gang are left
    that have not failed, or the job's state says what holds it up. Users take them back."""
    valid, waiting = Counter(), set()
    for pod in objects["pods"]:
        group = group_of(pod)
        valid[group] += phase_of(pod) != "Failed"
        if not node_of(pod) and phase_of(pod) != "Failed":
            waiting.add(group)
    lacking = {
        owner["uid"]
        for group in objects["podgroups"]
        if key(group) in waiting and valid[key(group)] < group["spec"].get("minMember", 0)
        for owner in group["metadata"].get("ownerReferences") or []
    }
    return [
        job
        for job in objects["jobs"]
        if state_of(job).get("phase") not in OVER
        and not is_leaving(job)
        and (uid(job) in lacking or state_of(job).get("reason"))
    ]


def pods_placed(pods):
    return [
        f"all-run: pod {key(pod)} waits"
        for pod in pods
        if not node_of(pod) and phase_of(pod) not in ("Succeeded", "Failed")
    ]


def deletions_over(objects):
    return [
        f"deletions-end: {kind} {key(thing)} was deleted and is there, finalizers"
        f" {thing['metadata'].get('finalizers')}"
        for kind, things in objects.items()
        for thing in things
        if is_leaving(thing)
    ]


def no_orphans(objects):
    present = {uid(thing) for things in objects.values() for thing in things}
    problems = []
    for kind in ("pods", "podgroups"):
        for thing in objects[kind]:
            owners = thing["metadata"].get("ownerReferences") or []
            if owners and not any(o["uid"] in present for o in owners):
                problems.append(f"no-orphans: {kind} {key(thing)} belongs to {owners[0]['name']}")
    return problems + [f"no-orphans: command {key(c)} waits" for c in objects["commands"]]


def true_sums(objects):
    """What queues, PodGroups and jobs say of themselves is what a recount finds."""
    pods = objects["pods"]
    of_group, of_job = defaultdict(Counter), defaultdict(Counter)
    cpu = defaultdict(int)
    queue_of = {key(g): g["spec"].get("queue") or "default" for g in objects["podgroups"]}
    for pod in pods:
        if group := group_of(pod):
            of_group[group][phase_of(pod)] += 1
            if holds_room(pod) and group in queue_of:
                cpu[queue_of[group]] += pod_request(pod).get("cpu", 0)
        for owner in pod["metadata"].get("ownerReferences") or []:
            of_job[owner["uid"]][phase_of(pod)] += 1
    cpu["root"] = sum(cpu.values())
    problems = []
    for group in objects["podgroups"]:
        names = ("running", "succeeded", "failed")
        problems += _differ("podgroup", group, names, of_group[key(group)])
    for job in objects["jobs"]:
        # What is counted of a job that has ended stays as it was.
        if state_of(job).get("phase") not in OVER:
            problems += _differ("job", job, ("running", "pending"), of_job[uid(job)])
    phases = defaultdict(Counter)
    for group in objects["podgroups"]:
        phases[queue_of[key(group)]][phase_of(group)] += 1
    for queue in objects["queues"]:
        names = ("running", "pending", "inqueue")
        problems += _differ("queue", queue, names, phases[key(queue)])
        told = parse(((queue.get("status") or {}).get("allocated") or {}).get("cpu", "0"))
        if told != cpu[key(queue)]:
            found = float(cpu[key(queue)])
            problems.append(
                f"true-sums: queue {key(queue)} tells of {float(told):g} cpu, it is {found:g}"
            )
    return problems


def _differ(kind, thing, names, counted):
    status = thing.get("status") or {}
    told = {name: status.get(name, 0) for name in names}
    found = {name: counted[name.capitalize()] for name in names}
    if told == found:
        return []
    return [f"true-sums: {kind} {key(thing)} tells of {told}, it is {found}"]


def everything(objects):
    """All of it, for objects by kind; empty: they are at rest as they should be."""
    return (
        jobs_over(objects["jobs"], objects["pods"])
        + pods_placed(objects["pods"])
        + deletions_over(objects)
        + no_orphans(objects)
        + true_sums(objects)
        + nodes_within_allocatable(objects["nodes"], objects["pods"])
    )
