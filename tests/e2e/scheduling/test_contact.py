"""Daemons that cannot reach the API server, or are not let in: what they say, and how it ends."""

import contextlib
import copy
import pathlib
import socket
import subprocess
import threading
import urllib.parse

import pytest
import yaml

from support.controllers import Controllers
from support.poll import until
from support.processes import free_port
from support.scheduler import Scheduler

MAKE = {"vc-scheduler": Scheduler, "vc-controller-manager": Controllers}


@pytest.fixture(params=sorted(MAKE))
def start(request, tmp_path):
    """Starts the daemon with a kubeconfig that was changed on the way."""
    started = []

    def run(kubeconfig, flags=()):
        made = MAKE[request.param](kubeconfig, tmp_path, name=request.param, flags=flags)
        started.append(made)
        return made

    run.program = request.param
    yield run
    for daemon in started:
        daemon.close()


def changed(backend, folder, change):
    """A kubeconfig like the backend's, with `change(cluster, user)` made to it."""
    config = copy.deepcopy(yaml.safe_load(pathlib.Path(backend.kubeconfig).read_text()))
    change(config["clusters"][0]["cluster"], config["users"][0]["user"])
    path = pathlib.Path(folder) / "changed.kubeconfig"
    path.write_text(yaml.safe_dump(config))
    return str(path)


def failures(daemon):
    """Requests that were not answered, or answered 401."""
    return sum(
        value
        for series, value in daemon.metrics().items()
        if series.startswith("rest_client_requests_total{")
        and ('code="<error>"' in series or 'code="401"' in series)
    )


def says_why(daemon, cause):
    """/readyz names the cause, and so does one line of the log, however many requests fail."""
    daemon.wait_healthy()
    answers = []

    def told():
        daemon.process.check()
        answers.append(daemon.readiness())
        return answers[-1][0] == 503 and cause in answers[-1][1]

    until(told, 20, lambda: f"/readyz with {cause!r}: {answers[-1]}\n{daemon.process.tail()}")
    until(lambda: failures(daemon) >= 60, 20, lambda: f"60 requests: {failures(daemon)}")
    lines = daemon.warnings()
    assert 1 <= len(lines) <= 3, "\n".join(lines)
    assert all("server.no_contact" in line and cause in line for line in lines), lines


@contextlib.contextmanager
def forwarded(port, host, target):
    """Passes connections to `port` of this machine on to the target, until the end."""
    listener = socket.create_server(("127.0.0.1", port))
    open_ends = []

    def pump(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection((host, target))
                open_ends.extend([near, far])
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=pump, args=ends, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield
    finally:
        for end in [listener, *open_ends]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def test_a_server_that_nobody_starts_is_waited_for(installed, start, tmp_path):
    port = free_port()
    places = []

    def elsewhere(cluster, user):
        places.append(urllib.parse.urlparse(cluster["server"]))
        cluster["server"] = f"https://127.0.0.1:{port}"

    daemon = start(changed(installed, tmp_path, elsewhere))
    says_why(daemon, f"the API server 127.0.0.1:{port} does not answer: Connection refused")
    with forwarded(port, places[0].hostname, places[0].port):
        until(daemon.is_ready, 60, lambda: f"ready: {daemon.process.tail()}")
        assert sum("server.contact" in line for line in daemon.process.log().splitlines()) == 1
        daemon.close()


def test_a_token_that_is_not_accepted_is_named(installed, start, tmp_path):
    def forget(cluster, user):
        user.clear()
        user["token"] = "nobody-knows-it"

    daemon = start(changed(installed, tmp_path, forget))
    says_why(daemon, "does not accept the credentials: Unauthorized")
    assert "nobody-knows-it" not in daemon.process.log()


@pytest.fixture(scope="session")
def strange_authority(tmp_path_factory):
    """The certificate of an authority that has signed nothing."""
    folder = tmp_path_factory.mktemp("authority")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=nobody"]
    command += ["-keyout", str(folder / "key"), "-out", str(folder / "ca.crt"), "-days", "2"]
    subprocess.run(command, check=True, capture_output=True)
    return str(folder / "ca.crt")


@pytest.mark.waits
@pytest.mark.parametrize("election", ["true", "false"])
def test_a_wrong_authority_ends_the_daemon_with_the_reason(
    installed, start, tmp_path, strange_authority, election
):
    def distrust(cluster, user):
        cluster.pop("certificate-authority-data", None)
        cluster["certificate-authority"] = strange_authority

    flags = [f"--leader-elect={election}", "--leader-elect-resource-namespace=default"]
    daemon = start(changed(installed, tmp_path, distrust), flags)
    daemon.wait_healthy()
    until(
        lambda: "does not verify" in daemon.readiness()[1],
        15,
        lambda: f"/readyz names the certificate: {daemon.readiness()}",
    )
    assert daemon.process.wait(60) == 1
    last = daemon.process.log().splitlines()[-1]
    assert last.startswith(f"{start.program}: the certificate of the API server "), last
    assert "does not verify" in last and "certificate-authority" in last
    assert len(daemon.warnings()) <= 4, "\n".join(daemon.warnings())


def unreadable_certificate(cluster, user):
    user.clear()
    user["client-certificate"] = "/nowhere/client.crt"
    user["client-key"] = "/nowhere/client.key"


def unreadable_authority(cluster, user):
    cluster.pop("certificate-authority-data", None)
    cluster["certificate-authority"] = "/nowhere/ca.crt"


def no_address(cluster, user):
    cluster["server"] = "https://"


@pytest.mark.parametrize(
    "change, named",
    [
        (unreadable_certificate, "/nowhere/client.crt"),
        (unreadable_authority, "/nowhere/ca.crt"),
        (no_address, "server"),
    ],
)
def test_files_that_are_wrong_end_it_at_once(installed, start, tmp_path, change, named):
    daemon = start(changed(installed, tmp_path, change))
    assert daemon.process.wait(10) == 1
    last = daemon.process.log().splitlines()[-1]
    assert last.startswith(f"{start.program}: ") and named in last, last


def test_a_kubeconfig_that_is_none_ends_it_at_once(start, tmp_path):
    path = tmp_path / "broken.kubeconfig"
    path.write_text("clusters: [\n")
    daemon = start(str(path))
    assert daemon.process.wait(10) == 1
    last = daemon.process.log().splitlines()[-1]
    assert last.startswith(f"{start.program}: ") and "broken.kubeconfig" in last, last
