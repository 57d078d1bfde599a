"""docs/troubleshooting.md as data: its commands are run, and its quotations looked for."""

import pathlib
import re
import shlex

from support.describe import describe, get
from support.kubectl import Kubectl
from support.poll import until
from support.processes import ROOT

PAGE = ROOT / "docs" / "troubleshooting.md"
_BLOCK = re.compile(r"```(sh|text)\n(.*?)```", re.DOTALL)
_WITHIN_S = 60


def entries(text):
    """Heading → [(command, [quoted line, …]), …], in the order of the page."""
    found = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        shown = found.setdefault(heading.strip(), [])
        for kind, block in _BLOCK.findall(body):
            if kind == "sh":
                shown.append((block.strip(), []))
            else:
                shown[-1][1].extend(block.strip().splitlines())
    return found


def pattern(quotation, names):
    """Of a quoted line: … stands for anything, words in capitals for the names of the test."""
    parts = [re.escape(fill(part, names)) for part in quotation.split("…")]
    return re.compile(r"[^\n]*".join(re.sub(r"(\\ )+", r"[ \\t]+", part) for part in parts))


def fill(text, names):
    return re.sub(r"\b[A-Z]{3,}\b", lambda word: names.get(word[0], word[0]), text)


def asked_for(folder):
    """Every heading that a test asks for by its words."""
    calls = re.compile(r"\.holds\(\s*\"([^\"]+)\"")
    return {c for f in pathlib.Path(folder).rglob("test_*.py") for c in calls.findall(f.read_text())}


def terminal(backend, namespace, home):
    """What runs the page's kubectl: kubectl itself where it is there."""
    try:
        runner = Kubectl(backend.kubeconfig, namespace, home)
    except FileNotFoundError:
        assert backend.kind == "embedded"
        rest = backend.rest()

        def shown(verb, kind, name):
            return {"describe": describe, "get": get}[verb](rest, namespace, kind, name)

        return shown

    def run(*args):
        done = runner.run(*args)
        return done.stdout + done.stderr

    return run


class Handbook:
    """What a reader of the page would type and see. `daemons`: by the name of their Deployment.
    `kubectl`: runs a command and returns its text."""

    def __init__(self, kubectl, daemons):
        self._kubectl = kubectl
        self._daemons = daemons
        self._entries = entries(PAGE.read_text())

    def holds(self, heading, **names):
        """Runs each command of the entry until its output shows all that is quoted."""
        assert heading in self._entries, f"{PAGE.name} has no entry {heading!r}"
        shown = self._entries[heading]
        assert any(quotations for _, quotations in shown), f"{heading!r} quotes nothing"
        for command, quotations in shown:
            self._shows(fill(command, names), [pattern(q, names) for q in quotations])

    def _shows(self, command, wanted):
        seen = [""]

        def all_there():
            seen[0] = self._run(command)
            return all(w.search(seen[0]) for w in wanted)

        def missing():
            gone = [w.pattern for w in wanted if not w.search(seen[0])]
            return f"{command}: shows {gone}; it shows:\n{seen[0]}"

        until(all_there, _WITHIN_S, missing)

    def _run(self, command):
        words = shlex.split(command)
        if words[0] == "curl":
            return self._daemons["volcano-scheduler"].debug_page(words[-1].split(":11252")[1])[1]
        assert words[0] == "kubectl", command
        if "logs" in words:
            return self._daemons[words[-1].removeprefix("deploy/")].process.log()
        return self._kubectl(*words[1:])
