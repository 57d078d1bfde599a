"""Pod templates of our kinds: types are checked, nothing is lost."""

import copy

import pytest

from support.poll import until

BATCH = "/apis/batch.volcano.sh/v1alpha1"
FLOW = "/apis/flow.volcano.sh/v1alpha1"
POD = {
    "containers": [
        {
            "name": "c",
            "image": "i",
            "command": ["sh", "-c", "sleep 5"],
            "env": [
                {"name": "A", "value": "1"},
                {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            ],
            "ports": [{"containerPort": 80, "name": "web"}],
            "livenessProbe": {"httpGet": {"port": "web", "path": "/"}, "periodSeconds": 5},
            "readinessProbe": {"tcpSocket": {"port": 80}},
            "resources": {"requests": {"cpu": 1, "memory": "64Mi"}, "limits": {"cpu": 1.5}},
            "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
        }
    ],
    "nodeSelector": {"disk": "fast"},
    "tolerations": [{"key": "k", "operator": "Exists", "tolerationSeconds": 30}],
    "volumes": [{"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}],
    "terminationGracePeriodSeconds": 0,
    "hostNetwork": False,
}


def job_spec(pod):
    return {"tasks": [{"name": "t", "replicas": 1, "template": {"spec": pod}}]}


# Kind, where its objects are, its spec with a job's spec inside, and where that stands.
KINDS = {
    "Job": (BATCH, "jobs", lambda job: job, "spec"),
    "CronJob": (
        BATCH,
        "cronjobs",
        lambda job: {"schedule": "@yearly", "jobTemplate": {"spec": job}},
        "spec.jobTemplate.spec",
    ),
    "JobTemplate": (FLOW, "jobtemplates", lambda job: job, "spec"),
    "JobFlow": (
        FLOW,
        "jobflows",
        lambda job: {"flows": [{"name": "a", "patch": {"jobSpec": job}}]},
        "spec.flows[0].patch.jobSpec",
    ),
}
@pytest.fixture(scope="session")
def kinds(backend):
    """The backend with the kinds of deploy/crds, served."""
    backend.install_crds()
    rest = backend.rest()
    for api, plural in {(api, plural) for api, plural, _, _ in KINDS.values()}:
        until(lambda p=f"{api}/{plural}": rest.get(p).status == 200, 30, f"{plural} are served")
    return rest


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def make(kinds, namespace, kind):
    """Creates an object of the kind with this pod in its template."""
    api, plural, spec_of, _ = KINDS[kind]

    def post(pod, **query):
        body = {
            "apiVersion": api.removeprefix("/apis/"),
            "kind": kind,
            "metadata": {"generateName": "x-"},
            "spec": spec_of(job_spec(pod)),
        }
        return kinds.post(f"{api}/namespaces/{namespace}/{plural}", body, **query)

    return post


def pod_of(made, kind):
    spec = made["spec"]
    if kind == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    if kind == "JobFlow":
        spec = spec["flows"][0]["patch"]["jobSpec"]
    return spec["tasks"][0]["template"]["spec"]


def changed(path, value):
    """POD with one field set: "containers.0.image"."""
    pod = copy.deepcopy(POD)
    at = pod
    *parents, last = [int(word) if word.isdigit() else word for word in path.split(".")]
    for word in parents:
        at = at[word]
    at[last] = value
    return pod


def test_a_template_is_kept_to_the_letter(make, kind):
    assert pod_of(make(POD, fieldValidation="Strict").expect(201), kind) == POD


WRONG = [
    ("containers.0.image", 5, "containers[0].image", "string"),
    ("containers.0.command", "sleep", "containers[0].command", "array"),
    ("containers.0.args", [1], "containers[0].args[0]", "string"),
    ("containers.0.env.0.value", 1, "containers[0].env[0].value", "string"),
    ("containers.0.ports.0.containerPort", "80", "containers[0].ports[0].containerPort", "integer"),
    ("containers.0.resources.limits.cpu", "much", "containers[0].resources.limits.cpu", "match"),
    ("nodeSelector.disk", True, "nodeSelector.disk", "string"),
    ("hostNetwork", "yes", "hostNetwork", "boolean"),
    ("volumes.0.emptyDir.sizeLimit", "1 Gi", "volumes[0].emptyDir.sizeLimit", "match"),
]


@pytest.mark.parametrize("path, value, field, wanted", WRONG, ids=[w[0] for w in WRONG])
def test_a_wrong_type_is_refused_with_its_place(make, kind, path, value, field, wanted):
    failure = make(changed(path, value)).expect_failure(422, "Invalid")
    place = f"{KINDS[kind][3]}.tasks[0].template.spec.{field}"
    causes = {c["field"]: c["message"] for c in failure["details"]["causes"]}
    assert place in causes, failure
    assert wanted in failure["message"], failure


@pytest.mark.parametrize(
    "path, value",
    [
        ("futureField", {"a": [1]}),
        ("containers.0.futureField", 1),
        ("containers.0.resources.futureField", "x"),
        ("volumes.0.futureVolume", {"size": 1}),
        ("volumes.0.emptyDir.futureField", True),
        ("tolerations.0.futureField", "x"),
    ],
)
def test_fields_nobody_here_knows_are_kept(make, kind, path, value):
    pod = changed(path, value)
    assert pod_of(make(pod, fieldValidation="Strict").expect(201), kind) == pod


@pytest.mark.parametrize(
    "path", ["affinity", "nodeSelector", "volumes", "containers.0.env", "containers.0.workingDir"]
)
def test_null_says_nothing(make, kind, path):
    """Charts write it where a value is left empty, and pods take it."""
    made = pod_of(make(changed(path, None)).expect(201), kind)
    for word in path.split("."):
        made = (made[0] if word == "0" else made.get(word)) if made else None
    assert made is None


@pytest.mark.parametrize("pod", [{}, {"containers": []}, {"containers": [{}]}])
def test_nothing_of_a_pod_is_required(make, pod):
    make(pod).expect(201)


def form(schema, schemas):
    """What a schema admits, and the schema of what is inside."""
    for part in schema.get("allOf", []):
        schema = {**schema, **part}
    reference = schema.get("$ref", "").rpartition("/")[2]
    if reference.endswith((".Quantity", ".IntOrString")):
        return "number or text", None
    # Ours of quantities: numbers with a fraction are taken as well.
    open_text = "pattern" in schema and "type" not in schema
    if schema.get("x-kubernetes-int-or-string") or open_text:
        return "number or text", None
    if reference:
        return form(schemas[reference], schemas)
    if "additionalProperties" in schema:
        return "map", schema["additionalProperties"]
    return schema["type"], schema.get("items", schema)


def differences(ours, theirs, schemas, path="spec"):
    """Where the fields of two schemas differ by name or type."""
    (kind, inside), (other, beside) = form(ours, {}), form(theirs, schemas)
    if kind != other:
        return [f"{path}: {kind}, of pods {other}"]
    if kind in ("map", "array"):
        return differences(inside, beside, schemas, path + "[]")
    found = []
    if kind == "object" and "properties" in inside:
        known, there = inside["properties"], beside.get("properties", {})
        found += [f"{path}.{name}: not here" for name in there.keys() - known.keys()]
        found += [f"{path}.{name}: not of pods" for name in known.keys() - there.keys()]
        for name in known.keys() & there.keys():
            found += differences(known[name], there[name], schemas, f"{path}.{name}")
    return found


def test_the_fields_are_those_of_pods(kinds):
    def job():
        answer = kinds.get("/openapi/v3" + BATCH)
        return answer.status == 200 and answer.body["components"]["schemas"].get(
            "sh.volcano.batch.v1alpha1.Job"
        )

    schema = until(job, 30, "the schema of jobs is published")
    for name in ("spec", "tasks", "items", "template", "spec"):
        schema = schema["items"] if name == "items" else schema["properties"][name]
    schemas = kinds.get("/openapi/v3/api/v1").expect(200)["components"]["schemas"]
    theirs = schemas["io.k8s.api.core.v1.PodSpec"]
    assert differences(schema, theirs, schemas) == ["spec.ephemeralContainers: not here"]
