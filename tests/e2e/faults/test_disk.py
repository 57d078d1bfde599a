"""`vc-standalone --data-dir` on a disk that is full: it says so, takes nothing, keeps what it has
acknowledged, and goes on when there is room again."""

import contextlib
import os
import subprocess
import time

import pytest
from kubernetes import config

from faults.maps import Maps
from support import rest
from support.jobs import BATCH, job_spec, state_of, task
from support.objects import config_map
from support.poll import until
from support.processes import Process, free_port, ours

pytestmark = pytest.mark.backend("embedded")

DISK_MB = 6
MAPS = "/api/v1/namespaces/default/configmaps"


class SmallDisk:
    """A file system of a few megabytes, and a file that fills it."""

    def __init__(self, folder):
        self.path = folder
        self.path.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"only root can mount: {done.stderr.strip()}")
        self._ballast = folder / "ballast"

    def fill(self):
        """Leaves no byte."""
        with open(self._ballast, "ab", buffering=0) as ballast, contextlib.suppress(OSError):
            while True:
                ballast.write(b"x" * 4096)
        free = os.statvfs(self.path).f_bavail
        assert free == 0, f"{free} blocks are still free"

    def empty(self):
        self._ballast.unlink()

    def close(self):
        subprocess.run(["umount", "-l", str(self.path)], check=True)


class Standalone:
    """All of it in one process, with its data on that disk."""

    def __init__(self, folder, disk):
        self._kubeconfig = folder / "kubeconfig"
        argv = [ours("vc-standalone"), "--port", free_port(), "--nodes", 2, "--data-dir"]
        argv += [disk.path / "data", "--write-kubeconfig", self._kubeconfig]
        self.process = Process("vc-standalone", argv, folder)
        self._client = None
        until(self.is_ready, 30, lambda: f"ready; its log:\n{self.process.tail()}")

    def rest(self):
        if self._client is None:
            self._client = config.new_client_from_config(str(self._kubeconfig))
        return rest.Rest(self._client)

    def readiness(self):
        return self.rest().get("/readyz")

    def is_ready(self):
        self.process.check()
        if not self._kubeconfig.exists():
            return False
        with contextlib.suppress(Exception):
            return self.readiness().status == 200
        return False

    def wait_ready(self, within):
        until(self.is_ready, within, lambda: f"ready again; its log:\n{self.process.tail()}")

    def close(self):
        self.process.close()
        if self._client:
            self._client.close()


@pytest.fixture
def disk(tmp_path):
    made = SmallDisk(tmp_path / "disk")
    yield made
    made.close()


@pytest.fixture
def standalone(tmp_path, disk):
    made = Standalone(tmp_path, disk)
    yield made
    made.close()


def run_job(standalone, name):
    body = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name}}
    body["spec"] = job_spec([task("work", 2, script="sleep 0.2")])
    path = f"{BATCH}/namespaces/default/jobs"
    api = standalone.rest()
    api.post(path, body).expect(201)

    def phase():
        return state_of(api.get(f"{path}/{name}").expect(200)).get("phase")

    until(lambda: phase() == "Completed", 60, lambda: f"job {name} completed; it is {phase()}")


def fill_until_refused(standalone, disk):
    """Fills the disk and writes until the server has met its end; the answer."""
    disk.fill()
    api = standalone.rest()

    def refused():
        answer = api.post(MAPS, config_map("", {"value": "v" * 5000}, generateName="x-"))
        return answer if answer.status not in (201, 409) else None

    return until(refused, 20, "a write is refused")


def test_a_full_disk_is_told_and_the_server_goes_on_when_there_is_room(standalone, disk):
    run_job(standalone, "before")
    maps = Maps(standalone, "default", seed=1)
    try:
        until(lambda: maps.acknowledged > 20, 20, "maps are written")
        for turn in range(3):
            answer = fill_until_refused(standalone, disk)
            assert answer.status == 500 and "No space left on device" in answer.text, answer
            ready = standalone.readiness()
            assert ready.status == 500 and "storage failed" in ready.text, ready
            assert "No space left on device" in ready.text
            acknowledged = maps.acknowledged
            time.sleep(2)
            assert maps.acknowledged == acknowledged, "something is acknowledged on a full disk"
            disk.empty()
            standalone.wait_ready(within=10)
            run_job(standalone, f"after-{turn}")
    finally:
        maps.stop()
    log = standalone.process.log()
    assert log.count("error store.disk_failed") == log.count("info store.disk_recovered") == 3
    assert maps.unanswered > 0 and maps.problems() == []
    standalone.process.kill()
    standalone.process.start()
    standalone.wait_ready(within=30)
    assert maps.problems() == []


def test_a_server_killed_on_a_full_disk_comes_back_with_what_it_acknowledged(standalone, disk):
    maps = Maps(standalone, "default", seed=2)
    until(lambda: maps.acknowledged > 50, 20, "maps are written")
    fill_until_refused(standalone, disk)
    time.sleep(1)
    maps.stop()
    standalone.process.kill()
    disk.empty()
    standalone.process.start()
    standalone.wait_ready(within=30)
    assert maps.problems() == []
    run_job(standalone, "after")
