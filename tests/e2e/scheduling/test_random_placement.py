"""Hundreds of random pods, each judged by a checker that knows the rules, not the scheduler."""

import os
from collections import Counter

import pytest

from support import kube_scheduler
from support.binding_order import BindingOrder
from support.placement_checker import RULES, judge
from support.random_world import Stage
from support.random_world.features import FEATURES
from support.scheduler import CONF
from support.storage import Provisioner, Storage

# "7", "1 2 3" or "1-10".
SEEDS = os.environ.get("BTH_RANDOM_SEEDS", "1")


def seeds(text):
    spans = [word.partition("-") for word in text.split()]
    return [n for first, _, last in spans for n in range(int(first), int(last or first) + 1)]


def run(stage, start, tmp_path):
    """Lets a scheduler, which `start` starts, place the load; returns the verdict."""
    order = BindingOrder(stage.rest)
    try:
        with Provisioner(Storage(stage.world)):
            stage.build()
            before = stage.objects()
            # Some wait when the scheduler starts, some come while it is at work.
            half = len(stage.load.gangs) // 2
            stage.create(stage.load.gangs[:half])
            start()
            stage.create(stage.load.gangs[half:])
            stage.settle(order, within=90)
    finally:
        order.close()
    assert order.is_gapless()
    course = stage.course(before, order)
    written = tmp_path / "course.json"
    written.write_text(course.to_json())
    verdict = judge(course)
    print(f"seed {stage.seed}: {verdict}\nCourse.from_json reads the whole course from {written}")
    return verdict


@pytest.fixture(params=seeds(SEEDS))
def new_stage(request, world, backend):
    made = []

    def make(**more):
        made.append(Stage(world, request.param, leaving=backend.kind == "kube", **more))
        return made[-1]

    yield make
    for stage in made:
        stage.close()


def test_random_pods_go_only_where_they_may(new_stage, new_scheduler, tmp_path):
    stage = new_stage()
    verdict = run(stage, new_scheduler, tmp_path)
    assert verdict.violations == []
    # It was no walkover: many pods with each feature, and each rule alone kept pods from nodes.
    carried = Counter(name for names in stage.load.features.values() for name in names)
    print(f"features: {dict(carried)}")
    assert all(carried[name] >= 5 for name in (*FEATURES, "claims")), carried
    assert all(verdict.alone[rule.name] > 0 for rule in RULES), verdict.alone
    assert verdict.placed > 300 and verdict.waiting > 10


SWITCHES = {
    "predicate.NodeAffinityEnable": ["node affinity"],
    "predicate.TaintTolerationEnable": ["taints"],
    "predicate.PodAffinityEnable": [
        "pod affinity",
        "pod anti-affinity",
        "anti-affinity of others",
    ],
    "predicate.PodTopologySpreadEnable": ["spread"],
    "predicate.VolumeRestrictionsEnable": ["one-pod claims"],
    "predicate.NodeVolumeLimitsEnable": ["attach limits"],
    "predicate.VolumeZoneEnable": ["volume zone"],
    "predicate.VolumeBindingEnable": ["volume affinity", "not bound"],
}


@pytest.mark.waits
def test_a_scheduler_that_does_without_the_rules_is_found_out(
    new_stage, new_scheduler, tmp_path
):
    lines = "".join(f"      {switch}: false\n" for switch in SWITCHES)
    assert "- name: predicates\n" in CONF
    lax = CONF.replace("- name: predicates\n", f"- name: predicates\n    arguments:\n{lines}")
    verdict = run(new_stage(), lambda: new_scheduler(conf=lax), tmp_path)
    for rule in sum(SWITCHES.values(), []):
        assert any(rule in text for text in verdict.violations), rule


@pytest.mark.backend("kube")
def test_the_checker_agrees_with_the_scheduler_of_kubernetes(new_stage, backend, tmp_path):
    stage = new_stage(scheduler=kube_scheduler.NAME, gangs=False)
    started = []
    try:
        verdict = run(
            stage,
            lambda: started.append(kube_scheduler.KubeScheduler(backend.kubeconfig, tmp_path)),
            tmp_path,
        )
    finally:
        for process in started:
            process.close()
    assert verdict.violations == []
