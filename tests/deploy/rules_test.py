"""Alerts and recording rules, as Prometheus' own promtool judges them: each alert fires when it
must and is silent when it must not, and has its page in docs/runbooks."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/monitoring/rules"
RUNBOOKS = ROOT / "docs/runbooks"
VIOLATIONS = "batholith_invariant_violations_total"
CYCLE = "volcano_e2e_scheduling_latency_milliseconds_bucket"
NODE = 'job="volcano-scheduler-service",instance="a"'
OTHER = 'job="volcano-scheduler-service",instance="b"'
INFO = f'batholith_build_info{{{NODE},program="vc-scheduler",version="1"}}'
HOURS = "x180"  # Minutes that a case lasts.

# A cluster in which all is well. Every case begins with it, and replaces series by name.
WELL = {
    INFO: f"1+0{HOURS}",
    INFO.replace('"a"', '"b"'): f"1+0{HOURS}",
    f"batholith_leading{{{NODE}}}": f"1+0{HOURS}",
    f"batholith_leading{{{OTHER}}}": f"0+0{HOURS}",
    f'batholith_effects_total{{{NODE},kind="bind",outcome="ok"}}': f"0+100{HOURS}",
    f'batholith_effects_total{{{NODE},kind="bind",outcome="failed"}}': f"0+0{HOURS}",
    f"batholith_effect_queue_depth{{{NODE}}}": f"0+0{HOURS}",
    f"batholith_half_bound_gangs{{{NODE}}}": f"0+0{HOURS}",
    f'batholith_conf_reloads_total{{{NODE},result="refused"}}': f"0+0{HOURS}",
    f'{VIOLATIONS}{{{NODE},invariant="node_sums"}}': f"0+0{HOURS}",
    f'batholith_defects_total{{{NODE},where="object"}}': f"0+0{HOURS}",
    f'batholith_exceptions_total{{{NODE},place="x"}}': f"0+0{HOURS}",
    f'batholith_limit_reached_total{{{NODE},limit="event_queue"}}': f"0+0{HOURS}",
    f'rest_client_requests_total{{{NODE},code="200",method="GET"}}': f"0+60{HOURS}",
    f'rest_client_requests_total{{{NODE},code="403",method="GET"}}': f"0+0{HOURS}",
    f'rest_client_requests_total{{{NODE},code="<error>",method="GET"}}': f"0+1{HOURS}",
    f"batholith_malformed_objects_total{{{NODE}}}": f"0+0{HOURS}",
    f"batholith_log_lines_lost_total{{{NODE}}}": f"0+0{HOURS}",
    f'volcano_queue_request_milli_cpu{{{NODE},queue_name="q"}}': f"1000+0{HOURS}",
    f'volcano_queue_allocated_milli_cpu{{{NODE},queue_name="q"}}': f"1000+0{HOURS}",
    f'{CYCLE}{{{NODE},le="1000"}}': f"0+60{HOURS}",
    f'{CYCLE}{{{NODE},le="5000"}}': f"0+60{HOURS}",
    f'{CYCLE}{{{NODE},le="+Inf"}}': f"0+60{HOURS}",
    'batholith_admission_reviews_total{path="/jobs/mutate",verdict="allowed"}': f"0+9{HOURS}",
    'batholith_admission_reviews_total{path="/jobs/mutate",verdict="unanswered"}': f"0+0{HOURS}",
    'batholith_admission_requests_total{path="/jobs/mutate",code="200"}': f"0+9{HOURS}",
    # Thirty days from the beginning, which is at 0.
    'batholith_admission_certificate_expiry_seconds{instance="w"}': f"2592000+0{HOURS}",
}

# What differs when the alert must fire, and a case close to it in which it must not.
CASES = {
    "BatholithNobodyLeads": (
        {f"batholith_leading{{{NODE}}}": f"0+0{HOURS}"},
        # A change of leaders takes less than two minutes.
        {f"batholith_leading{{{NODE}}}": "1+0x118 0+0x1 1+0x60"},
    ),
    "BatholithTwoLead": (
        {f"batholith_leading{{{OTHER}}}": f"1+0{HOURS}"},
        {'batholith_leading{job="other",instance="b"}': f"1+0{HOURS}"},
    ),
    "BatholithAbsent": (
        {INFO: None, INFO.replace('"a"', '"b"'): None},
        {INFO.replace('"a"', '"b"'): None},
    ),
    "BatholithBindingsFail": (
        {f'batholith_effects_total{{{NODE},kind="bind",outcome="failed"}}': f"0+10{HOURS}"},
        {f'batholith_effects_total{{{NODE},kind="bind",outcome="failed"}}': f"0+4{HOURS}"},
    ),
    "BatholithWritesWait": (
        {f"batholith_effect_queue_depth{{{NODE}}}": f"200+0{HOURS}"},
        {f"batholith_effect_queue_depth{{{NODE}}}": "5000 " + "0 5000 " * 90},
    ),
    "BatholithGangsBoundByHalf": (
        {f"batholith_half_bound_gangs{{{NODE}}}": f"1+0{HOURS}"},
        {f"batholith_half_bound_gangs{{{NODE}}}": "0+0x115 1+0x3 0+0x60"},
    ),
    "BatholithPolicyRefused": (
        {f'batholith_conf_reloads_total{{{NODE},result="refused"}}': "0+0x115 1+0x60"},
        {f'batholith_conf_reloads_total{{{NODE},result="refused"}}': "0+0x60 1+0x120"},
    ),
    "BatholithInvariantViolated": (
        {f'{VIOLATIONS}{{{NODE},invariant="node_sums"}}': "0+0x115 1+0x60"},
        {f'{VIOLATIONS}{{{NODE},invariant="node_sums"}}': "0+0x60 1+0x120"},
    ),
    "BatholithDefect": (
        {f'batholith_exceptions_total{{{NODE},place="x"}}': "0+0x115 1+0x60"},
        {f'batholith_defects_total{{{NODE},where="object"}}': "0+0x60 1+0x120"},
    ),
    "BatholithLimitReached": (
        {f'batholith_limit_reached_total{{{NODE},limit="event_queue"}}': f"0+1{HOURS}"},
        {f'batholith_limit_reached_total{{{NODE},limit="event_queue"}}': "0+0x115 1+0x60"},
    ),
    "BatholithForbidden": (
        {f'rest_client_requests_total{{{NODE},code="403",method="GET"}}': f"0+1{HOURS}"},
        # Somebody else's program.
        {'rest_client_requests_total{job="kubelet",code="403",method="GET"}': f"0+1{HOURS}"},
    ),
    "BatholithNoContact": (
        {f'rest_client_requests_total{{{NODE},code="<error>",method="GET"}}': f"0+90{HOURS}"},
        {f'rest_client_requests_total{{{NODE},code="500",method="GET"}}': f"0+30{HOURS}"},
    ),
    "BatholithObjectsMalformed": (
        {f"batholith_malformed_objects_total{{{NODE}}}": f"1+0{HOURS}"},
        {f"batholith_malformed_objects_total{{{NODE}}}": "0+0x118 1+0x60"},
    ),
    "BatholithLogLost": (
        {f"batholith_log_lines_lost_total{{{NODE}}}": "0+0x115 7+0x60"},
        {f"batholith_log_lines_lost_total{{{NODE}}}": "7+0x180"},
    ),
    "BatholithQueueStarves": (
        {f'volcano_queue_allocated_milli_cpu{{{NODE},queue_name="q"}}': f"0+0{HOURS}"},
        {f'volcano_queue_allocated_milli_cpu{{{NODE},queue_name="q"}}': "1000+0x90 0+0x90"},
    ),
    "BatholithSlowCycles": (
        {f'{CYCLE}{{{NODE},le="1000"}}': f"0+50{HOURS}"},
        {
            f'{CYCLE}{{{NODE},le="1000"}}': f"0+59{HOURS}",
            f'{CYCLE}{{{NODE},le="2000"}}': f"0+60{HOURS}",
        },
    ),
    "BatholithAdmissionUnanswered": (
        {'batholith_admission_requests_total{path="/jobs/mutate",code="429"}': f"0+1{HOURS}"},
        {'batholith_admission_requests_total{path="/jobs/mutate",code="400"}': f"0+1{HOURS}"},
    ),
    "BatholithCertificateExpires": (
        {'batholith_admission_certificate_expiry_seconds{instance="w"}': f"86400+0{HOURS}"},
        # Not read yet.
        {'batholith_admission_certificate_expiry_seconds{instance="w"}': f"0+0{HOURS}"},
    ),
}

def alerts():
    (group,) = yaml.safe_load((RULES / "alerts.yaml").read_text("utf-8"))["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def case(changes, wanted):
    """One test of promtool: after two hours exactly the alerts `wanted` fire."""
    series = {**WELL, **changes}
    firing = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in wanted]
    return {
        "interval": "1m",
        "input_series": [
            {"series": name, "values": values} for name, values in series.items() if values
        ],
        "promql_expr_test": [
            {
                "expr": 'sum by (alertname) (ALERTS{alertstate="firing"} > bool 0) > bool 0',
                "eval_time": "2h",
                "exp_samples": firing,
            }
        ],
    }


def judge(tests):
    """promtool's answer to these tests: exit code and text."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tests.yaml"
        files = [str(p) for p in sorted(RULES.glob("*.yaml"))]
        body = {"rule_files": files, "evaluation_interval": "1m", "tests": tests}
        body["group_eval_order"] = ["batholith-recording", "batholith"]
        path.write_text(yaml.safe_dump(body))
        done = subprocess.run(["promtool", "test", "rules", path], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


@unittest.skipUnless(shutil.which("promtool"), "no promtool: scripts/bootstrap --with monitoring")
class Rules(unittest.TestCase):
    def test_syntax(self):
        files = sorted(RULES.glob("*.yaml"))
        argv = ["promtool", "check", "rules", *files]
        done = subprocess.run(argv, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_fires_while_all_is_well(self):
        code, said = judge([case({}, [])])
        self.assertEqual(code, 0, said)

    def test_each_alert_fires_when_it_must_and_not_beside_it(self):
        self.assertEqual(set(CASES), set(alerts()))
        tests = []
        for name, (bad, close) in CASES.items():
            tests += [case(bad, [name]), case(close, [])]
        code, said = judge(tests)
        if code == 0:
            return
        # Which of them.
        for name, (bad, close) in CASES.items():
            with self.subTest(alert=name):
                self.assertEqual(judge([case(bad, [name])])[0], 0, said)
                self.assertEqual(judge([case(close, [])])[0], 0, said)

    def test_a_wrong_expectation_is_found(self):
        bad, close = CASES["BatholithTwoLead"]
        self.assertNotEqual(judge([case(close, ["BatholithTwoLead"])])[0], 0)
        self.assertNotEqual(judge([case(bad, [])])[0], 0)


class Runbooks(unittest.TestCase):
    def test_each_alert_has_its_page(self):
        pages = {p.stem for p in RUNBOOKS.glob("*.md")} - {"README"}
        self.assertEqual(pages, set(alerts()))
        index = (RUNBOOKS / "README.md").read_text("utf-8")
        self.assertEqual(set(re.findall(r"^\| \[(\w+)\]", index, re.M)), pages)
        for name, rule in alerts().items():
            self.assertEqual(rule["annotations"]["runbook"], f"docs/runbooks/{name}.md")

    def test_lines_of_the_log_that_pages_name_are_written(self):
        sources = "".join(
            p.read_text("utf-8")
            for folder in (
                "admission", "base", "cache", "client", "cmd", "controllers", "net", "scheduler"
            )
            for p in (ROOT / folder).rglob("*.cc")
        )
        count = 0
        for page in RUNBOOKS.glob("*.md"):
            for event in re.findall(r"`([a-z_]+\.[a-z_]+)`", page.read_text("utf-8")):
                if event == "scheduler.conf" or event.startswith("custom."):
                    continue
                count += 1
                self.assertTrue(f'"{event}"' in sources, f"{page.name}: {event}")
        self.assertGreater(count, 5)

    def test_the_manual_says_what_each_limit_bounds(self):
        sources = (ROOT / "metrics/known_names.h").read_text("utf-8")
        lists = re.findall(r"k(?:Admission)?LimitNames = \{([^}]*)\}", sources)
        known = re.findall(r'"(\w+)"', "".join(lists))
        self.assertEqual(len(lists), 2)
        manual = (ROOT / "docs/operations.md").read_text("utf-8")
        title = "### Limits that the program sets itself\n"
        (table,) = re.findall(title + r".*?(^\|.*?)\n\n", manual, re.M | re.S)
        rows = [row.split(" | ") for row in table.splitlines()[2:]]
        named = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
        self.assertEqual(sorted(named), sorted(known))
        self.assertTrue(all(len(row) == 3 for row in rows))


if __name__ == "__main__":
    unittest.main()
