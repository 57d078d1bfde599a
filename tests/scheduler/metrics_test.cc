// What the scheduler publishes moves when that happens which it counts.
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/strings.h"
#include "cmd/common/daemon_client.h"
#include "framework/session/statement.h"
#include "nodesim/volume_controller.h"
#include "tests/scheduler/short_bed.h"
#include "tests/support/files.h"

namespace bth::scheduler::testing {
namespace {

// The series of a registry that were seen with a value other than 0.
struct Moved {
  std::set<std::string> series;

  void Look(const metrics::Registry& registry) {
    std::istringstream lines(registry.RenderText());
    for (std::string line; std::getline(lines, line);) {
      const size_t blank = line.rfind(' ');
      if (line.empty() || line[0] == '#' || std::stod(line.substr(blank + 1)) == 0) continue;
      series.insert(line.substr(0, blank));
    }
  }
  bool Family(const std::string& name) const {
    for (const char* end : {"", "{", "_count", "_count{"}) {
      const auto at = series.lower_bound(name + end);
      const bool whole = *end == '\0' || absl::EndsWith(end, "_count");
      if (at == series.end()) continue;
      if (whole ? *at == name + end : absl::StartsWith(*at, name + end)) return true;
    }
    return false;
  }
};

// A bed that looks at its metrics with each request, because some are 0 again at the end.
struct WatchedBed : ShortBed {
  explicit WatchedBed(Moved& out) : moved(out) {
    client::ApiClientOptions options;
    options.qps = 0;
    options.on_call = cmd::CountCalls(metrics.client(), "server:443");  // As daemons do.
    api = std::make_unique<client::ApiClient>(executor, line, options);
    line->on_request = [this](const net::Request&) { moved.Look(metric_registry); };
  }
  ~WatchedBed() {
    moved.Look(metric_registry);
    line->on_request = nullptr;
  }

  Moved& moved;
};

// Places every pending pod on the first node, whether there is room or not; throws at first.
class Overfill final : public framework::Action {
 public:
  explicit Overfill(int* failures) : failures_(failures) {}
  std::string_view name() const override { return "overfill"; }
  absl::Status Execute(framework::Session& session) override {
    if (*failures_ > 0) {
      --*failures_;
      throw std::out_of_range("no such task");
    }
    framework::Statement statement(session, name());
    for (model::JobId job : *session.base().active_jobs) {
      for (model::TaskId task : *session.job(job).tasks) {
        if (session.state(task).status != model::TaskStatus::kPending) continue;
        statement.Allocate(task, session.base().nodes_by_name->front());
      }
    }
    return statement.Commit();
  }

 private:
  int* const failures_;
};

// A gang that fits, one that waits, one that waits for admitted room, and bad neighbours.
void DrivePlacement(Moved& moved) {
  WatchedBed bed(moved);
  bed.Given({"node n1 cpu=4 mem=8Gi gpu=4 pods=10", "node n2 cpu=4 mem=8Gi pods=10",
             "job fits min=3 tasks=3 cpu=1", "job waits min=2 tasks=2 cpu=9",
             "job admitted min=9 tasks=1 cpu=1 phase=Inqueue minres.cpu=1 minres.mem=1Gi "
             "minres.gpu=1",
             R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"bad"},)"
             R"("status":{"allocatable":{"cpu":"-1"}}})"});
  bed.Begin();
  // Watches break, and versions are too old.
  int broken = 0;
  bed.line->script = [&broken](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, "watch=") || ++broken > 40) return std::nullopt;
    return Fault{.code = 410, .reason = "Expired"};
  };
  bed.executor.Advance(absl::Hours(1));
}

// Queues with limits, under a policy that reads them, from a file that turns bad.
void DriveCapacity(Moved& moved) {
  WatchedBed bed(moved);
  bed.Given({"node n1 cpu=4 mem=8Gi pods=10 gpu=1",
             "queue q cap.cpu=2 cap.mem=4Gi cap.pods=5 deserved.cpu=1 deserved.mem=1Gi "
             "deserved.pods=1",
             "job j queue=q min=1 tasks=2 cpu=1 mem=1Gi"});
  test::TempFolder folder;
  SchedulerOptions options;
  options.policy.path = folder.Write("scheduler.conf",
                                     "actions: \"enqueue, allocate\"\n"
                                     "metrics: {type: nonsense}\n"
                                     "tiers:\n- plugins: [{name: gang}, {name: capacity}, "
                                     "{name: predicates}]\n");
  bed.Start(options);
  folder.Write("scheduler.conf", "actions: \"allocate\"\ntiers:\n- plugins: [{name: gang}]\n");
  bed.Settle();
  folder.Write("scheduler.conf", "actions: \"allocat\"\ntiers: []\n");
  bed.Settle();
}

// A full node whose pods make room for a better one.
void DrivePreemption(Moved& moved) {
  WatchedBed bed(moved);
  bed.Given({"priority high value=1000", "priority low value=1", "node n1 cpu=2 mem=8Gi",
             "job low min=1 prio=low tasks=2 cpu=1"});
  bed.Begin(R"(
actions: "enqueue, allocate, preempt"
tiers:
- plugins: [{name: priority}, {name: gang, enablePreemptable: false}, {name: conformance}]
- plugins: [{name: predicates}, {name: nodeorder}]
)");
  REQUIRE(bed.Bound("low-1"));
  bed.Given({"job high min=1 prio=high tasks=1 cpu=1"});
  bed.Settle();
}

// A pod whose claim is bound first.
void DriveVolumes(Moved& moved) {
  WatchedBed bed(moved);
  bed.Given({"node n1 cpu=4 mem=8Gi label.kubernetes.io/hostname=n1"});
  bed.Create("/apis/storage.k8s.io/v1/storageclasses",
             R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"s"},)"
             R"("provisioner":"batholith.io/simulated",)"
             R"("volumeBindingMode":"WaitForFirstConsumer"})");
  bed.Given({R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},)"
             R"("spec":{"storageClassName":"s","accessModes":["ReadWriteOnce"],)"
             R"("resources":{"requests":{"storage":"1Gi"}}}})",
             "job j min=1", "pod p job=j cpu=1 pvc=c"});
  client::ApiClientOptions unlimited;
  unlimited.qps = 0;
  client::ApiClient kubelets(
      bed.executor, net::MakeInProcessTransport(bed.executor, bed.server->handler()), unlimited);
  Rng rng{1};
  nodesim::VolumeController volumes(kubelets, rng, nodesim::VolumeControllerOptions());
  volumes.Start();
  bed.Begin();
  CHECK(bed.Bound("p"));
}

// A gang of which one pod is refused for good, and another one meets a busy server.
void DriveHalfBound(Moved& moved) {
  WatchedBed bed(moved);
  bed.Given({"node n1 cpu=4 mem=8Gi"});
  bool busy = true;
  bed.line->script = [&busy](const net::Request& request) -> std::optional<Fault> {
    if (absl::EndsWith(request.target, "/pods/g-0/binding") && std::exchange(busy, false)) {
      return Fault{.code = 429, .reason = "TooManyRequests", .retry_after = "3"};
    }
    if (!absl::EndsWith(request.target, "/pods/g-2/binding")) return std::nullopt;
    return Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.Begin();
  bed.Given({"job g min=3 tasks=3 cpu=1"});
  bed.Settle();
  bed.moved.Look(bed.metric_registry);
}

// Defects of an action, and an exception beside it.
void DriveViolation(Moved& moved) {
  int failures = 1;
  WatchedBed bed(moved);
  const std::shared_ptr<void> escapes =
      bed.executor.barrier().Listen([&bed](const net::Escape& escape) {  // As the daemon does.
        bed.metrics.client().ExceptionCaught(escape.place);
      });
  bed.registry.actions["overfill"] = [&failures](const conf::Arguments&) {
    return absl::StatusOr<std::unique_ptr<framework::Action>>(
        std::make_unique<Overfill>(&failures));
  };
  bed.Given({"node n1 cpu=1 mem=8Gi", "job j min=2 tasks=2 cpu=1"});
  bed.Begin("actions: \"enqueue, overfill\"\ntiers:\n- plugins: [{name: gang}]\n");
  bed.executor.Post([] { throw std::out_of_range("halfway"); });
  bed.executor.Advance(absl::Minutes(5));
  bed.escapes_expected = 1;
}

// A scheduler whose NodeShard comes late.
void DriveShard(Moved& moved) {
  WatchedBed bed(moved);
  bed.Given({"node n1 cpu=1 mem=8Gi"});
  SchedulerOptions options;
  options.shard.mode = model::ShardMode::kHard;
  bed.Start(options);
  bed.moved.Look(bed.metric_registry);
  bed.Create("/apis/shard.volcano.sh/v1alpha1/nodeshards",
             R"({"metadata":{"name":"volcano"},"spec":{"nodesDesired":["n1"]}})");
  bed.Settle();
}

void DriveDevices(Moved& moved) {
  WatchedBed bed(moved);
  bed.Given(
      {"node n cpu=8 mem=8Gi res.volcano.sh/vgpu-number=10 res.volcano.sh/vgpu-memory=1000 "
       "res.volcano.sh/vgpu-cores=100 "
       "annotation.volcano.sh/node-vgpu-register=GPU-a,10,1000,NVIDIA-A,true,hami-core:",
       "job j min=1",
       "pod a job=j cpu=1 res.volcano.sh/vgpu-number=1 res.volcano.sh/vgpu-memory=600 "
       "res.volcano.sh/vgpu-cores=20"});
  bed.Begin(R"(
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: deviceshare
    arguments: {deviceshare.VGPUEnable: true}
)");
  bed.Given({"pod b job=j cpu=1"});  // The next cycle tells of what the last one did.
  bed.Settle();
  CHECK(bed.Bound("a"));
}

const Moved& DriveAll() {
  static const Moved& kMoved = *[] {
    auto* moved = new Moved;
    for (const auto drive : {DrivePlacement, DriveCapacity, DrivePreemption, DriveVolumes,
                             DriveDevices, DriveHalfBound, DriveViolation, DriveShard}) {
      drive(*moved);
    }
    return moved;
  }();
  return kMoved;
}

TEST_CASE("scheduler metrics: every family that is registered moves", "[scheduler][metrics]") {
  const Moved& moved = DriveAll();
  metrics::Registry registry;
  const metrics::SchedulerMetrics all(registry);
  REQUIRE(registry.FamilyNames().size() > 50);
  for (const std::string& family : registry.FamilyNames()) {
    INFO(family);
    CHECK(moved.Family(family));
  }
}

TEST_CASE("scheduler metrics: the manual has every family", "[scheduler][metrics]") {
  const std::string manual = test::ReadFile(test::SourceRoot() / "docs/operations.md");
  metrics::Registry registry;
  const metrics::SchedulerMetrics all(registry);
  for (const std::string& family : registry.FamilyNames()) {
    INFO(family);
    bool found = absl::StrContains(manual, StrCat("`", family, "`")) ||
                 absl::StrContains(manual, StrCat("`", family, "{"));
    // Amounts of queues have one row for all kinds.
    for (const char* unit : {"_milli_cpu", "_memory_bytes", "_scalar_resources"}) {
      found |= absl::StartsWith(family, "volcano_queue_") && absl::EndsWith(family, unit);
    }
    CHECK(found);
  }
}

TEST_CASE("scheduler metrics: every value of a closed set of labels moves",
          "[scheduler][metrics]") {
  const Moved& moved = DriveAll();
  const std::map<std::string, std::vector<std::string>> series = {
      {"batholith_cycle_phase_duration_seconds_count{phase=",
       {"snapshot", "open", "action", "close", "report"}},
      {"volcano_scheduling_stage_duration_milliseconds_count{stage=",
       {"Predicate", "Scoring", "PreBind", "Bind"}},
      {"volcano_task_scheduling_latency_milliseconds_count{stage=",
       {"Watched", "Assumed", "PreBound", "Bound"}},
      {"volcano_schedule_attempts_total{result=", {"scheduled", "unschedulable", "error"}},
      {"volcano_plugin_scheduling_latency_milliseconds_count{OnSession=",
       {"OnSessionOpen\",plugin=\"gang", "OnSessionClose\",plugin=\"gang"}},
      {"batholith_index_lookups_total{result=", {"hit", "miss"}},
      {"batholith_conf_reloads_total{result=", {"ok", "refused"}},
      {"batholith_effects_total{kind=",
       {"bind\",outcome=\"ok", "bind\",outcome=\"failed", "evict\",outcome=\"ok",
        "podgroup_status\",outcome=\"ok", "pod_condition\",outcome=\"ok",
        "queue_status\",outcome=\"ok", "event\",outcome=\"ok"}}};
  for (const auto& [name, values] : series) {
    for (const std::string& value : values) {
      const std::string whole = StrCat(name, "\"", value, "\"}");
      INFO(whole);
      CHECK(moved.series.contains(whole));
    }
  }
}

TEST_CASE("scheduler metrics: a job that was placed tells its age", "[scheduler][metrics]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Start();
  bed.Group("g", 2);
  bed.executor.Advance(absl::Seconds(10));
  bed.Pod("a", "g", 1);
  bed.Pod("b", "g", 1);
  bed.Settle();
  const std::string labels = R"({job_name="g",job_namespace="default",queue="default"})";
  const double start = bed.Metric("volcano_e2e_job_scheduling_start_time" + labels);
  CHECK(start > 0);
  CHECK(bed.Metric("volcano_e2e_job_scheduling_last_time" + labels) == start + 10);
  const double age_ms = bed.Metric("volcano_e2e_job_scheduling_duration" + labels);
  CHECK(age_ms >= 10'000);
  CHECK(age_ms < 10'100);
  CHECK(bed.Metric("volcano_e2e_job_scheduling_latency_milliseconds_count") == 2);
}

TEST_CASE("scheduler metrics: at rest no effect waits", "[scheduler][metrics]") {
  Bed bed;
  bed.Node("n1", 64);
  double most = 0;
  bed.line->on_request = [&](const net::Request&) {
    most = std::max(most, bed.Metric("batholith_effect_queue_depth"));
  };
  bed.Start();
  bed.Group("g", 50);
  for (int i = 0; i < 50; ++i) bed.Pod(StrCat("p", i), "g", 1);
  bed.Settle();
  CHECK(most > 0);
  CHECK(bed.Metric("batholith_effect_queue_depth") == 0);
}

TEST_CASE("scheduler metrics: jobs that wait are counted until they are gone",
          "[scheduler][metrics]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Start();
  for (const char* job : {"g", "h"}) {
    bed.Group(job, 2);
    for (const char* pod : {"-0", "-1"}) bed.Pod(StrCat(job, pod), job, 3);
  }
  bed.Settle();
  CHECK(bed.Metric("volcano_unschedule_job_count") == 2);
  CHECK(bed.Metric("volcano_unschedule_task_count{job_id=\"g\"}") == 2);
  for (const char* pod : {"g-0", "g-1"}) {
    bed.Call("DELETE", StrCat("/api/v1/namespaces/default/pods/", pod, "?gracePeriodSeconds=0"));
  }
  bed.Call("DELETE", Bed::GroupPath("g"));
  bed.Settle();
  CHECK(bed.Metric("volcano_unschedule_job_count") == 1);
  CHECK(bed.Metric("volcano_unschedule_task_count{job_id=\"g\"}") == -1);
}

// Runs what it is given when told to.
class HeldRunner final : public CycleRunner {
 public:
  void Run(Work work) override {
    if (open) return work();
    held_.push_back(std::move(work));
  }
  bool holds() const { return !held_.empty(); }
  void Open() {
    open = true;
    for (Work& work : std::exchange(held_, {})) work();
  }
  bool open = true;

 private:
  std::vector<Work> held_;
};

TEST_CASE("scheduler metrics: series go with their job and queue, though a cycle still knows them",
          "[scheduler][metrics]") {
  HeldRunner runner;
  ShortBed bed;
  bed.Given({"node n1 cpu=2", "queue leaving weight=1", "job gone queue=leaving min=1",
             "pod p job=gone cpu=5"});
  SchedulerOptions options;
  bed.scheduler = std::make_unique<Scheduler>(
      SchedulerContext{bed.executor, *bed.api, bed.registry, runner, bed.clock, &bed.metrics},
      options);
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  bed.scheduler->StartCache();
  bed.scheduler->Lead();
  bed.Settle();
  REQUIRE(bed.Metric("volcano_unschedule_task_count{job_id=\"gone\"}") == 1);
  REQUIRE(bed.Metric("volcano_queue_weight{queue_name=\"leaving\"}") == 1);
  runner.open = false;
  bed.Given({"pod q job=gone cpu=5"});
  bed.Settle();
  REQUIRE(runner.holds());
  bed.Delete(Bed::GroupPath("gone"));
  bed.Delete("/apis/scheduling.volcano.sh/v1beta1/queues/leaving");
  bed.Settle();
  runner.Open();
  bed.Settle();
  const std::string text = bed.metric_registry.RenderText();
  CHECK_FALSE(absl::StrContains(text, "\"gone\""));
  CHECK_FALSE(absl::StrContains(text, "\"leaving\""));
}

}  // namespace
}  // namespace bth::scheduler::testing
