"""The command blocks of a page, run in a shell as a reader pastes them."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import textwrap

from support.processes import ROOT, ours, theirs

_BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


def blocks(page):
    """The shell blocks of a page of the repository, in its order."""
    found = _BLOCK.findall((ROOT / page).read_text("utf-8"))
    return [textwrap.dedent(block) for block in found]


def the_block(page, *words):
    """The only block of a page with these words."""
    found = [block for block in blocks(page) if all(word in block for word in words)]
    assert len(found) == 1, f"{page}: {len(found)} blocks with {words}"
    return found[0]


class Terminal:
    """A shell in the root of the repository, with kubectl. What a page keeps in /tmp goes to
    `folder`, and our programs are the ones under test."""

    def __init__(self, folder, kubeconfig=None):
        self._folder = pathlib.Path(folder)
        (self._folder / "bin").mkdir(parents=True)
        (self._folder / "bin/kubectl").symlink_to(shutil.which(theirs("kubectl")))
        self._env = {**os.environ, "HOME": str(folder)}
        self._env["PATH"] = f"{self._folder / 'bin'}:{self._env['PATH']}"
        self._env.pop("KUBECONFIG", None)
        if kubeconfig:
            self._env["KUBECONFIG"] = kubeconfig

    def paste(self, block, within=120):
        """Runs the lines until one of them fails; what was started in the background ends with
        them. Returns the exit code of the last one that ran, and all that was shown."""
        block = block.replace("/tmp/", f"{self._folder}/")
        block = block.replace("build/release/bin/", f"{pathlib.Path(ours('vc-standalone')).parent}/")
        screen = self._folder / "screen"
        with open(screen, "wb") as out:
            shell = subprocess.Popen(
                ["bash", "-e", "-c", block],
                cwd=ROOT,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            code = shell.wait(within)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            try:
                os.killpg(shell.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass  # Nothing was left in the background.
            shell.wait(10)
        return code, screen.read_text(errors="replace")
