"""vcctl beside the controllers: what it asks for happens, and it shows what is so."""

import pytest

from support.jobs import WITHIN_S, task
from support.poll import until
from support.vcctl import Vcctl


@pytest.fixture
def vcctl(backend, tmp_path):
    return Vcctl(backend.kubeconfig, tmp_path)


def row(vcctl, world, name):
    """The job's line in the table, as words."""
    lines = vcctl("job", "list", "-n", world.namespace, "--selector", name).out.splitlines()
    return lines[1].split()


def test_a_job_is_suspended_and_resumed(vcctl, world):
    world.job("calc", [task(replicas=2)])
    world.wait_running("calc", 2)
    name, _, phase, kind, replicas, minimum, pending, running, *_ = row(vcctl, world, "calc")
    assert (name, phase, kind, replicas) == ("calc", "Running", "Batch", "2")
    assert (minimum, pending, running) == ("2", "0", "2")
    vcctl("job", "suspend", "-n", world.namespace, "-N", "calc").prints("")
    world.wait_phase("calc", "Aborted")
    assert row(vcctl, world, "calc")[2] == "Aborted"
    vcctl.run("vresume", "-N", world.namespace, "-n", "calc").prints("")
    world.wait_running("calc", 2)
    listed = vcctl("pod", "list", "-n", world.namespace, "-j", "calc").out.splitlines()
    assert [line.split()[1:3] for line in listed[1:]] == [["1/1", "Running"]] * 2
    shown = vcctl("job", "view", "-n", world.namespace, "-N", "calc").out
    assert "\n  State:\n    Phase:\tRunning\n" in shown
    assert "\n    Aborted \t" in shown and "\nEvents:\n" in shown


def test_a_queue_is_closed_and_opened(vcctl, world):
    queue = world.queue()

    def state(wanted):
        def is_so():
            fields = vcctl("queue", "get", "-n", queue).out.splitlines()[1].split()
            return fields[2] == wanted

        until(is_so, WITHIN_S, f"queue {queue} {wanted}")

    state("Open")
    vcctl("queue", "operate", "-n", queue, "-a", "close").prints("")
    state("Closed")
    vcctl("queue", "operate", "-n", queue, "-a", "open").prints("")
    state("Open")


def test_it_is_explained_what_a_job_waits_for(vcctl, world):
    def explained(*words):
        seen = {}

        def told():
            out = vcctl("job", "explain", "-n", world.namespace, "-N", "calc").out
            seen["text"] = "\n".join(" ".join(line.split()) for line in out.splitlines())
            return all(word in seen["text"] for word in words)

        until(told, WITHIN_S, lambda: f"{words} in {seen['text']}")

    queue = world.queue(capability={"cpu": "1"})
    world.job("calc", [task("worker", 2, cpu="1")], queue=queue)
    explained(
        f"Job {world.namespace}/calc: Pending, queue {queue}, created ",
        f"It waits: it is not admitted to queue {queue}: queue resource quota insufficient",
        "Gang: 2 pods must have a place at once\n",
        "\nworker 2 ",
        "\nRESOURCE ASKED ALLOCATED DESERVED GUARANTEE CAPABILITY\ncpu 2 ",
    )
    assert f"{queue}: Open, weight 1; pod groups: 0 running, 0 admitted, 1 waiting\n" in (
        vcctl("queue", "explain", "-n", queue).out
    )
    vcctl("queue", "operate", "-n", queue, "-a", "close").prints("")
    explained(
        f"queue {queue} is Clos",
        f"What helps: vcctl queue operate -n {queue} -a open",
    )
    vcctl("job", "suspend", "-n", world.namespace, "-N", "calc").prints("")
    explained(
        "It waits: it was suspended",
        f"What helps: vcctl job resume -n {world.namespace} -N calc",
    )


def test_a_job_in_a_queue_that_does_not_exist_is_explained(vcctl, world):
    world.job("calc", [task()], queue="no-such-queue")
    text = vcctl("job", "explain", "-n", world.namespace, "-N", "calc").out
    assert "It waits: queue no-such-queue does not exist.\n" in text
