"""What a terminal shows: what a pipe gets, one screen of help, and hints for slips of the fingers."""

import pytest

from support.jobs import BATCH
from support.objects import SCHEDULING
from support.world import unique


@pytest.fixture
def filled(vcctl, rest, namespace, tmp_path):
    """A namespace with a job, a flow and a template in it, and a queue."""
    queue = unique("q")
    vcctl("queue", "create", "-n", queue).prints("")
    vcctl("job", "run", "-n", namespace, "-N", "train").prints("run job train successfully\n")
    for group in ("jobflow", "jobtemplate"):
        file = tmp_path / f"{group}.yaml"
        file.write_text(f"metadata: {{name: train, namespace: {namespace}}}\nspec: {{}}\n")
        assert vcctl(group, "create", "-f", file).code == 0
    yield queue
    vcctl("job", "delete", "-n", namespace, "-N", "train")
    rest.delete(f"{SCHEDULING}/queues/{queue}")


def test_a_terminal_shows_what_a_pipe_gets(vcctl, namespace, filled):
    ns, name = ("-n", namespace), ("-N", "train")
    lines = [
        ("vcctl", "job", "list", *ns),
        ("vcctl", "job", "list", *ns, "-q", "nobody"),
        ("vcctl", "job", "view", *ns, *name),
        ("vcctl", "job", "view"),
        ("vcctl", "queue", "get", "-n", filled),
        ("vcctl", "queue", "operate", "-n", filled, "-a", "odd"),
        ("vcctl", "jobflow", "get", *ns, *name),
        ("vcctl", "jobflow", "describe", *ns, *name),
        ("vcctl", "jobtemplate", "list", *ns),
        ("vcctl", "jobtemplate", "describe", *ns, *name, "-o", "json"),
        ("vcctl", "pod", "list", *ns),
        ("vcctl", "version"),
        ("vcctl", "job"),
        ("vcctl", "queue", "create", "--help"),
        ("vcctl", "jb"),
        ("vjobs", "-N", namespace),
        ("vjobs", "-N", namespace, "-n", "train"),
        ("vqueues", "-n", filled),
        ("vsub",),
        ("vcancel", "-N", namespace, "-n", "nobody"),
        ("vsuspend", "--help"),
    ]
    for program, *args in lines:
        for _ in range(3):  # Ages are a second apart now and then.
            piped = vcctl.run(program, *args)
            expected = (piped.code, piped.out + piped.err)
            seen = vcctl.seen_at_terminal(*args, program=program, columns=250)
            if seen == expected:
                break
        assert seen == expected, (program, args)


def test_help_is_one_screen(vcctl):
    for args in ((), ("--help",), ("help",)):
        code, seen = vcctl.seen_at_terminal(*args)
        assert code == 0
        lines = seen.splitlines()
        assert len(lines) <= 24 and max(map(len, lines)) <= 80, seen
        assert lines[:2] == ["Usage:", "  vcctl [command]"] and "Examples:" in lines
        assert lines[-1] == 'Use "vcctl [command] --help" for more information about a command.'


def test_names_that_may_be_meant_are_told_at_a_terminal(vcctl, rest, namespace, filled):
    args = ("job", "view", "-n", namespace, "-N", "trian")
    failed = 'Failed to view job: jobs.batch.volcano.sh "trian" not found\n'
    near = "\nDid you mean this?\n\ttrain\n"
    assert vcctl.seen_at_terminal(*args) == (255, failed + near)
    vcctl(*args).fails(failed.rstrip())  # Programs get what they get from Volcano's.
    code, seen = vcctl.seen_at_terminal("-N", namespace, "-n", "trai", program="vcancel")
    assert (code, seen) == (255, f'Failed to: jobs.batch.volcano.sh "trai" not found\n{near}')
    assert rest.get(f"{BATCH}/namespaces/{namespace}/jobs/train").status == 200
    code, seen = vcctl.seen_at_terminal("queue", "get", "-n", filled + "x")
    assert code == 255 and "\nDid you mean this?\n" in seen and f"\n\t{filled}\n" in seen, seen
    code, seen = vcctl.seen_at_terminal("jobflow", "get", "-n", namespace, "-N", "trainn")
    assert code == 255 and seen.endswith(near), seen


def test_hints_are_for_terminals(vcctl):
    code, seen = vcctl.seen_at_terminal("job", "list", "--nope")
    hint = "See 'vcctl job list --help' for its flags.\n"
    assert (code, seen) == (1, f"Error: unknown flag: --nope\n{hint}")
    code, seen = vcctl.seen_at_terminal("queue", "get", "fast")
    assert code == 255 and seen.endswith("\nNames are given with a flag: vcctl queue get -n fast\n")


def test_flags_that_may_be_meant_are_told(vcctl):
    done = vcctl("job", "list", "--namespce", "a")
    meant = "Error: unknown flag: --namespce\n\nDid you mean this?\n\t--namespace\n\n"
    assert (done.code, done.out, done.err) == (1, "", meant)
