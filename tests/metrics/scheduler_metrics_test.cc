#include "metrics/scheduler_metrics.h"

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "metrics/known_names.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"

namespace bth::metrics {
namespace {

using Samples = std::map<std::string, std::string>;

// `name{labels}` to value, of all samples whose name begins with `prefix`.
Samples Read(const Registry& registry, const std::string& prefix) {
  Samples samples;
  std::istringstream lines(registry.RenderText());
  for (std::string line; std::getline(lines, line);) {
    const size_t blank = line.rfind(' ');
    if (line.rfind(prefix, 0) == 0) samples[line.substr(0, blank)] = line.substr(blank + 1);
  }
  return samples;
}

// The bounds of a histogram's buckets, without +Inf.
std::vector<double> Bounds(const Registry& registry, const std::string& name) {
  std::set<double> bounds;
  for (const auto& [sample, value] : Read(registry, name + "_bucket{")) {
    const size_t at = sample.find("le=\"") + 4;
    const std::string bound = sample.substr(at, sample.find('"', at) - at);
    if (bound != "+Inf") bounds.insert(std::stod(bound));
  }
  return {bounds.begin(), bounds.end()};
}

struct Fixture {
  Registry registry{"/nonexistent"};
  SchedulerMetrics metrics{registry};
};

TEST_CASE("scheduler metrics: what has no label is there with 0 from the start", "[metrics]") {
  Fixture f;
  const Samples samples = Read(f.registry, "volcano_");
  for (const char* name :
       {"volcano_e2e_scheduling_latency_milliseconds_count",
        "volcano_open_session_duration_milliseconds_count",
        "volcano_e2e_job_scheduling_latency_milliseconds_count", "volcano_pod_preemption_victims",
        "volcano_total_preemption_attempts", "volcano_unschedule_job_count"}) {
    CAPTURE(name);
    REQUIRE(samples.count(name) == 1);
    CHECK(samples.at(name) == "0");
  }
  for (const auto& [sample, value] : samples) {
    CAPTURE(sample);
    CHECK(
        (sample.find('{') == std::string::npos || sample.find("_bucket{le=") != std::string::npos));
  }
}

TEST_CASE("scheduler metrics: buckets are those of the dashboards", "[metrics]") {
  Fixture f;
  f.metrics.PluginLatency("gang", SessionMoment::kOpen, absl::ZeroDuration());
  f.metrics.ActionLatency("allocate", absl::ZeroDuration());
  f.metrics.TaskReached(TaskMoment::kBound, absl::ZeroDuration());
  f.metrics.StageDone(Stage::kBind, absl::ZeroDuration());
  struct Case {
    std::string name;
    size_t count;
    double first, second, before_last, last;
  };
  const Case c = GENERATE(values<Case>({
      {"volcano_e2e_scheduling_latency_milliseconds", 20, 1, 1.56561, 3193.65, 5000},
      {"volcano_open_session_duration_milliseconds", 20, 1, 1.56561, 3193.65, 5000},
      {"volcano_e2e_job_scheduling_latency_milliseconds", 30, 100, 127.696, 93972.9, 120000},
      {"volcano_plugin_scheduling_latency_milliseconds", 15, 0.1, 0.163789, 61.054, 100},
      {"volcano_action_scheduling_latency_milliseconds", 20, 1, 1.4919, 1340.58, 2000},
      {"volcano_task_scheduling_latency_milliseconds", 30, 50, 63.8482, 46986.4, 60000},
      {"volcano_scheduling_stage_duration_milliseconds", 20, 0.1, 0.156561, 319.365, 500},
  }));
  CAPTURE(c.name);
  const std::vector<double> bounds = Bounds(f.registry, c.name);
  REQUIRE(bounds.size() == c.count);
  CHECK(bounds[0] == Approx(c.first));
  CHECK(bounds[1] == Approx(c.second).epsilon(1e-5));
  CHECK(bounds[c.count - 2] == Approx(c.before_last).epsilon(1e-5));
  CHECK(bounds[c.count - 1] == Approx(c.last));
}

TEST_CASE("scheduler metrics: exponential buckets double", "[metrics]") {
  const Buckets bounds = ExponentialBuckets(5, 2, 15);
  REQUIRE(bounds.size() == 15);
  CHECK(bounds.front() == 5);
  CHECK(bounds[3] == 40);
  CHECK(bounds.back() == 81920);
}

TEST_CASE("scheduler metrics: cycle figures carry Volcano's names and labels", "[metrics]") {
  Fixture f;
  f.metrics.CycleDone(absl::Milliseconds(3));
  f.metrics.SessionOpened(absl::Microseconds(1500));
  f.metrics.PluginLatency("drf", SessionMoment::kOpen, absl::Milliseconds(2));
  f.metrics.PluginLatency("drf", SessionMoment::kClose, absl::Milliseconds(4));
  f.metrics.PluginLatency("drf", SessionMoment::kOpen, absl::Milliseconds(5));
  f.metrics.ActionLatency("enqueue", -absl::Milliseconds(5));
  f.metrics.TaskReached(TaskMoment::kPreBound, absl::Milliseconds(70));
  f.metrics.StageDone(Stage::kScoring, absl::Milliseconds(1));
  f.metrics.ScheduleAttempt("error");
  const Samples expect = {
      {"volcano_e2e_scheduling_latency_milliseconds_sum", "3"},
      {"volcano_open_session_duration_milliseconds_sum", "1.5"},
      {R"(volcano_plugin_scheduling_latency_milliseconds_sum{OnSession="OnSessionOpen",plugin="drf"})",
       "7"},
      {R"(volcano_plugin_scheduling_latency_milliseconds_sum{OnSession="OnSessionClose",plugin="drf"})",
       "4"},
      {R"(volcano_action_scheduling_latency_milliseconds_sum{action="enqueue"})", "0"},
      {R"(volcano_action_scheduling_latency_milliseconds_count{action="enqueue"})", "1"},
      {R"(volcano_task_scheduling_latency_milliseconds_sum{stage="PreBound"})", "70"},
      {R"(volcano_scheduling_stage_duration_milliseconds_sum{stage="Scoring"})", "1"},
      {R"(volcano_schedule_attempts_total{result="error"})", "1"}};
  const Samples samples = Read(f.registry, "volcano_");
  for (const auto& [name, value] : expect) {
    CAPTURE(name);
    REQUIRE(samples.count(name) == 1);
    CHECK(samples.at(name) == value);
  }
}

TEST_CASE("scheduler metrics: only the four evicting actions are counted", "[metrics]") {
  Fixture f;
  for (const char* action :
       {"preempt", "reclaim", "gangpreempt", "gangreclaim", "preempt", "shuffle", "allocate"}) {
    f.metrics.EvictionTransaction(action);
  }
  CHECK(Read(f.registry, "volcano_eviction_transactions_total") ==
        Samples{{R"(volcano_eviction_transactions_total{action="gangpreempt"})", "1"},
                {R"(volcano_eviction_transactions_total{action="gangreclaim"})", "1"},
                {R"(volcano_eviction_transactions_total{action="preempt"})", "2"},
                {R"(volcano_eviction_transactions_total{action="reclaim"})", "1"}});
}

TEST_CASE("job series: one placement sets all figures of the job", "[metrics]") {
  Fixture f;
  const absl::Time created = absl::FromUnixSeconds(1000);
  const auto job = f.metrics.Job({"ns", "train", "default"});
  job->SetCreated(created);
  f.metrics.TaskScheduled(*job, created, created + absl::Milliseconds(2500));
  job->SetUnscheduledTasks(3);
  job->IncrementRetries();
  job->IncrementRetries();
  job->SetShare(0.25);
  const std::string labels = R"({job_name="train",job_namespace="ns",queue="default"})";
  CHECK(
      Read(f.registry,
           "volcano_e2e_job_scheduling_duration")["volcano_e2e_job_scheduling_duration" + labels] ==
      "2500");
  CHECK(Read(f.registry, "volcano_e2e_job_scheduling_start_time") ==
        Samples{{"volcano_e2e_job_scheduling_start_time" + labels, "1000"}});
  CHECK(Read(f.registry, "volcano_e2e_job_scheduling_last_time") ==
        Samples{{"volcano_e2e_job_scheduling_last_time" + labels, "1002"}});
  CHECK(Read(f.registry, "volcano_e2e_job_scheduling_latency_milliseconds_sum") ==
        Samples{{"volcano_e2e_job_scheduling_latency_milliseconds_sum", "2500"}});
  CHECK(Read(f.registry, "volcano_unschedule_task_count") ==
        Samples{{R"(volcano_unschedule_task_count{job_id="train"})", "3"}});
  CHECK(Read(f.registry, "volcano_job_retry_counts") ==
        Samples{{R"(volcano_job_retry_counts{job_id="train"})", "2"}});
  CHECK(Read(f.registry, "volcano_job_share") ==
        Samples{{R"(volcano_job_share{job_id="train",job_ns="ns"})", "0.25"}});
}

bool HasJobSeries(const Registry& registry) {
  return registry.RenderText().find("train") != std::string::npos;
}

TEST_CASE("job series: removal takes every series, a handle still held does nothing", "[metrics]") {
  Fixture f;
  const auto job = f.metrics.Job({"ns", "train", "default"});
  auto touch = [&] {
    job->SetCreated(absl::FromUnixSeconds(1));
    job->TaskScheduled(absl::FromUnixSeconds(1), absl::FromUnixSeconds(2));
    job->SetUnscheduledTasks(1);
    job->IncrementRetries();
    job->SetShare(1);
    job->SetQueue("other");
  };
  touch();
  CHECK(HasJobSeries(f.registry));
  f.metrics.RemoveJob("ns", "train");
  CHECK(!HasJobSeries(f.registry));
  touch();
  CHECK(!HasJobSeries(f.registry));
  f.metrics.RemoveJob("ns", "train");  // A second time is harmless.
  f.metrics.Job({"ns", "train", "default"})->IncrementRetries();
  CHECK(Read(f.registry, "volcano_job_retry_counts") ==
        Samples{{R"(volcano_job_retry_counts{job_id="train"})", "1"}});
}

TEST_CASE("job series: jobs of one name share the series labelled by it", "[metrics]") {
  Fixture f;
  f.metrics.Job({"a", "train", "q"})->IncrementRetries();
  f.metrics.Job({"b", "train", "q"})->IncrementRetries();
  const Samples both = {{R"(volcano_job_retry_counts{job_id="train"})", "2"}};
  CHECK(Read(f.registry, "volcano_job_retry_counts") == both);
  f.metrics.RemoveJob("a", "train");
  CHECK(Read(f.registry, "volcano_job_retry_counts") == both);
  f.metrics.RemoveJob("b", "train");
  CHECK(Read(f.registry, "volcano_job_retry_counts").empty());
}

TEST_CASE("job series: a job that changes its queue takes its series along", "[metrics]") {
  Fixture f;
  const auto job = f.metrics.Job({"ns", "train", "old"});
  job->TaskScheduled(absl::FromUnixSeconds(1), absl::FromUnixSeconds(3));
  f.metrics.JobSeen({"ns", "train", "new"}, absl::FromUnixSeconds(1));
  // A cycle that began before still knows the old one.
  CHECK(f.metrics.Job({"ns", "train", "old"}) == job);
  CHECK(
      Read(f.registry, "volcano_e2e_job_scheduling_duration") ==
      Samples{
          {R"(volcano_e2e_job_scheduling_duration{job_name="train",job_namespace="ns",queue="new"})",
           "2000"}});
  f.metrics.RemoveJob("ns", "train");
  CHECK(!HasJobSeries(f.registry));
}

TEST_CASE("series: all jobs and queues go at once", "[metrics]") {
  Fixture f;
  f.metrics.Job({"ns", "train", "q"})->IncrementRetries();
  f.metrics.Queue("q")->SetShare(1);
  f.metrics.RemoveRows();
  CHECK(!HasJobSeries(f.registry));
  CHECK(Read(f.registry, "volcano_queue_").empty());
  f.metrics.Job({"ns", "train", "q"})->IncrementRetries();
  CHECK(Read(f.registry, "volcano_job_retry_counts") ==
        Samples{{R"(volcano_job_retry_counts{job_id="train"})", "1"}});
}

TEST_CASE("queue series: scalars that are missing in an update become 0", "[metrics]") {
  Fixture f;
  const auto queue = f.metrics.Queue("q1");
  const std::vector<ScalarAmount> gpus = {{"nvidia.com/gpu", 8000}, {"pods", 3}};
  const std::vector<ScalarAmount> pods = {{"pods", 5}};
  queue->Set(QueueAmount::kAllocated, {1500, 4096, gpus});
  queue->Set(QueueAmount::kDeserved, {2000, 8192, pods});
  queue->Set(QueueAmount::kAllocated, {500, 1024, pods});
  CHECK(
      Read(f.registry, "volcano_queue_allocated") ==
      Samples{
          {R"(volcano_queue_allocated_milli_cpu{queue_name="q1"})", "500"},
          {R"(volcano_queue_allocated_memory_bytes{queue_name="q1"})", "1024"},
          {R"(volcano_queue_allocated_scalar_resources{queue_name="q1",resource="nvidia.com/gpu"})",
           "0"},
          {R"(volcano_queue_allocated_scalar_resources{queue_name="q1",resource="pods"})", "5"}});
  // A name seen in one family is known to the others.
  CHECK(
      Read(f.registry, "volcano_queue_deserved_scalar") ==
      Samples{
          {R"(volcano_queue_deserved_scalar_resources{queue_name="q1",resource="nvidia.com/gpu"})",
           "0"},
          {R"(volcano_queue_deserved_scalar_resources{queue_name="q1",resource="pods"})", "5"}});
}

TEST_CASE("queue series: the six kinds have their own families", "[metrics]") {
  Fixture f;
  const auto queue = f.metrics.Queue("q");
  int value = 1;
  for (QueueAmount kind :
       {QueueAmount::kAllocated, QueueAmount::kRequest, QueueAmount::kDeserved,
        QueueAmount::kCapacity, QueueAmount::kRealCapacity, QueueAmount::kInqueue}) {
    queue->Set(kind, {static_cast<double>(value++), 0, {}});
  }
  queue->SetShare(0.5);
  queue->SetWeight(4);
  queue->SetOverused(true);
  const Samples samples = Read(f.registry, "volcano_queue_");
  const Samples expect = {{R"(volcano_queue_allocated_milli_cpu{queue_name="q"})", "1"},
                          {R"(volcano_queue_request_milli_cpu{queue_name="q"})", "2"},
                          {R"(volcano_queue_deserved_milli_cpu{queue_name="q"})", "3"},
                          {R"(volcano_queue_capacity_milli_cpu{queue_name="q"})", "4"},
                          {R"(volcano_queue_real_capacity_milli_cpu{queue_name="q"})", "5"},
                          {R"(volcano_queue_inqueue_milli_cpu{queue_name="q"})", "6"},
                          {R"(volcano_queue_share{queue_name="q"})", "0.5"},
                          {R"(volcano_queue_weight{queue_name="q"})", "4"},
                          {R"(volcano_queue_overused{queue_name="q"})", "1"}};
  for (const auto& [name, expected] : expect) {
    CAPTURE(name);
    REQUIRE(samples.count(name) == 1);
    CHECK(samples.at(name) == expected);
  }
}

TEST_CASE("queue series: removal takes every series of that queue and no other", "[metrics]") {
  Fixture f;
  const std::vector<ScalarAmount> scalars = {{"pods", 1}};
  for (const char* name : {"gone", "stays"}) {
    const auto queue = f.metrics.Queue(name);
    queue->Set(QueueAmount::kRequest, {1, 1, scalars});
    queue->SetShare(1);
    queue->SetWeight(1);
    queue->SetOverused(false);
  }
  const auto held = f.metrics.Queue("gone");
  f.metrics.RemoveQueue("gone");
  held->SetShare(2);
  held->Set(QueueAmount::kInqueue, {1, 1, scalars});
  const std::string text = f.registry.RenderText();
  CHECK(text.find("gone") == std::string::npos);
  CHECK(Read(f.registry, "volcano_queue_").size() == 6);
}

TEST_CASE("queue series: scalar names have a limit", "[metrics]") {
  Fixture f;
  std::vector<std::string> names;
  for (size_t i = 0; i < QueueSeries::kScalarNamesMax + 2; ++i) {
    names.push_back("r" + std::to_string(i));
  }
  std::vector<ScalarAmount> scalars;
  for (const std::string& name : names) scalars.push_back({name, 1});
  f.metrics.Queue("q")->Set(QueueAmount::kRequest, {0, 0, scalars});
  CHECK(Read(f.registry, "volcano_queue_request_scalar").size() == QueueSeries::kScalarNamesMax);
  CHECK(Read(f.registry, R"(batholith_limit_reached_total{limit="metric_queue_scalars"})") ==
        Samples{{R"(batholith_limit_reached_total{limit="metric_queue_scalars"})", "2"}});
}

TEST_CASE("queue series: scalars that are no more leave their room to others", "[metrics]") {
  Fixture f;
  const auto queue = f.metrics.Queue("q");
  for (size_t i = 0; i < 3 * QueueSeries::kScalarNamesMax; ++i) {
    const std::string name = "r" + std::to_string(i);
    const std::vector<ScalarAmount> scalars = {{"pods", 5}, {name, 1}};
    queue->Set(QueueAmount::kRequest, {0, 0, scalars});
    queue->Set(QueueAmount::kAllocated, {0, 0, scalars});
  }
  CHECK(Read(f.registry, "volcano_queue_request_scalar").size() <= QueueSeries::kScalarNamesMax);
  CHECK(Read(f.registry, "volcano_queue_allocated_scalar").size() <= QueueSeries::kScalarNamesMax);
  for (const auto& [limit, times] : Read(f.registry, "batholith_limit_reached_total")) {
    INFO(limit);
    CHECK(times == "0");
  }
  const std::string last = "{queue_name=\"q\",resource=\"r" +
                           std::to_string(3 * QueueSeries::kScalarNamesMax - 1) + "\"}";
  CHECK(Read(f.registry, "volcano_queue_request_scalar_resources" + last) ==
        Samples{{"volcano_queue_request_scalar_resources" + last, "1"}});
}

TEST_CASE("series: updates, removals and scrapes may overlap", "[metrics]") {
  Fixture f;
  constexpr int kRounds = 300;
  std::thread updates([&f] {
    const std::vector<ScalarAmount> scalars = {{"pods", 1}};
    for (int i = 0; i < kRounds; ++i) {
      const auto job = f.metrics.Job({"ns", "train", i % 2 == 0 ? "q1" : "q2"});
      f.metrics.TaskScheduled(*job, absl::FromUnixSeconds(1), absl::FromUnixSeconds(2));
      job->IncrementRetries();
      f.metrics.Queue("q1")->Set(QueueAmount::kRequest, {1, 1, scalars});
      f.metrics.TaskReached(TaskMoment::kBound, absl::Seconds(1));
      f.metrics.PluginLatency("gang", SessionMoment::kOpen, absl::Seconds(1));
    }
  });
  std::thread removals([&f] {
    for (int i = 0; i < kRounds; ++i) {
      f.metrics.RemoveJob("ns", "train");
      f.metrics.RemoveQueue("q1");
    }
  });
  size_t bytes = 0;
  for (int i = 0; i < 20; ++i) bytes += f.registry.RenderText().size();
  updates.join();
  removals.join();
  CHECK(bytes > 0);
  f.metrics.RemoveJob("ns", "train");
  f.metrics.RemoveQueue("q1");
  CHECK(!HasJobSeries(f.registry));
  CHECK(Read(f.registry, "volcano_queue_").empty());
  CHECK(Read(f.registry, "volcano_e2e_job_scheduling_latency_milliseconds_count") ==
        Samples{{"volcano_e2e_job_scheduling_latency_milliseconds_count", "300"}});
}

TEST_CASE("own metrics: effects, phases and reloads are there from the start", "[metrics]") {
  Fixture f;
  CHECK(Read(f.registry, "batholith_effects_total").size() == 24);
  CHECK(Read(f.registry, "batholith_cycle_phase_duration_seconds_count").size() == 5);
  f.metrics.Effect(EffectKind::kPodGroupStatus, EffectOutcome::kSkipped, 7);
  f.metrics.ConfReloaded(true);
  f.metrics.ConfReloaded(false);
  f.metrics.ConfReloaded(false);
  f.metrics.PhaseDone(Phase::kReport, absl::Milliseconds(250));
  const Samples samples = Read(f.registry, "batholith_");
  CHECK(samples.at(R"(batholith_effects_total{kind="podgroup_status",outcome="skipped"})") == "7");
  CHECK(samples.at(R"(batholith_conf_reloads_total{result="ok"})") == "1");
  CHECK(samples.at(R"(batholith_conf_reloads_total{result="refused"})") == "2");
  CHECK(samples.at(R"(batholith_cycle_phase_duration_seconds_sum{phase="report"})") == "0.25");
}

TEST_CASE("own metrics: bounds of buckets are round numbers", "[metrics]") {
  Fixture f;
  const std::string text = f.registry.RenderText();
  for (const char* bound : {"0.0001", "0.1", "0.5", "10"}) {
    CHECK(text.find(std::string("duration_seconds_bucket{phase=\"open\",le=\"") + bound + "\"}") !=
          std::string::npos);
  }
  CHECK(Bounds(f.registry, "batholith_cycle_phase_duration_seconds").size() == 16);
}

TEST_CASE("own metrics: names beyond the limit are counted as other", "[metrics]") {
  Fixture f;
  for (size_t i = 0; i < SchedulerMetrics::kNamesMax + 3; ++i) {
    if (i >= kLimitNames.size()) f.metrics.LimitReached("limit" + std::to_string(i));
    f.metrics.ActionLatency("action" + std::to_string(i), absl::ZeroDuration());
  }
  const Samples samples = Read(f.registry, "batholith_limit_reached_total");
  CHECK(samples.size() == SchedulerMetrics::kNamesMax + 1);
  CHECK(samples.at(R"(batholith_limit_reached_total{limit="other"})") == "3");
  CHECK(Read(f.registry, "volcano_action_scheduling_latency_milliseconds_count")
            .at(R"(volcano_action_scheduling_latency_milliseconds_count{action="other"})") == "3");
}

// The first argument of each call `function("…"`, and of `family.With({{"label", "…"}})`.
std::set<std::string> NamesInSources(const std::string& pattern) {
  const std::regex call(pattern);
  std::set<std::string> names;
  for (const char* folder :
       {"actions", "cache", "cmd", "framework", "metrics", "plugins", "scheduler"}) {
    const auto root = test::SourceRoot() / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const auto extension = entry.path().extension();
      if (extension != ".cc" && extension != ".h") continue;
      const std::string text = test::ReadFile(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it) {
        names.insert((*it)[1]);
      }
    }
  }
  return names;
}

template <size_t n>
std::set<std::string> AsSet(const std::array<const char*, n>& names) {
  return {names.begin(), names.end()};
}

TEST_CASE("own metrics: what can be counted is there with 0 from the start", "[metrics]") {
  CHECK(NamesInSources(R"re((?:LimitReached\(|"limit", )"(\w+)")re") == AsSet(kLimitNames));
  CHECK(NamesInSources(R"re((?:findings(?:->|\.)Add\w*\(\{?\s*|invariant = )"(\w+)")re") ==
        AsSet(kInvariantNames));
  CHECK(NamesInSources(R"re(DefectContained\("(\w+)")re") == AsSet(kDefectPlaces));
  Fixture f;
  CHECK(Read(f.registry, "batholith_limit_reached_total").size() == kLimitNames.size());
  CHECK(Read(f.registry, "batholith_invariant_violations_total").size() == kInvariantNames.size());
  CHECK(Read(f.registry, "batholith_defects_total") ==
        Samples{{R"(batholith_defects_total{where="cycle"})", "0"},
                {R"(batholith_defects_total{where="mirror"})", "0"},
                {R"(batholith_defects_total{where="object"})", "0"}});
}

TEST_CASE("own metrics: gates that hold jobs are there with 0, and follow each cycle",
          "[metrics]") {
  Fixture f;
  CHECK(Read(f.registry, "batholith_held_jobs").size() == kGateNames.size());
  CHECK(Read(f.registry, "batholith_held_tasks")[R"(batholith_held_tasks{gate="Quota"})"] == "0");
  f.metrics.SetHeldJobs("Filters", 2, 7);
  f.metrics.SetHeldJobs("Filters", 1, 3);
  CHECK(Read(f.registry, "batholith_held_jobs").size() == kGateNames.size());
  CHECK(Read(f.registry, "batholith_held_jobs")[R"(batholith_held_jobs{gate="Filters"})"] == "1");
  CHECK(Read(f.registry, "batholith_held_tasks")[R"(batholith_held_tasks{gate="Filters"})"] == "3");
}

TEST_CASE("own metrics: counters and gauges of a cycle", "[metrics]") {
  Fixture f;
  f.metrics.SnapshotRowsRewritten(12);
  f.metrics.SetTableEntries("shapes", 2);
  f.metrics.SetTableEntries("shapes", 3);
  f.metrics.IndexLookups(90, 10);
  f.metrics.SetEffectQueueDepth(4);
  f.metrics.InvariantViolated("node_usage");
  f.metrics.SetUnscheduledJobs(2);
  f.metrics.SetPreemptionVictims(5);
  f.metrics.PreemptionAttempt();
  const Samples own = Read(f.registry, "batholith_");
  CHECK(own.at("batholith_snapshot_rows_rewritten_total") == "12");
  CHECK(own.at(R"(batholith_table_entries{table="shapes"})") == "3");
  CHECK(own.at(R"(batholith_index_lookups_total{result="hit"})") == "90");
  CHECK(own.at(R"(batholith_index_lookups_total{result="miss"})") == "10");
  CHECK(own.at("batholith_effect_queue_depth") == "4");
  CHECK(own.at(R"(batholith_invariant_violations_total{invariant="node_usage"})") == "1");
  const Samples volcano = Read(f.registry, "volcano_");
  CHECK(volcano.at("volcano_unschedule_job_count") == "2");
  CHECK(volcano.at("volcano_pod_preemption_victims") == "5");
  CHECK(volcano.at("volcano_total_preemption_attempts") == "1");
}

}  // namespace
}  // namespace bth::metrics
