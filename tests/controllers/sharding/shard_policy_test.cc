// Policies, configuration and plans of sharding: pure functions.
#include "controllers/sharding/shard_policy.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "controllers/sharding/node_loads.h"
#include "controllers/sharding/shard_plan.h"
#include "controllers/sharding/sharding_config.h"
#include "tests/controllers/doc_page.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

ShardNode MakeShardNode(const std::string& name, std::optional<double> cpu, bool warm = false) {
  types::Node node;
  node.meta.name = name;
  if (warm) node.meta.labels.Set("node.volcano.sh/warmup", "true");
  return {std::make_shared<const types::Node>(std::move(node)), cpu, cpu};
}

std::vector<std::string> ShardNodeNames(const std::vector<ShardNode>& nodes) {
  std::vector<std::string> names;
  for (const ShardNode& node : nodes) names.push_back(node.node->meta.name);
  return names;
}

TEST_CASE("allocation-rate: which nodes pass", "[controllers][sharding]") {
  struct Case {
    double min, max;
    std::optional<double> cpu;
    bool expect;
  };
  const Case c = GENERATE(values<Case>({
      {0.2, 0.6, 0.5, true},
      {0.2, 0.6, 0.1, false},
      {0.2, 0.6, 0.7, false},
      {0.2, 0.6, 0.2, true},
      {0.2, 0.6, 0.6, true},
      {0.2, 0.6, 0.604, true},
      {0.2, 0.6, 0.606, false},
      {0.0, 0.49, 0.4875, true},
      {0.5, 1.0, 0.5125, true},
      {0.0, 0.49, 0.5, false},
      {0.0, 1.0, std::nullopt, false},
      {0.0, 1.0, -0.1, false},
  }));
  CAPTURE(c.min, c.max, c.cpu.value_or(-9));
  CHECK(Accepts(AllocationRate{c.min, c.max}, MakeShardNode("n", c.cpu)) == c.expect);
}

TEST_CASE("allocation-rate: the busier the better", "[controllers][sharding]") {
  struct Case {
    double min, max;
    std::optional<double> cpu;
    double expect;
  };
  const Case c = GENERATE(values<Case>({
      {0.0, 1.0, 0.5, 0.5},
      {0.0, 1.0, 1.0, 1.0},
      {0.4, 0.6, 0.5, 0.5},
      {0.4, 0.6, 0.4, 0.0},
      {0.4, 0.6, 0.6, 1.0},
      {0.4, 0.6, 0.7, 1.0},
      {0.4, 0.6, 0.3, 0.0},
      {0.5, 0.5, 0.5, 1.0},
      {0.0, 1.0, std::nullopt, 0.0},
      {0.0, 1.0, -0.5, 0.0},
  }));
  CAPTURE(c.min, c.max, c.cpu.value_or(-9));
  CHECK(ScoreOf(AllocationRate{c.min, c.max}, MakeShardNode("n", c.cpu)) == Approx(c.expect));
}

TEST_CASE("warmup: nodes with the label value", "[controllers][sharding]") {
  types::Node node;
  const auto score = [&node](const Warmup& rule) {
    return ScoreOf(rule, {std::make_shared<const types::Node>(node), 0.5, 0.5});
  };
  CHECK(score(Warmup()) == 0);
  node.meta.labels.Set("node.volcano.sh/warmup", "false");
  CHECK(score(Warmup()) == 0);
  node.meta.labels.Set("node.volcano.sh/warmup", "true");
  CHECK(score(Warmup()) == 1);
  CHECK(score(Warmup{"pool", "hot"}) == 0);
  node.meta.labels.Set("pool", "hot");
  CHECK(score(Warmup{"pool", "hot"}) == 1);
  CHECK(score(Warmup{"pool", "cold"}) == 0);
}

TEST_CASE("node-limit: the first so many", "[controllers][sharding]") {
  struct Case {
    int64_t min, max;
    size_t nodes;
    std::vector<std::string> expect;
  };
  const Case c = GENERATE(values<Case>({
      {0, 5, 3, {"n0", "n1", "n2"}},
      {0, 3, 3, {"n0", "n1", "n2"}},
      {0, 2, 4, {"n0", "n1"}},
      {0, 0, 4, {"n0", "n1", "n2", "n3"}},
      {3, 0, 2, {"n0", "n1"}},
      {0, 2, 0, {}},
  }));
  std::vector<ShardNode> nodes;
  for (size_t i = 0; i < c.nodes; ++i) nodes.push_back(MakeShardNode(StrCat("n", i), 0.1));
  CHECK(ShardNodeNames(SelectNodes({{NodeLimit{c.min, c.max}, 1}}, nodes)) == c.expect);
}

std::vector<ShardNode> EightShardNodes() {
  return {MakeShardNode("n1", 0.5),       MakeShardNode("n2", 0.2),
          MakeShardNode("n3", 0.4),       MakeShardNode("n4", 0.1),
          MakeShardNode("n5", 0.7),       MakeShardNode("n6", std::nullopt),
          MakeShardNode("n7", 0.3, true), MakeShardNode("n8", 0.9, true)};
}

TEST_CASE("pipeline: filter, sum of scores, limit", "[controllers][sharding]") {
  const ShardPolicy low = {AllocationRate{0, 0.6}, 1};
  const ShardPolicy high = {AllocationRate{0.3, 1}, 1};
  using NameList = std::vector<std::string>;
  CHECK(ShardNodeNames(SelectNodes({low, {Warmup(), 2}}, EightShardNodes())) ==
        NameList{"n7", "n1", "n3", "n2", "n4"});
  // Two filters: both must accept.
  CHECK(ShardNodeNames(SelectNodes({low, high}, EightShardNodes())) == NameList{"n1", "n3", "n7"});
  // No filter: all, the warm ones first.
  CHECK(ShardNodeNames(SelectNodes({{Warmup(), 1}}, EightShardNodes())) ==
        NameList{"n7", "n8", "n1", "n2", "n3", "n4", "n5", "n6"});
  // The weight decides between a busy node and a warm one.
  const std::vector<ShardNode> two = {MakeShardNode("busy", 0.9), MakeShardNode("warm", 0.1, true)};
  CHECK(ShardNodeNames(SelectNodes({{AllocationRate{0, 1}, 10}, {Warmup(), 1}}, two)) ==
        NameList{"busy", "warm"});
  CHECK(ShardNodeNames(SelectNodes({{AllocationRate{0, 1}, 1}, {Warmup(), 10}}, two)) ==
        NameList{"warm", "busy"});
  CHECK(ShardNodeNames(SelectNodes({low, {Warmup(), 2}, {NodeLimit{0, 2}, 1}},
                                   EightShardNodes())) == NameList{"n7", "n1"});
  CHECK(SelectNodes({}, EightShardNodes()).size() == 8);
}

TEST_CASE("assignment: each scheduler takes from what is left", "[controllers][sharding]") {
  using Lists = std::vector<std::vector<std::string>>;
  const ShardScheduler all = {"a", "", {}};
  const ShardScheduler low = {"low", "", {{AllocationRate{0, 0.3}, 1}}};
  CHECK(AssignNodes({all, low}, EightShardNodes())[1].empty());
  CHECK(AssignNodes({low, all}, EightShardNodes()) ==
        Lists{{"n7", "n2", "n4"}, {"n1", "n3", "n5", "n6", "n8"}});
  CHECK(AssignNodes({low, all}, {}) == Lists{{}, {}});
}

TEST_CASE("assignment: a limit holds for the cluster, not for each fifty nodes",
          "[controllers][sharding]") {
  std::vector<ShardNode> nodes;
  for (int i = 100; i < 300; ++i) nodes.push_back(MakeShardNode(StrCat("n", i), 0.1));
  const ShardScheduler limited = {"a", "", {{NodeLimit{0, 10}, 1}}};
  CHECK(AssignNodes({limited}, nodes)[0].size() == 10);
}

types::Pod MakeSizedPod(const std::string& node, const std::string& cpu,
                        const std::string& memory) {
  types::Pod pod;
  pod.spec.node_name = node;
  types::Container& container = pod.spec.containers.emplace_back();
  container.resources.requests.Set("cpu", *types::Quantity::Parse(cpu));
  container.resources.requests.Set("memory", *types::Quantity::Parse(memory));
  pod.spec.init_containers.push_back(container);
  return pod;
}

std::shared_ptr<const types::Node> EightCores(const std::string& name) {
  types::Node node;
  node.meta.name = name;
  node.status.capacity.Set("cpu", *types::Quantity::Parse("8"));
  node.status.capacity.Set("memory", *types::Quantity::Parse("32Gi"));
  return std::make_shared<const types::Node>(std::move(node));
}

TEST_CASE("node loads: what active pods ask for", "[controllers][sharding]") {
  NodeLoads loads;
  const auto node = EightCores("n");
  CHECK(loads.View(node).cpu == 0.0);
  loads.Add(MakeSizedPod("n", "1500m", "1536Mi"));
  CHECK(*loads.View(node).cpu == Approx(0.1875));
  loads.Add(MakeSizedPod("n", "2", "2Gi"));
  CHECK(*loads.View(node).cpu == Approx(0.4375));
  CHECK(*loads.View(node).memory == Approx(0.109).margin(0.001));
  types::Pod ended = MakeSizedPod("n", "4", "1Gi");
  ended.status.phase = "Succeeded";
  types::Pod mirror = MakeSizedPod("n", "4", "1Gi");
  mirror.meta.annotations.Set("kubernetes.io/config.mirror", "x");
  loads.Add(ended);
  loads.Add(mirror);
  loads.Add(MakeSizedPod("", "4", "1Gi"));
  CHECK(*loads.View(node).cpu == Approx(0.4375));
  loads.Add(MakeSizedPod("n", "3500m", "1Gi"));
  CHECK(*loads.View(node).cpu == Approx(0.875));
  loads.Add(MakeSizedPod("n", "30", "1Gi"));
  CHECK(*loads.View(node).cpu == 1.0);
  for (const char* cpu : {"30", "3500m", "2", "1500m"}) loads.Remove(MakeSizedPod("n", cpu, "0"));
  CHECK(loads.View(node).cpu == 0.0);
  CHECK(loads.nodes() == 0);
  types::Node silent;
  CHECK_FALSE(loads.View(std::make_shared<const types::Node>(silent)).cpu.has_value());
}

TEST_CASE("node loads: quantities beyond all bounds come and go", "[controllers][sharding]") {
  NodeLoads loads;
  const types::Pod small = MakeSizedPod("n", "4", "1Gi");
  const types::Pod huge = MakeSizedPod("n", "9223372036854775807", "9223372036854775807");
  loads.Add(small);
  for (int i = 0; i < 3; ++i) loads.Add(huge);
  CHECK(*loads.View(EightCores("n")).cpu == 1.0);
  for (int i = 0; i < 3; ++i) loads.Remove(huge);
  CHECK(*loads.View(EightCores("n")).cpu == Approx(0.5));
}

TEST_CASE("shard plan: small shifts are passed over", "[controllers][sharding]") {
  const auto list = [](int begin, int end) {
    std::vector<std::string> names;
    for (int i = begin; i < end; ++i) names.push_back(StrCat("n", i));
    return names;
  };
  const auto exists = [](const std::string&) { return true; };
  const auto settle = [&](const std::vector<std::string>& now,
                          const std::vector<std::string>& wanted) {
    return SettleShards({{"a", wanted}}, {{"a", now}}, exists).at("a");
  };
  // 100 nodes: ten must be new.
  CHECK(settle(list(0, 100), list(9, 109)) == list(0, 100));
  CHECK(settle(list(0, 100), list(10, 110)) == list(10, 110));
  // Another length counts always, and of few nodes each one.
  CHECK(settle(list(0, 100), list(0, 99)) == list(0, 99));
  CHECK(settle(list(0, 5), list(1, 6)) == list(1, 6));
  CHECK(settle({"x", "y"}, {"y", "x"}) == std::vector<std::string>{"x", "y"});
  CHECK(settle({}, {}).empty());
  // A node that is gone, too.
  const auto gone = [](const std::string& node) { return node != "n0"; };
  CHECK(SettleShards({{"a", list(1, 101)}}, {{"a", list(0, 100)}}, gone).at("a") == list(1, 101));
}

TEST_CASE("shard plan: when one is written, all that differ are", "[controllers][sharding]") {
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back(StrCat("n", i));
  std::vector<std::string> shifted = many;
  shifted[0] = "m";
  const auto exists = [](const std::string&) { return true; };
  const ShardLists now = {{"big", many}, {"small", {"m"}}};
  const ShardLists wanted = {{"big", shifted}, {"small", {"n0"}}};
  CHECK(SettleShards(wanted, now, exists) == wanted);
  CHECK(SettleShards({{"new", {"x"}}}, {}, exists) == ShardLists{{"new", {"x"}}});
}

TEST_CASE("scheduler flag: seven parts", "[controllers][sharding]") {
  const auto volcano = ParseSchedulerFlag("volcano:volcano:0.0:0.6:false:2:100");
  REQUIRE(volcano.ok());
  CHECK(*volcano == ShardScheduler{"volcano",
                                   "volcano",
                                   {{AllocationRate{0, 0.6}, 1}, {NodeLimit{2, 100}, 1}}});
  const auto wide = ParseSchedulerFlag("a:b:-inf:Infinity:true:0:0");
  REQUIRE(wide.ok());
  CHECK(*wide == ShardScheduler{"a", "b", {{AllocationRate{0, 1}, 1}}});
}

TEST_CASE("scheduler flag: what is malformed is refused", "[controllers][sharding]") {
  struct Case {
    std::string text, message;
  };
  const Case c = GENERATE(values<Case>({
      {"volcano:0.0:0.6", "expected 7 colon-separated parts"},
      {"a:b:0:1:false:2:100:9", "expected 7 colon-separated parts"},
      {"", "expected 7 colon-separated parts"},
      {":b:0:1:false:2:100", "name must not be empty"},
      {"a:b:x:1:false:2:100", "third part must be a number"},
      {"a:b:0:nan:false:2:100", "fourth part must be a number"},
      {"a:b:0:1:maybe:2:100", "fifth must be true or false"},
      {"a:b:0:1:false:two:100", "sixth part must be an integer"},
      {"a:b:0:1:false:2:1.5", "seventh part must be an integer"},
      {"a:b:0.7:0.6:false:2:100", "must be <="},
      {"a:b:0:1:false:9:5", "maxNodes (5) must be >= minNodes (9)"},
  }));
  CAPTURE(c.text);
  const auto read = ParseSchedulerFlag(c.text);
  REQUIRE_FALSE(read.ok());
  INFO(read.status().ToString());
  CHECK(absl::StrContains(std::string(read.status().message()), c.message));
}

TEST_CASE("sharding flags: the defaults", "[controllers][sharding]") {
  ManagerOptions options;
  auto config = ShardingConfigOfFlags(options);
  REQUIRE(config.ok());
  REQUIRE(config->schedulers.size() == 2);
  CHECK(config->schedulers[1].policies[0] == ShardPolicy{AllocationRate{0.7, 1.0}, 1});
  CHECK(config->period == absl::Seconds(60));
  CHECK(config->node_event_trigger);
  options.shard_sync_period = absl::ZeroDuration();
  options.enable_node_event_trigger = false;
  config = ShardingConfigOfFlags(options);
  CHECK(config->period == absl::Seconds(120));
  CHECK_FALSE(config->node_event_trigger);
  options.scheduler_configs.push_back(options.scheduler_configs[0]);
  CHECK(absl::StrContains(ShardingConfigOfFlags(options).status().ToString(), "twice"));
}

absl::StatusOr<LoadedSharding> Parse(const std::string& yaml) {
  return ParseShardingConfig(yaml, *ShardingConfigOfFlags(ManagerOptions()));
}
ShardScheduler One(const std::string& entry) {
  const auto loaded = Parse(StrCat("schedulerConfigs: [{name: a", entry, "}]"));
  INFO(loaded.status().ToString());
  REQUIRE(loaded.ok());
  CHECK(loaded->findings.empty());
  return loaded->config.schedulers.at(0);
}

TEST_CASE("sharding config: a whole text", "[controllers][sharding]") {
  const auto loaded = Parse(R"(
schedulerConfigs:
- name: volcano
  type: volcano
  cpuUtilizationMin: 0.0
  cpuUtilizationMax: 0.6
  preferWarmupNodes: true
  minNodes: 2
  maxNodes: 100
- name: agent-scheduler
  type: agent
  policies:
  - name: allocation-rate
    weight: 3
    arguments: {minCPUUtil: 0.7, maxCPUUtil: 1}
  - name: warmup
    arguments: {warmupLabel: pool, warmupLabelValue: hot}
  - name: node-limit
    arguments: {maxNodes: 5.0}
shardSyncPeriod: 30s
enableNodeEventTrigger: false
)");
  INFO(loaded.status().ToString());
  REQUIRE(loaded.ok());
  CHECK(loaded->findings.empty());
  CHECK(loaded->config.period == absl::Seconds(30));
  CHECK_FALSE(loaded->config.node_event_trigger);
  CHECK(loaded->config.schedulers ==
        std::vector<ShardScheduler>{
            {"volcano",
             "volcano",
             {{AllocationRate{0, 0.6}, 1}, {Warmup(), 1}, {NodeLimit{2, 100}, 1}}},
            {"agent-scheduler",
             "agent",
             {{AllocationRate{0.7, 1}, 3}, {Warmup{"pool", "hot"}, 1}, {NodeLimit{0, 5}, 1}}}});
}

TEST_CASE("sharding config: what is left out", "[controllers][sharding]") {
  using Policies = std::vector<ShardPolicy>;
  CHECK(One("").policies == Policies{{AllocationRate{0, 1}, 1}});
  CHECK(One(", cpuUtilizationMin: 0.3").policies == Policies{{AllocationRate{0.3, 1}, 1}});
  CHECK(One(", arguments: {maxCPUUtil: 0.5}").policies == Policies{{AllocationRate{0, 0.5}, 1}});
  CHECK(One(", policies: [{name: warmup, weight: 0}]").policies == Policies{{Warmup(), 1}});
  CHECK(One(", policies: [{name: warmup}], maxNodes: 4").policies ==
        Policies{{Warmup(), 1}, {NodeLimit{0, 4}, 1}});
  CHECK(One(", policies: [{name: node-limit, arguments: {maxNodes: 3}}], maxNodes: 4").policies ==
        Policies{{NodeLimit{0, 3}, 1}});
  const auto loaded = Parse("schedulerConfigs: [{name: a}]");
  CHECK(loaded->config.period == absl::Seconds(60));
  CHECK(loaded->config.node_event_trigger);
}

TEST_CASE("sharding config: what has no effect is said", "[controllers][sharding]") {
  const auto loaded = Parse(
      "schedulerConfigs: [{name: a, preferWarmupNodes: true, polices: [], policies: [{name: "
      "warmup}]}]\nshardSyncPeriod: soon");
  REQUIRE(loaded.ok());
  REQUIRE(loaded->findings.size() == 3);
  CHECK(loaded->findings[0].nearest == "policies");
  CHECK(loaded->findings[1].path == "schedulerConfigs[0].preferWarmupNodes");
  CHECK(loaded->findings[2].path == "shardSyncPeriod");
  CHECK(loaded->config.period == absl::Seconds(60));
}

TEST_CASE("sharding config: what is refused", "[controllers][sharding]") {
  struct Case {
    std::string text, message;
  };
  const Case c = GENERATE(values<Case>({
      {"", "sharding config must contain at least one schedulerConfig entry"},
      {"schedulerConfigs: []", "sharding config must contain at least one schedulerConfig entry"},
      {"schedulerConfigs: [{type: a}]", "schedulerConfigs[0]: name must not be empty"},
      {"schedulerConfigs: [{name: a}, {name: b, cpuUtilizationMin: -0.1}]",
       "schedulerConfigs[1]: cpuUtilizationMin -0.1 out of range [0,1]"},
      {"schedulerConfigs: [{name: a, cpuUtilizationMax: 1.1}]",
       "cpuUtilizationMax 1.1 out of range [0,1]"},
      {"schedulerConfigs: [{name: a, cpuUtilizationMin: 0.9, cpuUtilizationMax: 0.5}]",
       "cpuUtilizationMin (0.9) must be <= cpuUtilizationMax (0.5)"},
      {"schedulerConfigs: [{name: a, minNodes: -1}]", "minNodes must be >= 0"},
      {"schedulerConfigs: [{name: a, minNodes: 10, maxNodes: 5}]",
       "maxNodes (5) must be >= minNodes (10)"},
      {"schedulerConfigs: [{name: a, policies: [{weight: 1}]}]",
       "policies[0].name must not be empty"},
      {"schedulerConfigs: [{name: a, policies: [{name: warmup, weight: -1}]}]",
       "policies[0]: weight must be >= 0 (omit for default of 1)"},
      {"schedulerConfigs: [{name: a, policies: [{name: warmup, arguments: {minNodes: 1}}]}]",
       "minNodes is only supported by the node-limit policy"},
      {"schedulerConfigs: [{name: a, arguments: {maxNodes: 1}}]",
       "maxNodes is only supported by the node-limit policy"},
      {"schedulerConfigs: [{name: a, policies: [{name: warmup, arguments: {warmupLabel: ''}}]}]",
       "warmupLabel must not be empty"},
      {"schedulerConfigs: [{name: a, policies: [{name: node-limit, arguments: {minNodes: -2}}]}]",
       "minNodes must be >= 0"},
      {"schedulerConfigs: [{name: a, policies: [{name: allocation-rate, arguments: "
       "{minCPUUtil: 0.8, maxCPUUtil: 0.2}}]}]",
       "minCPUUtil (0.8) must be <= maxCPUUtil (0.2)"},
      {"schedulerConfigs: [{name: a, policies: [{name: warm-up}]}]",
       "unknown policy \"warm-up\" (did you mean \"warmup\"?)"},
      {"schedulerConfigs: [{name: a}, {name: a}]", "scheduler a is configured twice"},
      {"schedulerConfigs: [{name: a, minNodes: many}]", "minNodes: needs a number"},
      {"schedulerConfigs: [{name: a}", "not valid YAML"},
  }));
  CAPTURE(c.text);
  const auto loaded = Parse(c.text);
  REQUIRE_FALSE(loaded.ok());
  INFO(loaded.status().ToString());
  CHECK(absl::StrContains(std::string(loaded.status().message()), c.message));
}

TEST_CASE("sharding page: its example does what the page says", "[controllers][docs]") {
  const auto loaded = Parse(test::ExampleOf("sharding.md"));
  INFO(loaded.status().ToString());
  REQUIRE(loaded.ok());
  CHECK(loaded->findings.empty());
  const auto lists = AssignNodes(loaded->config.schedulers,
                                 {MakeShardNode("half", 0.5), MakeShardNode("most", 0.75)});
  CHECK(lists == std::vector<std::vector<std::string>>{{"half"}, {"most"}});
}

}  // namespace
}  // namespace bth::controllers
