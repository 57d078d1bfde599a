"""Dashboards: they are what their description says, Volcano's keep their titles and uids, and every
metric of ours that a dashboard or rule names is one that a daemon publishes."""

import json
import pathlib
import re
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
MONITORING = ROOT / "deploy/monitoring"
# What bookmarks of Volcano's users lead to.
KEPT = {
    "nYn30KvMzf": "Volcano Global Overview Dashboard",
    "sAtQfo1Mk": "Volcano Queue View",
    "TWuLSpJMk": "Volcano Namespace  View",
    "volcano-scheduler-internal": "Volcano Scheduler Internal Metrics",
    "volcano-scheduler-queue-dashboard": "Volcano Queue Metrics",
}
NAME = re.compile(r"\b(?:volcano|batholith|rest_client|process)_[a-z0-9_]+")


def boards():
    files = sorted((MONITORING / "dashboards").glob("*.json"))
    return [json.loads(p.read_text("utf-8")) for p in files]


def expressions():
    """(where, expression) of all dashboards and rules."""
    for board in boards():
        for panel in board["panels"]:
            for target in panel.get("targets", []):
                yield f"{board['title']}: {panel['title']}", target["expr"]
    for path in sorted((MONITORING / "rules").glob("*.yaml")):
        for group in yaml.safe_load(path.read_text("utf-8"))["groups"]:
            for rule in group["rules"]:
                yield f"{path.name}: {rule.get('alert') or rule['record']}", rule["expr"]


def metric_names(expression):
    """Metrics of ours that an expression asks for; the parts of a histogram are its own name."""
    for name in NAME.findall(re.sub(r'"[^"]*"', "", expression)):
        if name == "volcano_namespace":  # A label of kube-state-metrics.
            continue
        timed = re.search(r"seconds_(bucket|sum|count)$", name)
        yield name[: timed.start(1) - 1] if timed else name


def published():
    """Names as the sources of metrics/ have them, those that are put together aside."""
    folders = ("metrics", "cmd/common")
    text = "".join(p.read_text("utf-8") for f in folders for p in (ROOT / f).glob("*.cc"))
    names = set(re.findall(r'"((?:volcano|batholith|rest_client|process)_[a-z0-9_]+)"', text))
    for amount in ("allocated", "request", "deserved", "capacity", "real_capacity", "inqueue"):
        for unit in ("milli_cpu", "memory_bytes", "scalar_resources"):
            names.add(f"volcano_queue_{amount}_{unit}")
    for phase in ("inqueue", "pending", "running", "unknown", "completed"):
        names.add(f"volcano_queue_pod_group_{phase}_count")
    return names


class Dashboards(unittest.TestCase):
    def test_they_are_what_is_described(self):
        argv = [ROOT / "scripts/dashboards", "--check"]
        done = subprocess.run(argv, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_volcanos_are_found_where_they_were(self):
        titles = {board["uid"]: board["title"] for board in boards()}
        self.assertEqual(len(titles), len(KEPT) + 1)
        self.assertLessEqual(KEPT.items(), titles.items())

    def test_panels_lie_beside_one_another(self):
        for board in boards():
            taken = set()
            for panel in board["panels"]:
                at = panel["gridPos"]
                self.assertLessEqual(at["x"] + at["w"], 24)
                cells = {
                    (x, y)
                    for x in range(at["x"], at["x"] + at["w"])
                    for y in range(at["y"], at["y"] + at["h"])
                }
                self.assertFalse(cells & taken, f"{board['title']}: {panel['title']}")
                taken |= cells

    def test_metrics_that_are_asked_for_are_published(self):
        known = published()
        asked = set()
        for where, expression in expressions():
            for name in metric_names(expression):
                asked.add(name)
                self.assertIn(name, known, where)
        self.assertGreater(len(asked), 50)

    def test_metrics_of_ours_are_shown_or_left_out_on_purpose(self):
        asked = {name for _, e in expressions() for name in metric_names(e)}
        own = {name for name in published() if name.startswith("batholith_")}
        aside = {
            "batholith_admission_access_reviews_total",
            "batholith_admission_conf_reloads_total",
            "batholith_admission_known_namespaces",
            "batholith_admission_known_queues",
            "batholith_admission_registrations_total",
            "batholith_agent_conflicts_total",
            "batholith_debug_requests_total",
        }
        self.assertEqual(own - asked, aside)


if __name__ == "__main__":
    unittest.main()
