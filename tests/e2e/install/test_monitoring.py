"""deploy/monitoring with a real Prometheus: it scrapes running daemons while they work, every
expression of dashboards and rules is evaluated, and nothing fires."""

import json
import re
import shutil
import urllib.error
import urllib.parse
import urllib.request

import pytest
import yaml

from support import webhook_manager as webhooks
from support.controllers import Controllers
from support.daemon import fetch
from support.jobs import JobWorld, task
from support.poll import until
from support.processes import ROOT, Process, free_port, ours
from support.scheduler import CONF, Scheduler

MONITORING = ROOT / "deploy/monitoring"
# Series that begin with the first event of their kind; tests/deploy looks for them in the sources.
LATER = {
    "batholith_admission_refusals_total",
    "batholith_admission_requests_total",
    "batholith_exceptions_total",
    "volcano_eviction_transactions_total",
    "volcano_job_failed_phase_count",
}
# The plugin that publishes most about queues.
CAPACITY = CONF.replace("proportion", "capacity")
CHIP = "example.com/chip"
# As the Services of deploy/ are called, which become the label `job`.
JOBS = ("volcano-scheduler-service", "volcano-controllers-service", "volcano-admission-metrics")


def expressions():
    """(where, expression) of all dashboards, with their variables filled in, and of all rules."""
    for path in sorted((MONITORING / "dashboards").glob("*.json")):
        board = json.loads(path.read_text("utf-8"))
        for panel in board["panels"]:
            for target in panel.get("targets", []):
                filled = re.sub(r"\$(queue|namespace)", "default", target["expr"])
                yield f"{board['title']}: {panel['title']}", filled
    for path in sorted((MONITORING / "rules").glob("*.yaml")):
        for group in yaml.safe_load(path.read_text("utf-8"))["groups"]:
            for rule in group["rules"]:
                yield f"{path.name}: {rule.get('alert') or rule['record']}", rule["expr"]


def with_chip(a_task):
    resources = a_task["template"]["spec"]["containers"][0].setdefault("resources", {})
    for kind in ("requests", "limits"):
        resources.setdefault(kind, {})[CHIP] = "1"
    return a_task


class Prometheus:
    def __init__(self, daemons, folder):
        config = yaml.safe_load((MONITORING / "prometheus.yaml").read_text("utf-8"))
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(MONITORING / "rules/*.yaml")]
        config["scrape_configs"] = [
            {"job_name": job, "static_configs": [{"targets": [f"127.0.0.1:{daemon.http}"]}]}
            for job, daemon in zip(JOBS, daemons, strict=True)
        ]
        written = folder / "prometheus.yaml"
        written.write_text(yaml.safe_dump(config))
        self.url = f"http://127.0.0.1:{free_port()}"
        argv = ["prometheus", f"--config.file={written}", "--log.level=warn"]
        argv += [f"--storage.tsdb.path={folder / 'series'}"]
        argv += [f"--web.listen-address={self.url.removeprefix('http://')}"]
        self.process = Process("prometheus", argv, folder)

    def ask(self, path, **query):
        try:
            with urllib.request.urlopen(
                f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=30
            ) as answer:
                return json.loads(answer.read())["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{query}: {error.read().decode()}") from error

    def query(self, expression):
        return self.ask("query", query=expression)["result"]

    def are_targets_up(self):
        try:
            active = self.ask("targets")["activeTargets"]
        except (OSError, AssertionError):  # It reads its own log first.
            return False
        return len(active) == len(JOBS) and all(t["health"] == "up" for t in active)


@pytest.fixture(scope="module")
def watched(installed, tmp_path_factory):
    """Daemons at work on a small cluster, and the Prometheus that scrapes them."""
    if not shutil.which("prometheus"):
        pytest.skip("there is no prometheus: scripts/bootstrap --with monitoring")
    folder = tmp_path_factory.mktemp("watched")
    world = JobWorld(installed)
    running = []
    try:
        daemons = [
            Scheduler(installed.kubeconfig, folder, conf=CAPACITY).wait_healthy(),
            Controllers(installed.kubeconfig, folder),
            webhooks.WebhookManager(installed.kubeconfig, folder),
        ]
        running += daemons
        running.append(
            Process("nodesim", [ours("vc-nodesim"), "--kubeconfig", installed.kubeconfig], folder)
        )
        world.nodes(2, cpu=4, **{CHIP: "4"})
        world.queue("limited", capability={"cpu": "4", "memory": "4Gi", CHIP: "2"})
        daemons[1].wait_acting()
        daemons[2].wait_ready()
        prometheus = Prometheus(daemons, folder)
        running.append(prometheus.process)
        until(prometheus.are_targets_up, 60, lambda: f"scraped; {prometheus.process.tail()}")
        for number in range(3):
            world.job(f"runs-{number}", [task("w", 2, script="sleep 1")])
        # Queues tell of resources that somebody asks for.
        world.job("stays", [with_chip(task("w"))])
        # Admitted, and no node fits.
        world.job("waits", [task("w", 2, spec={"nodeSelector": {"nobody": "has-it"}})])
        bound = 'sum(volcano_task_scheduling_latency_milliseconds_count{stage="Bound"}) >= 6'
        until(lambda: prometheus.query(bound), 60, "the jobs are seen to run")
        waits = 'batholith_pending_jobs{queue="unschedulable"} > 0'
        until(lambda: prometheus.query(waits), 60, "one is seen to wait")
        # Rates need two readings, recorded rules one more.
        for rate in (
            "batholith:cycle_milliseconds:p99 > 0",
            "sum(rate(volcano_job_completed_phase_count[5m])) >= 0",
            "sum(volcano_unschedule_task_count) > 0",
            # Recorded each half minute, of what was there by then.
            "batholith:pod_bound_milliseconds:p50",
            "batholith:effects_failed:ratio >= 0",
            # The one that no node fits, with both its tasks.
            'batholith_held_tasks{gate="Filters"} == 2 and batholith_held_jobs == 1',
        ):
            until(lambda asked=rate: prometheus.query(asked), 90, f"there is {rate}")
        yield daemons, prometheus
    finally:
        for program in reversed(running):
            program.close()
        world.close()


def is_ours(expression):
    """It asks for nothing that others publish, nor for what a quiet cluster has none of."""
    others = ("kube_", "> 0", "!= 0", "nvidia", "absent(", "_capacity_", "!=", "expiry_seconds")
    return not any(word in expression for word in others)


def test_every_expression_is_evaluated(watched):
    _, prometheus = watched
    asked, empty = 0, []
    for where, expression in expressions():
        asked += 1
        if not prometheus.query(expression) and is_ours(expression):
            empty.append(f"{where}: {expression}")
    assert asked > 100
    # Alerts that are silent are empty; so is what has not happened: evictions, refusals, 403s.
    told = [line for line in empty if not line.startswith("alerts.yaml")]
    quiet = ("eviction", "refusals", '"403"', "result", "job_failed", "e2e_job_scheduling_duration")
    assert [line for line in told if not any(word in line for word in quiet)] == []


def test_every_metric_that_is_named_is_published(watched):
    daemons, _ = watched
    kinds = {}
    for daemon in daemons:
        _, text = fetch(f"http://127.0.0.1:{daemon.http}/metrics")
        kinds.update(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    named, missing = set(), {}
    for where, expression in expressions():
        plain = re.sub(r'"[^"]*"', "", expression)
        for name in re.findall(r"\b(?:volcano|batholith|rest_client|process)_[a-z0-9_]+", plain):
            if name == "volcano_namespace":  # A label of kube-state-metrics.
                continue
            parts = re.sub(r"_(bucket|sum|count)$", "", name)
            if name not in kinds and kinds.get(parts) != "histogram":
                missing.setdefault(name, where)
            named.add(name)
    assert len(named) > 50
    assert set(missing) == LATER, missing


def test_rules_are_evaluated_and_nothing_fires(watched):
    _, prometheus = watched
    rules = [r for group in prometheus.ask("rules")["groups"] for r in group["rules"]]
    assert len(rules) >= 20
    until(
        lambda: all(
            r["health"] == "ok"
            for group in prometheus.ask("rules")["groups"]
            if group["name"] == "batholith"
            for r in group["rules"]
        ),
        30,
        "all alerts are evaluated",
    )
    assert [r["lastError"] for r in rules if r.get("lastError")] == []
    alerts = prometheus.ask("alerts")["alerts"]
    assert [a["labels"] for a in alerts if a["state"] == "firing"] == []
