"""What README.md, examples/README.md and the manual tell a newcomer to type, typed."""

import re
import subprocess

import pytest

from support.processes import ROOT, theirs
from support.terminal import Terminal, blocks, the_block

README = "README.md"
EXAMPLES = "examples/README.md"
MANUAL = "docs/operations.md"


@pytest.fixture
def kubectl():
    """Its name leaves these tests out where there is none."""
    return theirs("kubectl")


@pytest.fixture
def terminal(kubectl, tmp_path):
    return Terminal(tmp_path)


def test_every_block_has_a_test():
    assert [b.split()[0] for b in blocks(README)] == ["make", "build/release/bin/vc-standalone"]
    assert [b.split()[0] for b in blocks(EXAMPLES)] == ["kubectl", "build/release/bin/vc-standalone"]


def test_the_targets_of_make_are_there():
    targets = re.findall(r"^make (\w+)", the_block(README, "make"), re.MULTILINE)
    assert targets == ["demo", "test"]
    done = subprocess.run(["make", "-n", *targets], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.backend("embedded")
def test_the_first_job_runs_on_vc_standalone(terminal):
    code, screen = terminal.paste(the_block(README, "vc-standalone"))
    assert code == 0, screen
    assert "job.batch.volcano.sh/gang condition met" in screen, screen
    for i in range(4):
        assert re.search(rf"pod/gang-worker-{i} +0/1 +Completed ", screen), screen
    assert re.search(r"queue\S+/default +root +Open ", screen), screen


@pytest.mark.backend("embedded")
def test_the_manual_starts_vc_standalone(terminal):
    code, screen = terminal.paste(the_block(MANUAL, "vc-standalone"))
    assert code == 0, screen
    for i in range(4):
        assert re.search(rf"training-worker-{i} +0/1 +Completed .* node-000[1-4] ", screen), screen


@pytest.mark.backend("embedded")
def test_all_examples_are_taken_by_vc_standalone(terminal):
    code, screen = terminal.paste(the_block(EXAMPLES, "vc-standalone"))
    assert code == 0, screen
    listed = [line.split() for line in screen.splitlines() if "/" in line]
    names = {words[0] for words in listed if words[1] not in ("created", "API:")}
    for made in ("job.batch.volcano.sh/gang", "cronjob.batch.volcano.sh/report",
                 "jobflow.flow.volcano.sh/pipeline"):
        assert made in names, screen


@pytest.mark.usefixtures("cluster")
def test_the_first_job_runs_on_a_cluster(backend, kubectl, tmp_path):
    terminal = Terminal(tmp_path, backend.kubeconfig)
    try:
        code, screen = terminal.paste(the_block(EXAMPLES, "namespace.yaml"))
        assert code == 0, screen
        assert "job.batch.volcano.sh/training condition met" in screen, screen
        for i in range(4):
            assert re.search(rf"pod/training-worker-{i} +0/1 +Completed ", screen), screen
    finally:
        backend.rest().delete("/api/v1/namespaces/demo")
