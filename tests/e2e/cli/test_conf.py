"""vcctl conf: what a scheduler.conf means, and what another one would do."""

import json

import pytest

from support.processes import ROOT
from support.scheduler import CONF, Scheduler
from support.terminal import the_block
from support.world import unique

WITHOUT_PRIORITY = CONF.replace("  - name: priority\n", "")


@pytest.fixture
def conf(tmp_path):
    path = tmp_path / "checked.conf"
    path.write_text(CONF)
    return path


def test_a_good_file_is_accepted_with_what_differs(vcctl):
    shown = the_block("docs/vcctl.md", "conf check")
    assert shown == "build/release/bin/vcctl conf check examples/scheduler.conf\n"
    path = ROOT / "examples/scheduler.conf"
    done = vcctl("conf", "check", path)
    assert (done.code, done.err) == (0, ""), done
    assert done.out.startswith(f"{path}: accepted"), done
    assert "warning" not in done.out, done
    told = json.loads(vcctl("conf", "check", path, "-o", "json").out)
    assert told["accepted"] and {f["kind"] for f in told["findings"]} <= {"note", "differs"}


def test_what_has_no_effect_is_told_and_accepted(vcctl, conf):
    conf.write_text(CONF.replace("- name: gang", "- name: gang\n    enabledJobOrder: true"))
    done = vcctl("conf", "check", conf)
    line = CONF[: CONF.index("- name: gang")].count("\n") + 2
    assert done.code == 0, done
    assert f"{conf}:{line}: warning: " in done.out and "    write enableJobOrder\n" in done.out, done


@pytest.mark.parametrize(
    "old, wrong",
    [
        ("- name: gang", "- name: gagn"),
        ("allocate, backfill", "alocate, backfill"),
        ("- name: drf", "- name: [drf"),
        ("- name: overcommit", "- nam: overcommit"),
    ],
    ids=["unknown plugin", "unknown action", "broken YAML", "plugin without name"],
)
def test_what_the_scheduler_refuses_is_refused_with_its_words(
    backend, vcctl, conf, tmp_path, old, wrong
):
    text = CONF.replace(old, wrong)
    conf.write_text(text)
    told = json.loads(vcctl("conf", "check", conf, "-o", "json").out)
    assert vcctl("conf", "check", conf).code == 255
    assert not told["accepted"]
    daemon = Scheduler(backend.kubeconfig, tmp_path, conf=text)
    try:
        assert daemon.process.wait(20) != 0
        log = daemon.process.log().replace('\\"', '"')
    finally:
        daemon.close()
    for finding in told["findings"]:
        assert finding["kind"] != "error" or finding["text"] in log, (finding, log)


def test_a_config_map_of_the_cluster(vcctl, rest, namespace):
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    body = {"metadata": {"name": "conf"}, "data": {"volcano-scheduler.conf": CONF}}
    rest.post(path, {"apiVersion": "v1", "kind": "ConfigMap", **body}).expect(201)
    done = vcctl("conf", "check", "--configmap", f"{namespace}/conf")
    assert done.code == 0, done
    assert done.out.startswith(f"configmap {namespace}/conf volcano-scheduler.conf: accepted"), done


def world():
    """A node with room for one of two gangs, as `kubectl get -o json` lists objects."""
    items = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "n1"},
            "status": {"allocatable": {"cpu": "1", "memory": "4Gi", "pods": "9"}},
        },
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "high"},
            "value": 100,
        },
    ]
    for name, age, more in (("old", 0, {}), ("new", 9, {"priorityClassName": "high"})):
        items.append(
            {
                "apiVersion": "scheduling.volcano.sh/v1beta1",
                "kind": "PodGroup",
                "metadata": {
                    "name": name,
                    "namespace": "x",
                    "creationTimestamp": f"2026-01-01T00:00:0{age}Z",
                },
                "spec": {"minMember": 1, **more},
            }
        )
        containers = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"{name}-0",
                    "namespace": "x",
                    "annotations": {"scheduling.k8s.io/group-name": name},
                },
                "spec": {"schedulerName": "volcano", "containers": containers, **more},
            }
        )
    return {"apiVersion": "v1", "kind": "List", "items": items}


def test_pods_that_fare_differently(vcctl, conf, tmp_path):
    (tmp_path / "world.json").write_text(json.dumps(world()))
    less = tmp_path / "less.conf"
    less.write_text(WITHOUT_PRIORITY)
    argv = ["conf", "diff", less, conf, "--world", tmp_path / "world.json"]
    told = json.loads(vcctl(*argv, "-o", "json").out)
    assert (told["pods"], told["differ"]) == (2, 2)
    fates = {
        p["pod"]: (p["before"]["fate"], p["after"]["fate"])
        for job in told["jobs"]
        for p in job["differences"]
    }
    assert fates == {"x/old-0": ("placed", "waits"), "x/new-0": ("waits", "placed")}
    done = vcctl(*argv)
    assert done.code == 0 and "2 of 2 pods fare differently\n" in done.out, done
    assert "PodGroup x/new, queue default: 1 of 1 pod\n" in done.out, done
    same = vcctl("conf", "diff", conf, conf, "--world", tmp_path / "world.json")
    assert same.code == 0 and "0 of 2 pods fare differently\n" in same.out, same


def test_a_dump_of_the_scheduler_is_a_world(vcctl, backend, conf, tmp_path, rest, namespace):
    group = unique("g")
    path = f"/apis/scheduling.volcano.sh/v1beta1/namespaces/{namespace}/podgroups"
    body = {"metadata": {"name": group}, "spec": {"minMember": 2}}
    kind = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup"}
    rest.post(path, {**kind, **body}).expect(201)
    daemon = Scheduler(backend.kubeconfig, tmp_path)
    try:
        daemon.wait_healthy()
        (tmp_path / "dump.json").write_text(daemon.dump())
    finally:
        daemon.close()
    assert f'"name":"{group}"' in (tmp_path / "dump.json").read_text()
    done = vcctl("conf", "diff", conf, conf, "--world", tmp_path / "dump.json", "-o", "json")
    assert done.code == 0 and json.loads(done.out)["differ"] == 0, done
