"""The scheduler daemon as its own process."""

import pathlib
import urllib.parse

from support.daemon import Daemon, fetch
from support.poll import until
from support.processes import free_port, ours

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


class Scheduler(Daemon):
    """`vc-scheduler` with a configuration file of its own and its HTTP endpoints on loopback."""

    def __init__(self, kubeconfig, folder, conf=CONF, name="vc-scheduler", flags=()):
        self.conf_path = pathlib.Path(folder) / f"{name}-conf" / "scheduler.conf"
        self.conf_path.parent.mkdir(exist_ok=True)
        self.conf_path.write_text(conf)
        argv = [ours("vc-scheduler"), "--kubeconfig", kubeconfig]
        argv += ["--scheduler-conf", self.conf_path, "--leader-elect=false"]
        self.debug = free_port()
        argv += ["--debug-bind-address", f"127.0.0.1:{self.debug}"]
        super().__init__(name, [*argv, *flags], folder)

    def debug_page(self, path):
        """Status and text of a debug page on loopback."""
        return fetch(f"http://127.0.0.1:{self.debug}{path}")

    def dump(self):
        """The cluster as manifests, a JSON document per line; waits for its turn."""
        answers = []

        def made():
            answers.append(self.debug_page("/debug/dump"))
            return answers[-1][0] != 429

        until(made, 15, lambda: f"a dump: {answers[-1]}")
        status, text = answers[-1]
        assert status == 200, text
        return text

    def explain(self, namespace, job):
        """The report on one job from the debug endpoint, as text; empty when there is none yet."""
        query = urllib.parse.urlencode({"job": f"{namespace}/{job}"})
        status, text = self.debug_page(f"/debug/explain?{query}")
        assert status in (200, 404), f"/debug/explain: HTTP {status}: {text}"
        return text if status == 200 else ""

    def write_conf(self, text):
        """Replaces the configuration file in one step, as an editor does."""
        fresh = self.conf_path.with_suffix(".new")
        fresh.write_text(text)
        fresh.rename(self.conf_path)
