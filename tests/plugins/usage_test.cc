#include "base/strings.h"
#include "framework/session/statement.h"
#include "plugins/factories.h"
#include "plugins/usage/estimate.h"
#include "plugins/usage/options.h"
#include "plugins/usage/shadow_load.h"
#include "plugins/usage/young_tasks.h"
#include "tests/plugins/fixtures.h"
#include "tests/plugins/snapshot_changes.h"

namespace bth::test {
namespace {

using namespace plugins::usage;  // NOLINT: the pure functions under test.
using model::TaskStatus;

constexpr int64_t kMi = int64_t{1} << 20;

TEST_CASE("usage: mean load, risk and composite", "[plugins][usage]") {
  CHECK(MeanLoad(0.4, 0.6, {1, 1}) == Approx(0.5));
  CHECK(MeanLoad(0.8, 0.2, {3, 1}) == Approx(0.65));
  CHECK(MeanLoad(0.8, 0.2, {0, 0}) == 0);
  CHECK(Risk(0.59, 0.6, 1.2) == 1);
  CHECK(Risk(0.6, 0.6, 1.2) == 1.2);
  CHECK(Risk(0.9, 0.6, 1.2) == 1.2);
  CHECK(Risk(0.9, 0.6, 0.8) == 1);
  CHECK(Composite(50, 0, 8000) == 0.5);
  CHECK(Composite(50, 2000, 8000) == 0.75);
  CHECK(Composite(80, 5000, 8000) == 1);
  CHECK(Composite(50, 2000, 0) == 0);
  CHECK(Composite(0, 0, 8000) == 0);
  CHECK(Composite(100, 0, 8000) == 1);
}

TEST_CASE("usage: what a pod probably uses", "[plugins][usage]") {
  struct Case {
    int64_t request, limit;
    double ratio, burst, risk;
    int64_t expected;
  };
  const Case c = GENERATE(values<Case>({{500, 2000, 1, 0, 1, 500},
                                        {500, 2000, 0, 0, 1, 0},
                                        {500, 2000, 1, 1, 1, 2000},
                                        {500, 2000, 0.5, 0.2, 1, 550},
                                        {500, 600, 1, 0, 1.2, 600},
                                        {500, 0, 1, 1, 1.2, 500},
                                        {-5, 0, 1, 1, 1, 0}}));
  CAPTURE(c.request, c.limit, c.ratio, c.burst, c.risk);
  const Estimator estimator{.request_ratio = c.ratio, .burst_ratio = c.burst};
  CHECK(Estimate(c.request, c.limit, estimator, c.risk) == c.expected);
  CHECK(EstimateBestEffort(250, 1) == 250);
  CHECK(EstimateBestEffort(250, 1.2) == 300);
  CHECK(EstimateBestEffort(-1, 1.2) == 0);
}

TEST_CASE("usage: scores of nodes", "[plugins][usage]") {
  CHECK(NodeScore(0, 0, {1, 1}, 1) == 100);
  CHECK(NodeScore(1, 1, {1, 1}, 1) == 0);
  CHECK(NodeScore(0.5, 0.5, {1, 1}, 5) == 250);
  CHECK(NodeScore(0.3, 0.5, {1, 1}, 5) == Approx(300));
  CHECK(NodeScore(0.6, 0.5, {2, 8}, 5) == Approx(240));
  CHECK(NodeScore(0.3, 0.5, {0, 0}, 5) == 0);
}

TEST_CASE("usage: guesses are summed up and taken away exactly", "[plugins][usage]") {
  ShadowLoad shadow(2);
  const auto node = [](size_t n) { return model::NodeId::FromIndex(n); };
  const auto task = [](size_t t) { return model::TaskId::FromIndex(t); };
  shadow.Add(task(1), node(0), {1000, 2048});
  shadow.Add(task(2), node(0), {500, 1024});
  shadow.Add(task(3), node(0), {800, 1600});
  CHECK(shadow.on(node(0)) == Guess{2300, 4672});
  SECTION("a task that goes elsewhere takes its guess along") {
    shadow.Remove(task(1), node(0));
    shadow.Add(task(1), node(1), {1000, 2048});
    CHECK(shadow.on(node(0)) == Guess{1300, 2624});
    CHECK(shadow.on(node(1)) == Guess{1000, 2048});
  }
  SECTION("removing restores, unknown tasks change nothing") {
    shadow.Remove(task(3), node(0));
    shadow.Remove(task(9), node(0));
    shadow.Remove(task(2), node(0));
    CHECK(shadow.on(node(0)) == Guess{1000, 2048});
  }
  SECTION("who comes back finds all as it was") {
    shadow.Remove(task(2), node(0));
    CHECK(shadow.ComeBack(task(2), node(0)));
    CHECK(shadow.on(node(0)) == Guess{2300, 4672});
    CHECK_FALSE(shadow.ComeBack(task(2), node(0)));
    shadow.Remove(task(2), node(0));
    CHECK_FALSE(shadow.ComeBack(task(2), node(1)));
    shadow.Remove(task(1), node(0));
    CHECK_FALSE(shadow.ComeBack(task(2), node(0)));
  }
}

plugins::usage::Options ReadUsageOptions(std::string_view yaml) {
  const auto options = plugins::usage::ReadOptions(MakeArguments(yaml));
  REQUIRE(options.ok());
  return *options;
}

TEST_CASE("usage: arguments, and what stands for bad ones", "[plugins][usage]") {
  const auto defaults = ReadUsageOptions("{}");
  CHECK(defaults.weight == 5);
  CHECK(defaults.weights.cpu == 1);
  CHECK(defaults.weights.memory == 1);
  CHECK(defaults.cpu_threshold == 80);
  CHECK(defaults.memory_threshold == 80);
  CHECK(defaults.estimator.request_ratio == 0.7);
  CHECK(defaults.estimator.burst_ratio == 0);
  CHECK(defaults.estimator.risk_threshold == 0.6);
  CHECK(defaults.estimator.risk_factor == 1.2);
  CHECK(defaults.estimator.be_cpu_milli == 250);
  CHECK(defaults.estimator.be_memory_bytes == 200 * kMi);

  const auto given = ReadUsageOptions(
      "usage.weight: 7\ncpu.weight: 2\nmemory.weight: 8\nthresholds: {cpu: 70, mem: 60}\n"
      "estimator: {request_ratio: 0.8, burst_ratio: 0.3, risk_threshold: 0.75, risk_factor: 1.5, "
      "be_cpu: 500m, be_mem: 300Mi}");
  CHECK(given.weight == 7);
  CHECK(given.weights.cpu == 2);
  CHECK(given.weights.memory == 8);
  CHECK(given.cpu_threshold == 70);
  CHECK(given.memory_threshold == 60);
  CHECK(given.estimator.request_ratio == 0.8);
  CHECK(given.estimator.burst_ratio == 0.3);
  CHECK(given.estimator.risk_threshold == 0.75);
  CHECK(given.estimator.risk_factor == 1.5);
  CHECK(given.estimator.be_cpu_milli == 500);
  CHECK(given.estimator.be_memory_bytes == 300 * kMi);

  const conf::Arguments bad_args = MakeArguments(
      "usage.weight: -1\ncpu.weight: -1\nmemory.weight: -1\nthresholds: {cpu: -1, mem: 101}\n"
      "estimator: {request_ratio: 1.5, burst_ratio: -0.1, risk_threshold: 2, risk_factor: 0.5, "
      "be_cpu: '-1', be_mem: bad}");
  const auto bad = *plugins::usage::ReadOptions(bad_args);
  CHECK(bad.weight == 5);
  CHECK(bad.weights.cpu == 1);
  CHECK(bad.weights.memory == 1);
  CHECK(bad.cpu_threshold == 80);
  CHECK(bad.memory_threshold == 80);
  CHECK(bad.estimator.request_ratio == 0.7);
  CHECK(bad.estimator.burst_ratio == 0);
  CHECK(bad.estimator.risk_threshold == 0.6);
  CHECK(bad.estimator.risk_factor == 1.2);
  CHECK(bad.estimator.be_cpu_milli == 250);
  CHECK(bad.estimator.be_memory_bytes == 200 * kMi);
  CHECK(bad_args.Findings().size() == 11);

  const auto quoted = ReadUsageOptions(
      "estimator: {request_ratio: '0.8', burst_ratio: '0.3', be_cpu: '500m', be_mem: '300Mi'}");
  CHECK(quoted.estimator.request_ratio == 0.7);
  CHECK(quoted.estimator.burst_ratio == 0);
  CHECK(quoted.estimator.be_cpu_milli == 500);
  CHECK(quoted.estimator.be_memory_bytes == 300 * kMi);

  const auto numbers = ReadUsageOptions("estimator: {be_cpu: 500, be_mem: 200}");
  CHECK(numbers.estimator.be_cpu_milli == 500);
  CHECK(numbers.estimator.be_memory_bytes == 200 * kMi);

  const auto no_text_keys = ReadUsageOptions("thresholds: {cpu: 50, 3: 4}\nestimator: 7");
  CHECK(no_text_keys.cpu_threshold == 80);
  CHECK(no_text_keys.estimator.request_ratio == 0.7);
}

TEST_CASE("usage: quantities in arguments", "[plugins][usage]") {
  CHECK(ReadQuantity("500m", 1000) == 500);
  CHECK(ReadQuantity("1", 1000) == 1000);
  CHECK(ReadQuantity("1.5", 1000) == 1500);
  CHECK(ReadQuantity("2e3", 1) == 2000);
  CHECK(ReadQuantity("1k", 1) == 1000);
  CHECK(ReadQuantity("300Mi", 1) == 300 * kMi);
  CHECK(ReadQuantity("1500u", 1000) == 2);
  for (const std::string_view bad :
       {"", "-1", "bad", "1x", "Mi", "nan", "inf", "1e400", "0x10", "+1", "999999Pi", "1 Mi"}) {
    CAPTURE(bad);
    CHECK_FALSE(ReadQuantity(bad, 1).has_value());
  }
}

// Opens sessions one minute after the measurements.
class LoadBed {
 public:
  explicit LoadBed(const World& world, std::string_view plugin = "usage",
                   const std::string& arguments = "{}")
      : bed_(Builtins(), MakePolicy("", plugin, {{"usage", arguments}}), MakeWorld("")) {
    bed_.clock().Advance(absl::Microseconds(kMeasured) + absl::Minutes(1));
    bed_.Reopen(world);
  }
  PluginBed& operator*() { return bed_; }
  PluginBed* operator->() { return &bed_; }

  // The reason's text; empty when the node will do.
  std::string Refusal(std::string_view task, std::string_view node) {
    const model::NodeId id = bed_.world().node(node);
    framework::ReasonId verdict = framework::kFits;
    for (const auto& entry : bed_.session().hooks().usage_filter) {
      entry.fn(bed_.session().task(bed_.world().task(task)).shape,
               model::NodeRange(id.index(), id.index() + 1),
               absl::Span<framework::ReasonId>(&verdict, 1));
    }
    const framework::ReasonTable& reasons = bed_.session().reasons();
    if (verdict == framework::kFits) return "";
    CHECK(reasons.code(verdict) == framework::FitCode::kUnresolvable);
    return reasons.text(verdict);
  }

 private:
  PluginBed bed_;
};

World OneNode(double cpu, double memory, int64_t measured_us = kMeasured) {
  return WithLoads(MakeWorld("node n cpu=8 mem=16Gi; job a; task p job=a cpu=1 mem=1Gi"),
                   {{"n", {cpu, memory, measured_us}}});
}

TEST_CASE("usage: busy nodes take no pods", "[plugins][usage]") {
  const std::string cpu = "the CPU load of the node exceeds the upper limit.";
  const std::string memory = "the memory load of the node exceeds the upper limit.";
  CHECK(LoadBed(OneNode(81, 50)).Refusal("p", "n") == cpu);
  CHECK(LoadBed(OneNode(50, 81)).Refusal("p", "n") == memory);
  CHECK(LoadBed(OneNode(90, 90)).Refusal("p", "n") == cpu);
  CHECK(LoadBed(OneNode(80, 79)).Refusal("p", "n").empty());
  CHECK(LoadBed(OneNode(90, 81, kMeasured - 300'000'000)).Refusal("p", "n").empty());
  CHECK(LoadBed(MakeWorld("node n cpu=8; job a; task p job=a")).Refusal("p", "n").empty());
  const std::string low = "thresholds: {cpu: 40, mem: 60}";
  CHECK(LoadBed(OneNode(41, 0), "usage", low).Refusal("p", "n") == cpu);
  CHECK(LoadBed(OneNode(40, 61), "usage", low).Refusal("p", "n") == memory);
}

TEST_CASE("usage: idle nodes come first", "[plugins][usage]") {
  const auto score = [](double cpu, double memory, const std::string& arguments,
                        int64_t measured_us = kMeasured) {
    LoadBed bed(OneNode(cpu, memory, measured_us), "usage", arguments);
    return bed->UsageScore("p", "n");
  };
  const std::string equal = "{usage.weight: 5, cpu.weight: 1, memory.weight: 1}";
  CHECK(score(30, 50, equal) == Approx(300));
  CHECK(score(60, 50, equal) == Approx(225));
  CHECK(score(60, 80, equal) == Approx(150));
  CHECK(score(30, 50, equal, kMeasured - 300'000'000) == 0);
  const std::string memory_first = "{usage.weight: 5, cpu.weight: 2, memory.weight: 8}";
  CHECK(score(30, 50, memory_first) == Approx(270));
  CHECK(score(60, 50, memory_first) == Approx(240));
  CHECK(score(60, 80, memory_first) == Approx(120));
  CHECK(score(30, 50, "{usage.weight: 10}") == Approx(600));
  CHECK(score(30, 50, "{cpu.weight: 0, memory.weight: 0}") == 0);
}

TEST_CASE("usage: switches", "[plugins][usage]") {
  LoadBed no_filter(OneNode(90, 90), "usage!enablePredicate");
  CHECK(no_filter.Refusal("p", "n").empty());
  CHECK(no_filter->UsageScore("p", "n") == Approx(50));
  LoadBed no_score(OneNode(90, 90), "usage!enableNodeOrder");
  CHECK_FALSE(no_score.Refusal("p", "n").empty());
  CHECK(no_score->UsageScore("p", "n") == 0);
}

TEST_CASE("usage: which tasks the source cannot have seen yet", "[plugins][usage]") {
  constexpr int64_t kMinute = 60'000'000;
  constexpr int64_t kWindow = 5 * kMinute;
  constexpr int64_t kNow = 100 * kMinute;
  model::TaskRow task;
  task.names = std::make_shared<const model::TaskNames>();
  const auto young = [&task](TaskStatus status, bool placed, int64_t started_us = 0) {
    task.started_us = started_us;
    model::TaskState state{.status = status, .evicts = false, .node = model::NodeId()};
    if (placed) state.node = model::NodeId::FromIndex(0);
    return IsYoung(task, state, kNow, kWindow);
  };
  CHECK_FALSE(young(TaskStatus::kPending, false));
  CHECK_FALSE(young(TaskStatus::kPending, true));
  CHECK(young(TaskStatus::kAllocated, true));
  CHECK(young(TaskStatus::kBinding, true));
  CHECK(young(TaskStatus::kBound, true));
  CHECK(young(TaskStatus::kRunning, true, kNow - kMinute));
  CHECK_FALSE(young(TaskStatus::kRunning, true, kNow - 10 * kMinute));
  CHECK(young(TaskStatus::kRunning, true, 0));
  CHECK_FALSE(young(TaskStatus::kRunning, false, kNow - kMinute));
  CHECK_FALSE(young(TaskStatus::kSucceeded, true));
  CHECK_FALSE(young(TaskStatus::kReleasing, true));
}

// 8 cores; `held` and `late` are of 2 cores, so each is taken for 1.4.
World WithYoung(int64_t held_started_us) {
  World world = MakeWorld(
      "node n cpu=8 mem=16Gi; node m cpu=8 mem=16Gi; job a\n"
      "task held job=a cpu=2 mem=4Gi node=n; task p job=a cpu=2 mem=4Gi; task be job=a");
  world = WithTask(std::move(world), "held",
                   [&](model::TaskRow& row) { row.started_us = held_started_us; });
  return WithLoads(std::move(world), {{"n", {10, 10, kMeasured}}, {"m", {10, 10, kMeasured}}});
}

constexpr int64_t kNowUs = kMeasured + 60'000'000;

TEST_CASE("usage: young pods count though nobody has measured them", "[plugins][usage]") {
  const std::string cpu_only = "{usage.weight: 1, memory.weight: 0}";
  LoadBed young(WithYoung(kNowUs - 10'000'000), "usage", cpu_only);
  CHECK(young->UsageScore("p", "n") == Approx(100 * (1 - 0.1 - 1.4 / 8)));
  CHECK(young->UsageScore("p", "m") == Approx(90));
  LoadBed old(WithYoung(kNowUs - 40'000'000), "usage", cpu_only);
  CHECK(old->UsageScore("p", "n") == Approx(90));
  LoadBed memory(WithYoung(kNowUs - 10'000'000), "usage", "{usage.weight: 1, cpu.weight: 0}");
  CHECK(memory->UsageScore("p", "n") == Approx(100 * (1 - 0.1 - 2.8 / 16)));
}

TEST_CASE("usage: the window is the interval of the source", "[plugins][usage]") {
  conf::Policy policy = MakePolicy("", "usage", {{"usage", "{usage.weight: 1, memory.weight: 0}"}});
  policy.metrics["interval"] = "2m";
  PluginBed bed(Builtins(), policy, MakeWorld(""));
  bed.clock().Advance(absl::Microseconds(kNowUs));
  bed.Reopen(WithYoung(kNowUs - 90'000'000));
  CHECK(bed.UsageScore("p", "n") == Approx(100 * (1 - 0.1 - 1.4 / 8)));
}

TEST_CASE("usage: what stops being young stops counting", "[plugins][usage]") {
  LoadBed bed(WithYoung(kNowUs - 10'000'000), "usage", "{usage.weight: 1, memory.weight: 0}");
  const World world = bed->world();
  bed->clock().Advance(absl::Seconds(30));
  bed->Reopen(world);
  CHECK(bed->UsageScore("p", "n") == Approx(90));
  bed->Reopen(WithTask(world, "held", [](model::TaskRow& row) { row.started_us = 0; }));
  CHECK(bed->UsageScore("p", "n") == Approx(100 * (1 - 0.1 - 1.4 / 8)));
}

TEST_CASE("usage: every argument of the estimator counts", "[plugins][usage]") {
  struct Case {
    std::string name, arguments, task;
    double guessed_cores;
  };
  const Case c = GENERATE(values<Case>({
      {"request_ratio", "request_ratio: 0.5", "p", 1},
      {"burst_ratio", "request_ratio: 1, burst_ratio: 0.5", "p", 3},
      {"risk", "request_ratio: 0.5, risk_threshold: 0.1, risk_factor: 1.5", "p", 1.5},
      {"risk not reached", "request_ratio: 0.5, risk_threshold: 0.2, risk_factor: 1.5", "p", 1},
      {"be_cpu", "be_cpu: 500m", "be", 0.5},
      {"be_cpu by default", "be_mem: 1Gi", "be", 0.25},
  }));
  CAPTURE(c.name);
  World world = WithExtras(WithYoung(1), "p", {.cpu_limit_milli = 4000});
  LoadBed bed(world, "usage",
              StrCat("{usage.weight: 1, memory.weight: 0, estimator: {", c.arguments, "}}"));
  framework::Statement statement(bed->session(), "test");
  statement.Allocate(world.task(c.task), world.node("m"));
  CHECK(bed->UsageScore("p", "m") == Approx(100 * (1 - 0.1 - c.guessed_cores / 8)));
}

TEST_CASE("usage: be_mem and limits of memory count", "[plugins][usage]") {
  World world = WithExtras(WithYoung(1), "p", {.memory_limit_bytes = 8 * kGi});
  LoadBed bed(world, "usage",
              "{usage.weight: 1, cpu.weight: 0, estimator: {be_mem: 2048, burst_ratio: 1, "
              "request_ratio: 1}}");
  framework::Statement statement(bed->session(), "test");
  statement.Allocate(world.task("be"), world.node("m"));
  CHECK(bed->UsageScore("p", "m") == Approx(100 * (1 - 0.1 - 2.0 / 16)));
  statement.Allocate(world.task("p"), world.node("m"));
  CHECK(bed->UsageScore("p", "m") == Approx(100 * (1 - 0.1 - 10.0 / 16)));
}

TEST_CASE("usage: rolling back leaves no trace", "[plugins][usage]") {
  World world = WithYoung(kNowUs - 10'000'000);
  LoadBed bed(world, "usage",
              "{estimator: {risk_threshold: 0.2, risk_factor: 1.37, request_ratio: 0.33}}");
  const double before_n = bed->UsageScore("p", "n");
  const double before_m = bed->UsageScore("p", "m");
  {
    framework::Statement outer(bed->session(), "test");
    outer.Allocate(world.task("p"), world.node("n"));
    const double with_p = bed->UsageScore("p", "n");
    const auto mark = outer.Checkpoint();
    outer.Pipeline(world.task("be"), world.node("n"), /*evicts=*/true);
    outer.Evict(world.task("held"), world.task("p"));
    CHECK(bed->UsageScore("p", "n") != with_p);
    outer.RollbackTo(mark);
    CHECK(bed->UsageScore("p", "n") == with_p);
    CHECK(with_p < before_n);
  }
  CHECK(bed->UsageScore("p", "n") == before_n);
  CHECK(bed->UsageScore("p", "m") == before_m);
}

TEST_CASE("usage: pods of one cycle spread by what is guessed of them", "[plugins][usage]") {
  const World world = WithLoads(
      MakeWorld(
          "node n1 cpu=8 mem=16Gi; node n2 cpu=8 mem=16Gi; job a min=1 tasks=2 cpu=4 mem=1Gi"),
      {{"n1", {10, 10, 0}}, {"n2", {20, 10, 0}}});
  // Measured when the epoch began, which is when cycles of tests run: shifted out of "never".
  World fresh = WithLoads(world, {{"n1", {10, 10, 1}}, {"n2", {20, 10, 1}}});
  const auto binds = RunCycle(Builtins(), MakePolicy("allocate", "gang;usage"), fresh).binds;
  CHECK(binds == std::map<std::string, std::string>{{"a-0", "n1"}, {"a-1", "n2"}});
}

}  // namespace
}  // namespace bth::test
