"""What lets test processes run side by side."""

import contextlib
import pathlib
import subprocess
import sys

from support.processes import free_port

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Takes two ports, tells them, and lives until its input ends.
TAKER = "from support.processes import free_port as p; print(p(), p(), flush=True); input()"


def test_processes_beside_each_other_have_ports_of_their_own():
    with contextlib.ExitStack() as stack:
        taken = [free_port()]
        for _ in range(3):
            argv = [sys.executable, "-c", TAKER]
            taker = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            stack.enter_context(taker)
            taken += map(int, taker.stdout.readline().split())
        assert len(taken) == 7 == len(set(taken))
        blocks = {port // 200 for port in taken}
        assert len(blocks) == 4, taken
