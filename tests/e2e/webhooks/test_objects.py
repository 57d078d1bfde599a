"""Good and bad objects of every kind that the webhooks look at."""

import copy

import pytest

from support import objects
from support.jobs import BATCH, FLOW, job_spec, task
from support.objects import SCHEDULING
from support.poll import until
from support.rest import MERGE_PATCH
from support.world import unique

TOPOLOGY = "/apis/topology.volcano.sh/v1alpha1"


def denied(answer, webhook):
    """What the webhook said, of an answer that says that it denied the request."""
    assert answer.status >= 400, answer.text
    begin = f'admission webhook "{webhook}" denied the request: '
    message = answer.body["message"]
    assert begin in message, message
    return message.split(begin, 1)[1]


def body(kind, version, name, spec, **metadata):
    head = {"name": name, **metadata}
    return {"apiVersion": version, "kind": kind, "metadata": head, "spec": spec}


def job(name, tasks, **spec):
    return body("Job", "batch.volcano.sh/v1alpha1", name, {"tasks": tasks, **spec})


def test_a_job_gets_what_it_does_not_say(world):
    bare = task(replicas=2)
    del bare["name"]
    made = world.rest.post(world.path(BATCH, "jobs"), job("bare", [bare])).expect(201)["spec"]
    assert made["queue"] == "default"
    assert made["schedulerName"] == "volcano"
    assert made["maxRetry"] == 3
    assert made["minAvailable"] == 2
    assert made["tasks"][0]["name"] == "default0"


@pytest.mark.parametrize(
    "spec, said",
    [
        ({"minAvailable": 5}, "job 'minAvailable' should not be greater than total replicas"),
        ({"queue": "nowhere"}, "unable to find job queue: "),
        ({"queue": "root"}, "can not submit job to root queue"),
        ({"plugins": {"big_plugin": []}}, "unable to find job plugin: big_plugin"),
        (
            {"policies": [{"event": "PodFailed", "action": "Fly"}]},
            'spec.policies: Invalid value: "Fly": invalid policy action',
        ),
        ({"volumes": [{"mountPath": "/a"}]}, "either VolumeClaim or VolumeClaimName"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_a_bad_job_is_refused(world, spec, said):
    answer = world.rest.post(world.path(BATCH, "jobs"), job("bad", [task()], **spec))
    assert said in denied(answer, "validatejob.volcano.sh")
    assert world.rest.get(world.path(BATCH, "jobs", "bad")).status == 404


def test_a_bad_template_is_refused_with_its_place(world):
    bad = task()
    bad["template"]["spec"]["containers"].append(bad["template"]["spec"]["containers"][0])
    answer = world.rest.post(world.path(BATCH, "jobs"), job("bad", [bad]))
    said = denied(answer, "validatejob.volcano.sh")
    assert 'template.spec.containers[1].name: Duplicate value: "main"' in said


def test_only_some_fields_of_a_job_may_change(world):
    path = world.path(BATCH, "jobs")
    made = world.rest.post(path, job("j", [task(replicas=3)], minAvailable=1)).expect(201)
    world.rest.patch(f"{path}/j", {"spec": {"minAvailable": 2}}, MERGE_PATCH).expect(200)
    changed = copy.deepcopy(made["spec"]["tasks"])
    changed[0]["name"] = "other"
    answer = world.rest.patch(f"{path}/j", {"spec": {"tasks": changed}}, MERGE_PATCH)
    said = denied(answer, "validatejob.volcano.sh")
    assert said.startswith("job updates may not change fields other than `minAvailable`")


def test_queues_form_a_tree(world):
    parent = world.queue("parent", capability={"cpu": "10"})
    child = world.queue("child", parent=parent, capability={"cpu": "4"})
    path = f"{SCHEDULING}/queues"
    too_large = objects.queue(unique("large"), parent=parent, capability={"cpu": "20"})
    said = denied(world.rest.post(path, too_large), "validatequeue.volcano.sh")
    assert "exceeds its ancestor's capability=10" in said
    orphan = objects.queue(unique("orphan"), parent="nowhere")
    said = denied(world.rest.post(path, orphan), "validatequeue.volcano.sh")
    assert "failed to get parent queue nowhere" in said
    smaller = {"spec": {"capability": {"cpu": "1"}}}
    answer = world.rest.patch(f"{path}/{parent}", smaller, MERGE_PATCH)
    said = denied(answer, "validatequeue.volcano.sh")
    assert "is smaller than its descendants' max capability=4" in said
    answer = world.rest.delete(f"{path}/{parent}")
    said = denied(answer, "validatequeue.volcano.sh")
    assert said == f"queue {parent} can not be deleted because it has 1 child queues: {child}"
    said = denied(world.rest.delete(f"{path}/default"), "validatequeue.volcano.sh")
    assert said == "`default` queue can not be deleted"


def test_a_queue_gets_what_it_does_not_say(world):
    name = unique("plain")
    plain = body("Queue", "scheduling.volcano.sh/v1beta1", name, {})
    made = world.rest.post(f"{SCHEDULING}/queues", plain).expect(201)
    world.rest.delete(f"{SCHEDULING}/queues/{name}")
    assert made["spec"]["reclaimable"] is True
    assert made["spec"]["weight"] == 1


def test_pod_groups_go_to_the_queue_of_their_namespace(world):
    queue = world.queue("ours")
    note = {"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": queue}}}
    path = f"/api/v1/namespaces/{world.namespace}"
    world.rest.patch(path, note, MERGE_PATCH).expect(200)

    def make(name, **spec):
        version = "scheduling.volcano.sh/v1beta1"
        group = body("PodGroup", version, name, {"minMember": 1, **spec})
        return world.rest.post(world.path(SCHEDULING, "podgroups"), group)

    # The webhook hears of the namespace by its watch.
    def sent_to_ours():
        made = make(unique("g")).expect(201)
        return made["spec"]["queue"] == queue

    until(sent_to_ours, 10, "the annotation is known")
    said = denied(make("bad", queue="nowhere"), "validatepodgroup.volcano.sh")
    assert said.startswith('unable to find queue: queue.scheduling.volcano.sh "nowhere" not found')


def test_pods_of_ours_have_sound_budgets(world):
    def make(name, value, scheduler="volcano"):
        pod = body(
            "Pod",
            "v1",
            name,
            {"schedulerName": scheduler, **task()["template"]["spec"]},
            annotations={"volcano.sh/jdb-min-available": value},
        )
        return world.rest.post(f"/api/v1/namespaces/{world.namespace}/pods", pod)

    make("good", "20%").expect(201)
    make("not-ours", "0%", scheduler="somebody").expect(201)
    said = denied(make("bad", "0%"), "validatepod.volcano.sh")
    assert 'invalid value <"0%"> for volcano.sh/jdb-min-available' in said


def test_cron_jobs_have_schedules(world):
    def make(name, **spec):
        template = {"spec": job_spec([task()])}
        whole = {"schedule": "*/5 * * * *", "jobTemplate": template, **spec}
        cron = body("CronJob", "batch.volcano.sh/v1alpha1", name, whole)
        return world.rest.post(world.path(BATCH, "cronjobs"), cron)

    make("good", timeZone="Pacific/Honolulu").expect(201)
    said = denied(make("bad", schedule="every day"), "validatecronjob.volcano.sh")
    assert said == "schedule is not a valid cron expression"
    said = denied(make("bad", timeZone="Amerrica/New_York"), "validatecronjob.volcano.sh")
    assert "invalid timeZone" in said


def test_job_flows_have_no_circles(world):
    def make(name, **depends_on):
        flows = [
            {"name": flow, **({"dependsOn": {"targets": targets}} if targets else {})}
            for flow, targets in depends_on.items()
        ]
        flow = body("JobFlow", "flow.volcano.sh/v1alpha1", name, {"flows": flows})
        return world.rest.post(world.path(FLOW, "jobflows"), flow)

    make("good", a=[], b=["a"]).expect(201)
    answer = make("bad", a=["b"], b=["a"])
    assert answer.status >= 400 and "jobflow Flow is not DAG" in answer.body["message"]
    answer = make("bad", a=["c"])
    assert "vertex is not defined: c" in answer.body["message"]


def test_hyper_nodes_have_members_that_can_match(world):
    def make(name, selector):
        spec = {"tier": 1, "members": [{"type": "Node", "selector": selector}]}
        node = body("HyperNode", "topology.volcano.sh/v1alpha1", name, spec)
        return world.rest.post(f"{TOPOLOGY}/hypernodes", node)

    name = unique("rack")
    make(name, {"regexMatch": {"pattern": "node-[0-9]+"}}).expect(201)
    world.rest.delete(f"{TOPOLOGY}/hypernodes/{name}").expect(200)
    said = denied(
        make(unique("rack"), {"regexMatch": {"pattern": "a(b"}}), "validatehypernodes.volcano.sh"
    )
    assert "member regexMatch pattern is invalid: error parsing regexp: missing closing )" in said


def test_kubectl_shows_what_is_wrong(world, backend, kubectl):
    text = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: bad}
spec:
  minAvailable: 3
  tasks:
  - replicas: 1
    template:
      spec:
        restartPolicy: Never
        containers: [{name: c, image: "example.invalid/app:1"}]
"""
    done = kubectl.run("create", "-f", "-", stdin=text)
    assert done.returncode == 1
    assert 'admission webhook "validatejob.volcano.sh" denied the request: ' in done.stderr
    assert "job 'minAvailable' should not be greater than total replicas" in done.stderr
    dry = kubectl.run("create", "--dry-run=server", "-f", "-", stdin=text)
    assert "denied the request" in dry.stderr


def test_refusals_are_counted(world, manager):
    series = 'batholith_admission_reviews_total{path="/jobs/validate",verdict="refused"}'
    before = manager.metrics()[series]
    world.rest.post(world.path(BATCH, "jobs"), job("bad", [task()], queue="nowhere"))
    assert manager.metrics()[series] == before + 1
    assert manager.warnings() == []
