"""Interactive shells on a terminal of their own, for tests of completion: what a line becomes."""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import termios
import time

SHOW = "\x18\x10"  # Control-X Control-P: each shell is told to print its line then, and to clear it.
COLUMNS = 120


class Shell:
    """A shell started by `argv`, which reads the lines of `setup` and then waits for keys."""

    def __init__(self, argv, environment, folder, setup):
        self._pid, self._terminal = pty.fork()
        if not self._pid:
            os.chdir(folder)
            os.execve(argv[0], argv, environment)
        size = struct.pack("HHHH", 50, COLUMNS, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)
        self._seen = ""
        self._send("".join(line + "\r" for line in setup) + "echo re''ady\r")
        self._until("ready\r")

    def _send(self, text):
        os.write(self._terminal, text.encode())

    def _until(self, pattern, within=30):
        """What was shown before the pattern, and the match."""
        end = time.monotonic() + within
        while not (found := re.search(pattern, self._seen)):
            left = end - time.monotonic()
            assert left > 0, f"no {pattern} in {self._seen!r}"
            if select.select([self._terminal], [], [], left)[0]:
                self._seen += os.read(self._terminal, 65536).decode(errors="replace")
        before, self._seen = self._seen[: found.start()], self._seen[found.end() :]
        return before, found

    def becomes(self, typed):
        """What the line is after these keys."""
        return self.shows(typed)[0]

    def shows(self, typed):
        """The same, and what was shown meanwhile."""
        self._send(typed + SHOW)
        shown, found = self._until(r"<<([^<>]*)>>")
        return found[1], shown

    def close(self):
        os.close(self._terminal)  # The shell gets SIGHUP.
        os.waitpid(self._pid, 0)


def bash(environment, folder, setup):
    show = r"""bind -x '"\C-x\C-p": printf "<<%s>>\n" "$READLINE_LINE"; READLINE_LINE='"""
    options = ("bell-style none", "page-completions off", "enable-bracketed-paste off")
    keys = ["PS1='$ '", *(f"bind 'set {option}'" for option in options), show]
    argv = [shutil.which("bash"), "--norc", "--noprofile", "-i"]
    return Shell(argv, environment, folder, keys + setup)


def zsh(environment, folder, setup):
    keys = [
        "PS1='$ '; unset zle_bracketed_paste; setopt no_beep",
        'show() { zle -I; print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show; bindkey "^X^P" show',
    ]
    return Shell([shutil.which("zsh"), "-f", "-i"], environment, folder, keys + setup)
