"""What an operator can ask a running scheduler for: dumps, replays, the log level."""

import json
import os
import signal
import socket
import subprocess

import pytest

from support.poll import until
from support.processes import ours
from support.scheduler import CONF


def replay(path, conf):
    """The first cycle that vc-sim runs on a dump."""
    argv = [ours("vc-sim"), "run", "--output", "json", "--conf", conf, path]
    ran = subprocess.run(list(map(str, argv)), capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)["cycles"][0]


@pytest.fixture
def conf(tmp_path):
    path = tmp_path / "replay.conf"
    path.write_text(CONF)
    return path


def test_a_dump_of_a_standby_tells_what_the_leader_will_decide(world, new_scheduler, tmp_path, conf):
    path, lease = world.held_lease("dump")
    standby = new_scheduler(flags=lease)
    until(standby.is_ready, 30, "the standby has read the cluster")
    world.nodes(2, cpu=3)
    names = world.gang("fits", 4, cpu="1") + world.gang("too-large", 7, cpu="1")
    dump = tmp_path / "dump.json"

    def whole():
        dump.write_text(standby.dump())
        return all(f'"name":"{n}"' in dump.read_text() for n in names)

    until(whole, 40, "the dump shows every pod")
    cycle = replay(dump, conf)
    assert world.placement() == {}
    world.rest.delete(path).expect(200)
    placement = world.wait_placed(names[:4])
    prefix = f"{world.namespace}/"
    mine = {k[len(prefix) :]: v for k, v in cycle["binds"].items() if k.startswith(prefix)}
    assert mine == placement
    waits = world.wait_pod_condition(names[4], status="False")
    assert cycle["pending"][prefix + names[4]]["message"] in waits["message"]


def test_signals_write_the_cluster_and_the_last_cycle(world, new_scheduler, tmp_path, conf):
    daemon = new_scheduler(flags=[f"--cache-dump-dir={tmp_path}"])
    world.node(cpu=1)
    names = world.gang("g", 2)
    world.wait_group_condition("g", "Unschedulable", status="True")
    os.kill(daemon.process.pid, signal.SIGUSR1)
    until(lambda: list(tmp_path.glob("snapshot-*.json")), 10, "the dump of the cluster")
    cycle = replay(next(tmp_path.glob("snapshot-*.json")), conf)
    assert f"{world.namespace}/{names[0]}" in cycle["pending"]
    os.kill(daemon.process.pid, signal.SIGUSR2)
    until(lambda: list(tmp_path.glob("cycle-*.json")), 10, "the dump of the last cycle")
    for line in next(tmp_path.glob("cycle-*.json")).read_text().splitlines():
        json.loads(line)
    assert not list(tmp_path.glob("*.part"))
    daemon.process.check()


def ask(path, target):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(10)
        s.connect(str(path))
        s.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while piece := s.recv(4096):
            answer += piece
    return answer.decode().partition("\r\n\r\n")[2]


def test_the_log_level_changes_for_a_while(world, new_scheduler, tmp_path, monkeypatch):
    monkeypatch.setenv("DEBUG_SOCKET_DIR", str(tmp_path / "socks"))
    daemon = new_scheduler(flags=["-v=2"])
    path = tmp_path / "socks/klog-klog.sock"
    until(path.exists, 10, "the socket")
    assert ask(path, "/getlevel") == "Current klog log level: 2\n"
    told = ask(path, "/setlevel?level=5&duration=300ms")
    assert told == "Change klog log level to 5 successfully and  for 300ms\n"
    until(lambda: ask(path, "/getlevel") == "Current klog log level: 2\n", 10, "the level returns")
    assert "Usage: curl" in ask(path, "/setlevel?level=0&duration=1s")
    assert daemon.process.stop() == 0
    assert not path.exists()
