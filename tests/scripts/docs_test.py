"""Documents and manifests: links lead somewhere, every YAML block can be read, and the policies
shown name only plugins and actions that are described."""

import pathlib
import re
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def ours(pattern):
    """Files of the tree that match, but for build products and hidden folders."""
    for path in sorted(ROOT.rglob(pattern)):
        parts = path.relative_to(ROOT).parts
        if not any(p == "build" or p.startswith(".") for p in parts[:-1]):
            yield path


def policies():
    """(where, text) of each complete scheduler.conf that is shown somewhere."""
    for page in ours("*.md"):
        for number, (language, body) in enumerate(FENCE.findall(page.read_text("utf-8")), 1):
            if language == "yaml" and body.startswith("# scheduler.conf"):
                yield f"{page.relative_to(ROOT)}, block {number}", body
    for path in ours("*.conf"):
        if path.is_relative_to(ROOT / "examples"):
            yield str(path.relative_to(ROOT)), path.read_text("utf-8")
    for path in ("deploy/scheduler/configmap.yaml", "deploy/overlays/evicting/policy.yaml"):
        manifest = yaml.safe_load((ROOT / path).read_text("utf-8"))
        yield path, manifest["data"]["volcano-scheduler.conf"]


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        count = 0
        for page in ours("*.md"):
            text = FENCE.sub("", page.read_text("utf-8"))
            for target in LINK.findall(text):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                path = page.parent / target.split("#")[0]
                self.assertTrue(path.exists(), f"{page.relative_to(ROOT)}: {target}")
        self.assertGreater(count, 20)

    def test_yaml_blocks_can_be_read(self):
        for page in ours("*.md"):
            for language, body in FENCE.findall(page.read_text("utf-8")):
                if language == "yaml":
                    with self.subTest(page=str(page.relative_to(ROOT)), body=body[:60]):
                        list(yaml.safe_load_all(body))


class Ways(unittest.TestCase):
    """The tables in docs/architecture.md that name a function for each step."""

    ROW = re.compile(r"^\| (\d+) \| `([\w:]+)` \| `([\w/.]+)` \|", re.MULTILINE)

    def test_functions_are_where_the_tables_say(self):
        steps = self.ROW.findall((ROOT / "docs/architecture.md").read_text("utf-8"))
        self.assertGreater(len(steps), 30)
        self.assertLessEqual(max(int(number) for number, _, _ in steps), 30)
        for _, name, path in steps:
            with self.subTest(name=name, path=path):
                source = (ROOT / path).read_text("utf-8")
                owner, _, function = name.rpartition("::")
                inside = f"class {owner} " in source  # Defined in its class.
                pattern = function if inside or not owner else f"{owner}::{function}"
                self.assertRegex(source, rf"(?<![\w.>]){pattern}\(")


# Words of one or two senses that nobody knows: Volcano, Kubernetes or the glossary has others.
REFUSED = {
    "aloud": "the name of what is said, and to whom",
    "homeless": "without a job, queue or node",
    "sheet": "worksheet",
    "sheets": "worksheets",
    "trouble": "fault, failure",
    "troubles": "faults, failures",
    "troubled": "faulty, failing",
    "wish": "request, spec, options, mode",
    "wishes": "requests, specs, options",
}
# Of the scheduler alone: what must hold in every cluster (sim/world/promises) is one.
REFUSED_IN_SCHEDULER = {
    "promise": "a pipelined or nominated task, its room",
    "promises": "pipelined or nominated tasks, their room",
    "promised": "pipelined, nominated",
}
SCHEDULER = ("actions", "algo", "cache", "devices", "framework", "plugins", "scheduler")


class CppNames:
    """The identifiers of C++ text, and what they are put together of."""

    # What is no name: comments, raw strings, strings, characters.
    TOKEN = re.compile(
        r"//[^\n]*|/\*.*?\*/"
        r"|R\"([^()\\\s]{0,16})\(.*?\)\1\""
        r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)'"
        r"|([A-Za-z_]\w*)",
        re.DOTALL,
    )
    PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

    @classmethod
    def of(cls, text):
        return {name for _, name in cls.TOKEN.findall(text) if name}

    @classmethod
    def parts(cls, name):
        return [part.lower() for part in cls.PART.findall(name)]


def refused_names(names, refused):
    """(name, what to say instead) of each name that has a refused word in it."""
    return [(name, refused[part])
            for name in sorted(names) for part in CppNames.parts(name) if part in refused]


def own_words(glossary):
    """The words of the first table, without what they are words of."""
    own = glossary.split("## Words of this project")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+?) \|", own, re.MULTILINE)
    return {word.strip().lower()
            for row in rows if row != "Word"
            for word in re.sub(r"\(.*?\)", "", row).split(",")}


def unused_words(words, names):
    """Those that no name has in it, one part after the other; in plural, too."""
    known = {" ".join(CppNames.parts(name)) for name in names}
    text = "\n".join(sorted(known))
    return {word for word in words
            if not re.search(rf"\b{re.escape(word.replace('-', ' '))}(s|es)?\b", text)}


class Words(unittest.TestCase):
    """Names in the sources use the words of docs/glossary.md, and those it lists are in use."""

    @classmethod
    def setUpClass(cls):
        cls.names = {}
        for pattern in ("*.h", "*.cc"):
            for path in ours(pattern):
                cls.names[path.relative_to(ROOT)] = CppNames.of(path.read_text("utf-8"))

    def test_words_nobody_knows_are_in_no_name(self):
        self.assertGreater(len(self.names), 1000)
        for path, names in self.names.items():
            refused = dict(REFUSED)
            # Values to come, as promises of C++ are.
            names = names - {"Promised"}
            if path.parts[0] in SCHEDULER:
                refused |= REFUSED_IN_SCHEDULER
            self.assertEqual(refused_names(names, refused), [], path)

    def test_words_of_the_glossary_are_in_use(self):
        words = own_words((ROOT / "docs/glossary.md").read_text("utf-8"))
        self.assertGreater(len(words), 50)
        self.assertEqual(unused_words(words, set().union(*self.names.values())), set())

    def test_the_checks_find_something(self):
        text = """
            // No wish, "no" trouble.
            auto text = R"(sheet)"; const char* aloud_not = "homeless"; int n = 1'000;
            struct DeviceWish { int on_trouble; char kSheets = 'w'; Worksheet worksheet; };
            void PromisedRoom(); int promised_; SubJobs sub_jobs; """
        names = CppNames.of(text)
        self.assertEqual({name for name, _ in refused_names(names, REFUSED)},
                         {"DeviceWish", "on_trouble", "kSheets", "aloud_not"})
        self.assertEqual({name for name, _ in refused_names(names, REFUSED_IN_SCHEDULER)},
                         {"PromisedRoom", "promised_"})
        glossary = """
## Words of this project

| Word | Meaning |
|---|---|
| sub-job | a gang |
| worksheet, wish (of a pod) | two |
| fit report | none |

## Words of others

| unheard |
"""
        self.assertEqual(own_words(glossary), {"sub-job", "worksheet", "wish", "fit report"})
        self.assertEqual(unused_words(own_words(glossary), names), {"fit report"})


class Policies(unittest.TestCase):
    def test_names_are_described(self):
        described = {kind: {p.stem for p in (ROOT / "docs" / kind).glob("*.md")} - {"README"}
                     for kind in ("plugins", "actions")}
        # Those outside of the tree are described beside their source.
        described["plugins"] |= {p.stem for p in (ROOT / "examples/plugin").glob("*.cc")}
        shown = list(policies())
        self.assertGreaterEqual(len(shown), 4)
        for where, text in shown:
            policy = yaml.safe_load(text)
            with self.subTest(where=where):
                actions = {a.strip() for a in policy["actions"].split(",")}
                plugins = {p["name"] for tier in policy["tiers"] for p in tier["plugins"]}
                self.assertLessEqual(actions, described["actions"])
                self.assertLessEqual(plugins, described["plugins"])


class Manifests(unittest.TestCase):
    def test_kustomization_lists_every_manifest(self):
        folders = [p.parent for p in (ROOT / "deploy").rglob("kustomization.yaml")]
        self.assertGreaterEqual(len(folders), 5)
        for folder in folders:
            text = (folder / "kustomization.yaml").read_text("utf-8")
            kustomization = yaml.safe_load(text)
            listed = set(kustomization["resources"])
            listed |= {p["path"] for p in kustomization.get("patches", []) if "path" in p}
            with self.subTest(folder=str(folder.relative_to(ROOT))):
                present = {p.name for p in folder.glob("*.yaml")} - {"kustomization.yaml"}
                self.assertEqual({name for name in listed if name.endswith(".yaml")}, present)
                for name in listed:
                    self.assertTrue((folder / name).resolve().exists(), name)

    def test_kustomization_needs_no_definition(self):
        others = ("crds", "helm", "monitoring")
        manifests = [
            p
            for p in (ROOT / "deploy").rglob("*.yaml")
            if p.relative_to(ROOT / "deploy").parts[0] not in others
        ]
        self.assertGreaterEqual(len(manifests), 15)
        for path in manifests:
            for found in yaml.safe_load_all(path.read_text("utf-8")):
                self.assertNotIn("volcano.sh", found["apiVersion"], path.name)
                self.assertNotEqual(found["kind"], "CustomResourceDefinition", path.name)

    def test_names_of_definitions_follow_from_their_contents(self):
        for path in (ROOT / "deploy/crds").glob("*.yaml"):
            crd = yaml.safe_load(path.read_text("utf-8"))
            spec = crd["spec"]
            self.assertEqual(crd["metadata"]["name"], f"{spec['names']['plural']}.{spec['group']}")
            self.assertEqual(path.stem, f"{spec['group']}_{spec['names']['plural']}")

    def test_example_pods_belong_to_a_group_that_is_there(self):
        for path in (ROOT / "examples").glob("*.yaml"):
            objects = [o for o in yaml.safe_load_all(path.read_text("utf-8")) if o]
            groups = {o["metadata"]["name"] for o in objects if o["kind"] == "PodGroup"}
            for pod in (o for o in objects if o["kind"] == "Pod"):
                annotations = pod["metadata"]["annotations"]
                self.assertIn(annotations["scheduling.k8s.io/group-name"], groups, path.name)
                self.assertEqual(pod["spec"]["schedulerName"], "volcano", path.name)


if __name__ == "__main__":
    unittest.main()
