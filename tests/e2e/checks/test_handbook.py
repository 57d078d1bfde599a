"""docs/troubleshooting.md is tested whole."""

import pathlib

from support.handbook import PAGE, asked_for, entries, pattern

E2E = pathlib.Path(__file__).resolve().parents[1]


def test_every_entry_has_a_test():
    assert set(entries(PAGE.read_text())) == asked_for(E2E)


def test_quotations_match_what_they_stand_for():
    assert pattern("1/3 tasks …: gone", {}).search("x 1/3   tasks in gang: gone")
    assert not pattern("1/3 tasks …: gone", {}).search("1/3 tasks\nin: gone")
    assert pattern("pod POD (a)", {"POD": "p-0"}).fullmatch("pod p-0 (a)")
