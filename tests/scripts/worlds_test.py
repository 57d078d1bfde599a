"""scripts/worlds: which seeds it asks, and what it tells of one that fails."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A test program with two properties. One fails with seed 1005, as long as part3 and part6 are there;
# without part6 it fails elsewhere.
PROGRAM = f"""#!{sys.executable}
import os, sys
NAMES = ["numbers: hold, all of them", "numbers: fail now and then"]
if "--list-test-names-only" in sys.argv:
    print("\\n".join(NAMES))
    sys.exit(1)
seed = os.environ.get("BTH_SEED")
first = int(seed or os.environ["BTH_FIRST_SEED"])
count = 1 if seed else int(os.environ["BTH_WORLDS"])
left_out = os.environ.get("BTH_LEAVE_OUT", "").split(",")
parts = [f"part{{i}}" for i in range(10) if f"part{{i}}" not in left_out]
if "BTH_SHOW_WORLD" in os.environ:
    print("\\n".join(f"part {{p}}: text" for p in parts))
if sys.argv[1].replace("\\\\", "") == NAMES[1] and first <= 1005 < first + count and "part3" in parts:
    line = 7 if "part6" in parts else 8
    print(f"some_test.cc:{{line}}: FAILED:\\n  BTH_SEED=1005")
    sys.exit(1)
"""


def run(*args):
    with tempfile.TemporaryDirectory() as root:
        program = pathlib.Path(root, "bin", "numbers_test")
        program.parent.mkdir()
        program.write_text(PROGRAM, "utf-8")
        program.chmod(0o755)
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "worlds", "--jobs", "1", *args, program],
            capture_output=True, text=True, check=False, env=os.environ | {"BTH_SEED": "3"},
        )
        return done.returncode, done.stdout + done.stderr


class Worlds(unittest.TestCase):
    def test_a_failure_is_told_with_its_seed_and_what_it_needs(self):
        code, said = run("--first", "1000", "--seconds", "30")
        self.assertEqual(code, 1, said)
        self.assertIn('FAILED with seed 1005: "numbers: fail now and then"', said)
        self.assertIn("make worlds SEED=1005", said)
        kept = [line for line in said.splitlines() if line.startswith("part ")]
        self.assertEqual(kept, ["part part3: text", "part part6: text"], said)

    def test_a_seed_is_asked_again(self):
        code, said = run("--seed", "1005")
        self.assertEqual(code, 1, said)
        self.assertIn("seed 1005: 1 of 2 properties failed", said)
        code, said = run("--seed", "1004")
        self.assertEqual((code, said), (0, "worlds: seed 1004: 0 of 2 properties failed\n"))

    def test_only_some_properties(self):
        code, said = run("--seed", "1005", "--only", "hold")
        self.assertEqual((code, said), (0, "worlds: seed 1005: 0 of 1 properties failed\n"))
        code, said = run("--only", "nobody")
        self.assertEqual(code, 1)
        self.assertIn('no property has "nobody" in its name', said)

    def test_it_ends_when_the_time_is_over(self):
        code, said = run("--first", "5000", "--seconds", "1")
        self.assertEqual(code, 0, said)
        self.assertIn("seeds from 5000 on, for 1 s", said)
        self.assertIn("2 properties, seeds 5000 to", said)


if __name__ == "__main__":
    unittest.main()
