""".ci/run: every test program runs under AddressSanitizer, and each part comes first on some day."""

import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = (ROOT / ".ci/run").read_text("utf-8")

# Test programs that no part with asan runs, and why.
LEFT_OUT = {}


def programs():
    """The names of all test programs, as bth_test makes them."""
    names = []
    for path in sorted((ROOT / "tests").rglob("CMakeLists.txt")):
        names += re.findall(r"^\s*bth_test\((\w+)", path.read_text("utf-8"), re.MULTILINE)
    return names


def parts(script):
    """What each part runs, in the order of the list."""
    block = re.search(r"^parts=\(\n(.*?)^\)$", script, re.MULTILINE | re.DOTALL).group(1)
    return re.findall(r'^  "([^"]+)"$', block, re.MULTILINE)


def sanitized(script, preset):
    """The programs in the parts of that preset, each as often as it is named."""
    words = [part.split() for part in parts(script)]
    return sorted(name for first, *rest in words if [first, *rest[:1]] == ["sanitized", preset]
                  for name in rest[1:])


def order(day):
    """The parts in the order in which the script begins them that day."""
    first_line = re.search(r"^day=.*$", SCRIPT, re.MULTILINE).group()
    turns = re.search(r"^parts=\(.*?^done$", SCRIPT, re.MULTILINE | re.DOTALL).group()
    stubs = 'sanitized() { echo "sanitized $*"; }\neach_alone() { echo each_alone; }\n'
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail\n{first_line}\n{stubs}{turns}\n"],
        capture_output=True, text=True, check=False, env=os.environ | {"BTH_CI_DAY": day})
    return done.returncode, done.stdout.splitlines()


class Sanitizers(unittest.TestCase):
    def test_every_program_runs_under_asan(self):
        known = programs()
        self.assertGreater(len(known), 30)
        self.assertEqual(len(known), len(set(known)))
        self.assertLessEqual(set(LEFT_OUT), set(known))
        self.assertEqual(sanitized(SCRIPT, "asan"), sorted(set(known) - set(LEFT_OUT)))

    def test_parts_name_programs_that_are_there(self):
        threads = sanitized(SCRIPT, "tsan")
        by_clang = sanitized(SCRIPT, "clang")
        self.assertTrue(threads)
        self.assertTrue(by_clang)
        self.assertLessEqual({*threads, *by_clang}, set(programs()))
        for part in parts(SCRIPT):
            self.assertRegex(part, r"^(sanitized (asan|tsan|clang)( \w+)+|each_alone)$")

    def test_a_program_that_is_missing_is_noticed(self):
        script = 'parts=(\n  "sanitized asan net client"\n  "sanitized tsan cache"\n)\ndone\n'
        self.assertEqual(sanitized(script, "asan"), ["client", "net"])
        self.assertNotEqual(sanitized(script, "asan"), sorted(["cache", "client", "net"]))

    def test_each_part_comes_first_on_some_day(self):
        listed = parts(SCRIPT)
        for day in range(len(listed)):
            for same in (day, day + len(listed), day + 1000 * len(listed)):
                code, begun = order(str(same))
                self.assertEqual(code, 0)
                self.assertEqual(begun, listed[day:] + listed[:day])

    def test_a_day_that_is_no_number_is_refused(self):
        for day in ("tomorrow", "-3", "2026-10-01 12:00"):
            code, begun = order(day)
            self.assertNotEqual(code, 0, day)
            self.assertEqual(begun, [], day)


if __name__ == "__main__":
    unittest.main()
