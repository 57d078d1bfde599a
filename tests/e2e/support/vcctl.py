"""vcctl and the programs of one command as a user runs them."""

import os
import subprocess
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

    def at_terminal(self, program, *args, columns=80, rows=24, **environment):
        """Starts a program for a person; to be closed."""
        argv = [ours(program), *map(str, args)]
        return Person(argv, {**self._environment, **environment}, columns, rows)

    def __call__(self, *args, **more):
        return self.run("vcctl", *args, **more)
