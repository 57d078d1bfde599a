"""scripts/cel_conformance: which values are equal, what passes, fails and is skipped."""

import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/cel_conformance"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("cel_conformance", str(SCRIPT))
conformance = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("cel_conformance", loader)
)
loader.exec_module(conformance)

URL = "type.googleapis.com/google.protobuf."


def stands_for(kind, value):
    return {"objectValue": {"@type": URL + kind, "value": value}}


def entries(*pairs):
    made = [{"key": {"stringValue": k}, "value": {"int64Value": v}} for k, v in pairs]
    return {"mapValue": {"entries": made}}


class Values(unittest.TestCase):
    def test_equal_however_they_are_written(self):
        for one, other in [
            (stands_for("Duration", "1.500s"), stands_for("Duration", "1.5s")),
            (
                stands_for("Timestamp", "2009-02-13T23:31:30Z"),
                stands_for("Timestamp", "2009-02-14T01:31:30+02:00"),
            ),
            (stands_for("Int32Value", 7), {"int64Value": "7"}),
            (stands_for("BytesValue", "AQ=="), {"bytesValue": "AQ=="}),
            (stands_for("Struct", {"a": 1}), {"mapValue": {"entries": [
                {"key": {"stringValue": "a"}, "value": {"doubleValue": 1}}]}}),
            (stands_for("ListValue", [None, True]), {"listValue": {"values": [
                {"nullValue": None}, {"boolValue": True}]}}),
            ({"doubleValue": "NaN"}, {"doubleValue": "NaN"}),
            ({"doubleValue": 1}, {"doubleValue": 1.0}),
            ({"listValue": {}}, {"listValue": {"values": []}}),
            (entries(("a", "1"), ("b", "2")), entries(("b", "2"), ("a", "1"))),
            ({"typeValue": "google.protobuf.Duration"}, {"typeValue": "duration"}),
        ]:
            self.assertEqual(conformance.canonical(one), conformance.canonical(other))

    def test_different_however_alike(self):
        for one, other in [
            ({"int64Value": "1"}, {"uint64Value": "1"}),
            ({"int64Value": "1"}, {"doubleValue": 1}),
            ({"stringValue": "1"}, {"bytesValue": "MQ=="}),
            ({"boolValue": False}, {"nullValue": None}),
            (stands_for("Duration", "1s"), stands_for("Duration", "1.000000001s")),
            (
                stands_for("Timestamp", "2009-02-13T23:31:30Z"),
                stands_for("Timestamp", "2009-02-13T23:31:30+02:00"),
            ),
            (entries(("a", "1")), entries(("a", "2"))),
            ({"optional": None}, {"optional": {"nullValue": None}}),
        ]:
            self.assertNotEqual(conformance.canonical(one), conformance.canonical(other))


ONE = {"int64Value": "1"}
TWO = {"int64Value": "2"}
REFUSED = {"stage": "check", "error": "ERROR: no\n | x"}
# Case, answer, what is said of it: "" passed, None skipped.
JUDGED = [
    ({"want": ONE, "kube": ONE}, {"value": ONE}, ""),
    ({"want": ONE, "kube": ONE}, {"value": TWO}, f"{json.dumps(ONE)} wanted, {json.dumps(TWO)} came"),
    (
        {"want": ONE, "kube": TWO},
        {"value": TWO},
        f"{json.dumps(ONE)} wanted, {json.dumps(TWO)} came (as in Kubernetes)",
    ),
    ({"want": ONE, "kube": ONE}, REFUSED, "check: ERROR: no"),
    ({"want": ONE, "kubeStage": "check", "kubeError": "ERROR: no"}, {"value": ONE}, None),
    ({"want": ONE, "kubeStage": "run", "kubeError": "no"}, {"value": ONE}, None),
    ({"want": ONE, "kubeStage": "environment", "kubeError": "no"}, REFUSED, None),
    ({"wantError": True, "kubeStage": "run", "kubeError": "no"}, REFUSED, ""),
    (
        {"wantError": True, "kubeStage": "run", "kubeError": "no"},
        {"value": ONE},
        f"an error wanted, {json.dumps(ONE)} came",
    ),
    (
        {"wantError": True, "kube": ONE},
        {"value": ONE},
        f"an error wanted, {json.dumps(ONE)} came (as in Kubernetes)",
    ),
    (
        {"wantError": True, "kubeStage": "check", "kubeError": "undeclared reference to 'math'"},
        REFUSED,
        None,
    ),
    ({"want": ONE, "kube": ONE, "disableMacros": True}, {"value": ONE}, None),
    ({"checkOnly": True, "wantType": {}, "kubeType": "list(int)"}, {"value": ONE, "type": "list(int)"}, ""),
    (
        {"checkOnly": True, "wantType": {}, "kubeType": "null_type"},
        {"value": ONE, "type": "int"},
        "type null_type wanted, int came",
    ),
    (
        {"checkOnly": True, "wantType": {}, "kubeType": "int", "kubeStage": "run", "kubeError": "x"},
        {"stage": "run", "error": "x", "type": "int"},
        "",
    ),
]


class Judgements(unittest.TestCase):
    def test_each_case_passes_fails_or_is_skipped(self):
        for case, got, said in JUDGED:
            with self.subTest(case=case, got=got):
                counts, lines = conformance.judge([{"name": "n", **case}], [got])
                wanted = {"passed": 0, "failed": 0, "skipped": 0}
                wanted["skipped" if said is None else "failed" if said else "passed"] = 1
                self.assertEqual(counts, wanted)
                self.assertEqual(lines, [f"failed n: {said}"] if said else [])

    def test_an_answer_that_is_missing_is_no_pass(self):
        with self.assertRaises(ValueError):
            conformance.judge([{"name": "n", "want": ONE}], [])


class Program(unittest.TestCase):
    def run_with(self, good, bad):
        """The exit code and what was said, of a program that answers 1 to everything."""
        cases = [{"name": f"g{i}", "want": ONE, "kube": ONE} for i in range(good)]
        kube = [ONE, TWO]  # Kubernetes departs from the definition, too, in every second.
        cases += [{"name": f"b{i}", "want": TWO, "kube": kube[i % 2]} for i in range(bad)]
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder, "cases")
            lines.write_text("".join(json.dumps(case) + "\n" for case in cases), "utf-8")
            program = pathlib.Path(folder, "conform")
            answer = json.dumps({"value": ONE})
            program.write_text(
                f"#!{sys.executable}\nimport sys\nfor _ in sys.stdin: print({answer!r})\n", "utf-8"
            )
            program.chmod(0o755)
            argv = [sys.executable, SCRIPT, program, "--cases", lines]
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def test_98_of_100_are_enough(self):
        code, said = self.run_with(98, 2)
        self.assertEqual(code, 0)
        self.assertEqual(said[-1], "passed 98, failed 2 (1 as in Kubernetes), skipped 0: 98.0 %")
        self.assertEqual(len(said), 3)

    def test_97_of_100_are_not(self):
        code, said = self.run_with(97, 3)
        self.assertEqual(code, 1)
        self.assertEqual(said[-1], "passed 97, failed 3 (2 as in Kubernetes), skipped 0: 97.0 %")

    def test_no_case_at_all_is_a_failure(self):
        said = "passed 0, failed 0 (0 as in Kubernetes), skipped 0: 0.0 %"
        self.assertEqual(self.run_with(0, 0), (1, [said]))


if __name__ == "__main__":
    unittest.main()
