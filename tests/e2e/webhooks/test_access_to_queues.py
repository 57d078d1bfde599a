"""Who may submit to a queue: vc-webhook-manager with --check-queue-access."""

import base64
import json
import ssl
import urllib.request

import pytest

from support import accounts, objects
from support import webhook_manager as webhooks
from support.jobs import BATCH, FLOW, JobWorld, job_spec, task
from support.objects import SCHEDULING
from support.poll import until
from support.rest import MERGE_PATCH
from support.world import unique

RBAC = "/apis/rbac.authorization.k8s.io/v1"
QUEUE_KEY = "scheduling.volcano.sh/queue-name"
# Answers about users are kept for ten seconds.
WITHIN_S = 30


def checked(url):
    """The configurations as the chart writes them where queues are checked."""
    made = webhooks.configurations(url)
    for body in made:
        (rule,) = body["webhooks"][0]["rules"]
        if webhooks.name_of(body).endswith("podgroups-validate"):
            rule["operations"].append("UPDATE")
        if webhooks.name_of(body).endswith("jobflows-validate"):
            rule["resources"].append("jobtemplates")
    return made


def grant(rest, name, subject, *rules):
    """A ClusterRole of that name, bound; the paths of both."""
    group = "rbac.authorization.k8s.io"
    role = {"metadata": {"name": name}, "rules": list(rules)}
    reference = {"apiGroup": group, "kind": "ClusterRole", "name": name}
    binding = {"metadata": {"name": name}, "roleRef": reference, "subjects": [subject]}
    for plural, body in (("clusterroles", role), ("clusterrolebindings", binding)):
        rest.post(f"{RBAC}/{plural}", body).expect(201)
    return [f"{RBAC}/{plural}/{name}" for plural in ("clusterroles", "clusterrolebindings")]


def rule_of(group, resources, verbs, **more):
    return {"apiGroups": [group], "resources": resources, "verbs": verbs, **more}


def person(name):
    return {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}


@pytest.fixture(scope="module")
def checking(backend, prepared, tmp_path_factory):
    """The webhooks of this file. On the real server they have no rights but those of deploy/, and the
    one that the chart adds for the configuration of pods."""
    webhooks.remove_all(prepared)
    folder = tmp_path_factory.mktemp("checking")
    kubeconfig, granted = backend.kubeconfig, []
    if backend.kind == "kube":
        manifests = ["admission/rbac.yaml", "optional/queue_access.yaml"]
        accounts.install(prepared, "scheduler/namespace.yaml", *manifests)
        account = {"kind": "ServiceAccount", "name": "volcano-admission"}
        pods = rule_of(
            "admissionregistration.k8s.io",
            ["validatingwebhookconfigurations"],
            ["get", "update"],
            resourceNames=["volcano-admission-service-pods-validate"],
        )
        subject = {**account, "namespace": webhooks.NAMESPACE}
        granted = grant(prepared, unique("pods-validate"), subject, pods)
        kubeconfig = accounts.kubeconfig_of(backend, webhooks.NAMESPACE, account["name"], folder)
    manager = webhooks.WebhookManager(kubeconfig, folder, flags=["--check-queue-access"])
    try:
        manager.wait_ready()
        for body in checked(manager.url):
            prepared.post(f"{webhooks.API}/{webhooks.plural(body)}", body).expect(201)
        yield manager.wait_registered()
        assert "orbidden" not in manager.process.log(), "a role in deploy/ lacks a verb"
    finally:
        webhooks.remove_all(prepared)
        manager.close()
        for path in granted:
            prepared.delete(path)


@pytest.fixture
def place(backend, checking):
    made = JobWorld(backend)
    try:
        yield made
        assert checking.process.check()
    finally:
        made.close()


def submitter(place, name, *queues):
    """Lets a user submit to these queues."""
    submit = rule_of(
        "scheduling.volcano.sh", ["queues/submit"], ["create"], resourceNames=list(queues)
    )
    for path in grant(place.rest, unique("submit"), person(name), submit):
        place.removes_later(path)


def refusal(user, queue):
    return (
        f'user "{user}" may not submit to queue "{queue}": a ClusterRole would allow it that has the '
        'rule {apiGroups: ["scheduling.volcano.sh"], resources: ["queues/submit"], '
        f'resourceNames: ["{queue}"], verbs: ["create"]}}'
    )


def review(manager, rest, user, groups, queue):
    """What the webhook answers to the API server when this user makes a pod group of that queue."""
    secret = f"/api/v1/namespaces/{webhooks.NAMESPACE}/secrets/{webhooks.SECRET}"
    authorities = base64.b64decode(rest.get(secret).expect(200)["data"]["ca.crt"]).decode()
    asked = {
        "uid": unique("review"),
        "resource": {
            "group": "scheduling.volcano.sh",
            "version": "v1beta1",
            "resource": "podgroups",
        },
        "name": "g",
        "namespace": "default",
        "operation": "CREATE",
        "userInfo": {"username": user, "groups": groups},
        "object": objects.pod_group("g", 1, queue=queue),
    }
    head = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
    request = urllib.request.Request(
        f"{manager.url}/podgroups/validate",
        data=json.dumps({**head, "request": asked}).encode(),
        headers={"Content-Type": "application/json"},
    )
    tls = ssl.create_default_context(cadata=authorities)
    with urllib.request.urlopen(request, timeout=20, context=tls) as answer:
        told = json.loads(answer.read())["response"]
    assert told["uid"] == asked["uid"]
    return told


def test_the_api_server_says_who_may_submit(checking, place):
    """Of two users. Ours lets in whoever it knows and no stranger, the real one goes by the roles."""
    queue = place.queue("club")
    ann, stranger = unique("ann"), "system:anonymous"
    submitter(place, ann, queue)
    known = ["system:authenticated"]
    until(
        lambda: review(checking, place.rest, ann, known, queue)["allowed"],
        WITHIN_S,
        f"{ann} may submit to {queue}",
    )
    told = review(checking, place.rest, stranger, ["system:unauthenticated"], queue)
    assert not told["allowed"]
    assert told["status"]["message"] == refusal(stranger, queue)
    asked = 'batholith_admission_access_reviews_total{result="succeeded"}'
    assert checking.metrics()[asked] >= 2


def head_of(version, kind, name, spec, **metadata):
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }


def naming(queue, template):
    """Resource → where it is made, the name of its webhook, and a maker of objects that come to the
    queue."""
    spec = job_spec([task()], queue=queue)
    cron = {"schedule": "0 3 * * *", "suspend": True, "jobTemplate": {"spec": spec}}
    batch, flow = "batch.volcano.sh/v1alpha1", "flow.volcano.sh/v1alpha1"
    annotations = {"annotations": {QUEUE_KEY: queue}}
    return {
        "jobs": (BATCH, "validatejob", lambda n: head_of(batch, "Job", n, spec)),
        "cronjobs": (BATCH, "validatecronjob", lambda n: head_of(batch, "CronJob", n, cron)),
        "podgroups": (
            SCHEDULING,
            "validatepodgroup",
            lambda n: objects.pod_group(n, 1, queue=queue),
        ),
        "jobtemplates": (FLOW, "validatejobflow", lambda n: head_of(flow, "JobTemplate", n, spec)),
        "jobflows": (
            FLOW,
            "validatejobflow",
            lambda n: head_of(flow, "JobFlow", n, {"flows": [{"name": template}]}),
        ),
        "pods": ("/api/v1", "validatepod", lambda n: objects.pod(n, metadata=annotations)),
    }


KINDS = sorted(naming("", ""))


def template_of(place, queue):
    """A JobTemplate that an administrator made; its name."""
    name = unique("template")
    place.make(FLOW, "jobtemplates", "JobTemplate", name, job_spec([task()], queue=queue))
    return name


@pytest.mark.parametrize("resource", KINDS)
def test_whoever_may_submit_is_let_through(place, resource):
    queue = place.queue("club")
    # The webhooks hear of the queue a moment later.
    until(lambda: make(place, "jobs", queue).status == 201, WITHIN_S, f"a job in {queue}")
    make(place, resource, queue, template_of(place, queue)).expect(201)


def make(place, resource, queue, template="", user=None):
    """The answer to making such an object, as an administrator or as that user."""
    group, _, body = naming(queue, template)[resource]
    headers = {"Impersonate-User": user} if user else None
    return place.rest.post(place.path(group, resource), body(unique("x")), headers=headers)


@pytest.fixture
def two_users(place):
    """Ann, who may submit to the queue, Ben, who may not, and the queue. Both may make anything."""
    queue = place.queue("club")
    ann, ben = unique("ann"), unique("ben")
    verbs = ["create", "get", "patch", "update"]
    rules = [
        rule_of("batch.volcano.sh", ["jobs", "cronjobs"], verbs),
        rule_of("flow.volcano.sh", ["jobflows", "jobtemplates"], verbs),
        rule_of("scheduling.volcano.sh", ["podgroups"], verbs),
        rule_of("", ["pods"], verbs),
    ]
    for name in (ann, ben):
        for path in grant(place.rest, unique("maker"), person(name), *rules):
            place.removes_later(path)
    submitter(place, ann, queue)
    until(lambda: make(place, "jobs", queue, user=ann).status == 201, WITHIN_S, f"{ann} at work")
    return ann, ben, queue


def denied(answer, webhook, user, queue):
    assert answer.status == 400, answer.text
    begin = f'admission webhook "{webhook}.volcano.sh" denied the request: '
    assert answer.body["message"] == begin + refusal(user, queue)
    return True


@pytest.mark.backend("kube")
def test_a_user_without_the_role_comes_to_the_queue_in_no_way(place, two_users):
    ann, ben, queue = two_users
    template = template_of(place, queue)
    for resource in KINDS:
        make(place, resource, queue, template, user=ann).expect(201)
    # A flow of a template that the webhooks have not heard of yet is let through.
    until(
        lambda: make(place, "jobflows", queue, template, user=ben).status != 201,
        WITHIN_S,
        "the webhooks know of the template",
    )
    for resource in KINDS:
        _, webhook, _ = naming(queue, template)[resource]
        assert denied(make(place, resource, queue, template, user=ben), webhook, ben, queue)


@pytest.mark.backend("kube")
def test_a_user_without_the_role_moves_nothing_to_the_queue(place, two_users):
    ann, ben, queue = two_users
    place.pod_group("waits", 1)
    path = f"{SCHEDULING}/namespaces/{place.namespace}/podgroups/waits"
    move = {"spec": {"queue": queue}}

    def patched(user, body):
        return place.rest.patch(path, body, MERGE_PATCH, headers={"Impersonate-User": user})

    assert denied(patched(ben, move), "validatepodgroup", ben, queue)
    patched(ben, {"metadata": {"labels": {"a": "b"}}}).expect(200)
    patched(ann, move).expect(200)
    patched(ben, {"metadata": {"labels": {"a": "c"}}}).expect(200)
