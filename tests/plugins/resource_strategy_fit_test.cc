#include "base/strings.h"
#include "plugins/factories.h"
#include "plugins/resource_strategy_fit/options.h"
#include "tests/plugins/fixtures.h"
#include "tests/plugins/snapshot_changes.h"

namespace bth::test {
namespace {

using plugins::resource_strategy_fit::Rule;
using plugins::resource_strategy_fit::RuleTable;
using plugins::resource_strategy_fit::Strategy;

constexpr Rule Least(int64_t weight) {
  return {Strategy::kLeastAllocated, weight};
}
constexpr Rule Most(int64_t weight) {
  return {Strategy::kMostAllocated, weight};
}

plugins::resource_strategy_fit::Options ReadFitOptions(std::string_view yaml) {
  const auto options = plugins::resource_strategy_fit::ReadOptions(MakeArguments(yaml));
  INFO(options.status());
  REQUIRE(options.ok());
  return *options;
}

using Rules = std::map<std::string, Rule, std::less<>>;

TEST_CASE("resource-strategy-fit: arguments and what stands for bad ones",
          "[plugins][resource-strategy-fit]") {
  struct Case {
    std::string name, yaml;
    int64_t weight;
    Rules exact, prefixes;
  };
  const Case c = GENERATE(values<Case>({
      {"as given",
       "resourceStrategyFitWeight: 10\nresources: {cpu: {type: MostAllocated, weight: 1}, memory: "
       "{type: LeastAllocated, weight: 2}}",
       10,
       {{"cpu", Most(1)}, {"memory", Least(2)}},
       {}},
      {"no weight",
       "resources: {cpu: {type: MostAllocated, weight: 1}}",
       10,
       {{"cpu", Most(1)}},
       {}},
      {"negative weight",
       "resourceStrategyFitWeight: -1",
       10,
       {{"cpu", Least(1)}, {"memory", Least(1)}},
       {}},
      {"weight 0",
       "resourceStrategyFitWeight: 0",
       0,
       {{"cpu", Least(1)}, {"memory", Least(1)}},
       {}},
      {"no resources",
       "resourceStrategyFitWeight: 3",
       3,
       {{"cpu", Least(1)}, {"memory", Least(1)}},
       {}},
      {"no resources listed", "resources: {}", 10, {{"cpu", Least(1)}, {"memory", Least(1)}}, {}},
      {"a star alone is left out",
       "resources: {cpu: {type: LeastAllocated, weight: 1}, '*': {type: LeastAllocated, weight: "
       "1}}",
       10,
       {{"cpu", Least(1)}},
       {}},
      {"two stars are left out",
       "resources: {nvidia.com/gpu/*: {type: MostAllocated, weight: 3}, cloudml.gpu**: {weight: "
       "1}}",
       10,
       {},
       {{"nvidia.com/gpu/", Most(3)}}},
      {"a star before the end is left out",
       "resources: {memory: {weight: 1}, cloudml.*.gpu: {weight: 1}, '*.com/gpu': {weight: 1}}",
       10,
       {{"memory", Least(1)}},
       {}},
      {"several prefixes",
       "resources: {nvidia.com/gpu/*: {weight: 1}, example.com/foo/*: {weight: 2}, "
       "'*test*resource*': {weight: 1}, '*': {weight: 1}}",
       10,
       {},
       {{"nvidia.com/gpu/", Least(1)}, {"example.com/foo/", Least(2)}}},
      {"only bad names leave nothing", "resources: {'*': {weight: 1}}", 10, {}, {}},
      {"weights of 0 count as 1, other types as LeastAllocated",
       "resources: {cpu: {type: Middle, weight: 0}, memory: {type: MostAllocated, weight: -4}}",
       10,
       {{"cpu", Least(1)}, {"memory", Most(1)}},
       {}},
      {"fields in any case, names and arguments as they are",
       "ResourceStrategyFitWeight: 3\nresources: {CPU: {Type: MostAllocated, WEIGHT: 3}}",
       10,
       {{"CPU", Most(3)}},
       {}},
  }));
  CAPTURE(c.name);
  const auto options = ReadFitOptions(c.yaml);
  CHECK(options.weight == c.weight);
  CHECK(options.rules.exact == c.exact);
  CHECK(options.rules.prefixes == c.prefixes);
}

TEST_CASE("resource-strategy-fit: scarce and proportional resources as given",
          "[plugins][resource-strategy-fit]") {
  const auto options = ReadFitOptions(
      "sra: {enable: true, resources: 'nvidia.com/t4, nvidia.com/a10', weight: 10, resourceWeight: "
      "{nvidia.com/t4: 1, nvidia.com/a10: 2}}\n"
      "proportional: {enable: true, resources: 'nvidia.com/t4, nvidia.com/a10', "
      "resourceProportion: {nvidia.com/t4.cpu: 3, nvidia.com/t4.memory: 6, nvidia.com/a10.cpu: 4, "
      "nvidia.com/a10.memory: 8.5}}");
  CHECK(options.scarce_weight == 10);
  REQUIRE(options.scarce.size() == 2);
  CHECK(options.scarce[0].weight == 1);
  CHECK(options.scarce[1].weight == 2);
  REQUIRE(options.proportions.size() == 2);
  CHECK(options.proportional);
  CHECK(options.proportions[0].cpu == 3);
  CHECK(options.proportions[0].memory == 6);
  CHECK(options.proportions[1].cpu == 4);
  CHECK(options.proportions[1].memory == 8.5);

  const auto off = ReadFitOptions(
      "sra: {resources: a.com/b, weight: 5, resourceWeight: {a.com/b: -1}}\n"
      "proportional: {resources: a.com/b, resourceProportion: {a.com/b.cpu: -2}}");
  CHECK(off.scarce_weight == 0);
  CHECK(off.scarce[0].weight == 1);
  CHECK_FALSE(off.proportional);
  CHECK(off.proportions[0].cpu == 1);
  CHECK(off.proportions[0].memory == 1);
}

TEST_CASE("resource-strategy-fit: fields of tables are found in any case, names only as they are",
          "[plugins][resource-strategy-fit]") {
  const conf::Arguments arguments = MakeArguments(
      "sra: {Enable: true, Resources: 'a.com/x, a.com/y', Weight: 7, ResourceWeight: {a.com/x: 4, "
      "A.com/y: 5}}\n"
      "proportional: {ENABLE: true, RESOURCES: a.com/x, resourceproportion: {a.com/x.cpu: 3, "
      "a.com/x.Memory: 6}}\n"
      "Resources: {cpu: {weight: 9}}");
  const auto options = plugins::resource_strategy_fit::ReadOptions(arguments);
  REQUIRE(options.ok());
  CHECK(options->scarce_weight == 7);
  REQUIRE(options->scarce.size() == 2);
  CHECK(options->scarce[0].weight == 4);
  CHECK(options->scarce[1].weight == 1);
  CHECK(options->proportional);
  REQUIRE(options->proportions.size() == 1);
  CHECK(options->proportions[0].cpu == 3);
  CHECK(options->proportions[0].memory == 1);
  CHECK(options->rules.exact == Rules{{"cpu", Least(1)}, {"memory", Least(1)}});
  CHECK(arguments.UnreadKeys() ==
        std::vector<std::string>{"arguments.Resources", "arguments.sra.ResourceWeight.A.com/y",
                                 "arguments.proportional.resourceproportion.a.com/x.Memory"});
}

TEST_CASE("resource-strategy-fit: what is no table is an error",
          "[plugins][resource-strategy-fit]") {
  const std::string yaml = GENERATE(values<std::string>(
      {"resources: cpu", "resources: {cpu: LeastAllocated}", "sra: 5", "proportional: [a]"}));
  CAPTURE(yaml);
  CHECK(plugins::resource_strategy_fit::ReadOptions(MakeArguments(yaml)).status().code() ==
        absl::StatusCode::kInvalidArgument);
}

TEST_CASE("resource-strategy-fit: the exact name, then the longest prefix",
          "[plugins][resource-strategy-fit]") {
  const RuleTable table{.exact = {{"nvidia.com/gpu/v100", Least(1)}},
                        .prefixes = {{"nvidia.com/", Most(2)},
                                     {"nvidia.com/gpu/", Most(3)},
                                     {"cloudml.gpu/", Most(4)},
                                     {"cloudml.gpu/tensorflow/", Most(5)}}};
  CHECK(*table.Find("nvidia.com/gpu/v100") == Least(1));
  CHECK(*table.Find("nvidia.com/gpu/a100") == Most(3));
  CHECK(*table.Find("nvidia.com/mig") == Most(2));
  CHECK(*table.Find("cloudml.gpu/tensorflow/v2") == Most(5));
  CHECK(table.Find("cpu") == nullptr);
  CHECK(RuleTable().Find("cpu") == nullptr);
}

TEST_CASE("resource-strategy-fit: scores of one node", "[plugins][resource-strategy-fit]") {
  struct Case {
    std::string name;
    std::string cpu, memory;  // Type and weight.
    double expected;
    int64_t cpu_allocatable = 500, memory_allocatable = 500;
    int64_t cpu_used = 200, memory_used = 200;
    int64_t cpu_request = 100, memory_request = 100;
    int64_t weight = 10;
  };
  const Case c = GENERATE(values<Case>({
      {"least", "LeastAllocated 1", "LeastAllocated 1", 400},
      {"least, smaller node", "LeastAllocated 1", "LeastAllocated 1", 250, 400, 400},
      {"most", "MostAllocated 1", "MostAllocated 1", 600},
      {"most, smaller node", "MostAllocated 1", "MostAllocated 1", 750, 400, 400},
      {"cpu least, memory most", "LeastAllocated 2", "MostAllocated 1", 1400.0 / 3},
      {"memory most counts double", "LeastAllocated 1", "MostAllocated 2", 1600.0 / 3},
      {"cpu not asked for", "LeastAllocated 1", "MostAllocated 2", 600, 500, 500, 200, 200, 0, 100},
      {"a node without cpu", "LeastAllocated 1", "MostAllocated 2", 500, 0, 400, 0},
      {"memory only", "", "MostAllocated 2", 600},
      {"nothing asked for", "LeastAllocated 1", "LeastAllocated 1", 0, 500, 500, 200, 200, 0, 0},
      {"a full node", "LeastAllocated 1", "LeastAllocated 1", 0, 500, 500, 500, 500},
      {"cpu counts three times", "LeastAllocated 3", "MostAllocated 1", 450},
      {"weight of the plugin", "LeastAllocated 5", "LeastAllocated 5", 800, 500, 500, 200, 200, 100,
       100, 20},
      {"over in one resource", "MostAllocated 1", "MostAllocated 1", 0, 200, 200, 200, 200},
  }));
  CAPTURE(c.name);
  std::string yaml = StrCat("resourceStrategyFitWeight: ", c.weight, "\nresources:\n");
  const auto add = [&yaml](const std::string& name, const std::string& rule) {
    if (rule.empty()) return;
    const size_t space = rule.find(' ');
    StrAppend(&yaml, "  ", name, ": {type: ", rule.substr(0, space),
              ", weight: ", rule.substr(space + 1), "}\n");
  };
  add("cpu", c.cpu);
  add("memory", c.memory);
  PluginBed bed =
      Bed("resource-strategy-fit",
          StrCat("node n cpu=", c.cpu_allocatable, "m mem=", c.memory_allocatable,
                 "; job a; task held job=a node=n cpu=", c.cpu_used, "m mem=", c.memory_used,
                 "; task p job=a cpu=", c.cpu_request, "m mem=", c.memory_request),
          {{"resource-strategy-fit", yaml}});
  CHECK(bed.UsageScore("p", "n") == Approx(c.expected));
}

TEST_CASE("resource-strategy-fit: a pod's annotations go before the policy",
          "[plugins][resource-strategy-fit]") {
  struct Case {
    std::string name, strategy;
    std::vector<std::pair<std::string, int64_t>> weights;
    double expected;
  };
  const Case c = GENERATE(values<Case>({
      {"least", "LeastAllocated", {{"cpu", 2}, {"memory", 1}}, 400},
      {"most", "MostAllocated", {{"cpu", 1}, {"memory", 2}}, 600},
      {"no weights that can be read", "LeastAllocated", {}, 0},
      {"one resource", "LeastAllocated", {{"cpu", 2}}, 400},
      {"unknown strategy", "Middle", {{"cpu", 2}}, 0},
      {"a resource the pod does not ask for", "MostAllocated", {{"nvidia.com/gpu", 1}}, 0},
      {"the policy's own", "", {}, 600},
  }));
  CAPTURE(c.name);
  const World world = WithExtras(
      MakeWorld("node n cpu=500m mem=500; job a; task held job=a node=n cpu=200m mem=200;"
                "task p job=a cpu=100m mem=100"),
      "p", {.strategy = c.strategy, .strategy_weights = c.weights});
  PluginBed bed(Builtins(),
                MakePolicy("", "resource-strategy-fit",
                           {{"resource-strategy-fit",
                             "resources: {cpu: {type: MostAllocated}, memory: {type: "
                             "MostAllocated}}"}}),
                world);
  CHECK(bed.UsageScore("p", "n") == Approx(c.expected));
}

TEST_CASE("resource-strategy-fit: pack one resource, spread another",
          "[plugins][resource-strategy-fit]") {
  PluginBed bed = Bed("resource-strategy-fit", R"(
    node n1 gpu=10; node n2 gpu=5; node n3 res.example.com/foo=10; node n4 res.example.com/foo=5
    job a
    task p1 job=a res.example.com/foo=2
    task p2 job=a res.example.com/foo=3
    task p3 job=a gpu=2
    task p4 job=a gpu=3
  )",
                      {{"resource-strategy-fit", R"(
resourceStrategyFitWeight: 10
resources:
  nvidia.com/gpu: {type: MostAllocated, weight: 1}
  example.com/foo: {type: LeastAllocated, weight: 1}
)"}});
  struct Row {
    std::string task;
    std::vector<double> scores;
  };
  for (const Row& row : std::vector<Row>{{"p1", {0, 0, 800, 600}},
                                         {"p2", {0, 0, 700, 400}},
                                         {"p3", {200, 400, 0, 0}},
                                         {"p4", {300, 600, 0, 0}}}) {
    CAPTURE(row.task);
    for (size_t n = 0; n < 4; ++n) {
      CHECK(bed.UsageScore(row.task, StrCat("n", n + 1)) == Approx(row.scores[n]));
    }
  }
}

TEST_CASE("resource-strategy-fit: a resource that the node lacks keeps its weight",
          "[plugins][resource-strategy-fit]") {
  PluginBed bed = Bed("resource-strategy-fit", R"(
    node n5 gpu=10 res.example.com/foo=5; node n6 res.example.com/foo=10
    job a; task p5 job=a gpu=4 res.example.com/foo=4
  )",
                      {{"resource-strategy-fit", R"(
resources:
  nvidia.com/gpu: {type: MostAllocated, weight: 1}
  example.com/foo: {type: LeastAllocated, weight: 2}
)"}});
  CHECK(bed.UsageScore("p5", "n5") == Approx(800.0 / 3));
  CHECK(bed.UsageScore("p5", "n6") == Approx(400));
}

TEST_CASE("resource-strategy-fit: gpu pods join, cpu pods part",
          "[plugins][resource-strategy-fit]") {
  const std::map<std::string, std::string> arguments = {{"resource-strategy-fit", R"(
resources:
  nvidia.com/gpu: {type: MostAllocated, weight: 2}
  cpu: {type: LeastAllocated, weight: 1}
)"}};
  const auto place = [&](const std::string& held, const std::string& asked) {
    return Run("allocate", "gang;resource-strategy-fit",
               StrCat("node n1 cpu=8 gpu=8; node n2 cpu=8 gpu=8; node n3 cpu=8; node n4 cpu=8;"
                      "job old; task held job=old ",
                      held, "; job a; task p job=a ", asked),
               arguments)
        .binds;
  };
  CHECK(place("node=n2 gpu=2", "gpu=2") == std::map<std::string, std::string>{{"p", "n2"}});
  const auto binds = Run("allocate", "gang;resource-strategy-fit",
                         "node n3 cpu=8; node n4 cpu=8; job old; task held job=old node=n3 cpu=2;"
                         "job a; task p job=a cpu=2",
                         arguments)
                         .binds;
  CHECK(binds == std::map<std::string, std::string>{{"p", "n4"}});
}

constexpr std::string_view kScarceWorld = R"(
  node n1 cpu=32 mem=64Gi
  node n2 cpu=8 mem=16Gi res.nvidia.com/t4=16
  node n3 cpu=8 mem=16Gi res.nvidia.com/a10=16
  node n4 cpu=8 mem=16Gi res.nvidia.com/t4=8 res.nvidia.com/a10=16
  job a
  task p1 job=a cpu=1 mem=1Gi
  task p2 job=a cpu=1.5 res.nvidia.com/t4=2
  task p3 job=a cpu=2 mem=4Gi res.nvidia.com/a10=2
  task p4 job=a cpu=3 mem=4Gi res.nvidia.com/t4=1 res.nvidia.com/a10=3
)";

TEST_CASE("resource-strategy-fit: who needs nothing scarce goes where there is none",
          "[plugins][resource-strategy-fit]") {
  struct Case {
    std::string name, yaml;
    std::vector<std::vector<double>> scores;  // By task, then node.
  };
  const Case c = GENERATE(values<Case>({
      {"two scarce resources",
       "resourceStrategyFitWeight: 0\n"
       "sra: {enable: true, resources: 'nvidia.com/t4,nvidia.com/a10', weight: 5, resourceWeight: "
       "{nvidia.com/t4: 2, nvidia.com/a10: 3}}",
       {{500, 300, 200, 0}, {0, 300, 0, 0}, {0, 0, 200, 0}, {0, 0, 0, 0}}},
      {"one scarce resource",
       "resourceStrategyFitWeight: 0\n"
       "sra: {enable: true, resources: nvidia.com/t4, weight: 5, resourceWeight: {nvidia.com/t4: "
       "2}}",
       {{500, 0, 500, 0}, {0, 0, 0, 0}, {0, 0, 500, 0}, {0, 0, 0, 0}}},
      {"strategy alone",
       "resourceStrategyFitWeight: 8\n"
       "resources: {nvidia.com/t4: {type: MostAllocated, weight: 3}, cpu: {type: LeastAllocated, "
       "weight: 1}}\n"
       "sra: {enable: true, resources: nvidia.com/t4, weight: 0}",
       {{775, 700, 700, 700},
        {190.625, 237.5, 162.5, 312.5},
        {750, 600, 600, 600},
        {181.25, 162.5, 125, 200}}},
      {"both",
       "resourceStrategyFitWeight: 8\n"
       "resources: {nvidia.com/t4: {type: MostAllocated, weight: 3}, cpu: {type: LeastAllocated, "
       "weight: 1}}\n"
       "sra: {enable: true, resources: nvidia.com/t4, weight: 5}",
       {{1275, 700, 1200, 700},
        {190.625, 237.5, 162.5, 312.5},
        {750, 600, 1100, 600},
        {181.25, 162.5, 125, 200}}},
      {"switched off",
       "resourceStrategyFitWeight: 0\nsra: {resources: nvidia.com/t4, weight: 5}",
       {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("resource-strategy-fit", kScarceWorld, {{"resource-strategy-fit", c.yaml}});
  for (size_t p = 0; p < 4; ++p) {
    for (size_t n = 0; n < 4; ++n) {
      CAPTURE(p, n);
      CHECK(bed.UsageScore(StrCat("p", p + 1), StrCat("n", n + 1)) == Approx(c.scores[p][n]));
    }
  }
}

TEST_CASE("resource-strategy-fit: idle devices keep cores and memory for those who need them",
          "[plugins][resource-strategy-fit]") {
  struct Case {
    std::string name, node, task, expected, rates;
  };
  const std::string kFour = "{nvidia.com/gpu.cpu: 4, nvidia.com/gpu.memory: 4}";
  const std::string kTooMuch = "proportional of resource nvidia.com/gpu check failed";
  const Case c = GENERATE_COPY(values<Case>({
      {"enough is left", "cpu=30 mem=30G gpu=6", "cpu=4 mem=4G", "", kFour},
      {"too much is asked", "cpu=30 mem=30G gpu=6", "cpu=10 mem=10G", kTooMuch, kFour},
      {"who takes a device may", "cpu=30 mem=30G gpu=6", "cpu=10 mem=10G gpu=1", "", kFour},
      {"few idle devices", "cpu=26 mem=26G gpu=2", "cpu=10 mem=10G", "", kFour},
      {"memory counts alone", "cpu=30 mem=30G gpu=6", "cpu=1 mem=10G", kTooMuch, kFour},
      {"cores count alone", "cpu=30 mem=30G gpu=6", "cpu=10 mem=1G", kTooMuch, kFour},
      {"one each by default", "cpu=10 mem=10G gpu=6", "cpu=4 mem=4G", "", "{}"},
      {"one each by default, too much", "cpu=10 mem=10G gpu=6", "cpu=5 mem=4G", kTooMuch, "{}"},
      {"a node without devices", "cpu=10 mem=10G", "cpu=10 mem=10G", "", kFour},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed(
      "resource-strategy-fit",
      StrCat("node n ", c.node, "; node other gpu=1; job a; task p job=a ", c.task,
             "; task q job=a gpu=1"),
      {{"resource-strategy-fit", StrCat("proportional: {enable: true, resources: nvidia.com/gpu, "
                                        "resourceProportion: ",
                                        c.rates, "}")}});
  const auto& filters = bed.session().hooks().usage_filter;
  REQUIRE(filters.size() == 1);
  const model::NodeId node = bed.world().node("n");
  framework::ReasonId verdict = framework::kFits;
  filters[0].fn(bed.session().task(bed.world().task("p")).shape,
                model::NodeRange(node.index(), node.index() + 1),
                absl::Span<framework::ReasonId>(&verdict, 1));
  const framework::ReasonTable& reasons = bed.session().reasons();
  CHECK((verdict == framework::kFits ? "" : reasons.text(verdict)) == c.expected);
  if (verdict != framework::kFits) {
    CHECK(reasons.code(verdict) == framework::FitCode::kUnresolvable);
  }
}

TEST_CASE("resource-strategy-fit: switches and what it needs to know",
          "[plugins][resource-strategy-fit]") {
  constexpr std::string_view kOneNode = "node n cpu=1; job a; task p job=a cpu=1";
  const std::map<std::string, std::string> all = {
      {"resource-strategy-fit", "proportional: {enable: true, resources: nvidia.com/gpu}"}};
  CHECK(Bed("resource-strategy-fit", kOneNode, all).session().hooks().usage_filter.size() == 1);
  CHECK(Bed("resource-strategy-fit", kOneNode, all).session().hooks().usage_score.size() == 1);
  CHECK(Bed("resource-strategy-fit!enablePredicate", kOneNode, all)
            .session()
            .hooks()
            .usage_filter.empty());
  CHECK(Bed("resource-strategy-fit!enableNodeOrder", kOneNode, all)
            .session()
            .hooks()
            .usage_score.empty());
  CHECK(Bed("resource-strategy-fit", kOneNode).session().hooks().usage_filter.empty());
  CHECK(Bed("resource-strategy-fit", kOneNode,
            {{"resource-strategy-fit", "resourceStrategyFitWeight: 0"}})
            .session()
            .hooks()
            .usage_score.empty());

  const auto plugin = plugins::CreateResourceStrategyFit(
      MakeArguments("sra: {enable: true, weight: 1, resources: a.com/x}\n"
                    "proportional: {enable: true, resources: b.com/y}"));
  REQUIRE(plugin.ok());
  framework::PluginNeeds needs;
  (*plugin)->AddNeeds(needs);
  CHECK(needs.resources == Names{"a.com/x", "b.com/y"});
}

}  // namespace
}  // namespace bth::test
