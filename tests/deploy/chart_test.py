"""The chart: every value acts, is named as without effect, or is refused; what it makes with the
values of tests/deploy/values is sound, and the plain manifests are what it makes with its own."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import helm
import yaml

CHECKS = [
    ({"custom": {"agent_scheduler_sharding_mode": "x"}}, "x is none of none, hard, soft"),
    ({"custom": {"colocation_enable": True}}, "there is no node agent here"),
    ({"custom": {"scheduler_sharding_mode": "firm"}}, "firm is none of none, hard, soft"),
    ({"custom": {"hypernode_controller_mode": "standalone"}}, "use controller-manager or disabled"),
    ({"custom": {"hypernode_controller_mode": "x"}}, 'or disabled; got "x"'),
    ({"custom": {"leader_elect_enable": False}}, "they would all act"),
    ({"basic": {"scheduler_image_name": "volcanosh/vc-scheduler"}}, "is an image of Volcano"),
    ({"basic": {"scheduler_config_file": "config/x.conf"}}, 'holds no file "config/x.conf"'),
    ({"custom": {"enabled_admissions": "/jobs/validate,/jobs"}}, '"/jobs" is none of /jobs/mutate'),
    (
        {"custom": {"admission_enable": False, "check_queue_access_enable": True}},
        "custom.check_queue_access_enable: the webhooks check who may submit to a queue",
    ),
    ({"custom": {"scheduler_replica": 2}}, "scheduler_replica"),
    ({"basics": {"image_registry": "x"}}, "basics"),
    ({"custom": {"scheduler_replicas": "two"}}, "scheduler_replicas"),
    ({"custom": {"admission_failure_policy": "Maybe"}}, "admission_failure_policy"),
]

# Where queues are checked: configuration, and what the API server asks it about.
CHECKED = [
    ("jobs-validate", ["jobs"], ["CREATE", "UPDATE"]),
    ("podgroups-validate", ["podgroups"], ["CREATE", "UPDATE"]),
    ("pods-validate", ["pods"], ["CREATE"]),
    ("cronjobs-validate", ["cronjobs"], ["CREATE", "UPDATE"]),
    ("jobflows-validate", ["jobflows", "jobtemplates"], ["CREATE", "UPDATE"]),
]

# A value of another kind than its default for each key that needs one; what follows from the key's
# name is in `sample`.
SAMPLES = {
    "image_pull_policy": "Always",
    "admission_failure_policy": "Ignore",
    "scheduler_config_file": "config/volcano-scheduler-evicting.conf",
    "controller_config_file": "config/volcano-admission.conf",
    "admission_config_file": "config/volcano-controller.conf",
    "hypernode_controller_mode": "disabled",
    "enabled_admissions": "/jobs/validate",
    "scheduler_config_override": 'actions: "allocate"',
    "controller_config_override": {"networkTopologyDiscovery": [{"source": "label"}]},
    "admission_config_override": {"resourceGroups": []},
    "sharding_configmap_data": "schedulerConfigs: []",
    "ipFamilyPolicy": "PreferDualStack",
    "ipFamilies": ["IPv6"],
    "webhooks_namespace_selector_expressions": [{"key": "batch", "operator": "Exists"}],
    "scheduler_sharding_mode": "soft",
    "agent_scheduler_sharding_mode": "soft",
    "agent_scheduler_config_file": "config/volcano-admission.conf",
    "agent_scheduler_config_override": 'actions: "allocate"',
}
# What acts only together with another value.
WITH = {
    "service_monitors_labels": {"custom": {"service_monitors_enable": True}},
    "debug_access_enable": {},
    "device_access_enable": {},
    "chip_access_enable": {},
}
AGENT = {"custom": {"agent_scheduler_enable": True}}
# What plugins and debug pages need beyond the roles of a scheduler.
OF_SCHEDULERS = [
    ("ClusterRoleBinding", "volcano-scheduler-auth-delegator"),
    ("ClusterRoleBinding", "volcano-scheduler-devices"),
    ("RoleBinding", "volcano-scheduler-devices"),
    ("RoleBinding", "volcano-scheduler-chips"),
    ("RoleBinding", "volcano-scheduler-plugin-chips"),
]
QUEUE_COMMANDS = ("ValidatingAdmissionPolicy", "vcjob-queue-command-policy")


def sample(key, default):
    if key in SAMPLES:
        return SAMPLES[key]
    if isinstance(default, bool):
        return not default
    if key.endswith(("_enable",)):
        return True
    if key.endswith("_extra_args"):
        return ["--v=9"]
    if key.endswith("_tolerations"):
        return [{"key": "sample", "operator": "Exists"}]
    if key.endswith(("_labels", "_podLabels", "_ns")):
        return {"sample": "value"}
    if key.endswith(("_affinity", "_sc", "_csc", "_resources")):
        return {"sample": {}}
    if isinstance(default, int):
        return default + 1
    if re.search(r"(qps|burst|threads|_gc|_podgroup|_level|_count|_find|_ttl|_replicas)$", key):
        return 7
    return "sample"


def leaves():
    values = yaml.safe_load((helm.CHART / "values.yaml").read_text("utf-8"))
    for section, entries in values.items():
        for key, default in entries.items():
            yield section, key, default


@unittest.skipUnless(helm.program(), "there is no helm: scripts/helm builds one")
class Chart(unittest.TestCase):
    def test_lint(self):
        for path in helm.values_files():
            with self.subTest(values=path.name):
                flags = ["--strict", "--quiet", f"--values={path}", "--kube-version=1.36.0"]
                if path.name != "monitored.yaml":  # Lint knows no APIs of operators.
                    done = helm.run("lint", helm.CHART, *flags)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_values_files_render(self):
        self.assertGreaterEqual(len(helm.values_files()), 10)
        for path in helm.values_files():
            with self.subTest(values=path.name):
                made = helm.rendered(f"--values={path}")
                self.assertGreater(len(made), 8)
                for (kind, name), body in made.items():
                    self.assertTrue(sound(body), f"{kind} {name}")
                accounts_are_there(self, made)

    def test_every_value_acts_or_is_named_or_is_refused(self):
        plain = told()
        fates = {"acts": [], "named": [], "refused": []}
        for section, key, default in leaves():
            name = f"{section}.{key}"
            with self.subTest(value=name):
                flags = helm.values_of(WITH.get(key, {}))
                if key.startswith("agent_scheduler_") and key != "agent_scheduler_enable":
                    flags += helm.values_of(AGENT)
                before = told(*flags)[0] if flags else plain[0]
                flags += helm.values_of({section: {key: sample(key, default)}})
                done = helm.template(*flags, chart=helm.copied())
                if done.returncode:
                    self.assertIn(key, done.stderr)
                    fates["refused"].append(key)
                    continue
                after, notes = split(done.stdout)
                if re.search(rf"{name}\b", notes):
                    fates["named"].append(key)
                else:
                    fates["acts"].append(key)
                    self.assertNotEqual(after, before, "it changes nothing, and nobody is told")
        print({fate: len(keys) for fate, keys in fates.items()}, file=sys.stderr)
        self.assertGreater(len(fates["acts"]), 80)
        self.assertEqual(
            sorted(fates["refused"]),
            [
                "colocation_enable",
                "leader_elect_enable",
            ],
        )

    def test_what_cannot_be_meant_is_refused_with_a_remedy(self):
        for values, said in CHECKS:
            with self.subTest(values=values):
                done = helm.template(*helm.values_of(values))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stderr)

    def test_plain_manifests_are_what_the_chart_says(self):
        argv = [helm.ROOT / "scripts/render", "--check"]
        done = subprocess.run(argv, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_where_queues_are_checked_nobody_passes_by(self):
        """Whatever is enabled, each kind that names a queue is brought before the webhooks."""
        for enabled in (None, "", "/queues/mutate", "/podgroups/validate, /jobs/validate"):
            values = {"check_queue_access_enable": True}
            if enabled is not None:
                values["enabled_admissions"] = enabled
            with self.subTest(enabled=enabled):
                made = helm.rendered(*helm.values_of({"custom": values}))
                asked = {}
                for (kind, name), body in made.items():
                    if kind == "ValidatingWebhookConfiguration":
                        (entry,) = body["webhooks"]
                        (rule,) = entry["rules"]
                        asked[name.removeprefix("volcano-admission-service-")] = (entry, rule)
                for name, resources, operations in CHECKED:
                    entry, rule = asked[name]
                    self.assertEqual(rule["resources"], resources)
                    self.assertEqual(rule["operations"], operations)
                    conditions = [c["name"] for c in entry.get("matchConditions", [])]
                    moves = ["comes-to-a-queue"] if name == "podgroups-validate" else []
                    self.assertEqual(conditions, moves)
                args = container_args(made, "volcano-admission")
                self.assertIn("--check-queue-access=true", args)
                (paths,) = [a for a in args if a.startswith("--enabled-admission=")]
                served = [path.strip() for path in paths.partition("=")[2].split(",")]
                self.assertEqual(len(served), len(set(served)))
                for name, _, _ in CHECKED:
                    self.assertIn("/" + name.replace("-", "/"), served)

    def test_a_cluster_without_mutating_policies_is_told(self):
        flags = helm.values_of({"custom": {"map_enable": True}})
        done = helm.run("template", "volcano", helm.CHART, "--kube-version=1.34.0", *flags)
        self.assertIn("Kubernetes v1.34.0 has no MutatingAdmissionPolicy", done.stderr)

    def test_policies_are_for_the_scheduler_and_the_namespace_of_their_release(self):
        settings = {"vap_enable": True, "map_enable": True, "scheduler_name": "own"}
        flags = helm.values_of({"custom": settings})
        made = helm.rendered(*flags, release="batch", namespace="batch-system")
        matched = [
            body["spec"]["matchConstraints"]
            for (kind, _), body in made.items()
            if kind.endswith("AdmissionPolicy")
        ]
        chosen = [match["namespaceSelector"] for match in matched if "namespaceSelector" in match]
        self.assertGreater(len(chosen), 5)
        for selector in chosen:
            (term,) = selector["matchExpressions"]
            self.assertEqual(term["values"], ["batch-system", "kube-system"])
        filled = made["MutatingAdmissionPolicy", "volcano-job-mutation-policy"]["spec"]
        self.assertIn("value: 'own'", filled["mutations"][0]["jsonPatch"]["expression"])

    def test_commands_to_queues_are_for_those_who_may_update_them(self):
        # Wherever the role is that lets people make Commands, as far as the cluster knows policies.
        for flags, version, there in (
            ({}, "1.30.0", True),
            ({}, "1.29.0", False),
            ({"user_roles_enable": False}, "1.36.0", False),
        ):
            with self.subTest(flags=flags, version=version):
                given = helm.values_of({"custom": flags})
                made = helm.rendered(*given, f"--kube-version={version}")
                self.assertEqual(QUEUE_COMMANDS in made, there)

    def test_the_agent_scheduler_serves_the_name_it_is_given(self):
        for name in (None, "urgent"):
            settings = {"agent_scheduler_enable": True, "agent_scheduler_name": name}
            made = helm.rendered(*helm.values_of({"custom": settings}))
            args = container_args(made, "volcano-agent-scheduler")
            self.assertIn(f"--scheduler-name={name or 'agent-scheduler'}", args)

    def test_optional_rights_are_for_each_scheduler_that_is_enabled(self):
        rights = {f"{what}_access_enable": True for what in ("debug", "device", "chip")}
        for scheduler, agent in ((True, False), (False, True), (True, True), (False, False)):
            with self.subTest(scheduler=scheduler, agent=agent):
                enabled = {"scheduler_enable": scheduler, "agent_scheduler_enable": agent}
                made = helm.rendered(*helm.values_of({"custom": {**rights, **enabled}}))
                accounts = ["volcano-scheduler"] * scheduler + ["volcano-agent-scheduler"] * agent
                bindings = OF_SCHEDULERS if accounts else []
                self.assertEqual([key for key in OF_SCHEDULERS if key in made], bindings)
                for key in bindings:
                    subjects = made[key]["subjects"]
                    self.assertEqual([subject["name"] for subject in subjects], accounts)
                    spaces = {subject["namespace"] for subject in subjects}
                    self.assertEqual(spaces, {helm.NAMESPACE})

    def test_pages_behind_the_proxy_are_those_of_the_scheduler_alone(self):
        for scheduler, accounts in ((True, ["volcano-scheduler"]), (False, None)):
            enabled = {"scheduler_enable": scheduler, "agent_scheduler_enable": True}
            flags = helm.values_of({"custom": {"scheduler_explain_enable": True, **enabled}})
            binding = helm.rendered(*flags).get(OF_SCHEDULERS[0])
            named = binding and [subject["name"] for subject in binding["subjects"]]
            self.assertEqual(named, accounts)

    def test_the_controllers_look_for_shards_where_the_release_is(self):
        for enabled, data in ((True, None), (True, "schedulerConfigs: []"), (False, None)):
            settings = {"sharding_configmap_enable": enabled, "sharding_configmap_data": data}
            flags = helm.values_of({"custom": settings})
            made = helm.rendered(*flags, release="batch", namespace="batch-system")
            with self.subTest(enabled=enabled, data=data):
                args = container_args(made, "batch-controllers")
                told = [arg for arg in args if arg.startswith("--sharding-")]
                self.assertEqual(
                    told,
                    [
                        "--sharding-configmap=batch-sharding-configmap",
                        "--sharding-configmap-namespace=batch-system",
                    ]
                    * enabled,
                )
                there = ("ConfigMap", "batch-sharding-configmap") in made
                self.assertEqual(there, bool(data))

    def test_another_release_shares_no_name_but_those_of_the_cluster(self):
        ours = helm.rendered(release="batch", namespace="batch-system")
        theirs = helm.rendered()
        shared = {key for key in set(ours) & set(theirs)}
        kinds = {kind for kind, _ in shared}
        self.assertEqual(
            kinds,
            {
                "ClusterRole",
                "MutatingWebhookConfiguration",
                "ValidatingWebhookConfiguration",
                "ValidatingAdmissionPolicy",
                "ValidatingAdmissionPolicyBinding",
            },
        )
        self.assertEqual(
            {name for kind, name in shared if kind == "ClusterRole"},
            {"vcjob-viewer-role", "vcjob-editor-role"},
        )
        text = json.dumps(list(ours.values()))
        self.assertNotIn("volcano-system", text)

    def test_a_packed_chart_makes_the_same(self):
        settings = {"custom": {"vap_enable": True, "metrics_enable": True}}
        flags = ["--include-crds", *helm.values_of(settings)]
        with tempfile.TemporaryDirectory() as folder:
            packed = helm.run("package", helm.CHART, f"--destination={folder}")
            self.assertEqual(packed.returncode, 0, packed.stderr)
            (archive,) = pathlib.Path(folder).glob("*.tgz")
            argv = [helm.program(), "template", "volcano", archive, *flags]
            raw = subprocess.run(argv, capture_output=True, text=True)
        self.assertEqual(raw.stderr, "")
        theirs = helm.run("template", "volcano", helm.CHART, *flags).stdout
        self.assertTrue(raw.stdout == theirs)
        kinds = [kind for kind, _ in helm.objects(raw.stdout)]
        definitions = list((helm.ROOT / "deploy/crds").glob("*.yaml"))
        self.assertEqual(kinds.count("CustomResourceDefinition"), len(definitions))


class Values(unittest.TestCase):
    """What needs no helm."""

    def test_the_schema_knows_each_value_and_no_other(self):
        schema = json.loads((helm.CHART / "values.schema.json").read_text("utf-8"))
        known = {
            (section, key)
            for section, part in schema["properties"].items()
            if section != "global"
            for key in part["properties"]
        }
        self.assertEqual(known, {(section, key) for section, key, _ in leaves()})
        self.assertFalse(schema["additionalProperties"])
        for section, part in schema["properties"].items():
            if section != "global":  # Helm's own.
                self.assertFalse(part["additionalProperties"], section)

    def test_commands_to_queues_are_checked_beside_the_role_that_makes_them(self):
        text = (helm.ROOT / "deploy/users/queue_commands.yaml").read_text("utf-8")
        policy, binding = yaml.safe_load_all(text)
        self.assertEqual((policy["kind"], policy["metadata"]["name"]), QUEUE_COMMANDS)
        spec = policy["spec"]
        self.assertEqual(spec["failurePolicy"], "Fail")
        self.assertNotIn("namespaceSelector", spec["matchConstraints"])
        (rule,) = spec["matchConstraints"]["resourceRules"]
        self.assertEqual(rule["resources"], ["commands"])
        self.assertEqual(rule["operations"], ["CREATE", "UPDATE"])
        (validation,) = spec["validations"]
        self.assertIn(".check('update').allowed()", validation["expression"])
        self.assertEqual(binding["spec"]["policyName"], policy["metadata"]["name"])
        self.assertEqual(binding["spec"]["validationActions"], ["Deny"])
        # Its fields are those of the definition.
        path = helm.ROOT / "deploy/crds/bus.volcano.sh_commands.yaml"
        (version,) = yaml.safe_load(path.read_text("utf-8"))["spec"]["versions"]
        self.assertEqual(rule["apiVersions"], [version["name"]])
        target = version["schema"]["openAPIV3Schema"]["properties"]["target"]
        said = validation["expression"] + "".join(c["expression"] for c in spec["matchConditions"])
        named = set(re.findall(r"object\.target\.(\w+)", said))
        self.assertEqual(named, {"apiVersion", "kind", "name"})
        self.assertLessEqual(named, set(target["required"]))

    def test_the_controllers_are_told_where_shards_are_configured(self):
        path = helm.ROOT / "deploy/controllers/deployment.yaml"
        made = helm.objects(path.read_text("utf-8"))
        args = container_args(made, "volcano-controllers")
        self.assertIn("--sharding-configmap=volcano-sharding-configmap", args)
        self.assertIn("--sharding-configmap-namespace=volcano-system", args)

    def test_admissions_beyond_those_of_volcano_are_told(self):
        values = yaml.safe_load((helm.CHART / "values.yaml").read_text("utf-8"))
        ours = set(values["custom"]["enabled_admissions"].split(","))
        manual = (helm.ROOT / "docs/moving-from-volcano.md").read_text("utf-8")
        (theirs,) = re.findall(r"`custom\.enabled_admissions: \"(.*?)\"`", manual)
        theirs = set(theirs.split(","))
        self.assertLess(theirs, ours)
        text = (helm.ROOT / "docs/compatibility.md").read_text("utf-8")
        (row,) = [line for line in text.splitlines() if "`enabled_admissions`" in line]
        for path in ours - theirs:
            self.assertIn(f"`{path}`", row)

    def test_only_those_who_serve_the_log_level_are_told_where(self):
        told = {
            path.relative_to(helm.ROOT / "deploy").as_posix()
            for pattern in ("*/deployment.yaml", "debian/*.service")
            for path in (helm.ROOT / "deploy").glob(pattern)
            if "DEBUG_SOCKET_DIR" in path.read_text("utf-8")
        }
        self.assertEqual(
            told,
            {
                "scheduler/deployment.yaml",
                "agent_scheduler/deployment.yaml",
                "debian/vc-scheduler.service",
                "debian/vc-agent-scheduler.service",
            },
        )

    def test_each_rendered_file_says_where_it_comes_from(self):
        for part in ("scheduler", "agent_scheduler", "controllers", "admission", "users"):
            for path in (helm.CHART / "templates" / part).glob("*.yaml"):
                plain = helm.ROOT / "deploy" / part / path.name
                if plain.is_file():
                    first = plain.read_text("utf-8").splitlines()[0]
                    self.assertIn(f"templates/{part}/{path.name}", first)


def container_args(made, deployment):
    (container,) = made[("Deployment", deployment)]["spec"]["template"]["spec"]["containers"]
    return container["args"]


def told(*flags):
    done = helm.template(*flags, chart=helm.copied())
    assert done.returncode == 0, done.stderr
    return split(done.stdout)


def split(text):
    """The objects of a rendering, and what is said after an installation."""
    made = helm.objects(text)
    return made, made.pop(("ConfigMap", "told"))["data"]["notes"]


def sound(body):
    """Nothing is empty that was filled in, and no text of a template is left."""
    kept = body["kind"].endswith(("Policy", "Rule")) or "dashboard" in body["metadata"]["name"]
    if kept and body["kind"] != "NetworkPolicy":
        return True  # They come from files as they are, and have such signs of their own.
    text = yaml.safe_dump(body)
    return not any(left in text for left in ("<nil>", "%!", "map[", "{{"))


def accounts_are_there(case, made):
    """Each account, role, ConfigMap and Service that is named is part of the release."""
    for (kind, name), body in made.items():
        if kind == "Deployment":
            pod = body["spec"]["template"]["spec"]
            case.assertIn(("ServiceAccount", pod["serviceAccountName"]), made)
            for volume in pod["volumes"]:
                if "configMap" in volume:
                    case.assertIn(("ConfigMap", volume["configMap"]["name"]), made)
            labels = body["spec"]["template"]["metadata"]["labels"]
            case.assertLessEqual(body["spec"]["selector"]["matchLabels"].items(), labels.items())
        if kind.endswith("Binding") and "Policy" not in kind:
            for subject in body["subjects"]:
                case.assertIn(("ServiceAccount", subject["name"]), made, name)
            if not body["roleRef"]["name"].startswith("system:"):
                case.assertIn((body["roleRef"]["kind"], body["roleRef"]["name"]), made, name)
        if kind.endswith("WebhookConfiguration"):
            for webhook in body["webhooks"]:
                service = webhook["clientConfig"]["service"]
                case.assertIn(("Service", service["name"]), made)
                case.assertEqual(service["namespace"], helm.NAMESPACE)


if __name__ == "__main__":
    unittest.main()
