"""The two API servers that every test runs against."""

import functools
import json
import pathlib
import shutil
import tempfile

from kubernetes import config

from support import quick_yaml, rest
from support.poll import until
from support.processes import ROOT, Process, free_port, ours, theirs

READY_WITHIN_S = 90
# Of the real server: kinds that it serves when it is told to.
BETA_KINDS = "resource.k8s.io/v1beta2/devicetaintrules=true"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def make(kind):
    """Starts a backend; one that does not become ready leaves nothing behind."""
    made = {"embedded": Embedded, "kube": Kube}[kind]()
    try:
        made.start()
    except BaseException:
        made.close()
        raise
    return made


class Backend:
    """A running API server: `kubeconfig` reaches it with all rights, restarts keep its address."""

    kind = ""

    def __init__(self):
        memory = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="bth-e2e-", dir=memory))
        self.kubeconfig = ""
        self._client = None
        self._process = None

    def client(self):
        """One client with its connection pool, shared by the whole session."""
        if self._client is None:
            self._client = config.new_client_from_config(self.kubeconfig)
        return self._client

    def rest(self):
        return rest.Rest(self.client())

    def is_ready(self):
        try:
            return self.rest().get("/readyz").status == 200
        except Exception:  # Whatever the transport says, the server is not ready.
            return False

    def install_crds(self):
        """Installs deploy/crds, as a user does before the first start of the daemons."""
        rest = self.rest()
        texts = _definitions()
        for name, text in texts.items():
            answer = rest.post(DEFINITIONS, text)
            assert answer.status in (201, 409), f"{name}: HTTP {answer.status}: {answer.text}"
        until(
            lambda: all(_established(rest, name) for name in texts),
            30,
            lambda: f"CRDs established: {list(texts)}",
        )

    def close(self):
        if self._client is not None:
            self._client.close()
        if self._process is not None:
            self._process.close()
        shutil.rmtree(self.dir, ignore_errors=True)

    def start(self):
        """Starts the server and waits until it is ready."""
        raise NotImplementedError

    def restart_api(self):
        """Kills the API server as a crash would, starts it again and waits until it is ready."""
        self.kill_api()
        self.start_api()

    def kill_api(self):
        """As a crash would."""
        raise NotImplementedError

    def start_api(self):
        """Starts a killed API server and waits until it is ready."""
        raise NotImplementedError

    def pids(self):
        """The process ids of the server's programs, by name."""
        raise NotImplementedError


@functools.cache
def _definitions():
    """Those of deploy/crds as JSON by name. They are large: typed, or read anew by each fixture that
    wants them, they would take most of what the tests take of a CPU."""
    files = sorted((ROOT / "deploy/crds").rglob("*.yaml"))
    assert files, "deploy/crds holds no *.yaml: there is nothing to install"
    documents = [d for f in files for d in quick_yaml.load_all(f.read_text())]
    kind = "CustomResourceDefinition"
    return {d["metadata"]["name"]: json.dumps(d) for d in documents if d and d["kind"] == kind}


def _established(rest, name):
    status = rest.get(f"{DEFINITIONS}/{name}").expect(200).get("status", {})
    conditions = status.get("conditions", [])
    return any(c["type"] == "Established" and c["status"] == "True" for c in conditions)


class Embedded(Backend):
    """`vc-standalone` without nodes and without a scheduler: only its API server."""

    kind = "embedded"

    def start(self):
        self.kubeconfig = str(self.dir / "kubeconfig")
        port = free_port()  # Chosen here, because a restart must find the same address.
        argv = [ours("vc-standalone"), "--port", port, "--nodes", 0]
        # Nor does a real API server know webhooks before somebody registers them.
        argv += ["--no-scheduler", "--no-controllers", "--no-volumes", "--admission=false"]
        argv += ["--write-kubeconfig", self.kubeconfig, "--data-dir", self.dir / "data"]
        self._process = Process("vc-standalone", argv, self.dir)
        self._wait_ready()

    def _wait_ready(self):
        written = pathlib.Path(self.kubeconfig)
        until(
            lambda: self._process.check() and written.exists() and self.is_ready(),
            READY_WITHIN_S,
            lambda: f"vc-standalone ready; its log:\n{self._process.tail()}",
        )

    def kill_api(self):
        self._process.kill()

    def start_api(self):
        self._process.start()
        self._wait_ready()

    def pids(self):
        return {self._process.name: self._process.pid}


class Kube(Backend):
    """The real kube-apiserver and etcd; kube-controller-manager collects the garbage."""

    kind = "kube"

    def start(self):
        self._state = self.dir / "kt"
        argv = [theirs("kt"), "up", "--dir", self._state, "--kcm", "--until-stdin-closes"]
        argv += ["--runtime-config", BETA_KINDS]
        self._process = Process("kt", argv, self.dir, stdin_held=True)
        description = self._state / "cluster.json"
        until(
            lambda: self._process.check() and description.exists(),
            READY_WITHIN_S,
            lambda: f"kt up; its log:\n{self._process.tail()}",
        )
        self.kubeconfig = json.loads(description.read_text())["kubeconfigs"]["admin"]

    def control(self, verb, program):
        """`kill` or `start` for one of the cluster's programs; a start waits until all is ready."""
        argv = [theirs("kt"), "ctl", "--dir", self._state, verb, program]
        control = Process("kt-ctl", argv, self.dir)
        assert control.wait(READY_WITHIN_S) == 0, control.tail()
        control.close()

    def kill_api(self):
        self.control("kill", "kube-apiserver")

    def start_api(self):
        self.control("start", "kube-apiserver")

    def pids(self):
        return json.loads((self._state / "cluster.json").read_text())["pids"]
