"""vcctl beside the controllers: what it asks for happens, and it shows what is so."""

import signal

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


@pytest.mark.backend("embedded")
def test_logs_of_the_pods_of_a_job(vcctl, world):
    tasks = [task("talk", 2, "echo hello; sleep 1; echo bye"), task("serve", 1, "run-a-server")]
    world.job("calc", tasks)
    n = world.namespace
    done = vcctl("job", "logs", "-n", n, "-N", "calc", "--task", "talk", "-f")
    assert (done.code, done.err) == (0, ""), done
    for pod in ("calc-talk-0", "calc-talk-1"):
        lines = [
            line.removeprefix(f"[{pod}] ")
            for line in done.out.splitlines()
            if line.startswith(f"[{pod}] ")
        ]
        assert lines[1:] == ["hello", "bye", "simulated: ended with exit code 0"], done.out
    # In order, when nothing is awaited.
    told = vcctl("job", "logs", "-n", n, "-N", "calc", "--tail=1")
    assert [line.split()[0] for line in told.out.splitlines()] == [
        "[calc-talk-0]",
        "[calc-talk-1]",
        "[calc-serve-0]",
    ]
    one = vcctl("job", "logs", "-n", n, "-N", "calc", "--task=talk", "--index=1", "--tail=2")
    one.prints("bye\nsimulated: ended with exit code 0\n")
    missing = vcctl("job", "logs", "-n", n, "-N", "calc", "--task=tlak")
    assert '--task: job calc has no task "tlak" (did you mean "talk"?)' in missing.out


@pytest.mark.backend("embedded")
def test_following_logs_ends_when_the_user_does(vcctl, world):
    world.job("calc", [task("serve", 1, "echo up; run-a-server")])
    world.wait_running("calc", 1)
    person = vcctl.at_terminal("vcctl", "job", "logs", "-n", world.namespace, "-N", "calc", "-f")
    try:
        person.sees("up\r\n")
        person.interrupts()
        assert person.leaves() == -signal.SIGINT
    finally:
        person.close()


def test_top_counts_what_pods_ask_for(vcctl, world):
    world.job("calc", [task("work", 2, cpu="250m")])
    world.wait_running("calc", 2)
    table = vcctl("top", "nodes").out.splitlines()
    jobs = table[0].split().index("JOBS")
    assert sum(int(line.split()[jobs]) for line in table[1:]) >= 1, table
    queues = vcctl("top", "queues").out.splitlines()
    assert queues[0].split()[:3] == ["QUEUE", "STATE", "RESOURCE"], queues
