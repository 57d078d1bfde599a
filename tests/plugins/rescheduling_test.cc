#include "base/strings.h"
#include "plugins/factories.h"
#include "tests/plugins/fixtures.h"
#include "tests/plugins/snapshot_changes.h"

namespace bth::test {
namespace {

constexpr std::string_view kTwentyFifty =
    "strategies: [{name: lowNodeUtilization, params: {thresholds: {cpu: 20, memory: 20}, "
    "targetThresholds: {cpu: 50, memory: 50}}}]";

// Node a is idle, b busy with six pods of one core and one GiB each.
std::string TwoNodes(const std::string& a = "") {
  return StrCat("node a cpu=10 mem=10Gi ", a,
                "; node b cpu=10 mem=10Gi; job j\n"
                "task t0 job=j cpu=1 mem=1Gi node=b; task t1 job=j cpu=1 mem=1Gi node=b\n"
                "task t2 job=j cpu=1 mem=1Gi node=b; task t3 job=j cpu=1 mem=1Gi node=b\n"
                "task t4 job=j cpu=1 mem=1Gi node=b; task t5 job=j cpu=1 mem=1Gi node=b");
}

World Measured(World world, model::NodeLoads loads) {
  world = WithCapacity(std::move(world), "a", 10, 10 * kGi);
  world = WithCapacity(std::move(world), "b", 10, 10 * kGi);
  return WithLoads(std::move(world), std::move(loads));
}

model::NodeLoads Loads(double a_cpu, double a_memory, double b_cpu, double b_memory) {
  return {{"a", {a_cpu, a_memory, kMeasured}}, {"b", {b_cpu, b_memory, kMeasured}}};
}

// Victims in a session that is due, one minute after the measurements.
Names Victims(const World& world, std::string_view arguments = kTwentyFifty,
              const Names& candidates = {"t0", "t1", "t2", "t3", "t4", "t5"}) {
  PluginBed bed(Builtins(),
                MakePolicy("", "rescheduling", {{"rescheduling", std::string(arguments)}}),
                MakeWorld(""));
  bed.clock().Advance(absl::Microseconds(kMeasured) + absl::Minutes(1));
  bed.Reopen(world);
  const auto& hooks = bed.session().hooks().victim_tasks;
  REQUIRE(hooks.size() == 1);
  return bed.NamesOf(hooks[0].fn(bed.TasksNamed(candidates)));
}

TEST_CASE("rescheduling: with its defaults every node is idle and nobody goes",
          "[plugins][rescheduling]") {
  CHECK(Victims(Measured(MakeWorld(TwoNodes()), Loads(10, 10, 80, 40)), "{}").empty());
}

TEST_CASE("rescheduling: a busy node gives pods away until it is below its targets",
          "[plugins][rescheduling]") {
  const World world = Measured(MakeWorld(TwoNodes()), Loads(10, 10, 80, 40));
  CHECK(Victims(world) == Names{"t0", "t1", "t2", "t3"});
  CHECK(Victims(world, StrCat("metricsPeriod: 10m\n", std::string(kTwentyFifty))).size() == 4);
}

TEST_CASE("rescheduling: exactly on target is neither busy nor done", "[plugins][rescheduling]") {
  CHECK(Victims(Measured(MakeWorld(TwoNodes()), Loads(10, 10, 50, 50))).empty());
  // 60, 50, 40: at 50 one more goes.
  CHECK(Victims(Measured(MakeWorld(TwoNodes()), Loads(10, 10, 60, 10))) == Names{"t0", "t1"});
}

TEST_CASE("rescheduling: targets alone change nothing", "[plugins][rescheduling]") {
  const std::string thresholds = GENERATE(values<std::string>({"", "thresholds: 20, "}));
  const std::string alone = StrCat("strategies: [{name: lowNodeUtilization, params: {", thresholds,
                                   "targetThresholds: {cpu: 50, memory: 50}}}]");
  const World world = Measured(MakeWorld(TwoNodes()), Loads(10, 10, 100, 40));
  CHECK(Victims(world, alone).empty());
  CHECK_FALSE(Victims(world).empty());
}

TEST_CASE("rescheduling: memory counts as cpu does", "[plugins][rescheduling]") {
  CHECK(Victims(Measured(MakeWorld(TwoNodes()), Loads(10, 10, 10, 60))) == Names{"t0", "t1"});
  CHECK(Victims(Measured(MakeWorld(TwoNodes()), Loads(10, 20, 60, 10))).empty());
  CHECK(Victims(Measured(MakeWorld(TwoNodes()), Loads(20, 10, 60, 10))).empty());
}

TEST_CASE("rescheduling: idle nodes offer what is below their targets", "[plugins][rescheduling]") {
  // Two cores are left on a: 35 of 50 percent of ten cores, less what it uses.
  const std::string tight =
      "strategies: [{name: lowNodeUtilization, params: {thresholds: {cpu: 20, memory: 20}, "
      "targetThresholds: {cpu: 30, memory: 50}}}]";
  CHECK(Victims(Measured(MakeWorld(TwoNodes()), Loads(10, 10, 90, 40)), tight) ==
        Names{"t0", "t1"});
}

TEST_CASE("rescheduling: who goes first", "[plugins][rescheduling]") {
  World world = Measured(MakeWorld(TwoNodes()), Loads(10, 10, 90, 40));
  const auto priority = [&world](std::string_view task, std::optional<int32_t> value) {
    world =
        WithTask(std::move(world), task, [&](model::TaskRow& row) { row.pod_priority = value; });
  };
  priority("t0", 100);
  priority("t1", 7);
  priority("t2", 7);
  priority("t3", std::nullopt);
  priority("t4", -5);
  priority("t5", 100);
  CHECK(Victims(world) == Names{"t3", "t4", "t1", "t2"});
}

TEST_CASE("rescheduling: among equals those with the weakest quality of service go first",
          "[plugins][rescheduling]") {
  World world = MakeWorld(
      "node a cpu=10 mem=10Gi; node b cpu=10 mem=10Gi; job j\n"
      "task t0 job=j cpu=1 mem=1Gi node=b select.x=1; task t1 job=j cpu=1 mem=1Gi node=b "
      "select.x=2\n"
      "task t2 job=j cpu=1 mem=1Gi node=b select.x=3");
  world = Measured(std::move(world), Loads(10, 10, 90, 40));
  world = WithExtras(std::move(world), "t0", {.qos = model::QosClass::kGuaranteed});
  world = WithExtras(std::move(world), "t1", {.qos = model::QosClass::kBurstable});
  world = WithExtras(std::move(world), "t2", {.qos = model::QosClass::kBestEffort});
  CHECK(Victims(world, kTwentyFifty, {"t0", "t1", "t2"}) == Names{"t2", "t1", "t0"});
}

TEST_CASE("rescheduling: only tasks that shuffle offers go", "[plugins][rescheduling]") {
  const World world = Measured(MakeWorld(TwoNodes()), Loads(10, 10, 80, 40));
  CHECK(Victims(world, kTwentyFifty, {"t4", "t2"}) == Names{"t2", "t4"});
}

TEST_CASE("rescheduling: a cordoned node takes nobody", "[plugins][rescheduling]") {
  CHECK(Victims(Measured(MakeWorld(TwoNodes("cordoned")), Loads(10, 10, 80, 40))).empty());
}

TEST_CASE("rescheduling: nodes without a fresh measurement take no part",
          "[plugins][rescheduling]") {
  World world = Measured(MakeWorld(TwoNodes()), Loads(10, 10, 80, 40));
  CHECK(Victims(WithLoads(world, {{"b", {80, 40, kMeasured}}})).empty());
  CHECK(Victims(WithLoads(world, {{"a", {10, 10, 1}}, {"b", {80, 40, kMeasured}}})).empty());
  CHECK(Victims(WithLoads(world, {{"a", {10, 10, kMeasured}}, {"b", {80, 40, 1}}})).empty());
  CHECK(Victims(Changed(world, [](model::Snapshot& s) { s.loads = nullptr; })).empty());
}

TEST_CASE("rescheduling: the busiest node is relieved first", "[plugins][rescheduling]") {
  World world = MakeWorld(
      "node a cpu=10 mem=10Gi; node b cpu=10 mem=10Gi; node c cpu=10 mem=10Gi; job j\n"
      "task t0 job=j cpu=1 mem=1Gi node=b; task t1 job=j cpu=1 mem=1Gi node=c");
  world = Measured(
      std::move(world),
      {{"a", {10, 10, kMeasured}}, {"b", {60, 10, kMeasured}}, {"c", {70, 10, kMeasured}}});
  world = WithCapacity(std::move(world), "c", 10, 10 * kGi);
  CHECK(Victims(world, kTwentyFifty, {"t0", "t1"}) == Names{"t1", "t0"});
}

TEST_CASE("rescheduling: its turn comes once in an interval, the first after one",
          "[plugins][rescheduling]") {
  PluginBed bed(Builtins(), MakePolicy("", "rescheduling", {{"rescheduling", "interval: 2m"}}),
                MakeWorld(""));
  const auto due = [&bed] { return !bed.session().hooks().victim_tasks.empty(); };
  const auto later = [&bed](absl::Duration by) {
    bed.clock().Advance(by);
    bed.Reopen(MakeWorld(""));
  };
  CHECK_FALSE(due());
  later(absl::Minutes(2));
  CHECK_FALSE(due());
  later(absl::Seconds(1));
  CHECK(due());
  later(absl::Minutes(1));
  CHECK_FALSE(due());
  later(absl::Minutes(2));
  CHECK(due());
}

TEST_CASE("rescheduling: five minutes when no interval can be read", "[plugins][rescheduling]") {
  const std::string yaml =
      GENERATE(values<std::string>({"{}", "interval: soon", "interval: -1m", "interval: 7"}));
  CAPTURE(yaml);
  PluginBed bed(Builtins(), MakePolicy("", "rescheduling", {{"rescheduling", yaml}}),
                MakeWorld(""));
  bed.clock().Advance(absl::Minutes(5));
  bed.Reopen(MakeWorld(""));
  CHECK(bed.session().hooks().victim_tasks.empty());
  bed.clock().Advance(absl::Seconds(1));
  bed.Reopen(MakeWorld(""));
  CHECK_FALSE(bed.session().hooks().victim_tasks.empty());
}

TEST_CASE("rescheduling: the switch", "[plugins][rescheduling]") {
  PluginBed bed(Builtins(), MakePolicy("", "rescheduling!enabledVictim"), MakeWorld(""));
  bed.clock().Advance(absl::Minutes(6));
  bed.Reopen(MakeWorld(""));
  CHECK(bed.session().hooks().victim_tasks.empty());
}

TEST_CASE("rescheduling: arguments without an effect are reported", "[plugins][rescheduling]") {
  struct Case {
    std::string yaml;
    std::string says;
  };
  const Case c = GENERATE(values<Case>({
      {"metricsPeriod: 5m", "10m"},
      {"queueSelector: [a]", "no effect"},
      {"labelSelector: {a: b}", "no effect"},
      {"strategies: [{name: lowNodeUtilisation}]", "lowNodeUtilization"},
      {"strategies: [{name: lowNodeUtilization, params: {nodeFit: true}}]", "no effect"},
      {"strategies: [{name: lowNodeUtilization, params: {thresholds: {pods: 20}}}]", "no effect"},
      {"strategies: [{name: lowNodeUtilization, params: {thresholds: 20}}]", "no map"},
      {"strategies: [{name: lowNodeUtilization, params: {targetThresholds: {cpu: 50}}}]",
       "no effect without"},
      {"strategies: [{name: lowNodeUtilization, params: {thresholds: {cpu: much}}}]", "integer"},
  }));
  CAPTURE(c.yaml);
  const conf::Arguments args = MakeArguments(c.yaml);
  REQUIRE(plugins::CreateRescheduling(args).ok());
  const std::vector<conf::Finding> findings = args.Findings();
  REQUIRE(findings.size() == 1);
  CHECK(conf::ToString(findings[0]).find(c.says) != std::string::npos);
}

TEST_CASE("rescheduling: a policy with only unknown strategies names nobody",
          "[plugins][rescheduling]") {
  CHECK(
      Victims(Measured(MakeWorld(TwoNodes()), Loads(10, 10, 80, 40)), "strategies: [{name: other}]")
          .empty());
}

}  // namespace
}  // namespace bth::test
