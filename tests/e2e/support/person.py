"""A program as a person at a terminal has it: on a pty of a size, with keys and signals."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def without_escapes(text):
    return _ESCAPES.sub("", text)


def _as_a_shell_starts_it():
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    # Whoever runs the tests in the background has these ignored, and programs inherit that.
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


class Person:
    """Starts `argv` with all three streams on a new terminal."""

    def __init__(self, argv, env, columns=80, rows=24):
        self._ours, theirs = pty.openpty()
        self.resize(columns, rows)
        self._program = subprocess.Popen(
            argv,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={"TERM": "xterm-256color", "LANG": "C.UTF-8", **env},
            start_new_session=True,
            preexec_fn=_as_a_shell_starts_it,
        )
        os.close(theirs)
        self.seen = ""

    def resize(self, columns, rows):
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def types(self, keys):
        os.write(self._ours, keys.encode())

    def shows_keys(self):
        """Whether the terminal shows what is typed, and waits for whole lines."""
        flags = termios.tcgetattr(self._ours)[3]
        return bool(flags & termios.ECHO and flags & termios.ICANON)

    def interrupts(self):
        self._program.send_signal(signal.SIGINT)

    def ends_it(self):
        self._program.send_signal(signal.SIGTERM)

    def _read(self, within):
        """Takes what is there; false: the program has closed its terminal."""
        if not select.select([self._ours], [], [], within)[0]:
            return True
        try:
            data = os.read(self._ours, 65536)
        except OSError:  # What Linux says when nobody has the other side any more.
            return False
        self.seen += data.decode(errors="replace")
        return bool(data)

    def sees(self, text, within=30, after=0):
        """Waits until the text is on the terminal; returns where it ends."""
        deadline = time.monotonic() + within
        while text not in self.seen[after:]:
            left = deadline - time.monotonic()
            if left <= 0 or not self._read(min(left, 0.2)):
                raise AssertionError(f"{text!r} is not in {self.seen[after:]!r}")
        return self.seen.index(text, after) + len(text)

    def leaves(self, within=30):
        """The exit code once the program has ended; all that it said is in `seen`."""
        deadline = time.monotonic() + within
        while self._read(0.2) and time.monotonic() < deadline:
            pass
        try:
            return self._program.wait(max(0.1, deadline - time.monotonic()))
        finally:
            self.close()

    def close(self):
        if self._program.poll() is None:
            self._program.kill()
            self._program.wait(10)
        if self._ours >= 0:
            os.close(self._ours)
            self._ours = -1
