#include "conf/policy.h"

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "conf/load.h"
#include "tests/support/catch.h"

namespace bth::conf {
namespace {

Policy Load(const std::string& yaml) {
  auto loaded = ParsePolicy(yaml, BuiltinNames());
  INFO(loaded.status().ToString());
  REQUIRE(loaded.ok());
  return std::move(loaded->policy);
}

std::string Error(const std::string& yaml) {
  return std::string(ParsePolicy(yaml, BuiltinNames()).status().message());
}

std::vector<std::string> Findings(const std::string& yaml) {
  const auto loaded = ParsePolicy(yaml, BuiltinNames());
  INFO(loaded.status().ToString());
  REQUIRE(loaded.ok());
  std::vector<std::string> texts;
  for (const Finding& finding : loaded->findings) texts.push_back(ToString(finding));
  return texts;
}

std::vector<std::string> PluginNames(const Tier& tier) {
  std::vector<std::string> names;
  for (const PluginOption& plugin : tier.plugins) names.push_back(plugin.name);
  return names;
}

// A policy with one plugin, whose entry ends in `rest` (block style, indented by four).
std::string WithGang(const std::string& rest) {
  return "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n" + rest;
}

TEST_CASE("policy: the built-in one is Volcano's", "[conf]") {
  const Policy policy = DefaultPolicy();
  CHECK(policy.actions == std::vector<std::string>{"enqueue", "allocate", "backfill"});
  REQUIRE(policy.tiers.size() == 2);
  CHECK(PluginNames(policy.tiers[0]) ==
        std::vector<std::string>{"priority", "gang", "conformance"});
  CHECK(PluginNames(policy.tiers[1]) ==
        std::vector<std::string>{"overcommit", "drf", "predicates", "proportion", "nodeorder"});
  CHECK(policy.configurations.empty());
  CHECK(policy.metrics.empty());
  CHECK(policy.victim_veto == VictimVeto::kTier);
  CHECK(Findings(std::string(DefaultPolicyText())).empty());
  CHECK(Load(std::string(AgentPolicyText())).actions == std::vector<std::string>{"allocate"});
}

TEST_CASE("policy: unset flags are on, but for hierarchy and cluster order", "[conf]") {
  const Policy policy = Load(WithGang("    enableJobOrder: ~\n"));
  const HookFlags flags = policy.tiers[0].plugins[0].flags;
  for (size_t i = 0; i < kHookFlags; ++i) {
    const HookFlag flag = static_cast<HookFlag>(i);
    CAPTURE(YamlKey(flag));
    CHECK(flags[flag] == (flag != HookFlag::kHierarchy && flag != HookFlag::kClusterOrder));
  }
  CHECK(!HookFlags::AllOff()[HookFlag::kJobOrder]);
}

TEST_CASE("policy: each flag is read under its own spelling and nothing else moves", "[conf]") {
  struct Case {
    std::string key;
    HookFlag flag;
  };
  const Case c = GENERATE(values<Case>({
      {"enableJobOrder", HookFlag::kJobOrder},
      {"enableHierarchy", HookFlag::kHierarchy},
      {"enableJobReady", HookFlag::kJobReady},
      {"enableJobPipelined", HookFlag::kJobPipelined},
      {"enableTaskOrder", HookFlag::kTaskOrder},
      {"enablePreemptable", HookFlag::kPreemptable},
      {"enableReclaimable", HookFlag::kReclaimable},
      {"enablePreemptive", HookFlag::kPreemptive},
      {"enableQueueOrder", HookFlag::kQueueOrder},
      {"enabledClusterOrder", HookFlag::kClusterOrder},
      {"enablePredicate", HookFlag::kPredicate},
      {"enableBestNode", HookFlag::kBestNode},
      {"enableNodeOrder", HookFlag::kNodeOrder},
      {"enableTargetJob", HookFlag::kTargetJob},
      {"enableReservedNodes", HookFlag::kReservedNodes},
      {"enableJobEnqueued", HookFlag::kJobEnqueued},
      {"enabledVictim", HookFlag::kVictim},
      {"enableJobStarving", HookFlag::kJobStarving},
      {"enabledOverused", HookFlag::kOverused},
      {"enabledAllocatable", HookFlag::kAllocatable},
      {"enabledHyperNodeOrder", HookFlag::kHyperNodeOrder},
      {"enabledSubJobReady", HookFlag::kSubJobReady},
      {"enabledSubJobPipelined", HookFlag::kSubJobPipelined},
      {"enabledSubJobOrder", HookFlag::kSubJobOrder},
      {"enabledHyperNodeGradient", HookFlag::kHyperNodeGradient},
  }));
  CAPTURE(c.key);
  CHECK(YamlKey(c.flag) == c.key);
  for (bool on : {true, false}) {
    const std::string value = on ? "yes" : "off";
    HookFlags expect;
    expect.Set(c.flag, on);
    CHECK(Load(WithGang("    " + c.key + ": " + value + "\n")).tiers[0].plugins[0].flags == expect);
  }
  // The other spelling is reported with the right one and has no effect.
  const bool has_d = c.key.rfind("enabled", 0) == 0;
  const std::string wrong = has_d ? "enable" + c.key.substr(7) : "enabled" + c.key.substr(6);
  const std::string yaml = WithGang("    " + wrong + ": false\n    " + wrong + "2: false\n");
  CHECK(Load(yaml).tiers[0].plugins[0].flags == HookFlags());
  CHECK(Findings(yaml)[0] == "line 5: tiers[0].plugins[0]." + wrong +
                                 ": unknown key, ignored: the switch is spelled " + c.key +
                                 " (did you mean \"" + c.key + "\"?)");
}

TEST_CASE("policy: what makes a file invalid is named with line, path and remedy", "[conf]") {
  const std::string known =
      "; known actions: enqueue, allocate, backfill, preempt, reclaim, shuffle, gangpreempt, "
      "gangreclaim";
  struct Case {
    std::string name, yaml, expect;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {"unknown action", "tiers: []\nactions: \"enqueue, alocate\"\n",
       "failed to find Action  alocate: line 2: actions[1]: unknown action (did you mean "
       "\"allocate\"?)" +
           known},
      {"no actions", "tiers: []\n",
       "failed to find Action : actions: no actions; write `actions: \"enqueue, allocate, "
       "backfill\"`" +
           known},
      {"trailing comma", "\nactions: allocate,\ntiers: []\n",
       "failed to find Action : line 2: actions[1]: an empty name; remove the comma beside it" +
           known},
      {"actions as a list", "actions: [allocate]\ntiers: []\n",
       "line 1: actions: needs one string with the names separated by commas, got a list"},
      {"unknown plugin", "actions: allocate\ntiers:\n- plugins:\n  - name: gagn\n",
       "Failed to get plugin gagn: line 4: tiers[0].plugins[0].name: unknown plugin (did you mean "
       "\"gang\"?)"},
      {"plugin without a name", "actions: allocate\ntiers:\n- plugins:\n  - enableJobOrder: true\n",
       "Failed to get plugin : line 4: tiers[0].plugins[0].name: a plugin needs a name"},
      {"plugin with a misspelled name key",
       "actions: allocate\ntiers:\n- plugins:\n  - nam: gang\n",
       "Failed to get plugin : line 4: tiers[0].plugins[0].name: a plugin needs a name; the key "
       "\"nam\" is unknown (did you mean \"name\"?)"},
      {"hierarchical drf beside proportion",
       "actions: allocate\ntiers:\n- plugins:\n  - name: drf\n    enableHierarchy: true\n"
       "  - name: proportion\n",
       "proportion and drf with hierarchy enabled conflicts: line 3: tiers[0]: remove proportion "
       "or drf's enableHierarchy from this tier"},
      {"flag of a wrong type", WithGang("    enableJobOrder: \"true\"\n"),
       "line 5: tiers[0].plugins[0].enableJobOrder: needs true or false, without quotes, got "
       "\"true\" (a string)"},
      {"arguments of a wrong type", WithGang("    arguments: [1]\n"),
       "line 5: tiers[0].plugins[0].arguments: needs a map, got a list"},
      {"tiers of a wrong type", "actions: allocate\ntiers: {}\n",
       "line 2: tiers: needs a list, got a map"},
      {"tier of a wrong type", "actions: allocate\ntiers: [gang]\n",
       "line 2: tiers[0]: needs a map with `plugins`, got \"gang\" (a string)"},
      {"plugins of a wrong type", "actions: allocate\ntiers:\n- plugins: gang\n",
       "line 3: tiers[0].plugins: needs a list, got \"gang\" (a string)"},
      {"plugin of a wrong type", "actions: allocate\ntiers:\n- plugins: [gang]\n",
       "line 3: tiers[0].plugins[0]: needs a map with `name`, got \"gang\" (a string)"},
      {"plugin name of a wrong type", "actions: allocate\ntiers:\n- plugins: [{name: []}]\n",
       "line 3: tiers[0].plugins[0].name: needs a string, got a list"},
      {"configurations of a wrong type", "actions: allocate\ntiers: []\nconfigurations: {a: b}\n",
       "line 3: configurations: needs a list, got a map"},
      {"metrics of a wrong type", "actions: allocate\ntiers: []\nmetrics: {type: [x]}\n",
       "line 3: metrics.type: needs a string, got a list"},
      {"a mistyped key at the root", "actions: allocate\nteirs:\n- plugins: [{name: gang}]\n",
       "line 2: teirs: unknown key (did you mean \"tiers\"?)"},
      {"a mistyped key beside the right one", "actions: allocate\ntiers: []\naction: allocate\n",
       "line 3: action: unknown key (did you mean \"actions\"?)"},
      {"no tiers", "actions: allocate\n",
       "tiers: no tiers: without plugins there are no gangs, priorities or quotas; name the "
       "plugins "
       "of at least one tier, or write `tiers: []` if none is meant to take part"},
      {"tiers without a value", "actions: allocate\ntiers:\n",
       "line 2: tiers: no tiers: without plugins there are no gangs, priorities or quotas; name "
       "the "
       "plugins of at least one tier, or write `tiers: []` if none is meant to take part"},
      {"root of a wrong type", "- a\n", "line 1: needs a map with `actions`, got a list"},
      {"two documents", "actions: allocate\n---\nactions: allocate\n",
       "line 3: a second document begins; one file holds one document"},
  }));
  CAPTURE(c.name);
  CHECK(Error(c.yaml) == c.expect);
}

TEST_CASE("policy: hierarchical drf and proportion may live in different tiers", "[conf]") {
  CHECK(Error("actions: allocate\ntiers:\n- plugins: [{name: drf, enableHierarchy: true}]\n"
              "- plugins: [{name: proportion}]\n") == "");
  CHECK(Error("actions: allocate\ntiers:\n- plugins: [{name: drf}, {name: proportion}]\n") == "");
}

TEST_CASE("policy: sizes of lists are limited", "[conf]") {
  std::string actions = "actions: allocate";
  for (size_t i = 0; i < kActionsMax; ++i) actions += ",allocate";
  CHECK(Error(actions + "\ntiers: []\n") == "line 1: actions: more than 64 actions");
  std::string tiers = "actions: allocate\ntiers:\n";
  for (size_t i = 0; i <= kTiersMax; ++i) tiers += "- plugins: []\n";
  CHECK(Error(tiers).find("tiers: has 65 entries; at most 64 are allowed") != std::string::npos);
  std::string plugins = "actions: allocate\ntiers:\n- plugins:\n";
  for (size_t i = 0; i <= kPluginsPerTierMax; ++i) plugins += "  - name: gang\n";
  CHECK(Error(plugins).find("tiers[0].plugins: has 65 entries") != std::string::npos);
}

TEST_CASE("policy: what has no effect is reported and changes nothing", "[conf]") {
  struct Case {
    std::string name, yaml, expect;
  };
  const Case c = GENERATE_COPY(values<Case>({
      {"unknown key at the root",
       "actions: allocate\nowner: us\ntiers: [{plugins: [{name: gang}]}]\n",
       "line 2: owner: unknown key, ignored"},
      {"unknown key of a tier", "actions: allocate\ntiers:\n- pluggins: []\n  plugins: []\n",
       "line 3: tiers[0].pluggins: unknown key, ignored (did you mean \"plugins\"?)"},
      {"unknown key of a plugin", WithGang("    argument: {}\n"),
       "line 5: tiers[0].plugins[0].argument: unknown key, ignored (did you mean \"arguments\"?)"},
      {"a misspelled switch", WithGang("    enablePreemtable: false\n"),
       "line 5: tiers[0].plugins[0].enablePreemtable: unknown key, ignored (did you mean "
       "\"enablePreemptable\"?)"},
      {"a switch in capitals", WithGang("    EnabledJobOrder: false\n"),
       "line 5: tiers[0].plugins[0].EnabledJobOrder: unknown key, ignored: the switch is spelled "
       "enableJobOrder (did you mean \"enableJobOrder\"?)"},
      {"a key given twice", WithGang("    enableJobOrder: false\n    enableJobOrder: true\n"),
       "line 6: tiers[0].plugins[0].enableJobOrder: given twice, first in line 5; the last one "
       "counts"},
      {"a plugin listed twice", WithGang("  - name: gang\n"),
       "line 5: tiers[0].plugins[1].name: plugin gang is listed more than once; its last instance "
       "answers at each place"},
      {"a list of no tiers", "actions: allocate\ntiers: []\n",
       "line 2: tiers: no tiers: no plugin takes part in any decision"},
      {"a tier without plugins", "actions: allocate\ntiers:\n- {}\n",
       "line 3: tiers[0]: a tier without plugins"},
      {"configuration of no action", WithGang("configurations:\n- name: alocate\n"),
       "line 6: configurations[0].name: no action of this name, ignored (did you mean "
       "\"allocate\"?)"},
      {"configuration of an action that does not run",
       WithGang("configurations:\n- name: preempt\n"),
       "line 6: configurations[0].name: this action is not among `actions`, so its arguments have "
       "no effect"},
      {"a second configuration of an action",
       WithGang("configurations:\n- name: allocate\n- name: allocate\n"),
       "line 7: configurations[1].name: a second entry for allocate, ignored: only the first one "
       "counts"},
      {"unknown key of a configuration",
       WithGang("configurations:\n- name: allocate\n  args: {}\n"),
       "line 7: configurations[0].args: unknown key, ignored"},
      {"unknown session argument",
       WithGang("configurations:\n- name: session\n  arguments: {victimveto: strict}\n"),
       "line 7: configurations[0].arguments.victimveto: unknown argument, ignored (did you mean "
       "\"victimVeto\"?)"},
      {"unknown veto",
       WithGang("configurations:\n- name: session\n  arguments: {victimVeto: hard}\n"),
       "line 7: configurations[0].arguments.victimVeto: needs tier or strict, got hard; tier is "
       "used"},
      {"an argument of MindCluster's that does nothing",
       WithGang(
           "configurations:\n- name: init-params\n  arguments: {presetVirtualDevice: \"false\"}\n"),
       "line 7: configurations[0].arguments.presetVirtualDevice: has no effect: chips are cut when "
       "pods come, as in Volcano"},
      {"unknown argument of MindCluster's",
       WithGang("configurations:\n- name: init-params\n  arguments: {useClusterInfoManger: "
                "\"false\"}\n"),
       "line 7: configurations[0].arguments.useClusterInfoManger: unknown argument, ignored (did "
       "you "
       "mean "
       "\"useClusterInfoManager\"?)"},
      {"unknown metrics type", WithGang("metrics: {type: promethues}\n"),
       "line 5: metrics.type: data cannot be collected from the promethues monitoring system. The "
       "supported monitoring systems are elasticsearch, prometheus, and prometheus_adaptor (did "
       "you mean \"prometheus\"?)"},
      {"metrics without an address", WithGang("metrics: {type: prometheus}\n"),
       "line 5: metrics.address: metrics address is empty: no node load can be collected"},
      {"metrics interval", WithGang("metrics: {interval: 30}\n"),
       "line 5: metrics.interval: needs a positive duration such as 30s, got \"30\"; 30s is used"},
      {"unknown metrics key", WithGang("metrics: {adress: x}\n"),
       "line 5: metrics.adress: unknown key, ignored (did you mean \"address\"?)"},
  }));
  CAPTURE(c.name);
  CHECK(Findings(c.yaml) == std::vector<std::string>{c.expect});
}

TEST_CASE("policy: settings of node loads may be nested or dotted", "[conf]") {
  const Policy policy = Load(WithGang(
      "metrics: {type: elasticsearch, address: 'https://e', tls: {insecureSkipVerify: 'true'}, "
      "elasticsearch: {index: i, username: u, password: p}, "
      "elasticsearch.hostnameFieldName: host.name}\n"));
  CHECK(policy.Metric("tls.insecureSkipVerify") == "true");
  CHECK(policy.Metric("elasticsearch.index") == "i");
  CHECK(policy.Metric("elasticsearch.username") == "u");
  CHECK(policy.Metric("elasticsearch.password") == "p");
  CHECK(policy.Metric("elasticsearch.hostnameFieldName") == "host.name");
  CHECK(PrintableText(policy).find("password: p") == std::string::npos);
  CHECK(Findings(WithGang("metrics: {tls: {insecure: 'true'}}\n")) ==
        std::vector<std::string>{"line 5: metrics.tls.insecure: unknown key, ignored"});
  CHECK(Findings(WithGang("metrics: {type: local, address: /loads.json}\n")).empty());
  CHECK(Findings(WithGang("metrics: {type: local}\n")).size() == 1);
}

TEST_CASE("policy: findings come in order of lines and are limited", "[conf]") {
  std::string yaml = "actions: allocate\ntiers: []\n";
  for (int i = 0; i < 1000; ++i) yaml += "key" + std::to_string(i) + ": 1\n";
  const auto loaded = ParsePolicy(yaml, BuiltinNames());
  REQUIRE(loaded.ok());
  CHECK(loaded->findings.size() == kLoadFindingsMax);
  for (size_t i = 1; i < loaded->findings.size(); ++i) {
    CHECK(loaded->findings[i - 1].line <= loaded->findings[i].line);
  }
}

TEST_CASE("policy: actions are trimmed and may repeat", "[conf]") {
  CHECK(Load("actions: \" allocate ,backfill,allocate\"\ntiers: []\n").actions ==
        std::vector<std::string>{"allocate", "backfill", "allocate"});
}

TEST_CASE("policy: arguments of actions come from the first entry of their name", "[conf]") {
  const Policy policy = Load(
      "actions: preempt\ntiers: []\nconfigurations:\n"
      "- name: preempt\n  arguments: {minCandidateNodesAbsolute: 7}\n"
      "- name: preempt\n  arguments: {minCandidateNodesAbsolute: 8}\n");
  CHECK(policy.ActionArgumentsOf("preempt").Int("minCandidateNodesAbsolute", 1).value() == 7);
  CHECK(policy.ActionArgumentsOf("allocate").Int("anything", 1).value() == 1);
  CHECK(policy.HasAction("preempt"));
  CHECK(!policy.HasAction("allocate"));
}

TEST_CASE("policy: the veto of victims is an argument of the session", "[conf]") {
  CHECK(Load("actions: allocate\ntiers: []\nconfigurations:\n- name: session\n"
             "  arguments: {victimVeto: strict}\n")
            .victim_veto == VictimVeto::kStrict);
}

TEST_CASE("policy: who tells of chips is an argument of MindCluster's entry", "[conf]") {
  const auto by_cluster = [](const std::string& value) {
    return Load(StrCat("actions: allocate\ntiers: []\nconfigurations:\n- name: init-params\n",
                       "  arguments: {useClusterInfoManager: ", value, "}\n"))
        .cluster_reports;
  };
  CHECK(Load("actions: allocate\ntiers: []\n").cluster_reports);
  CHECK(by_cluster("\"true\""));
  CHECK_FALSE(by_cluster("\"false\""));
  CHECK_FALSE(by_cluster("false"));
  CHECK(by_cluster("maybe"));  // Told, and as without it.
}

TEST_CASE("policy: the first option of a name is found in tier order", "[conf]") {
  const Policy policy = Load(
      "actions: allocate\ntiers:\n- plugins: [{name: gang}]\n"
      "- plugins: [{name: capacity, enableHierarchy: true}, {name: capacity}]\n");
  REQUIRE(policy.FirstPlugin("capacity") != nullptr);
  CHECK(policy.FirstPlugin("capacity")->flags[HookFlag::kHierarchy]);
  CHECK(policy.FirstPlugin("drf") == nullptr);
}

TEST_CASE("policy: metrics are texts, whatever they look like", "[conf]") {
  const Policy policy = Load(
      "actions: allocate\ntiers: []\nmetrics: {tls.insecureSkipVerify: true, interval: 5m, "
      "elasticsearch.password: 010}\n");
  CHECK(policy.Metric("tls.insecureSkipVerify") == "true");
  CHECK(policy.Metric("elasticsearch.password") == "010");
  CHECK(policy.Metric("address") == "");
}

TEST_CASE("policy: the canonical text is complete and reads back equal", "[conf]") {
  const std::string yaml =
      "actions: enqueue,allocate\n"
      "tiers:\n"
      "- plugins:\n"
      "  - {name: gang, enablePreemptable: off, enableJobOrder: on}\n"
      "  - name: nodeorder\n"
      "    arguments: {a.weight: 5, f: 1.0, s: \"5\", nested: {list: [x, {k: ~}]}}\n"
      "configurations:\n- {name: allocate, arguments: {predicateErrorCacheEnable: no}}\n"
      "metrics: {type: prometheus, address: \"http://p:9090\"}\n";
  const Policy policy = Load(yaml);
  const std::string text = CanonicalText(policy);
  CHECK(text ==
        "actions: \"enqueue, allocate\"\n"
        "tiers:\n"
        "- plugins:\n"
        "  - name: gang\n"
        "    enablePreemptable: false\n"
        "  - name: nodeorder\n"
        "    arguments:\n"
        "      a.weight: 5\n"
        "      f: 1.0\n"
        "      s: \"5\"\n"
        "      nested:\n"
        "        list:\n"
        "        - x\n"
        "        - k: null\n"
        "configurations:\n"
        "- name: allocate\n"
        "  arguments:\n"
        "    predicateErrorCacheEnable: false\n"
        "metrics:\n"
        "  address: \"http://p:9090\"\n"
        "  type: prometheus\n");
  CHECK(Load(text) == policy);
  CHECK(!(Load(text + "  interval: 5s\n") == policy));
}

TEST_CASE("policy: the printable text hides what is secret", "[conf]") {
  const std::string text = PrintableText(
      Load("actions: allocate\n"
           "tiers:\n- plugins:\n  - name: extender\n    arguments:\n"
           "      extender.urlPrefix: http://bob:hunter2@host/path@x\n"
           "      nested: [{apiToken: hunter2}, \"https://h/a@b\"]\n"
           "metrics: {elasticsearch.username: elastic, elasticsearch.password: hunter2}\n"));
  CAPTURE(text);
  CHECK(text.find("hunter2") == std::string::npos);
  CHECK(text.find("bob") == std::string::npos);
  CHECK(text.find("http://<hidden>@host/path@x") != std::string::npos);
  CHECK(text.find("https://h/a@b") != std::string::npos);
  CHECK(text.find("elasticsearch.password: \"<hidden>\"") != std::string::npos);
  CHECK(text.find("elasticsearch.username: elastic") != std::string::npos);
}

TEST_CASE("policy: everything that is wrong is told at once, with its lines", "[conf]") {
  const std::string known =
      absl::StrJoin(BuiltinNames().actions, ", ",
                    [](std::string* out, std::string_view action) { out->append(action); });
  CHECK(
      Error("actions: \"enqueue, alocate, backfil\"\n"
            "tiers:\n"
            "- plugins:\n"
            "  - name: gagn\n"
            "  - name: drf\n"
            "    enableJobOrder: \"yes\"\n"
            "    arguments: 5\n"
            "- 7\n"
            "metrics: []\n") ==
      "7 errors: "
      "(1) Failed to get plugin gagn: line 4: tiers[0].plugins[0].name: unknown plugin (did you "
      "mean \"gang\"?); "
      "(2) line 6: tiers[0].plugins[1].enableJobOrder: needs true or false, without quotes, got "
      "\"yes\" (a string); "
      "(3) line 7: tiers[0].plugins[1].arguments: needs a map, got 5 (an integer); "
      "(4) line 8: tiers[1]: needs a map with `plugins`, got 7 (an integer); "
      "(5) failed to find Action  alocate: line 1: actions[1]: unknown action (did you mean "
      "\"allocate\"?); known actions: " +
          known +
          "; (6) failed to find Action  backfil: line 1: actions[2]: unknown action (did you mean "
          "\"backfill\"?); "
          "(7) line 9: metrics: needs a map of strings, got a list");
  CHECK_THAT(Error(""),
             Catch::StartsWith("2 errors: (1) failed to find Action : actions: no actions; "
                               "write ") &&
                 Catch::Contains("; (2) tiers: no tiers: "));
  // A mistyped key alone is told for what it hides.
  CHECK(Error("action: allocate\ntier: []\n") ==
        "2 errors: (1) line 1: action: unknown key (did you mean \"actions\"?); "
        "(2) line 2: tier: unknown key (did you mean \"tiers\"?)");
}

TEST_CASE("policy: the first ten of many errors are told, and how many there are", "[conf]") {
  std::string yaml = "actions: allocate\ntiers:\n- plugins:\n";
  for (int i = 0; i < 12; ++i) yaml += "  - name: none-" + std::to_string(i) + "\n";
  const std::string error = Error(yaml);
  CHECK_THAT(error, Catch::StartsWith("12 errors, of which these are the first 10: (1) Failed to "
                                      "get plugin none-0: line 4: "));
  CHECK_THAT(error, Catch::Contains("; (10) Failed to get plugin none-9: line 13: "));
  CHECK_THAT(error, !Catch::Contains("none-10"));
}

TEST_CASE("policy: names known to the registry decide, not a list of ours", "[conf]") {
  const KnownNames known = {{"mine"}, {"headroom"}};
  CHECK(ParsePolicy("actions: mine\ntiers: [{plugins: [{name: headroom}]}]\n", known).ok());
  CHECK(!ParsePolicy("actions: allocate\n", known).ok());
}

TEST_CASE("policy: what Volcano has and the registry lacks is missing, not misspelled", "[conf]") {
  const KnownNames known = {{"allocate"}, {"gang", "conformance"}};
  const auto error = [&known](const std::string& yaml) {
    return std::string(ParsePolicy(yaml, known).status().message());
  };
  CHECK(
      error("actions: allocate\ntiers:\n- plugins:\n  - name: capacity\n") ==
      "Failed to get plugin capacity: line 4: tiers[0].plugins[0].name: this version does not have "
      "this plugin yet; remove it");
  CHECK(error("actions: preempt\ntiers: []\n") ==
        "failed to find Action preempt: line 1: actions[0]: this version does not have this action "
        "yet; remove it; known actions: allocate");
}

TEST_CASE("policy: a source of node load that nothing reads is noted", "[conf]") {
  const KnownNames known = {{"allocate"}, {"gang"}};
  const auto loaded = ParsePolicy(WithGang("metrics: {type: prometheus_adaptor}\n"), known);
  REQUIRE(loaded.ok());
  REQUIRE(loaded->findings.size() == 1);
  CHECK(ToString(loaded->findings[0]) ==
        "line 5: metrics: none of the known plugins reads the load of nodes");
}

}  // namespace
}  // namespace bth::conf
