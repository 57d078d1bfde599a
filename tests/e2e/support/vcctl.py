"""vcctl and the programs of one command as a user runs them."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from dataclasses import dataclass

from support.person import Person
from support.processes import ours


@dataclass
class Done:
    code: int
    out: str
    err: str

    def prints(self, text):
        """The command succeeded and printed just this."""
        assert (self.code, self.out, self.err) == (0, text, ""), self
        return self

    def fails(self, text):
        """The command failed as Volcano's do: on stdout, with 255."""
        assert (self.code, self.out, self.err) == (255, text + "\n", ""), self


class Vcctl:
    """Runs the programs with a kubeconfig and a home of their own."""

    def __init__(self, kubeconfig, home):
        self._environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(home),
            "TZ": "UTC",
            "KUBECONFIG": str(kubeconfig or ""),
        }

    def run(self, program, *args, within=30, **environment):
        done = subprocess.run(
            [ours(program), *map(str, args)],
            capture_output=True,
            text=True,
            timeout=within,
            env={**self._environment, **environment},
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def seen_at_terminal(self, *args, program="vcctl", columns=80, rows=24, **environment):
        """The exit code, and all that a terminal of that size gets to see, without colours."""
        ours_end, theirs_end = pty.openpty()
        fcntl.ioctl(theirs_end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        running = subprocess.Popen(
            [ours(program), *map(str, args)],
            stdin=theirs_end,
            stdout=theirs_end,
            stderr=theirs_end,
            env={**self._environment, "TERM": "xterm", "NO_COLOR": "1", **environment},
        )
        os.close(theirs_end)
        seen = b""
        while True:
            try:
                piece = os.read(ours_end, 65536)
            except OSError:  # Nobody holds the other end any more.
                break
            if not piece:
                break
            seen += piece
        os.close(ours_end)
        return running.wait(30), seen.decode().replace("\r\n", "\n")

    def at_terminal(self, program, *args, columns=80, rows=24, **environment):
        """Starts a program for a person; to be closed."""
        argv = [ours(program), *map(str, args)]
        return Person(argv, {**self._environment, **environment}, columns, rows)

    def __call__(self, *args, **more):
        return self.run("vcctl", *args, **more)


def explained(backend, home, world, job):
    """What `vcctl job explain` reads off the conditions of a job."""
    asked = ("job", "explain", "-n", world.namespace, "-N", job, "--scheduler-service=")
    done = Vcctl(backend.kubeconfig, home)(*asked)
    assert (done.code, done.err) == (0, ""), done
    return done.out
