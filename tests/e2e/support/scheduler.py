"""The scheduler daemon as its own process."""

import pathlib
import urllib.error
import urllib.parse
import urllib.request

from support.poll import until
from support.processes import Process, free_port, ours

CONF = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
"""


class Scheduler:
    """`vc-scheduler` with a configuration file of its own and its HTTP endpoints on loopback."""

    def __init__(self, kubeconfig, folder, conf=CONF, name="vc-scheduler", flags=()):
        self.conf_path = pathlib.Path(folder) / f"{name}-conf" / "scheduler.conf"
        self.conf_path.parent.mkdir(exist_ok=True)
        self.conf_path.write_text(conf)
        self._http, self._health = free_port(), free_port()
        argv = [ours("vc-scheduler"), "--kubeconfig", kubeconfig]
        argv += ["--scheduler-conf", self.conf_path, "--leader-elect=false"]
        argv += ["--listen-address", f"127.0.0.1:{self._http}", "--enable-metrics"]
        argv += ["--healthz-address", f"127.0.0.1:{self._health}", "--enable-healthz"]
        self.process = Process(name, [*argv, *flags], folder)

    def wait_healthy(self, within=30):
        until(
            lambda: self.process.check() and self._is_healthy(),
            within,
            lambda: f"{self.process.name} healthy; its log:\n{self.process.tail()}",
        )
        return self

    def _is_healthy(self):
        try:
            return fetch(f"http://127.0.0.1:{self._health}/healthz")[0] == 200
        except OSError:
            return False

    def is_ready(self):
        """Its first lists are complete, whether it leads or not."""
        try:
            return fetch(f"http://127.0.0.1:{self._health}/readyz")[0] == 200
        except OSError:
            return False

    def dump(self):
        """The cluster as manifests, a JSON document per line."""
        status, text = fetch(f"http://127.0.0.1:{self._http}/debug/dump")
        assert status == 200, text
        return text

    def explain(self, namespace, job):
        """The report on one job from the debug endpoint, as text; empty when there is none yet."""
        query = urllib.parse.urlencode({"job": f"{namespace}/{job}"})
        status, text = fetch(f"http://127.0.0.1:{self._http}/debug/explain?{query}")
        assert status in (200, 404), f"/debug/explain: HTTP {status}: {text}"
        return text if status == 200 else ""

    def metrics(self):
        """All series by `name{labels}` as written, with their values."""
        status, text = fetch(f"http://127.0.0.1:{self._http}/metrics")
        assert status == 200, text
        return parse_metrics(text)

    def write_conf(self, text):
        """Replaces the configuration file in one step, as an editor does."""
        fresh = self.conf_path.with_suffix(".new")
        fresh.write_text(text)
        fresh.rename(self.conf_path)

    def kill(self):
        self.process.kill()

    def restart(self):
        self.process.start()
        return self.wait_healthy()

    def close(self):
        self.process.close()


def fetch(url):
    """Status and text of a plain GET."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def parse_metrics(text):
    series = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            series[name] = float(value)
    return series
