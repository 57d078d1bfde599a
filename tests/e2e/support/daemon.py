"""What the daemons have in common: a process with health and metrics pages on loopback."""

import re
import urllib.error
import urllib.request

from support.poll import until
from support.processes import Process, free_port


class Daemon:
    """A program that serves health on one port and metrics on another."""

    def __init__(self, name, argv, folder):
        self.http, self._health = free_port(), free_port()
        pages = ["--listen-address", f"127.0.0.1:{self.http}", "--enable-metrics"]
        pages += ["--healthz-address", f"127.0.0.1:{self._health}", "--enable-healthz"]
        self.process = Process(name, [argv[0], *pages, *argv[1:]], folder)

    def wait_healthy(self, within=30):
        until(
            lambda: self.process.check() and self._answers("/healthz"),
            within,
            lambda: f"{self.process.name} healthy; its log:\n{self.process.tail()}",
        )
        return self

    def wait_ready(self, within=30):
        until(self.is_ready, within, lambda: f"{self.process.name} ready: {self.readiness()}")
        return self

    def is_ready(self):
        """Its first lists are complete, whether it leads or not."""
        return self._answers("/readyz")

    def readiness(self):
        """Status and text of /readyz."""
        return fetch(f"http://127.0.0.1:{self._health}/readyz")

    def warnings(self):
        """The lines of its log that ask for somebody's attention."""
        lines = [line for line in self.process.log().splitlines() if " " in line]
        return [line for line in lines if line.split()[1] in ("warning", "error")]

    def _answers(self, page):
        try:
            return fetch(f"http://127.0.0.1:{self._health}{page}")[0] == 200
        except OSError:
            return False

    def page(self, path):
        """Status and text of a page beside the metrics."""
        return fetch(f"http://127.0.0.1:{self.http}{path}")

    def metrics(self):
        """All series by `name{labels}` as written, with their values."""
        status, text = self.page("/metrics")
        assert status == 200, text
        return parse_metrics(text)

    def kill(self):
        self.process.kill()

    def restart(self):
        self.process.start()
        return self.wait_healthy()

    def close(self):
        self.process.close()


def fetch(url, token=None, tls=None):
    """Status and text of a plain GET, with a bearer token if there is one."""
    request = urllib.request.Request(url)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=10, context=tls) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def labels(series):
    """The labels of a series as parse_metrics names it."""
    return dict(re.findall(r'(\w+)="([^"]*)"', series.partition("{")[2]))


def parse_metrics(text):
    series = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            series[name] = float(value)
    return series
