"""Random device claims, each judged by a checker that knows the rules, not the scheduler. On the
real server Kubernetes' own scheduler works beside ours, on half of the nodes."""

import json
import os

import pytest

from support import kube_scheduler
from support.device_checker import judge
from support.random_devices import Stage

CLAIMS = int(os.environ.get("BTH_RANDOM_CLAIMS", "60"))
SEED = int(os.environ.get("BTH_RANDOM_SEEDS", "1").split("-")[0].split()[0])


@pytest.fixture
def stage(world, backend):
    made = Stage(world, SEED, CLAIMS, beside=backend.kind == "kube")
    yield made
    made.close()


def test_random_claims_get_what_they_ask_for_and_nobody_gets_it_twice(
    stage, new_scheduler, backend, tmp_path
):
    stage.build()
    units = stage.units
    # Some wait when the schedulers start, some come while they are at work.
    half = len(units) // 2
    stage.create(units[:half])
    ours = new_scheduler(flags=stage.flags())
    theirs = []
    if backend.kind == "kube":
        theirs.append(kube_scheduler.KubeScheduler(backend.kubeconfig, tmp_path))
    try:
        stage.create(units[half : half + len(units) // 4])
        # Some end, we die and come back, and the last ones come.
        stage.end_some(0.25)
        ours.kill()
        ours.restart()
        stage.create(units[half + len(units) // 4 :])
        programs = [ours.process, *(t.process for t in theirs)]
        stage.settle(within=60 + CLAIMS // 5, alive=lambda: [p.check() for p in programs])
    finally:
        for process in theirs:
            process.close()
    course = stage.course()
    written = tmp_path / "course.json"
    written.write_text(json.dumps(course))
    verdict = judge(course)
    print(f"seed {SEED}, {CLAIMS} claims: {dict(verdict.counts)}, {stage.history.lent} lendings")
    print(f"of others: {verdict.of_others}\njudge({written}) judges the whole course")
    beyond = stage.history.beyond(course["slices"])
    assert verdict.violations + stage.history.problems() + beyond == []
    assert stage.history.is_gapless()
    # It was no walkover.
    counts = verdict.counts
    assert counts["placed"] > CLAIMS // 4 and counts["waiting"] > CLAIMS // 20, counts
    assert counts["unknown"] < CLAIMS // 10 + 5, counts
    # Of what few claims ask for, many draw some.
    assert CLAIMS < 300 or (counts["admin"] and counts["shared"]), counts
    refused = [line for line in ours.process.log().splitlines() if "claim.not_released" in line]
    assert refused == []
