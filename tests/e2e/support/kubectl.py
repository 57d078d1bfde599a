"""kubectl as a user runs it."""

import json
import pathlib
import subprocess

from support.processes import Process, theirs


class Kubectl:
    def __init__(self, kubeconfig, namespace, home):
        self._argv = [theirs("kubectl"), "--kubeconfig", kubeconfig, "--namespace", namespace]
        self._argv += ["--cache-dir", str(pathlib.Path(home) / "kubectl-cache")]
        self._home = home
        self._followers = []

    def run(self, *args, stdin=None, within=30):
        """Runs one command; returns the finished process with its texts."""
        return subprocess.run(
            [*self._argv, *args], input=stdin, capture_output=True, text=True, timeout=within
        )

    def __call__(self, *args, stdin=None, within=30):
        """Runs one command that must succeed; returns what it printed."""
        done = self.run(*args, stdin=stdin, within=within)
        assert done.returncode == 0, f"kubectl {' '.join(args)}: {done.stderr}{done.stdout}"
        return done.stdout

    def json(self, *args, **more):
        return json.loads(self(*args, "-o", "json", **more))

    def follow(self, *args):
        """Starts a command that goes on by itself, such as `get -w`; its output is its log."""
        follower = Process(f"kubectl-{len(self._followers)}", [*self._argv, *args], self._home)
        self._followers.append(follower)
        return follower

    def close(self):
        for follower in self._followers:
            follower.close()
