"""scheduler.conf: what is refused, and what a change of the file does."""

import re

import pytest

from support.poll import always, until
from support.scheduler import CONF

WITHOUT_BACKFILL = CONF.replace("enqueue, allocate, backfill", "enqueue, allocate")


@pytest.mark.parametrize(
    "old, wrong, words",
    [
        ("- name: gang", "- name: gagn", ["gagn", "gang"]),
        ("allocate, backfill", "alocate, backfill", ["alocate", "allocate"]),
        ("- name: drf", "- name: [drf", []),
        ("- name: overcommit", "- nam: overcommit", ["nam", "name"]),
    ],
    ids=["unknown plugin", "unknown action", "broken YAML", "plugin without name"],
)
def test_a_bad_file_at_start_names_line_and_remedy(world, new_scheduler, old, wrong, words):
    assert CONF.count(old) == 1
    line = CONF[: CONF.index(old)].count("\n") + 1
    daemon = new_scheduler(conf=CONF.replace(old, wrong), healthy=False)
    assert daemon.process.wait(20) != 0
    log = daemon.process.log()
    assert "scheduler.conf" in log
    # A broken YAML list is noticed at its beginning or where it should have ended.
    lines = {int(n) for n in re.findall(r"(?:line |scheduler\.conf:)(\d+)", log)}
    assert lines & {line, line + 1}, f"line {line} is named: {log}"
    for word in words:
        assert re.search(rf"\b{word}\b", log), f"{word} is named: {log}"


def test_a_file_that_is_missing_at_start_is_named(world, new_scheduler, tmp_path):
    """Nothing is in force yet that could stay."""
    missing = str(tmp_path / "nowhere.conf")
    daemon = new_scheduler(flags=["--scheduler-conf", missing], healthy=False)
    assert daemon.process.wait(20) != 0
    log = daemon.process.log()
    assert f"Failed to read the Scheduler config in '{missing}': " in log
    assert "No such file or directory" in log
    assert "previous" not in log


def test_a_good_change_takes_effect_without_a_restart(world, new_scheduler):
    world.node(cpu=2)
    daemon = new_scheduler(conf=WITHOUT_BACKFILL)
    world.gang("light", 1, cpu=None, memory=None)
    world.wait_placed(world.gang("heavy", 1))
    always(
        lambda: "light-0" not in world.placement(), 1, "only backfill places pods without requests"
    )
    daemon.write_conf(CONF)
    world.wait_placed(["light-0"])
    daemon.process.check()


def test_a_bad_change_keeps_the_old_policy_and_says_so(world, new_scheduler):
    world.node(cpu=4)
    daemon = new_scheduler()
    daemon.write_conf(CONF.replace("name: gang", "name: gagn"))
    until(lambda: re.search(r"\bgagn\b", daemon.process.log()), 20, "the log names the mistake")
    world.wait_placed(world.gang("g", 2))
    world.wait_placed(world.gang("light", 1, cpu=None, memory=None))
    world.gang("too-large", 9)
    world.wait_group_condition("too-large", "Unschedulable", status="True")
    daemon.process.check()
    # The way out is a good file, not a restart.
    daemon.write_conf(CONF + "\n")
    world.wait_placed(world.gang("last", 1))
