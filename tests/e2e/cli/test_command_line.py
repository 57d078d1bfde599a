"""Help, mistakes and exit codes, without a server."""

import pytest

from support.vcctl import Vcctl

PROGRAMS = ("vsub", "vjobs", "vqueues", "vcancel", "vsuspend", "vresume")


@pytest.fixture
def vcctl(tmp_path):
    return Vcctl("", tmp_path)


def test_version(vcctl):
    done = vcctl("version")
    assert done.code == 0 and len(done.out.splitlines()) == 6, done
    assert done.out.startswith("API Version: v1alpha1\nVersion: "), done


def test_help_is_no_mistake(vcctl):
    for args in ((), ("--help",), ("help",)):
        done = vcctl(*args)
        assert (done.code, done.err) == (0, ""), done
        assert done.out.startswith("Usage:\n  vcctl [command]\n\nAvailable Commands:\n"), done
    group = vcctl("job", "no-such-leaf")
    assert group.code == 0
    assert group.out.startswith("vcctl command line operation job\n\nUsage:\n  vcctl job [command]\n")


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_name_is_a_program(vcctl, program):
    done = vcctl.run(program, "--help")
    assert done.code == 0 and f"\nUsage:\n  {program} [flags]\n" in done.out, done


def test_mistakes_go_to_stderr_and_end_with_1(vcctl):
    said = {
        ("jb",): 'unknown command "jb" for "vcctl"\n\nDid you mean this?\n\tjob\n',
        ("job", "list", "--nope"): "unknown flag: --nope",
        ("job", "list", "-z"): "unknown shorthand flag: 'z' in -z",
        ("queue", "list", "-v"): "flag needs an argument: 'v' in -v",
        ("queue", "create", "-w", "x"): 'invalid argument "x" for "-w, --weight" flag: '
        'strconv.ParseInt: parsing "x": invalid syntax',
    }
    for args, what in said.items():
        done = vcctl(*args)
        assert (done.code, done.out, done.err) == (1, "", f"Error: {what}\n"), done
    done = vcctl.run("vjobs", "--nope")
    assert done.code == 1 and done.err.startswith("Usage:\n  vjobs [flags]\n"), done
    assert done.err.endswith("\n\nError: unknown flag: --nope\n"), done
