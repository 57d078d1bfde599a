"""What a person at a terminal sees, and what a pipe gets of the same."""

import re

import pytest

from support.jobs import BATCH
from support.objects import node
from support.person import without_escapes
from support.poll import until
from support.rest import MERGE_PATCH
from support.world import unique


@pytest.fixture
def at_terminal(vcctl):
    people = []

    def start(*args, **more):
        people.append(vcctl.at_terminal("vcctl", *args, **more))
        return people[-1]

    yield start
    for person in people:
        person.close()


@pytest.fixture
def jobs(vcctl, namespace):
    for name in ("one", "two", "three"):
        vcctl("job", "run", "-n", namespace, "-N", name).prints(f"run job {name} successfully\n")
    return namespace


def set_phase(rest, namespace, name, phase):
    body = {"status": {"state": {"phase": phase}}}
    path = f"{BATCH}/namespaces/{namespace}/jobs/{name}/status"
    rest.patch(path, body, MERGE_PATCH).expect(200)


def test_lists_have_colours_and_fit_where_somebody_looks(vcctl, rest, jobs, at_terminal):
    set_phase(rest, jobs, "one", "Running")
    set_phase(rest, jobs, "two", "Failed")
    set_phase(rest, jobs, "three", "Pending")
    piped = vcctl("job", "list", "-n", jobs)
    assert "\x1b" not in piped.out and len(piped.out.splitlines()[1]) > 120
    person = at_terminal("job", "list", "-n", jobs)
    assert person.leaves() == 0
    for coloured in ("\x1b[32mRunning\x1b[0m", "\x1b[31mFailed\x1b[0m", "\x1b[33mPending\x1b[0m"):
        assert coloured in person.seen, person.seen
    lines = without_escapes(person.seen).splitlines()
    assert len(lines) == 4 and max(map(len, lines)) <= 80, lines
    assert "…" in lines[0], lines
    wide = at_terminal("job", "list", "-n", jobs, columns=200)
    assert wide.leaves() == 0
    assert without_escapes(wide.seen).replace("\r\n", "\n") == piped.out
    for asks, environment in (((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}), (["--color=never"], {})):
        plain = at_terminal("job", "list", "-n", jobs, *asks, **environment)
        assert plain.leaves() == 0 and "\x1b" not in plain.seen, plain.seen
    forced = vcctl("job", "list", "-n", jobs, "--color=always")
    assert "\x1b[32mRunning\x1b[0m" in forced.out and without_escapes(forced.out) == piped.out


def test_times_are_shown_as_one_asks(vcctl, jobs):
    created = r"\d{4}-\d\d-\d\d"
    for form, looks in (
        ("relative", r"\d+s"),
        ("absolute", created + r" \d\d:\d\d:\d\d"),
        ("rfc3339", created + r"T\d\d:\d\d:\d\d\+00:00"),
    ):
        table = vcctl("job", "list", "-n", jobs, f"--time={form}").out
        assert re.search(rf"\none +{looks}  ", table), table
        wide = vcctl("job", "list", "-n", jobs, "-o", "wide", f"--time={form}").out
        assert re.search(rf"\none .* {looks} ", wide), wide
    mistake = vcctl("job", "list", "--time=soon")
    assert mistake.code == 1 and '"soon" for "--time" flag' in mistake.err, mistake


def test_a_person_is_asked_before_many_jobs_go(vcctl, jobs, at_terminal):
    person = at_terminal("job", "delete", "--all", "-n", jobs)
    person.sees(f"  one\r\n  three\r\n  two\r\nDelete these 3 jobs in namespace {jobs}? [y/N] ")
    person.types("n\n")
    assert person.leaves() == 255
    assert person.seen.endswith(
        "Failed to delete job: nothing was deleted, as it was not confirmed\r\n"
    )
    assert len(vcctl("job", "list", "-n", jobs).out.splitlines()) == 4
    sure = at_terminal("job", "delete", "--all", "-n", jobs)
    sure.sees("[y/N] ")
    sure.types("y\n")
    assert sure.leaves() == 0
    # A counter was written over, and is gone.
    assert "\rdeleting jobs: 3 of 3\x1b[K\r\x1b[Kdelete job one successfully\r\n" in sure.seen
    vcctl("job", "list", "-n", jobs).prints("No resources found\n")


def test_a_script_is_not_asked(vcctl, jobs):
    done = vcctl("job", "delete", "--field-selector", "metadata.name!=two", "-n", jobs)
    done.prints("delete job one successfully\ndelete job three successfully\n")
    vcctl("job", "delete", "--all", "-n", jobs).prints("delete job two successfully\n")


def test_files_of_flows_are_asked_about_too(vcctl, namespace, tmp_path, at_terminal):
    file = tmp_path / "flows.yaml"
    file.write_text(
        "---\n".join(
            f"metadata: {{name: {name}, namespace: {namespace}}}\nspec: {{flows: []}}\n"
            for name in ("a", "b")
        )
    )
    vcctl("jobflow", "create", "-f", file)
    person = at_terminal("jobflow", "delete", "-f", file)
    person.sees(f"  {namespace}/a\r\n  {namespace}/b\r\nDelete these 2 jobflows? [y/N] ")
    person.types("\n")
    assert person.leaves() == 255
    unasked = at_terminal("jobflow", "delete", "-f", file, "--yes")
    assert unasked.leaves() == 0 and "[y/N]" not in unasked.seen
    assert unasked.seen.endswith(f"Deleted JobFlow: {namespace}/b\r\n"), unasked.seen


def test_waiting_shows_what_for(rest, jobs, at_terminal):
    person = at_terminal("job", "wait", "-n", jobs, "-N", "one", "--timeout=60s")
    person.sees("\rjob one: new; waiting for Completed since ")
    set_phase(rest, jobs, "one", "Running")
    person.sees("\rjob one: Running; waiting for Completed since ")
    set_phase(rest, jobs, "one", "Completed")
    assert person.leaves() == 0
    assert person.seen.endswith("\r\x1b[Kjob one is Completed\r\n"), person.seen


def test_top_lives_on_its_own_screen(vcctl, rest, at_terminal):
    name = unique("busy")
    rest.post("/api/v1/nodes", node(name)).expect(201)
    vcctl("queue", "create", "-n", name).prints("")
    try:
        table = vcctl("top", "nodes").out
        assert table.startswith("NODE ") and "CPU%" in table and name in table, table
        assert "\x1b" not in table
        person = at_terminal("top", "--interval=200ms", columns=120)
        end = person.sees(name)
        assert person.seen.startswith("\x1b[?1049h\x1b[?25l")
        rest.patch(f"/api/v1/nodes/{name}", {"spec": {"unschedulable": True}}, MERGE_PATCH).expect(200)
        end = person.sees("SchedulingDisabled", after=end)
        person.resize(60, 12)
        end = person.sees("\x1b[H\x1b[2J", after=end)
        person.sees(name, after=end)
        person.interrupts()
        assert person.leaves() == 0
        assert person.seen.endswith("\x1b[?25h\x1b[?1049l"), person.seen
        # Keys are not shown, and q ends it as Ctrl-C does.
        typist = at_terminal("top", columns=120)
        typist.sees(name)
        until(lambda: not typist.shows_keys(), 10, "keys are read one by one")
        typist.types("xq")
        typist.sees("\x1b[?25h\x1b[?1049l")
        assert typist.shows_keys()
        assert typist.leaves() == 0 and "xq" not in typist.seen
        interrupted = at_terminal("top", columns=120)
        interrupted.sees(name)
        interrupted.types("\x03")  # What the keyboard sends for Ctrl-C.
        interrupted.sees("\x1b[?25h\x1b[?1049l")
        assert interrupted.shows_keys()
        assert interrupted.leaves() == 0
        queues = at_terminal("top", "queues")
        queues.sees(f"{name}: ")
        queues.sees("pod groups: ")
        queues.ends_it()
        assert queues.leaves() == 0 and queues.seen.endswith("\x1b[?1049l")
        once = at_terminal("top", "--once")
        assert once.leaves() == 0 and "\x1b[?1049h" not in once.seen and "[" in once.seen
    finally:
        rest.delete(f"/api/v1/nodes/{name}")
        vcctl("queue", "delete", "-n", name)
