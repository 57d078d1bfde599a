"""Options have teeth: of each switch and argument that scenarios set, some scenario comes out
otherwise when it is left out.

Usage: options_test.py VC_SIM"""

import collections
import copy
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent
SWITCH = re.compile(r" [!+]\w+")


class Loader(yaml.SafeLoader):
    """Times stay texts, as they are written."""


Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def without_arguments(conf, owner, path):
    """(option, conf without it) for each key below conf[path…], however deep."""
    arguments = conf
    for part in path:
        arguments = arguments[part]
    entries = arguments.items() if isinstance(arguments, dict) else (
        enumerate(arguments) if isinstance(arguments, list) else ())
    for key, value in list(entries):
        if isinstance(arguments, dict):
            less = copy.deepcopy(conf)
            at = less
            for part in path:
                at = at[part]
            del at[key]
            yield f"{owner}.{key}", less
        if isinstance(value, (dict, list)):
            yield from without_arguments(conf, f"{owner}.{key}", [*path, key])


def without_one_option(conf):
    for plugin in conf.get("arguments") or {}:
        yield from without_arguments(conf, plugin, ["arguments", plugin])
    for i, entry in enumerate(conf.get("configurations") or []):
        yield from without_arguments(conf, entry["name"], ["configurations", i, "arguments"])
    for i, tier in enumerate(conf.get("tiers") or []):
        for found in SWITCH.finditer(tier):
            plugin = tier[:found.start()].split(",")[-1].split()[0]
            less = copy.deepcopy(conf)
            less["tiers"][i] = tier[:found.start()] + tier[found.end():]
            yield plugin + found.group(), less


class Options(unittest.TestCase):
    vc_sim = ""

    def test_each_is_noticed(self):
        variants = collections.defaultdict(list)
        for path in sorted(FOLDER.glob("*.yaml")):
            for document in yaml.load_all(path.read_text("utf-8"), Loader):
                conf = document.get("conf")
                if not isinstance(conf, dict):
                    continue
                for option, less in without_one_option(conf):
                    variants[option].append({**document, "conf": less})
        self.assertGreater(len(variants), 60)
        with tempfile.TemporaryDirectory() as folder:
            for option, documents in variants.items():
                file = pathlib.Path(folder) / "without.yaml"
                file.write_text(yaml.safe_dump_all(documents, sort_keys=False), "utf-8")
                run = subprocess.run([self.vc_sim, "test", str(file)], capture_output=True,
                                     text=True, check=False)
                with self.subTest(option=option):
                    self.assertIn(run.returncode, (1, 2), f"{len(documents)} scenarios do not "
                                                          "notice when it is left out")


if __name__ == "__main__":
    Options.vc_sim = sys.argv.pop(1)
    unittest.main()
