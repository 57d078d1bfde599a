"""Which server is asked, and what is said when there is none."""

import time

from support.processes import free_port
from support.vcctl import Vcctl

PATH = "/apis/scheduling.volcano.sh/v1beta1/queues"


def refused(port):
    return (
        f'Failed to list queue: Get "http://127.0.0.1:{port}{PATH}": '
        f"dial tcp 127.0.0.1:{port}: connect: connection refused"
    )


def test_nobody_listens(vcctl):
    port = free_port()
    vcctl("queue", "list", "--master", f"http://127.0.0.1:{port}").fails(refused(port))


def test_without_a_kubeconfig_the_environment_names_the_server(tmp_path):
    port = free_port()
    alone = Vcctl("", tmp_path)
    alone("queue", "list", KUBERNETES_MASTER=f"http://127.0.0.1:{port}").fails(refused(port))


def test_a_kubeconfig_that_is_missing(vcctl):
    why = "stat /does/not/exist: no such file or directory"
    vcctl("queue", "list", "-k", "/does/not/exist").fails(f"Failed to list queue: {why}")


def test_a_kubeconfig_of_a_flag_needs_no_environment(backend, kinds, tmp_path):
    done = Vcctl("", tmp_path)("queue", "list", "--kubeconfig", backend.kubeconfig)
    assert done.code == 0, done


def test_answers_come_at_once(vcctl):
    vcctl("queue", "list")
    best = min(_seconds(vcctl, "queue", "list") for _ in range(5))
    # Fifty milliseconds, and as many for a busy machine and the server.
    assert best < 0.5, best


def _seconds(vcctl, *args):
    start = time.monotonic()
    vcctl(*args)
    return time.monotonic() - start
