"""Programs under test: where they are, how they start, end and leave their last words."""

import itertools
import os
import pathlib
import signal
import socket
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Every process of the session in the order of its start; failing tests print the ends of the logs.
STARTED = []


def ours(name):
    """A program of this project."""
    folder = pathlib.Path(os.environ.get("BTH_BIN", ROOT / "build/release/bin"))
    return _executable(folder / name, "build it with the release preset, or set BTH_BIN")


def theirs(name):
    """A program of Kubernetes or etcd, or kt."""
    return _executable(_of_kube(name), "run tests/kube/build, or set BTH_KUBE_BIN")


def there(name):
    """Whether the program of Kubernetes is there."""
    return os.access(_of_kube(name), os.X_OK)


def _of_kube(name):
    if name == "kubectl" and "BTH_KUBECTL" in os.environ:
        return pathlib.Path(os.environ["BTH_KUBECTL"])
    return pathlib.Path(os.environ.get("BTH_KUBE_BIN", ROOT / "tests/kube/bin")) / name


def _executable(path, remedy):
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{path} is missing: {remedy}")
    return str(path)


class _Ports:
    """A block of loopback ports that no other test process takes while this one lives, so that a
    port is free not only when it is chosen, but also when its program starts, and starts again.
    The ports lie below those that kernels hand out for connections."""

    BLOCKS = range(20000, 32000, 200)

    def __init__(self):
        self._mark = None
        self._next = None

    def _take_block(self):
        for first in self.BLOCKS:
            self._mark = socket.socket(socket.AF_UNIX)
            try:
                # An abstract name: it is nobody else's until this process ends, however it ends.
                self._mark.bind(f"\0bth-e2e-ports-{first}")
            except OSError:
                self._mark.close()
                continue
            return itertools.cycle(range(first, first + self.BLOCKS.step))
        raise RuntimeError(f"all {len(self.BLOCKS)} blocks of ports are taken by other tests")

    def take(self):
        self._next = self._next or self._take_block()
        for port in itertools.islice(self._next, self.BLOCKS.step):
            with socket.socket() as s:
                try:
                    s.bind(("127.0.0.1", port))
                except OSError:
                    continue
            return port
        raise RuntimeError("every port of this process's block is in use")


_PORTS = _Ports()


def free_port():
    """A loopback port that is free and stays so."""
    return _PORTS.take()


class Process:
    """One program with a log file. It does not outlive the tests: see `close`."""

    def __init__(self, name, argv, log_dir, stdin_held=False):
        self.name = name
        self.argv = [str(a) for a in argv]
        self.log_path = pathlib.Path(log_dir) / f"{name}.log"
        self._stdin_held = stdin_held
        self._popen = None
        self.start()

    def start(self):
        """Starts the program; the log of an earlier run is kept above the new one."""
        assert not self.running, f"{self.name} is running already"
        with open(self.log_path, "ab") as log:
            self._popen = subprocess.Popen(
                self.argv,
                stdin=subprocess.PIPE if self._stdin_held else subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        if self not in STARTED:
            STARTED.append(self)

    @property
    def running(self):
        return self._popen is not None and self._popen.poll() is None

    @property
    def pid(self):
        return self._popen.pid

    def check(self):
        """Fails when the program has ended by itself; true otherwise, for use in conditions."""
        assert self.running, f"{self.name} ended with {self._popen.returncode}:\n{self.tail()}"
        return True

    def wait(self, within):
        """Waits until the program ends by itself and returns its exit code."""
        try:
            return self._popen.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"{self.name} still runs after {within} s:\n{self.tail()}"
            ) from None

    def kill(self):
        """Ends the program as a crash would."""
        if self._popen is not None:
            self._popen.kill()
            self._popen.wait()

    def stop(self, within=10):
        """Asks the program to end; returns its exit code."""
        if self.running:
            self._popen.send_signal(signal.SIGTERM)
        return self.wait(within)

    def close(self):
        if self.running:
            self._popen.terminate()
            try:
                self._popen.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
        if self in STARTED:
            STARTED.remove(self)

    def log(self):
        return self.log_path.read_text(errors="replace")

    def tail(self, lines=25):
        return "\n".join(self.log().splitlines()[-lines:])
