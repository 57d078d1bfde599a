#include "tests/actions/eviction_world.h"

#include <algorithm>
#include <stdexcept>

#include "actions/builtin.h"
#include "base/strings.h"
#include "cache/intake/compiled.h"
#include "conf/load.h"
#include "framework/session/invariants.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"
#include "plugins/builtin.h"
#include "tests/support/boundless.h"
#include "tests/support/recording_sink.h"

namespace bth::test {
namespace {

using framework::Session;
using model::NodeId;
using model::TaskId;
using model::TaskStatus;

constexpr int64_t kGi = int64_t{1} << 30;

std::unique_ptr<framework::PolicyInstance> MakePolicy(std::string_view conf,
                                                      const framework::Registry& registry) {
  auto loaded = conf::ParsePolicy(conf, registry.Names());
  if (!loaded.ok()) throw std::runtime_error(std::string(loaded.status().message()));
  std::vector<conf::Finding> findings;
  auto made = framework::PolicyInstance::Create(
      std::make_shared<const conf::Policy>(std::move(loaded->policy)), registry, &findings);
  if (!made.ok()) throw std::runtime_error(std::string(made.status().message()));
  return *std::move(made);
}

bool PassesUsageFilters(const Session& session, TaskId task, NodeId node) {
  for (const auto& entry : session.hooks().usage_filter) {
    framework::ReasonId verdict = framework::kFits;
    entry.fn(session.task(task).shape, model::NodeRange(node.index(), node.index() + 1),
             absl::Span<framework::ReasonId>(&verdict, 1));
    if (verdict != framework::kFits) return false;
  }
  return true;
}

// True when, with the victims back in their places, every pipelined task of the session still has
// room: nobody needed their room. The obvious check, apart from the one in actions/eviction.
bool AreSuperfluous(Session& session, const std::vector<TaskId>& victims,
                    const std::set<TaskId>& helped) {
  framework::Statement what_if(session, "test");
  std::set<NodeId> nodes;
  for (TaskId victim : victims) {
    const NodeId node = session.state(victim).node;
    nodes.insert(node);
    what_if.Allocate(victim, node);
  }
  for (TaskId task : helped) {
    const NodeId place = session.state(task).node;
    const bool near = nodes.contains(place);
    const model::ResourceVec& request = session.request(task);
    const model::ResourceVec left = session.usage().FutureIdle(place);
    for (int d = 0; d < model::kDims && near; ++d) {
      if (request[d] > 0 && left[d] < 0) return false;
    }
    framework::Statement without(session, "test");
    without.Unpipeline(task);
    if (!session.votes().Allocatable(session.job(session.task(task).job).queue, task)) return false;
    if (near && !PassesUsageFilters(session, task, place)) return false;
  }
  return true;
}

bool IsGangAction(const framework::EffectBatch& batch) {
  return batch.action == "gangpreempt" || batch.action == "gangreclaim";
}

// Judges each batch while its statement stands.
class BatchJudge {
 public:
  BatchJudge(Session& session, EvictionCycle* cycle) : session_(session), cycle_(cycle) {}

  void Look(const framework::EffectBatch& batch) {
    Session& session = session_;
    std::set<model::JobId> jobs;
    for (const framework::EvictEffect& eviction : batch.evictions) {
      Check(eviction);
      jobs.insert(session.task(eviction.beneficiary).job);
    }
    std::set<TaskId> helped;
    for (model::JobId job : jobs) {
      if (!session.votes().JobPipelined(job))
        Fault("evictions for a job that is not pipelined", job);
      for (TaskId task : *session.job(job).tasks) {
        if (session.state(task).status == TaskStatus::kPipelined) helped.insert(task);
      }
    }
    for (const std::vector<TaskId>& unit : UnitsOf(batch)) {
      if (AreSuperfluous(session, unit, helped)) {
        cycle_->faults.push_back("superfluous victim " + session.task(unit.front()).names->name);
      }
    }
  }

 private:
  // What could be put back together: a task, or a gang that a gang action broke.
  std::vector<std::vector<TaskId>> UnitsOf(const framework::EffectBatch& batch) {
    std::vector<std::vector<TaskId>> units;
    std::map<model::JobId, std::vector<TaskId>> by_job;
    for (const framework::EvictEffect& eviction : batch.evictions) {
      by_job[session_.task(eviction.victim).job].push_back(eviction.victim);
    }
    for (const auto& [job, victims] : by_job) {
      const bool ready = session_.votes().JobReady(job);
      framework::Statement what_if(session_, "test");
      for (TaskId victim : victims) what_if.Allocate(victim, session_.state(victim).node);
      const bool breaks = !ready && session_.votes().JobReady(job);
      what_if.RollbackTo({});
      const bool gone = session_.counts(job).Count(model::kAllocatedGroup) == 0;
      if (IsGangAction(batch) && breaks && !gone) Fault("half a gang is left", job);
      if (IsGangAction(batch) && gone) {
        units.push_back(victims);
        continue;
      }
      for (TaskId victim : victims) units.push_back({victim});
    }
    return units;
  }
  void Check(const framework::EvictEffect& eviction) {
    const Session& session = session_;
    const model::TaskState& beneficiary = session.state(eviction.beneficiary);
    const std::string& name = session.task(eviction.victim).names->name;
    if (beneficiary.status != TaskStatus::kPipelined || !beneficiary.evicts) {
      cycle_->faults.push_back(name + " is evicted for a task that is not pipelined");
    }
    if (eviction.action == "reclaim" && beneficiary.node != session.state(eviction.victim).node) {
      cycle_->faults.push_back(name + " is evicted from another node");
    }
    cycle_->evictions.push_back(
        {.victim = name,
         .victim_job = session.job(session.task(eviction.victim).job).facts->name,
         .beneficiary = session.task(eviction.beneficiary).names->name,
         .beneficiary_job = session.job(session.task(eviction.beneficiary).job).facts->name});
  }
  void Fault(std::string_view text, model::JobId job) {
    cycle_->faults.push_back(StrCat(text, ": ", session_.job(job).facts->name));
  }

  Session& session_;
  EvictionCycle* const cycle_;
};

}  // namespace

const framework::Registry& EvictionWorld::UsualRegistry() {
  static const framework::Registry* const registry = [] {
    auto* made = new framework::Registry();
    plugins::RegisterBuiltinPlugins(*made);
    actions::RegisterBuiltinActions(*made);
    RegisterBoundless(*made);
    return made;
  }();
  return *registry;
}

EvictionWorld::EvictionWorld(std::string_view conf, int leave_cycles,
                             const framework::Registry& registry)
    : clock_(absl::FromUnixSeconds(1'000'000)),
      mirror_(clock_, {}),
      policy_(MakePolicy(conf, registry)),
      leave_cycles_(leave_cycles) {
  mirror_.PutPriorityClass("low", 10, false);
  mirror_.PutPriorityClass("mid", 100, false);
  mirror_.PutPriorityClass("high", 1000, false);
}

void EvictionWorld::Add(EvictionNode node) {
  cache::CompiledNode compiled;
  compiled.facts = std::make_shared<model::NodeFacts>();
  compiled.facts->name = node.name;
  compiled.allocatable = {
      {"cpu", node.cpu_milli}, {"memory", node.memory_bytes}, {"pods", node.pods}};
  mirror_.PutNode(std::move(compiled));
}

void EvictionWorld::AddQueue(const std::string& name, int32_t weight, int32_t priority) {
  cache::CompiledQueue queue;
  queue.row.name = std::make_shared<const std::string>(name);
  queue.row.uid = "uid-" + name;
  queue.row.weight = weight;
  queue.row.priority = priority;
  mirror_.PutQueue(std::move(queue));
}

void EvictionWorld::Add(EvictionJob job) {
  cache::CompiledPodGroup group;
  group.facts = std::make_shared<model::JobFacts>();
  group.facts->ns = "ns";
  group.facts->name = job.name;
  group.facts->uid = "uid-" + job.name;
  group.queue = job.queue;
  group.priority_class = job.priority_class;
  group.min_member = job.min;
  if (job.part_size > 0) {
    cache::SubGroup parts;
    parts.name = "parts";
    parts.size = job.part_size;
    parts.min_sub_groups = job.parts_min;
    parts.match_label_keys = {"part"};
    group.sub_groups.push_back(std::move(parts));
  }
  group.shown.phase = model::PodGroupPhase::kInqueue;
  mirror_.PutPodGroup(std::move(group));
  jobs_[job.name] = std::move(job);
}

void EvictionWorld::Add(EvictionPod pod) {
  if (pod.root.empty()) pod.root = pod.name;
  Put(pod);
  pods_[pod.name] = std::move(pod);
}

void EvictionWorld::Put(const EvictionPod& pod) {
  cache::CompiledPod compiled;
  compiled.names = {.ns = "ns",
                    .name = pod.name,
                    .uid = "uid-" + pod.name,
                    .role = "",
                    .created_us = pod.created_us,
                    .index = pod.index};
  compiled.job_key = "ns/" + pod.job;
  compiled.ours = true;
  compiled.node_name = pod.node;
  compiled.nominated_node = pod.nominated;
  compiled.status = pod.status;
  compiled.priority = pod.priority;
  compiled.preemptable = !pod.fixed;
  compiled.requests = {{"cpu", pod.cpu_milli}, {"memory", pod.memory_bytes}, {"pods", 1}};
  compiled.nonzero = {.cpu_milli = std::max<int64_t>(pod.cpu_milli, 100),
                      .memory_bytes = std::max<int64_t>(pod.memory_bytes, 200 << 20)};
  if (!pod.part.empty()) compiled.labels = {{"part", pod.part}};
  auto constraints = std::make_shared<model::PodConstraints>();
  if (pod.port > 0) constraints->ports.push_back({.port = pod.port});
  compiled.constraints = std::move(constraints);
  compiled.constraints_key = StrCat(pod.port);
  mirror_.PutPod(std::move(compiled));
}

void EvictionWorld::Fill(Rng& rng) {
  std::vector<EvictionNode> nodes;
  for (uint64_t i = 1 + rng.Below(5); i > 0; --i) {
    nodes.push_back({.name = StrCat("n", nodes.size()),
                     .cpu_milli = static_cast<int64_t>(1 + rng.Below(6)) * 1000,
                     .memory_bytes = static_cast<int64_t>(2 + rng.Below(8)) * kGi,
                     .pods = static_cast<int64_t>(2 + rng.Below(8))});
    Add(nodes.back());
  }
  const uint64_t queues = 1 + rng.Below(3);
  for (uint64_t i = 0; i < queues; ++i) {
    AddQueue(StrCat("q", i), static_cast<int32_t>(1 + rng.Below(3)),
             rng.Chance(0.3) ? static_cast<int32_t>(rng.Below(3)) : 0);
  }
  std::vector<EvictionNode> left = nodes;
  const char* const classes[] = {"low", "mid", "high"};
  const uint64_t jobs = 3 + rng.Below(7);
  for (uint64_t j = 0; j < jobs; ++j) {
    const uint64_t count = 1 + rng.Below(6);
    EvictionJob job{.name = StrCat("j", j),
                    .queue = StrCat("q", rng.Below(queues)),
                    .min = static_cast<int32_t>(rng.Below(count + 1)),
                    .priority_class = classes[rng.Below(3)]};
    Add(job);
    const bool runs = rng.Chance(0.6);
    const EvictionPod shape{.cpu_milli = static_cast<int64_t>(rng.Below(5)) * 500,
                            .memory_bytes = static_cast<int64_t>(rng.Below(4)) * kGi};
    for (uint64_t p = 0; p < count; ++p) {
      EvictionPod pod = shape;
      if (rng.Chance(0.3)) pod.cpu_milli = static_cast<int64_t>(rng.Below(5)) * 500;
      pod.name = StrCat("j", j, "-", p);
      pod.job = job.name;
      pod.priority = static_cast<int32_t>(rng.Below(3));
      pod.fixed = rng.Chance(0.15);
      pod.port = rng.Chance(0.1) ? 80 : 0;
      pod.created_us = static_cast<int64_t>(rng.Below(4)) * 1'000'000;
      for (EvictionNode& node : left) {
        if (!runs || pod.port > 0 || node.cpu_milli < pod.cpu_milli ||
            node.memory_bytes < pod.memory_bytes || node.pods < 1) {
          continue;
        }
        node.cpu_milli -= pod.cpu_milli;
        node.memory_bytes -= pod.memory_bytes;
        node.pods -= 1;
        pod.node = node.name;
        pod.status = TaskStatus::kRunning;
        break;
      }
      Add(pod);
    }
  }
}

void EvictionWorld::Split(Rng& rng) {
  for (const auto& [name, known] : std::map<std::string, EvictionJob>(jobs_)) {
    if (rng.Chance(0.4)) continue;
    EvictionJob job = known;
    int32_t count = 0;
    for (auto& [pod_name, pod] : pods_) {
      if (pod.job == name) pod.part = StrCat("p", count++ / 2);
    }
    job.part_size = static_cast<int32_t>(1 + rng.Below(2));
    job.parts_min = static_cast<int32_t>(rng.Below(static_cast<uint64_t>(count / 2) + 1));
    Add(job);
    for (const auto& [pod_name, pod] : pods_) {
      if (pod.job == name) Put(pod);
    }
  }
}

int EvictionWorld::WholeParts(const std::string& job) const {
  std::map<std::string, int32_t> running;
  for (const auto& [name, pod] : pods_) {
    if (pod.job == job && pod.status == TaskStatus::kRunning) ++running[pod.part];
  }
  int whole = 0;
  for (const auto& [part, pods] : running) {
    whole += static_cast<int>(!part.empty() && pods >= jobs_.at(job).part_size);
  }
  return whole;
}

EvictionCycle EvictionWorld::Step() {
  EvictionCycle result;
  RecordingSink sink;
  framework::SessionContext context;
  context.snapshot = mirror_.Publish();
  context.sink = &sink;
  context.clock = &clock_;
  context.uid = "session";
  framework::Cycle cycle(*policy_, std::move(context));
  BatchJudge judge(cycle.session(), &result);
  sink.look = [&judge](const framework::EffectBatch& batch) { judge.Look(batch); };
  const absl::Status status = cycle.Run();
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
  for (const framework::Violation& violation :
       framework::CheckCycle(cycle.session(), sink.batches, &sink.report)) {
    result.faults.push_back(violation.invariant + ": " + violation.detail);
  }
  const Session& session = cycle.session();
  for (TaskId task : session.base().tasks.ids()) {
    if (session.task(task).names == nullptr) continue;
    if (session.state(task).status != TaskStatus::kPending) continue;
    const model::QueueId queue = session.job(session.task(task).job).queue;
    if (session.votes().Overused(queue) || !session.votes().Allocatable(queue, task)) {
      result.beyond_share.insert(session.task(task).names->name);
    }
  }
  LetVictimsGo();
  for (const framework::EffectBatch& batch : sink.batches) {
    for (const framework::BindEffect& bind : batch.binds) {
      const std::string& name = batch.snapshot->tasks[bind.task].names->name;
      const std::string& node = batch.snapshot->node_facts(bind.node).name;
      result.binds[name] = node;
      EvictionPod& pod = pods_.at(name);
      pod.node = node;
      pod.status = TaskStatus::kRunning;
      pod.nominated.clear();
      Put(pod);
    }
  }
  Apply(sink.report, &result);
  clock_.Advance(absl::Seconds(1));
  return result;
}

void EvictionWorld::Apply(const framework::CycleReport& report, EvictionCycle* cycle) {
  for (const EvictionRecord& eviction : cycle->evictions) {
    EvictionPod& pod = pods_.at(eviction.victim);
    pod.status = TaskStatus::kReleasing;
    pod.leaves_in = leave_cycles_;
    Put(pod);
  }
  for (const framework::PodReport& word : report.pods) {
    EvictionPod& pod = pods_.at(report.snapshot->tasks[word.task].names->name);
    if (pod.status != TaskStatus::kPending || !word.nominated_node.valid()) continue;
    pod.nominated = report.snapshot->node_facts(word.nominated_node).name;
    Put(pod);
  }
}

// Those whose time has come are gone, and their controller makes new ones.
void EvictionWorld::LetVictimsGo() {
  std::vector<EvictionPod> gone;
  for (auto& [name, pod] : pods_) {
    if (pod.status != TaskStatus::kReleasing || --pod.leaves_in > 0) continue;
    gone.push_back(pod);
  }
  for (EvictionPod& pod : gone) {
    mirror_.RemovePod("ns/" + pod.name);
    pods_.erase(pod.name);
    pod.name = StrCat(pod.root, "-again-", ++replacements_);
    pod.status = TaskStatus::kPending;
    pod.node.clear();
    pod.nominated.clear();
    pod.created_us = absl::ToUnixMicros(clock_.Now());
    Add(pod);
  }
}

}  // namespace bth::test
