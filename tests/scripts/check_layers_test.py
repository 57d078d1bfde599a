"""scripts/check_layers.py: what it refuses, and what it lets pass."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKER = ROOT / "scripts" / "check_layers.py"


def run(files):
    """Writes the files into an empty tree and checks it: (exit code, lines of findings)."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run(
            [sys.executable, CHECKER, "--root", root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


def include(*paths):
    return "".join(f"#include {p if p[0] == '<' else chr(34) + p + chr(34)}\n" for p in paths)


HEADER = "#pragma once\n"


class GoodTrees(unittest.TestCase):
    def check(self, files):
        self.assertEqual(run(files), (0, []))

    def test_edges_of_the_table(self):
        self.check({
            "base/ids.h": HEADER,
            "api/model/task.h": HEADER + include("base/ids.h"),
            "algo/share.cc": include("api/model/task.h", "base/ids.h", "<vector>"),
            "framework/session/session.h": HEADER + include("algo/share.h", "api/model/task.h"),
            "algo/share.h": HEADER,
            "plugins/gang/gang.cc": include("framework/session/session.h"),
            "tests/algo/share_test.cc": include("algo/share.h", "tests/support/catch.h"),
            "tests/support/catch.h": HEADER + include("<catch2/catch.hpp>"),
        })

    def test_owners_of_libraries(self):
        self.check({
            "api/types/json.cc": include("rapidjson/reader.h"),
            "metrics/registry.cc": include("<prometheus/registry.h>"),
            "conf/load.cc": include("<yaml-cpp/yaml.h>"),
            "client/kubeconfig.cc": include("<yaml-cpp/yaml.h>"),
            "net/tls.cc": include("<boost/asio.hpp>", "<openssl/ssl.h>", "<zlib.h>"),
            "sim/main.cc": include("<CLI/CLI.hpp>"),
            "bench/cycle_bench.cc": include("<benchmark/benchmark.h>"),
            "base/log.cc": include("absl/strings/str_cat.h", "<sys/stat.h>", "<unistd.h>"),
        })

    def test_hooks_outside_of_actions(self):
        self.check({
            "framework/session/votes.cc": "return session.hooks().overused(queue);\n",
            "actions/allocate.cc": "return session.votes().Overused(queue);\n",
        })

    def test_registry_sees_all_plugins(self):
        self.check({
            "plugins/builtin.cc": include("plugins/gang/gang.h", "plugins/drf/drf.h"),
            "plugins/gang/gang.h": HEADER,
            "plugins/drf/drf.h": HEADER,
        })

    def test_lengths_at_the_limit(self):
        self.check({"base/a.h": "//\n" * 250, "base/a.cc": "//\n" * 500})

    def test_build_and_hidden_folders_are_no_part_of_the_tree(self):
        self.check({
            "base/a.h": HEADER,
            "build/dev/x.cc": include("base/none.h"),
            ".cache/x.cc": include("base/none.h"),
        })


class BadTrees(unittest.TestCase):
    def check(self, files, *expected):
        code, findings = run(files)
        self.assertEqual(code, 1)
        self.assertEqual(len(findings), len(expected), findings)
        for finding, (place, part) in zip(findings, expected):
            self.assertTrue(finding.startswith(place + ":"), finding)
            self.assertIn(part, finding)

    def test_upward_edge(self):
        self.check(
            {"base/a.cc": "// A comment.\n" + include("net/http.h"), "net/http.h": HEADER},
            ("base/a.cc:2", "base -> net"))

    def test_sideways_edges(self):
        self.check(
            {
                "actions/allocate.cc": include("plugins/gang/gang.h"),
                "plugins/gang/gang.h": HEADER,
                "apiserver/store.cc": include("client/watch.h"),
                "client/watch.h": HEADER,
            },
            ("actions/allocate.cc:1", "actions -> plugins"),
            ("apiserver/store.cc:1", "apiserver -> client"))

    def test_both_halves_of_api_are_apart(self):
        self.check(
            {"api/model/a.h": HEADER + include("api/types/b.h"), "api/types/b.h": HEADER},
            ("api/model/a.h:2", "api/model -> api/types"))

    def test_rooms_of_the_cache_go_one_way(self):
        self.check(
            {
                "cache/intake/a.h": HEADER + include("cache/cluster/b.h"),
                "cache/cluster/b.h": HEADER + include("cache/writes/c.h"),
                "cache/writes/c.h": HEADER,
            },
            ("cache/cluster/b.h:2", "cache/cluster -> cache/writes"),
            ("cache/intake/a.h:2", "cache/intake -> cache/cluster"))

    def test_plugin_includes_plugin(self):
        self.check(
            {"plugins/gang/gang.cc": include("plugins/drf/drf.h"), "plugins/drf/drf.h": HEADER},
            ("plugins/gang/gang.cc:1", "never includes another plugin"))

    def test_action_reads_the_table_of_hooks(self):
        self.check(
            {
                "actions/allocate.cc": "\nreturn session.hooks().overused(queue);\n",
                "actions/eviction/search.h": HEADER + "const HookTable& t = session->hooks();\n",
            },
            ("actions/allocate.cc:2", "never the table of hooks"),
            ("actions/eviction/search.h:2", "never the table of hooks"))

    def test_library_outside_its_owner(self):
        self.check(
            {
                "cache/intake/a.cc": include("rapidjson/reader.h"),
                "client/b.cc": include("<yaml-cpp/yaml.h>"),
                "framework/c.h": include("<boost/asio.hpp>"),
                "scheduler/d.cc": include("<prometheus/counter.h>", "<CLI/CLI.hpp>"),
                "tests/base/e_test.cc": include("<catch2/catch.hpp>"),
            },
            ("cache/intake/a.cc:1", "rapidjson"),
            ("client/b.cc:1", "yaml-cpp"),
            ("framework/c.h:1", "boost"),
            ("scheduler/d.cc:1", "prometheus"),
            ("scheduler/d.cc:2", "CLI"),
            ("tests/base/e_test.cc:1", "catch2"))

    def test_unknown_library(self):
        self.check({"base/a.cc": include("<fmt/core.h>")}, ("base/a.cc:1", "unknown library"))

    def test_includes_not_rooted_or_missing(self):
        self.check(
            {"base/a.h": HEADER, "base/a.cc": include("a.h", "base/b.h", "<base/a.h>")},
            ("base/a.cc:1", "rooted"),
            ("base/a.cc:2", "no such file"),
            ("base/a.cc:3", "with quotes"))

    def test_file_outside_the_table(self):
        self.check(
            {"util/a.h": HEADER, "main.cc": "int main() {}\n"},
            ("main.cc:1", "not in a folder"),
            ("util/a.h:1", "not in a folder"))

    def test_lengths_over_the_limit(self):
        self.check(
            {"base/a.h": "//\n" * 251, "base/a.cc": "//\n" * 501},
            ("base/a.cc:501", "501 lines"),
            ("base/a.h:251", "251 lines"))


class BadUsage(unittest.TestCase):
    def test_empty_tree_is_not_a_pass(self):
        self.assertEqual(run({"README.md": "x\n"})[0], 2)


if __name__ == "__main__":
    unittest.main()
