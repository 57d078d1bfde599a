"""The whole product at work: what users and programs make and change of each kind that the webhooks
look at is filled in or refused, and what is accepted runs."""

import types

import pytest

from support import accounts, backends, clock
from support import webhook_manager as webhooks
from support.controllers import Controllers
from support.jobs import BATCH, FLOW, FOREVER, JobWorld, task
from support.kubectl import Kubectl
from support.objects import SCHEDULING, pod_group, queue
from support.poll import until
from support.processes import Process, ours
from support.rest import MERGE_PATCH
from support.scheduler import Scheduler
from support.verdict_cases import missing_from
from support.webhook_manager import WebhookManager
from support.world import World, unique
from webhooks.seven_kinds import ADMISSION_CONF, KINDS, QUEUE, SHELF, ByClient, ByKubectl

NODESIM = ["--pod-start-delay", "20ms", "--pod-stop-delay", "50ms", "--crash-backoff", "50ms"]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


@pytest.fixture(scope="module")
def backend(request):
    """A server of their own: what these webhooks refuse, other tests make."""
    made = backends.make(request.config.getoption("--backend"))
    yield made
    made.close()


def _account(backend, part, folder):
    """Where roles count, a daemon has no right beyond the one in deploy/."""
    if backend.kind == "embedded":
        return backend.kubeconfig
    accounts.install(backend.rest(), f"{part}/rbac.yaml")
    return accounts.kubeconfig_of(backend, webhooks.NAMESPACE, f"volcano-{part}", folder)


def _started(backend, folder, conf):
    """Starts the programs one after the other; they are there before the first object."""
    flags = ["--self-register", f"--admission-conf={conf}"]
    enabled = f"{webhooks.ALL},/pods/mutate"
    manager = WebhookManager(backend.kubeconfig, folder, flags=flags, enabled=enabled)
    yield manager
    manager.wait_ready().wait_registered()
    argv = [ours("vc-nodesim"), "--kubeconfig", backend.kubeconfig, *NODESIM]
    yield Process("vc-nodesim", argv, folder)
    scheduler = Scheduler(_account(backend, "scheduler", folder), folder)
    yield scheduler
    controllers = Controllers(_account(backend, "controllers", folder), folder)
    yield controllers
    scheduler.wait_ready()
    controllers.wait_acting()


@pytest.fixture(scope="module")
def product(backend, tmp_path_factory):
    """Webhooks, kubelets, scheduler and controllers at work: their `processes`, and the file `conf`
    of resource groups."""
    folder = tmp_path_factory.mktemp("product")
    conf = folder / "admission.conf"
    conf.write_text(ADMISSION_CONF)
    backend.install_crds()
    rest = backend.rest()
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": webhooks.NAMESPACE}}
    rest.post("/api/v1/namespaces", body).expect(201)
    place = World(backend)
    running = []
    try:
        for program in _started(backend, folder, conf):
            running.append(program)
        place.nodes(2, cpu=16)
        taints = [{"key": "place", "value": SHELF, "effect": "NoSchedule"}]
        place.node(SHELF, cpu=16, labels={"place": SHELF}, taints=taints)
        _until_all_is_known(rest)
        processes = [getattr(program, "process", program) for program in running]
        yield types.SimpleNamespace(processes=processes, conf=conf)
    finally:
        for program in reversed(running):
            program.close()
        place.close()


def _until_all_is_known(rest):
    """The API server takes a moment to notice webhooks, and these to hear of queues; `default` is
    the scheduler's to make."""
    rest.post(f"{SCHEDULING}/queues", queue(QUEUE)).expect(201)
    answers = []

    def trial(kind, patch):
        path = kind.path("default")
        answers.append(rest.post(path, kind.body(unique("trial"), patch), dryRun="All"))
        return answers[-1]

    def is_filled_in(kind):
        # Those of namespace `default` go to no other queue.
        filled = {} if kind.kind == "PodGroup" else kind.filled
        answer = trial(kind, {})
        return answer.status == 201 and not missing_from(answer.body, filled)

    for kind in KINDS:
        until(lambda: is_filled_in(kind), 30, lambda: f"{kind}: {answers[-1].text}")
        until(lambda: trial(kind, kind.bad).status >= 400, 30, f"a bad one of {kind} is refused")
    groups = next(kind for kind in KINDS if kind.kind == "PodGroup")
    in_queue = {"spec": {"queue": QUEUE}}
    until(lambda: trial(groups, in_queue).status == 201, 30, lambda: answers[-1].text)


@pytest.fixture
def world(backend, product):
    """An empty namespace, whose pod groups go to QUEUE where a test says so."""
    made = JobWorld(backend)
    try:
        yield made
        assert made.problems() == []
        assert all(process.check() for process in product.processes)
    finally:
        made.close()


@pytest.fixture
def kubectl(backend, world, tmp_path):
    runner = Kubectl(backend.kubeconfig, world.namespace, tmp_path)
    yield runner
    runner.close()


@pytest.fixture
def by_kubectl(kubectl):
    return ByKubectl(kubectl)


@pytest.fixture
def by_client(backend, world):
    return ByClient(backend.client(), world.namespace)


def _stored(world, kind, body):
    return world.rest.get(kind.path(world.namespace, body["metadata"]["name"]))


def _good(world, hand, kind):
    """Makes a good object of the kind, and says what it was made of."""
    if kind.kind == "PodGroup":
        _go_to_queue(world)
    body = kind.body(unique("good"))
    if not kind.namespaced:
        world.removes_later(kind.path(world.namespace, body["metadata"]["name"]))
    hand.make(kind, body)
    return body


def _go_to_queue(world):
    note = {"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": QUEUE}}}
    world.rest.patch(f"/api/v1/namespaces/{world.namespace}", note, MERGE_PATCH).expect(200)
    path = world.path(SCHEDULING, "podgroups")
    trial = pod_group("trial", 1)

    # The webhook hears of the namespace by its watch.
    def is_known():
        answer = world.rest.post(path, trial, dryRun="All")
        return answer.expect(201)["spec"]["queue"] == QUEUE

    until(is_known, 10, "the annotation of the namespace is known")


# --- each kind ----------------------------------------------------------------------------------


def good_one_is_filled_in_and_changed(world, hand, kind):
    body = _good(world, hand, kind)
    made = _stored(world, kind, body).expect(200)
    assert missing_from(made, kind.filled) == []
    hand.change(kind, body, kind.change)
    changed = _stored(world, kind, body).expect(200)
    assert missing_from(changed, kind.change) == []
    assert changed["metadata"]["uid"] == made["metadata"]["uid"]


def bad_one_is_refused(world, hand, kind):
    body = kind.body(unique("bad"), kind.bad)
    said = hand.refusal(kind, body)
    assert f'admission webhook "{kind.webhook}" denied the request: ' in said
    assert kind.told in said
    _stored(world, kind, body).expect_failure(404, "NotFound")


def bad_change_is_refused(world, hand, kind):
    body = _good(world, hand, kind)
    said = hand.refusal_of_change(kind, body, kind.bad_change)
    denied = f'admission webhook "{kind.webhook_of_change}" denied the request: '
    assert (denied in said) == bool(kind.webhook_of_change), said
    assert kind.told_of_change in said
    assert missing_from(_stored(world, kind, body).expect(200), kind.bad_change) != []


@each_kind
def test_kubectl_makes_and_changes_a_good_one(world, by_kubectl, kind):
    good_one_is_filled_in_and_changed(world, by_kubectl, kind)


@each_kind
def test_kubectl_is_told_what_is_bad(world, by_kubectl, kind):
    bad_one_is_refused(world, by_kubectl, kind)


@each_kind
def test_kubectl_is_told_what_may_not_be_changed(world, by_kubectl, kind):
    bad_change_is_refused(world, by_kubectl, kind)


@each_kind
def test_a_client_makes_and_changes_a_good_one(world, by_client, kind):
    good_one_is_filled_in_and_changed(world, by_client, kind)


@each_kind
def test_a_client_is_told_what_is_bad(world, by_client, kind):
    bad_one_is_refused(world, by_client, kind)


@each_kind
def test_a_client_is_told_what_may_not_be_changed(world, by_client, kind):
    bad_change_is_refused(world, by_client, kind)


# --- what runs ----------------------------------------------------------------------------------


def bare(replicas, script="sleep 0.3", **more):
    """A task that says no more than it must."""
    made = task(replicas=replicas, script=script, **more)
    return {key: value for key, value in made.items() if key != "name"}


def job_of(*tasks):
    jobs = next(kind for kind in KINDS if kind.kind == "Job")
    return jobs, jobs.body(unique("job"), {"spec": {"tasks": list(tasks)}})


def runs_to_its_end(world, hand, tasks, filled, pods):
    kind, body = job_of(*tasks)
    hand.make(kind, body)
    name = body["metadata"]["name"]
    assert missing_from(world.read_job(name), {"spec": filled}) == []
    status = world.wait_phase(name, "Completed")["status"]
    assert status["succeeded"] == pods, world.story(name)
    # The controllers leave it as it is.
    assert missing_from(world.read_job(name), {"spec": filled}) == []


def little_is_enough(world, hand):
    first = {"name": "default0", "minAvailable": 2, "maxRetry": 3}
    second = {"name": "default1", "minAvailable": 1, "maxRetry": 3}
    filled = {"minAvailable": 3, "schedulerName": "volcano", "tasks": [first, second]}
    runs_to_its_end(world, hand, [bare(2), bare(1)], filled, pods=3)


def dependencies_need_no_minimum(world, hand):
    later = task("later", 2, script="true", dependsOn={"name": ["first"]})
    tasks = [task("first", 2, script="sleep 0.5"), later]
    # The gang is those that wait for no other.
    runs_to_its_end(world, hand, tasks, {"minAvailable": 2}, pods=4)


def test_kubectl_runs_a_job_that_says_little(world, by_kubectl):
    little_is_enough(world, by_kubectl)


def test_a_client_runs_a_job_that_says_little(world, by_client):
    little_is_enough(world, by_client)


def test_kubectl_runs_a_job_with_dependencies(world, by_kubectl):
    dependencies_need_no_minimum(world, by_kubectl)


def test_a_client_runs_a_job_with_dependencies(world, by_client):
    dependencies_need_no_minimum(world, by_client)


def test_a_job_in_the_queue_of_its_namespace_is_told_nothing_of_it(world, by_client):
    _go_to_queue(world)
    kind, body = job_of(bare(1, script=FOREVER))
    by_client.make(kind, body)
    name = body["metadata"]["name"]
    world.wait_running(name, 1)
    job = world.read_job(name)
    assert job["spec"]["queue"] == "default"
    assert world.group_of(job)["spec"]["queue"] == QUEUE
    state = job["status"]["state"]
    assert (state.get("reason", ""), state.get("message", "")) == ("", "")
    assert world.events(name, "QueueNotChanged") == []


def test_a_pod_goes_where_its_resource_group_says(world, by_client):
    kind = next(kind for kind in KINDS if kind.kind == "Pod")
    name = _good(world, by_client, kind)["metadata"]["name"]
    until(
        lambda: world.read_pod(name)["status"].get("phase") == "Running",
        30,
        lambda: str(world.read_pod(name)),
    )
    node = world.rest.get(f"/api/v1/nodes/{world.placement()[name]}").expect(200)
    assert node["metadata"]["labels"]["place"] == SHELF


def test_resource_groups_follow_their_file(world, product):
    attic = ADMISSION_CONF.replace("resourceGroups:", "").replace(SHELF, "attic").strip()
    pods = next(kind for kind in KINDS if kind.kind == "Pod")
    body = pods.body("trial", {"metadata": {"annotations": {"volcano.sh/resource-group": "attic"}}})

    def goes_to_the_attic():
        made = world.rest.post(pods.path(world.namespace), body, dryRun="All").expect(201)
        return made["spec"].get("nodeSelector") == {"place": "attic"}

    assert not goes_to_the_attic()
    log = product.processes[0].log
    try:
        product.conf.write_text(f"{ADMISSION_CONF}{attic}\n")
        until(goes_to_the_attic, 10, "the new group is known")
        refusals = log().count("admission_file.refused")
        product.conf.write_text("resourceGroups: [")
        until(lambda: log().count("admission_file.refused") > refusals, 10, "it is refused")
        assert goes_to_the_attic()
    finally:
        product.conf.write_text(ADMISSION_CONF)
    until(lambda: not goes_to_the_attic(), 10, "the first groups are in force again")


def test_queues_of_a_collection_are_judged_one_by_one(world):
    queues = f"{SCHEDULING}/queues"
    label = {"metadata": {"labels": {"of": world.namespace}}}
    names = [world.queue("leaf"), world.queue("leaf")]
    for name in [*names, "default"]:
        world.rest.patch(f"{queues}/{name}", label, MERGE_PATCH).expect(200)
    selector = f"of={world.namespace}"
    told = (
        'admission webhook "validatequeue.volcano.sh" denied the request: '
        "`default` queue can not be deleted"
    )
    answers = []

    def refused():
        answers.append(world.rest.delete(queues, labelSelector=selector))
        return answers[-1].status == 400 and answers[-1].body["message"] == told

    # Before, one that is new may not be known yet.
    until(refused, 10, lambda: answers[-1].text)
    world.rest.patch(f"{queues}/default", {"metadata": {"labels": {"of": None}}}, MERGE_PATCH)
    until(lambda: world.rest.delete(queues, labelSelector=selector).status == 200, 10, "deleted")
    assert {world.rest.get(f"{queues}/{name}").status for name in names} == {404}
    world.rest.get(f"{queues}/default").expect(200)


def test_jobs_of_a_flow_are_filled_in_and_run(world):
    for name in ("a", "b"):
        template = {"tasks": [bare(2, script="true")]}
        world.make(FLOW, "jobtemplates", "JobTemplate", name, template)
    flows = [{"name": "a"}, {"name": "b", "dependsOn": {"targets": ["a"]}}]
    world.make(FLOW, "jobflows", "JobFlow", "f", {"flows": flows, "jobRetainPolicy": "retain"})

    def status():
        return world.read(FLOW, "jobflows", "f").get("status") or {}

    def has_succeeded():
        return (status().get("state") or {}).get("phase") == "Succeed"

    until(has_succeeded, 30, lambda: str(status()))
    for name in ("f-a", "f-b"):
        filled = {"minAvailable": 2, "schedulerName": "volcano", "tasks": [{"name": "default0"}]}
        assert missing_from(world.read_job(name)["spec"], filled) == []
        assert world.phase(name) == "Completed"


def test_jobs_of_a_cron_job_are_filled_in_and_run(world):
    missed = clock.minute_ago(3)
    template = {"spec": {"tasks": [bare(2, script="true")]}}
    cron = {"schedule": clock.hourly_at(missed), "suspend": True, "jobTemplate": template}
    world.make(BATCH, "cronjobs", "CronJob", "c", cron)
    path = world.path(BATCH, "cronjobs", "c")
    last = {"status": {"lastScheduleTime": clock.stamp(clock.an_hour_before(missed))}}
    world.rest.patch(f"{path}/status", last, MERGE_PATCH).expect(200)
    world.rest.patch(path, {"spec": {"suspend": False}}, MERGE_PATCH).expect(200)
    name = f"c-{int(missed.timestamp()) // 60}"
    world.wait_there(BATCH, "jobs", name)
    filled = {"minAvailable": 2, "schedulerName": "volcano", "tasks": [{"name": "default0"}]}
    assert missing_from(world.read_job(name)["spec"], filled) == []
    world.wait_phase(name, "Completed")


def test_a_job_that_is_refused_leaves_nothing_behind(world, by_client):
    kind, bad = job_of(bare(1), {**bare(1), "dependsOn": {"name": ["nobody"]}})
    assert "doesn't form a directed acyclic graph(DAG)" in by_client.refusal(kind, bad)
    _, good = job_of(bare(1))
    by_client.make(kind, good)
    world.wait_phase(good["metadata"]["name"], "Completed")
    assert world.pods_of(bad["metadata"]["name"]) == {}
    assert not world.exists(BATCH, "jobs", bad["metadata"]["name"])
