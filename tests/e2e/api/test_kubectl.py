"""kubectl, as users type it."""

import json

import pytest
import yaml

from support.objects import config_map, node, pod
from support.poll import until
from support.world import unique


def manifest(*objects):
    # A leading mark: kubectl before 1.33 takes a stream that begins with a brace for JSON without marks.
    return "".join(f"---\n{json.dumps(o)}\n" for o in objects)


@pytest.fixture
def one(kubectl):
    """A pending pod named `one`."""
    labels = {"app": "demo"}
    kubectl(
        "create",
        "-f",
        "-",
        stdin=manifest(pod("one", scheduler="nobody", metadata={"labels": labels})),
    )
    return "one"


def test_get_prints_the_table(kubectl, one):
    lines = kubectl("get", "pods").splitlines()
    assert lines[0].split() == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert lines[1].split()[:4] == ["one", "0/1", "Pending", "0"]


def test_get_wide_adds_the_node(kubectl, one):
    header = kubectl("get", "pods", "-o", "wide").splitlines()[0]
    assert "NODE" in header.split() and "IP" in header.split()


def test_get_as_yaml_json_name_and_jsonpath(kubectl, one):
    assert yaml.safe_load(kubectl("get", "pod", "one", "-o", "yaml"))["metadata"]["name"] == "one"
    assert kubectl.json("get", "pod", "one")["kind"] == "Pod"
    assert kubectl.json("get", "pods")["kind"] == "List"
    assert kubectl("get", "po", "-o", "name").strip() == "pod/one"
    assert kubectl("get", "pod", "one", "-o", "jsonpath={.spec.schedulerName}") == "nobody"
    columns = "custom-columns=N:.metadata.name,S:.spec.schedulerName"
    assert kubectl("get", "pods", "-o", columns).split() == ["N", "S", "one", "nobody"]


def test_get_by_label_field_and_all_namespaces(kubectl, one, namespace):
    assert kubectl("get", "pods", "-l", "app=demo", "-o", "name").strip() == "pod/one"
    assert kubectl("get", "pods", "-l", "app=other", "-o", "name") == ""
    assert kubectl("get", "pods", "--field-selector", "status.phase=Pending", "-o", "name") != ""
    lines = kubectl("get", "pods", "-A", "--no-headers").splitlines()
    assert [namespace, "one"] in [line.split()[:2] for line in lines]


def test_get_of_a_missing_object_says_so(kubectl):
    done = kubectl.run("get", "pod", "nobody")
    assert done.returncode == 1
    assert done.stderr.strip() == 'Error from server (NotFound): pods "nobody" not found'


def test_get_of_nothing_says_so(kubectl, namespace):
    done = kubectl.run("get", "pods")
    assert (
        done.returncode == 0
        and done.stderr.strip() == f"No resources found in {namespace} namespace."
    )


def test_get_watch_follows_changes(kubectl, one):
    follower = kubectl.follow(
        "get", "pods", "-w", "--no-headers", "-o", "custom-columns=N:.metadata.name"
    )
    until(lambda: follower.log().split() == ["one"], 20, follower.log)
    kubectl("create", "-f", "-", stdin=manifest(pod("two", scheduler="nobody")))
    until(lambda: follower.log().split() == ["one", "two"], 20, follower.log)
    table = kubectl.follow("get", "pods", "-w", "--output-watch-events")
    until(lambda: table.log().count("ADDED") == 2, 20, table.log)
    kubectl("delete", "pod", "two", "--now")
    until(lambda: "DELETED" in table.log(), 20, table.log)


def test_describe_tells_about_the_pod(kubectl, one):
    text = kubectl("describe", "pod", "one")
    fields = dict(
        line.split(":", 1) for line in text.splitlines() if line and ":" in line and line[0] != " "
    )
    assert fields["Name"].strip() == "one" and fields["Status"].strip() == "Pending"
    assert fields["Labels"].strip() == "app=demo"


def test_create_generates_names(kubectl):
    body = config_map("unused")
    body["metadata"] = {"generateName": "made-"}
    assert kubectl("create", "-f", "-", stdin=manifest(body)).startswith("configmap/made-")


def test_create_from_the_command_line(kubectl):
    kubectl("create", "configmap", "cm", "--from-literal=a=1", "--from-literal=b=2")
    assert kubectl.json("get", "configmap", "cm")["data"] == {"a": "1", "b": "2"}
    assert "already exists" in kubectl.run("create", "configmap", "cm").stderr


def test_apply_creates_configures_and_leaves_alone(kubectl):
    first = manifest(config_map("cm", {"a": "1", "b": "2"}))
    assert kubectl("apply", "-f", "-", stdin=first).strip() == "configmap/cm created"
    assert kubectl("apply", "-f", "-", stdin=first).strip() == "configmap/cm unchanged"
    second = manifest(config_map("cm", {"a": "9"}))
    assert kubectl("apply", "-f", "-", stdin=second).strip() == "configmap/cm configured"
    assert kubectl.json("get", "configmap", "cm")["data"] == {"a": "9"}


def test_apply_on_the_server_side(kubectl):
    body = manifest(config_map("cm", {"a": "1"}))
    done = kubectl("apply", "--server-side", "-f", "-", stdin=body)
    assert done.strip() == "configmap/cm serverside-applied"
    other = manifest(config_map("cm", {"a": "2"}))
    refused = kubectl.run("apply", "--server-side", "--field-manager=other", "-f", "-", stdin=other)
    assert refused.returncode == 1 and "conflict" in refused.stderr
    kubectl(
        "apply",
        "--server-side",
        "--field-manager=other",
        "--force-conflicts",
        "-f",
        "-",
        stdin=other,
    )
    assert kubectl.json("get", "configmap", "cm")["data"] == {"a": "2"}


def test_apply_on_the_server_side_twice(kubectl):
    body = manifest(config_map("cm", {"a": "1", "b": "2"}))
    kubectl("apply", "--server-side", "-f", "-", stdin=body)
    version = kubectl.json("get", "configmap", "cm")["metadata"]["resourceVersion"]
    kubectl("apply", "--server-side", "-f", "-", stdin=body)
    assert kubectl.json("get", "configmap", "cm")["metadata"]["resourceVersion"] == version
    less = manifest(config_map("cm", {"a": "1"}))
    kubectl("apply", "--server-side", "-f", "-", stdin=less)
    assert kubectl.json("get", "configmap", "cm")["data"] == {"a": "1"}


def test_apply_moves_from_the_client_to_the_server(kubectl):
    kubectl("apply", "-f", "-", stdin=manifest(config_map("cm", {"a": "1", "b": "1"})))
    kubectl("apply", "--server-side", "-f", "-", stdin=manifest(config_map("cm", {"a": "2"})))
    assert kubectl.json("get", "configmap", "cm")["data"]["a"] == "2"


@pytest.mark.parametrize("cascade", ["background", "foreground", "orphan"])
def test_delete_cascades_as_told(kubectl, cascade):
    kubectl("create", "configmap", "owner")
    uid = kubectl.json("get", "configmap", "owner")["metadata"]["uid"]
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}
    child = config_map("child", ownerReferences=[{**reference, "blockOwnerDeletion": True}])
    kubectl("create", "-f", "-", stdin=manifest(child))
    kubectl("delete", "configmap", "owner", f"--cascade={cascade}", within=60)

    def left():
        return kubectl("get", "configmap", "child", "--ignore-not-found", "-o", "name")

    if cascade == "orphan":
        assert "ownerReferences" not in kubectl.json("get", "configmap", "child")["metadata"]
    else:
        until(lambda: not left(), 40, "the dependent is gone")


def test_scale_sets_the_replicas(kubectl, crd, widget):
    kubectl("create", "-f", "-", stdin=manifest(widget("w", size=1, replicas=2)))
    kubectl("scale", "--replicas=5", f"widgets.{crd}/w")
    assert kubectl.json("get", f"widgets.{crd}", "w")["spec"]["replicas"] == 5
    refused = kubectl.run("scale", "--current-replicas=1", "--replicas=7", f"widgets.{crd}/w")
    assert refused.returncode == 1 and "replicas" in refused.stderr


def test_apply_checks_fields_before_it_sends(kubectl):
    body = pod("typo", scheduler="nobody")
    body["spec"]["nodeSelektor"] = {"a": "b"}
    done = kubectl.run("apply", "-f", "-", stdin=manifest(body))
    assert done.returncode == 1 and "nodeSelektor" in done.stderr


def test_apply_of_a_custom_kind(kubectl, crd, widget):
    for size, said in ((1, "created"), (2, "configured")):
        done = kubectl("apply", "-f", "-", stdin=manifest(widget("w", size=size)))
        assert done.strip() == f"widget.{crd}/w {said}"
    lines = kubectl("get", f"widgets.{crd}").splitlines()
    assert lines[0].split() == ["NAME", "SIZE", "PHASE"]
    assert lines[1].split() == ["w", "2"]


def test_patch_of_all_kinds(kubectl, one):
    kubectl("patch", "pod", "one", "-p", '{"metadata":{"labels":{"s":"strategic"}}}')
    kubectl("patch", "pod", "one", "--type=merge", "-p", '{"metadata":{"labels":{"m":"merge"}}}')
    operations = '[{"op":"add","path":"/metadata/labels/j","value":"json"}]'
    kubectl("patch", "pod", "one", "--type=json", "-p", operations)
    labels = kubectl.json("get", "pod", "one")["metadata"]["labels"]
    assert labels == {"app": "demo", "s": "strategic", "m": "merge", "j": "json"}
    kubectl("patch", "pod", "one", "--subresource=status", "-p", '{"status":{"phase":"Running"}}')
    assert kubectl("get", "pod", "one", "-o", "jsonpath={.status.phase}") == "Running"


def test_label_and_annotate(kubectl, one):
    kubectl("label", "pod", "one", "color=red")
    refused = kubectl.run("label", "pod", "one", "color=blue")
    assert refused.returncode == 1 and "overwrite" in refused.stderr
    kubectl("label", "pod", "one", "color=blue", "app-", "--overwrite")
    kubectl("annotate", "pod", "one", "example.com/note=hello world")
    metadata = kubectl.json("get", "pod", "one")["metadata"]
    assert metadata["labels"] == {"color": "blue"}
    assert metadata["annotations"]["example.com/note"] == "hello world"


def test_wait_for_a_condition_a_value_and_the_end(kubectl, one):
    waiting = kubectl.follow("wait", "pod/one", "--for=condition=Ready", "--timeout=20s")
    ready = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'
    kubectl("patch", "pod", "one", "--subresource=status", "-p", ready)
    assert waiting.wait(20) == 0, waiting.log()
    kubectl("wait", "pod/one", "--for=jsonpath={.status.phase}=Running", "--timeout=20s")
    late = kubectl.run("wait", "pod/one", "--for=condition=Never", "--timeout=1s")
    assert late.returncode == 1 and "timed out" in late.stderr
    waiting = kubectl.follow("wait", "pod/one", "--for=delete", "--timeout=20s")
    kubectl("delete", "pod", "one", "--now")
    assert waiting.wait(20) == 0, waiting.log()


def test_delete_by_name_selector_and_file(kubectl, one):
    body = manifest(
        config_map("a", labels={"x": "y"}), config_map("b", labels={"x": "y"}), config_map("c")
    )
    kubectl("create", "-f", "-", stdin=body)
    kubectl("delete", "configmap", "-l", "x=y")
    assert "configmap/c" in kubectl("get", "configmaps", "-o", "name")
    assert "configmap/a" not in kubectl("get", "configmaps", "-o", "name")
    kubectl("delete", "-f", "-", stdin=manifest(config_map("c")))
    assert kubectl.run("get", "configmap", "c").returncode == 1
    assert kubectl("delete", "pod", "one", "--force", "--grace-period=0").startswith(
        'pod "one" force deleted'
    )
    done = kubectl.run("delete", "pod", "one")
    assert done.returncode == 1 and "NotFound" in done.stderr
    assert kubectl("delete", "pod", "one", "--ignore-not-found") == ""


def test_replace_refuses_an_old_version(kubectl):
    kubectl("create", "configmap", "cm", "--from-literal=a=1")
    old = kubectl.json("get", "configmap", "cm")
    kubectl("patch", "configmap", "cm", "-p", '{"data":{"a":"2"}}')
    refused = kubectl.run("replace", "-f", "-", stdin=manifest(old))
    assert refused.returncode == 1 and "Conflict" in refused.stderr
    del old["metadata"]["resourceVersion"]
    kubectl("replace", "-f", "-", stdin=manifest(old))
    assert kubectl.json("get", "configmap", "cm")["data"] == {"a": "1"}


def test_scale_of_a_custom_kind(kubectl, crd, widget):
    kubectl("create", "-f", "-", stdin=manifest(widget("w", size=1)))
    kubectl("scale", f"widgets.{crd}/w", "--replicas=6")
    assert kubectl.json("get", f"widgets.{crd}", "w")["spec"]["replicas"] == 6


def test_api_resources_and_versions(kubectl, crd):
    lines = [line.split() for line in kubectl("api-resources", "--no-headers").splitlines()]
    assert ["pods", "po", "v1", "true", "Pod"] in lines
    assert ["widgets", "wg", f"{crd}/v1", "true", "Widget"] in lines
    versions = kubectl("api-versions").split()
    assert {"v1", "policy/v1", f"{crd}/v1"} <= set(versions)
    names = kubectl("api-resources", "--namespaced=false", "-o", "name").split()
    assert "nodes" in names and "pods" not in names


def test_explain_reads_the_published_schema(kubectl, crd):
    assert "FIELD: nodeName <string>" in kubectl("explain", "pod.spec.nodeName")
    asked = ("explain", "widgets.spec.color", f"--api-version={crd}/v1")
    until(lambda: kubectl.run(*asked).returncode == 0, 20, "the schema of the kind is published")
    assert "FIELD: color <string>" in kubectl(*asked)


def test_events_are_listed(kubectl, namespace):
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "one.1"},
        "involvedObject": {"kind": "Pod", "name": "one", "namespace": namespace},
        "type": "Warning",
        "reason": "Tested",
        "message": "said by a test",
        "count": 3,
        "firstTimestamp": "2020-01-01T00:00:00Z",
        "lastTimestamp": "2020-01-01T00:00:00Z",
    }
    kubectl("create", "-f", "-", stdin=manifest(event))
    line = kubectl("get", "events", "--no-headers")
    assert "Tested" in line and "pod/one" in line and "said by a test" in line
    assert "said by a test" in kubectl("events")


def test_cordon_and_uncordon(kubectl):
    name = unique("node")
    kubectl("create", "-f", "-", stdin=manifest(node(name)))
    try:
        kubectl("cordon", name)
        assert kubectl.json("get", "node", name)["spec"]["unschedulable"] is True
        assert "SchedulingDisabled" in kubectl("get", "node", name, "--no-headers")
        kubectl("uncordon", name)
        assert "unschedulable" not in kubectl.json("get", "node", name)["spec"]
    finally:
        kubectl("delete", "node", name)


def test_version_and_cluster_info(kubectl):
    assert "Server Version: v1." in kubectl("version")
    assert "is running at" in kubectl("cluster-info")


WITHOUT_CONTAINERS = [
    (["exec", "one", "--", "ls"], "there is none to run a command in"),
    (["attach", "one"], "there is none to attach to"),
    (["port-forward", "pod/one", ":80"], "there is no port to forward to"),
]


@pytest.mark.backend("embedded")
@pytest.mark.parametrize("args, said", WITHOUT_CONTAINERS, ids=[w[0][0] for w in WITHOUT_CONTAINERS])
def test_what_needs_a_container_says_that_there_is_none(kubectl, one, args, said):
    running = {"status": {"phase": "Running"}}
    kubectl("patch", "pod", "one", "--subresource=status", "--type=merge", "-p", json.dumps(running))
    done = kubectl.run(*args)
    assert done.returncode != 0
    assert "pods are simulated here" in done.stderr and said in done.stderr, done.stderr


RUN_OVER = {
    "name": "main",
    "restartCount": 0,
    "state": {
        "terminated": {
            "exitCode": 3,
            "startedAt": "2026-01-01T00:00:00Z",
            "finishedAt": "2026-01-01T00:00:05Z",
        }
    },
}


@pytest.mark.backend("embedded")
def test_logs_tell_what_a_simulated_container_does(kubectl):
    script = "echo one; sleep 2; echo two; sleep 3; exit 3"
    containers = [{"name": "main", "image": "busybox", "command": ["sh", "-c", script]}]
    body = pod("talks", scheduler="nobody")
    body["spec"].update(nodeName="nowhere", containers=containers)
    kubectl("create", "-f", "-", stdin=manifest(body))
    waiting = kubectl.run("logs", "talks")
    assert waiting.returncode != 0
    assert 'container "main" in pod "talks" is not available' in waiting.stderr, waiting.stderr
    status = {"status": {"containerStatuses": [RUN_OVER]}}
    kubectl(
        "patch", "pod", "talks", "--subresource=status", "--type=merge", "-p", json.dumps(status)
    )
    started = f"simulated: started: sh -c {script} (runs for 5s)\n"
    ended = "simulated: ended with exit code 3\n"
    assert kubectl("logs", "talks") == f"{started}one\ntwo\n{ended}"
    assert kubectl("logs", "-f", "--tail=2", "talks", "-c", "main") == f"two\n{ended}"
    assert kubectl("logs", "--timestamps", "--tail=2", "talks") == (
        f"2026-01-01T00:00:02.000000000Z two\n2026-01-01T00:00:05.000000000Z {ended}"
    )
    assert kubectl("logs", "--limit-bytes=20", "talks") == started[:20]
    before = kubectl.run("logs", "--previous", "talks")
    assert 'previous terminated container "main" in pod "talks" not found' in before.stderr


@pytest.mark.backend("embedded")
@pytest.mark.parametrize("what", ["pods", "nodes"])
def test_top_says_that_nothing_is_measured(kubectl, what):
    done = kubectl.run("top", what)
    assert done.returncode != 0 and "Metrics API not available" in done.stderr, done.stderr
