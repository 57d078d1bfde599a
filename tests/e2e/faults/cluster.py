"""A control plane under test: two schedulers, two controller managers, webhooks, and kubelets that are
simulated. Each of ours reaches the API server over a line of its own; the kubelets reach it directly.
"""

import base64
import copy
import pathlib
import threading
import time
from urllib.parse import urlsplit

import yaml

from faults.answers import Answers
from faults.lines import Line
from support import webhook_manager
from support.controllers import Controllers
from support.poll import until
from support.processes import Process, free_port, ours
from support.scheduler import Scheduler
from support.webhook_manager import WebhookManager
from support.world import World

NAMESPACE = "volcano-system"
# Short, so that a story sees many of them.
LEASE_S = 4
ELECTION = [
    "--leader-elect=true",
    f"--leader-elect-lease-duration={LEASE_S}s",
    "--leader-elect-renew-deadline=3s",
    "--leader-elect-retry-period=500ms",
    f"--leader-elect-resource-namespace={NAMESPACE}",
]
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
LEASE_OF = {"scheduler": "volcano", "controllers": "vc-controller-manager"}
NODESIM = ["--pod-start-delay", "50ms", "--pod-stop-delay", "100ms", "--crash-backoff", "200ms"]
# As who runs containers does.
RESTART_PAUSE_S = 0.5
NODES, NODE_CPU = 6, 8


def kubeconfig_over(kubeconfig, port, authority, folder, name):
    """The same access over another port; who answers there may also have this authority's word."""
    body = copy.deepcopy(yaml.safe_load(pathlib.Path(kubeconfig).read_text()))
    cluster = body["clusters"][0]["cluster"]
    cluster["server"] = f"https://127.0.0.1:{port}"
    if authority:
        known = base64.b64decode(cluster["certificate-authority-data"])
        cluster["certificate-authority-data"] = base64.b64encode(known + authority).decode()
    written = pathlib.Path(folder) / f"{name}.kubeconfig"
    written.write_text(yaml.safe_dump(body))
    return str(written)


def authority_file(kubeconfig, folder):
    body = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
    data = body["clusters"][0]["cluster"]["certificate-authority-data"]
    written = pathlib.Path(folder) / "server-ca.crt"
    written.write_bytes(base64.b64decode(data))
    return str(written)


def port_of(kubeconfig):
    body = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
    return urlsplit(body["clusters"][0]["cluster"]["server"]).port


class Seat:
    """One program of ours: it is started again when it has ended as one that lost its lease does."""

    def __init__(self, kind, daemon, line=None, answers=None):
        self.kind, self.daemon, self.line, self.answers = kind, daemon, line, answers
        self.is_wanted = True  # False while a fault has killed it.
        self.ends = 0  # How often it ended by itself, its lease lost.
        self._said = 0

    @property
    def process(self):
        return self.daemon.process

    @property
    def name(self):
        return self.process.name

    def kill(self):
        self.is_wanted = False
        self.process.kill()
        self._said = self.process.log_path.stat().st_size

    def start(self):
        self.process.start()
        self.is_wanted = True

    def look_after(self):
        """What is wrong with its end, if it has ended wrongly."""
        if not self.is_wanted or self.process.running:
            return None
        with open(self.process.log_path, "rb") as log:
            log.seek(self._said)
            words = log.read().decode(errors="replace")
        self._said += len(words.encode())
        problem = None
        if "leaderelection lost" in words:
            self.ends += 1
        else:
            problem = f"no-crash: {self.name} ended by itself:\n" + words[-2000:]
        time.sleep(RESTART_PAUSE_S)
        self.process.start()
        return problem


class Cluster:
    """All of it on one API server. `lines`: a `Loop`, or None: everybody has a direct connection."""

    def __init__(self, backend, folder, lines=None, webhooks=True):
        self.backend, self.folder = backend, pathlib.Path(folder)
        self.rest = backend.rest()
        self.problems = []
        self.seats = []
        self._lines = lines
        self._others = []
        self._answers = []
        self._ended = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        backend.install_crds()
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
        assert self.rest.post("/api/v1/namespaces", body).status in (201, 409)
        self.world = World(backend)
        try:
            self._start(webhooks)
        except BaseException:
            self.close()
            raise

    def _start(self, webhooks):
        argv = [ours("vc-nodesim"), "--kubeconfig", self.backend.kubeconfig, *NODESIM]
        self._others.append(Process("vc-nodesim", argv, self.folder))
        self.nodes = self.world.nodes(NODES, cpu=NODE_CPU)
        for i in range(2):
            name = f"scheduler-{i}"
            config, *line = self._line(name)
            daemon = Scheduler(config, self.folder, name=name, flags=ELECTION)
            self.seats.append(Seat("scheduler", daemon, *line))
            name = f"controllers-{i}"
            config, *line = self._line(name)
            daemon = Controllers(config, self.folder, name=name, flags=ELECTION)
            self.seats.append(Seat("controllers", daemon, *line))
        if webhooks:
            config, *line = self._line("webhooks")
            daemon = WebhookManager(config, self.folder, name="webhooks")
            self.seats.append(Seat("webhooks", daemon, *line))
            daemon.wait_ready()
            webhook_manager.install(self.rest, daemon.url)
            daemon.wait_registered()
        until(self.all_ready, 60, "the control plane is ready")
        self._keeper.start()

    def _line(self, name):
        """How a program reaches the API server: kubeconfig, line, answers."""
        if self._lines is None:
            return self.backend.kubeconfig, None, None
        folder = self.folder / name
        folder.mkdir()
        server = port_of(self.backend.kubeconfig)
        ca_file = authority_file(self.backend.kubeconfig, folder)
        answers = Answers(self._lines, free_port(), server, ca_file, folder)
        line = Line(self._lines, free_port(), server)
        self._answers.append(answers)
        config = kubeconfig_over(self.backend.kubeconfig, line.port, answers.ca, folder, name)
        return config, line, answers

    def close(self):
        self._ended.set()
        if self._keeper.is_alive():
            self._keeper.join(10)
        for seat in self.seats:
            seat.is_wanted = False
        for seat in reversed(self.seats):
            seat.daemon.close()
        for process in self._others:
            process.close()
        for seat in self.seats:
            if seat.line:
                seat.line.close()
        for answers in self._answers:
            answers.close()
        self.world.history.close()

    # --- who is who -------------------------------------------------------------------------

    def of(self, kind):
        return [seat for seat in self.seats if seat.kind == kind]

    def holder(self, kind):
        answer = self.rest.get(f"{LEASES}/{LEASE_OF[kind]}")
        return answer.status == 200 and answer.body["spec"].get("holderIdentity")

    def leading(self, kind):
        """The seats that say that they act; none, while nobody does."""
        return [s for s in self.of(kind) if s.process.running and self._leads(s)]

    @staticmethod
    def _leads(seat):
        try:
            return seat.daemon.metrics().get("batholith_leading", 0) == 1
        except (OSError, AssertionError):
            return False

    def all_ready(self):
        return all(s.process.running and s.daemon.is_ready() for s in self.seats) and all(
            len(self.leading(kind)) == 1 for kind in LEASE_OF
        )

    # --- in the background ------------------------------------------------------------------

    def _keep(self):
        while not self._ended.wait(0.1):
            for seat in self.seats:
                if problem := seat.look_after():
                    self.problems.append(problem)
            for process in self._others:
                if not process.running:
                    self.problems.append(f"no-crash: {process.name} ended:\n{process.tail()}")
                    process.start()
