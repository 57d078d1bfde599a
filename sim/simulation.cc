#include "sim/simulation.h"

#include <algorithm>
#include <utility>

#include "base/defect.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/compile.h"
#include "cache/writes/status_patches.h"
#include "framework/session/invariants.h"
#include "sim/loads.h"
#include "sim/record.h"

namespace bth::sim {
namespace {

types::Condition MakeCondition(const framework::ConditionReport& said, absl::Time now) {
  types::Condition out;
  out.type = said.type;
  out.status = said.status;
  out.reason = said.reason;
  out.message = said.message;
  out.last_transition_time = now;
  return out;
}

// The condition of that type becomes `condition`; its time moves when the status does.
void Merge(types::Condition condition, std::vector<types::Condition>* conditions) {
  for (types::Condition& old : *conditions) {
    if (old.type != condition.type) continue;
    if (old.status == condition.status) condition.last_transition_time = old.last_transition_time;
    old = std::move(condition);
    return;
  }
  conditions->push_back(std::move(condition));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Simulation>> Simulation::Create(
    Cluster cluster, std::shared_ptr<const conf::Policy> policy,
    const framework::Registry& registry, SimulationOptions options,
    std::vector<conf::Finding>* findings) {
  std::unique_ptr<Simulation> out(new Simulation(std::move(cluster), registry, options));
  BTH_RETURN_IF_ERROR(out->SetPolicy(std::move(policy), findings));
  BTH_RETURN_IF_ERROR(out->cluster_.Flush(out->clock_.Now(), &out->mirror_));
  return out;
}

Simulation::Simulation(Cluster cluster, const framework::Registry& registry,
                       SimulationOptions options)
    : registry_(registry),
      options_(options),
      cluster_(std::move(cluster)),
      clock_(cluster_.LatestTime()),
      mirror_(clock_, {.shard = cluster_.shard()}),
      rng_(options.seed) {}

Simulation::~Simulation() = default;

absl::Status Simulation::SetPolicy(std::shared_ptr<const conf::Policy> policy,
                                   std::vector<conf::Finding>* findings) {
  BTH_ASSIGN_OR_RETURN(auto next,
                       framework::PolicyInstance::Create(std::move(policy), registry_, findings));
  BTH_RETURN_IF_ERROR(PutLoads(next->policy(), clock_.Now(), &mirror_, findings));
  if (const auto uncounted = mirror_.CountResources(next->needs().resources)) {
    findings->push_back({.path = *uncounted, .text = "no dimension is left to count it on nodes"});
  }
  cycle_.reset();
  BTH_RETURN_IF_ERROR(cluster_.CountDevices(next->needs().devices, &mirror_));
  policy_ = std::move(next);
  return absl::OkStatus();
}

absl::Status Simulation::Add(const types::Json& manifest, std::string_view origin) {
  BTH_RETURN_IF_ERROR(cluster_.Add(manifest, origin, Cluster::Existing::kReplace));
  return cluster_.Flush(clock_.Now(), &mirror_);
}

absl::Status Simulation::Delete(std::string_view kind, const std::string& name) {
  return cluster_.Delete(kind, name, &mirror_);
}

void Simulation::Advance(absl::Duration by) {
  clock_.Advance(by);
}

// In the form of a UUID; the same in every run.
std::string Simulation::SessionUid() {
  const uint64_t tail = rng_.Next() & 0xffff'ffff'ffffu;
  return StrCat("00000000-0000-4000-8000-", absl::Hex(tail, absl::kZeroPad12));
}

absl::Status Simulation::RunCycle() {
  try {
    return TryCycle();
  } catch (const std::exception& error) {
    return absl::InternalError(StrCat("cycle ", cycles_.size() + 1, ": a defect of the scheduler: ",
                                      error.what(), " ", WhereOf(error)));
  }
}

absl::Status Simulation::TryCycle() {
  cycle_.reset();
  sink_.Clear();
  framework::SessionContext context;
  context.snapshot = mirror_.Publish();
  context.sink = &sink_;
  context.clock = &clock_;
  context.uid = SessionUid();
  context.scores_volumes = options_.scores_volumes;
  cycle_ = std::make_unique<framework::Cycle>(*policy_, std::move(context));
  const std::string doing = StrCat("cycle ", cycles_.size() + 1);
  if (absl::Status status = cycle_->Run(); !status.ok()) return Annotate(status, doing);
  for (const framework::Violation& violation :
       framework::CheckCycle(cycle_->session(), sink_.batches(), &sink_.report())) {
    return absl::InternalError(StrCat(doing, ": ", violation.invariant, ": ", violation.detail));
  }
  cycles_.push_back(RecordCycle({.number = static_cast<int64_t>(cycles_.size() + 1),
                                 .session = cycle_->session(),
                                 .batches = sink_.batches(),
                                 .report = sink_.report(),
                                 .cluster = cluster_}));
  clock_.Advance(options_.period);
  if (options_.apply) BTH_RETURN_IF_ERROR(Annotate(ApplyEffects(), StrCat(doing, ": apply")));
  return Annotate(mirror_.Check(), doing);
}

absl::Status Simulation::ApplyEffects() {
  for (const framework::EffectBatch& batch : sink_.batches()) {
    const model::Snapshot& base = *batch.snapshot;
    // A batch is carried out whole or not at all.
    if (std::any_of(batch.binds.begin(), batch.binds.end(),
                    [](const framework::BindEffect& bind) { return bind.lacks_devices(); })) {
      continue;
    }
    for (const framework::BindEffect& bind : batch.binds) {
      const std::string key = base.tasks[bind.task].names->Key();
      if (bind.volumes != nullptr) {
        BTH_RETURN_IF_ERROR(cluster_.BindVolumes(*bind.volumes, clock_.Now(), &mirror_));
      }
      if (bind.claims != nullptr) {
        BTH_RETURN_IF_ERROR(cluster_.AllocateClaims(*bind.claims, key, clock_.Now(), &mirror_));
      }
      absl::Status status = cluster_.Run(key, base.node_facts(bind.node).name, clock_.Now(),
                                         &mirror_, bind.devices.get());
      if (!status.ok()) return absl::InternalError(status.message());
      if (bind.cpus == nullptr) continue;
      mirror_.numa().Assume(base.tasks[bind.task].names->uid, key, base.node_facts(bind.node).name,
                            *bind.cpus);
    }
    for (const framework::EvictEffect& eviction : batch.evictions) {
      const model::TaskNames& victim = *base.tasks[eviction.victim].names;
      absl::Status status = mirror_.AssumeEviction(victim.Key(), victim.uid);
      if (!status.ok()) return absl::InternalError(status.message());
    }
    for (const framework::PipelineEffect& pipeline : batch.pipelines) {
      const model::TaskNames& pod = *base.tasks[pipeline.task].names;
      absl::Status status =
          mirror_.AssumeNomination(pod.Key(), pod.uid, base.node_facts(pipeline.node).name);
      if (!status.ok()) return absl::InternalError(status.message());
    }
  }
  BTH_RETURN_IF_ERROR(ApplyStatuses());
  for (const framework::EffectBatch& batch : sink_.batches()) {
    for (const framework::EvictEffect& eviction : batch.evictions) {
      cluster_.Vanish(batch.snapshot->tasks[eviction.victim].names->Key(), &mirror_);
    }
  }
  cluster_.VanishDue(clock_.Now(), &mirror_);
  return absl::OkStatus();
}

absl::Status Simulation::ApplyStatuses() {
  const framework::CycleReport& report = sink_.report();
  for (const framework::PodGroupReport& entry : report.pod_groups) {
    types::PodGroup group = cluster_.pod_groups().at(report.snapshot->jobs[entry.job].facts->Key());
    if (entry.allocated_hyper_node && entry.allocated_hyper_node->empty()) {
      group.meta.annotations.Erase(cache::kAllocatedHyperNode);
    } else if (entry.allocated_hyper_node) {
      group.meta.annotations.Set(std::string(cache::kAllocatedHyperNode),
                                 *entry.allocated_hyper_node);
    }
    group.status.phase = std::string(model::PhaseName(entry.phase));
    group.status.running = entry.running;
    group.status.succeeded = entry.succeeded;
    group.status.failed = entry.failed;
    for (const framework::ConditionReport& said : entry.conditions) {
      types::Condition condition = MakeCondition(said, clock_.Now());
      condition.transition_id = report.session_uid;
      Merge(std::move(condition), &group.status.conditions);
    }
    BTH_RETURN_IF_ERROR(cluster_.Update(std::move(group), &mirror_));
  }
  for (const framework::PodReport& entry : report.pods) {
    types::Pod pod = cluster_.pods().at(report.snapshot->tasks[entry.task].names->Key());
    if (!pod.spec.node_name.empty()) continue;  // Bound by this cycle.
    Merge(MakeCondition({"PodScheduled", "False", std::string(entry.reason), *entry.message},
                        clock_.Now()),
          &pod.status.conditions);
    if (entry.nominated_node.valid()) {
      pod.status.nominated_node_name = report.snapshot->node_facts(entry.nominated_node).name;
    }
    BTH_RETURN_IF_ERROR(cluster_.Update(std::move(pod), &mirror_));
  }
  for (const framework::QueueReport& entry : report.queues) {
    types::Queue queue = cluster_.queues().at(*report.snapshot->queues[entry.queue].name);
    queue.status.allocated =
        cache::ToResourceList(cache::AllocatedAmounts(entry, *report.snapshot->dims));
    BTH_RETURN_IF_ERROR(cluster_.Update(std::move(queue), &mirror_));
  }
  return absl::OkStatus();
}

}  // namespace bth::sim
