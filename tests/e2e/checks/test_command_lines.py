"""What every program answers on its command line."""

import re
import subprocess

import pytest

from support.processes import ours

PROGRAMS = ["vc-scheduler", "vc-controller-manager", "vc-standalone", "vc-nodesim", "vc-sim"]
VERSION = re.compile(
    r"API Version: v1alpha1\nVersion: \d+\.\d+\.\d+\nGit SHA: .+\nBuilt At: .+\n"
    r"Compiler: .+\nOS/Arch: linux/\w+\n"
)


def run(program, *args):
    return subprocess.run([ours(program), *args], capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize("program", PROGRAMS)
def test_version_has_one_format(program):
    done = run(program, "--version")
    assert done.returncode == 0 and VERSION.fullmatch(done.stdout), done


MISTYPED = [
    (["vc-scheduler", "--lead-elect"], "--leader-elect"),
    (["vc-controller-manager", "--sheduler-name=x"], "--scheduler-name"),
    (["vc-standalone", "--node=3"], "--nodes"),
    (["vc-nodesim", "--kubconfig", "x"], "--kubeconfig"),
    (["vc-sim", "run", "--cycels", "3", "-"], "--cycles"),
    (["vc-sim", "test", "--bles", "x"], "--bless"),
    (["vc-sim", "--vershun"], "--version"),
]


@pytest.mark.parametrize("argv, meant", MISTYPED, ids=[m[0][0] + m[1] for m in MISTYPED])
def test_a_mistyped_flag_is_the_last_line_with_the_one_that_was_meant(argv, meant):
    done = run(*argv)
    assert done.returncode == 2 and done.stdout == "", done
    last = done.stderr.splitlines()[-1]
    flag = next(word for word in argv if word.startswith("--")).partition("=")[0]
    assert f"unknown flag: {flag} (did you mean {meant}?)" in last, last


@pytest.mark.parametrize("program", ["vc-scheduler", "vc-controller-manager"])
def test_a_word_behind_a_boolean_is_told(program):
    done = run(program, "--leader-elect", "false", "--kubeconfig=/does/not/exist")
    assert done.returncode == 1
    assert "write --leader-elect=false" in done.stderr.splitlines()[0], done.stderr
    done = run(program, "--leader-elect=false", "--kubeconfig=/does/not/exist")
    assert "write --leader-elect" not in done.stderr


def test_the_help_of_vc_standalone_begins_with_what_is_in_it():
    first = run("vc-standalone", "--help").stderr.splitlines()[0]
    for part in ("API server", "scheduler", "controllers", "simulated nodes"):
        assert part in first, first


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_bad_value_is_the_last_line_too(program):
    flag = {"vc-sim": "--cycles"}.get(program, "--v")
    argv = ["run", flag, "many", "-"] if program == "vc-sim" else [f"{flag}=many"]
    done = run(program, *argv)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert flag in last and "many" in last, last
