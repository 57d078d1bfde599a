#include "cache/writes/write_stops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "conf/policy.h"
#include "framework/hooks/plugin.h"

namespace bth::cache {
namespace {

absl::Status Stopped(std::string_view what, const std::string& name, const std::string& invariant) {
  return absl::FailedPreconditionError(StrCat("writes for ", what, name.empty() ? "" : " ", name,
                                              " are stopped until the cluster has been read anew: ",
                                              invariant, " was violated, see /debug/invariants"));
}

}  // namespace

bool WriteStops::StopsQueue(const model::Snapshot& snapshot, model::QueueId queue) const {
  if (!everything.empty()) return true;
  return queue.valid() && !queues.empty() && queues.contains(*snapshot.queues[queue].name);
}

void WriteStops::KeepOff(framework::Session& session) const {
  if (empty()) return;
  const conf::PluginOption all_on;
  framework::HookRegistrar hooks(session.hooks(), {.tier = 0, .plugin = "write stops"}, all_on);
  if (!everything.empty() || !queues.empty()) {
    const framework::ReasonId reason = session.reasons().Register(
        framework::FitCode::kUnresolvable,
        "writes of the queue are stopped until the cluster has been read anew, see "
        "/debug/invariants");
    hooks.PreFilter([stops = *this, &session, reason](model::TaskId task) {
      const model::JobId job = session.task(task).job;
      const bool held = job.valid() && stops.StopsQueue(session.base(), session.job(job).queue);
      return held ? reason : framework::kFits;
    });
  }
  std::vector<model::NodeId> held;
  for (model::NodeId node : *session.base().nodes_by_name) {
    if (nodes.contains(session.node(node).name)) held.push_back(node);
  }
  if (held.empty()) return;
  const framework::ReasonId reason = session.reasons().Register(
      framework::FitCode::kUnresolvable,
      "node(s) had their writes stopped until the cluster has been read anew, see "
      "/debug/invariants");
  std::sort(held.begin(), held.end());
  hooks.FilterUsage([held = std::move(held), reason](model::ShapeId, model::NodeRange block,
                                                     absl::Span<framework::ReasonId> out) {
    auto node = std::lower_bound(held.begin(), held.end(), block.first());
    for (; node != held.end() && block.Offset(*node) < block.size(); ++node) {
      out[block.Offset(*node)] = reason;
    }
  });
}

absl::Status WriteStops::Check(const framework::EffectBatch& batch) const {
  if (empty()) return absl::OkStatus();
  if (!everything.empty()) return Stopped("the whole cluster", "", everything);
  const model::Snapshot& snapshot = *batch.snapshot;
  const auto check_node = [&](model::NodeId node) {
    if (!node.valid() || !snapshot.nodes[node].has_object()) return absl::OkStatus();
    auto stop = nodes.find(snapshot.node_facts(node).name);
    return stop == nodes.end() ? absl::OkStatus() : Stopped("node", stop->first, stop->second);
  };
  const auto check_queue = [&](model::TaskId task) {
    const model::JobId job = task.valid() ? snapshot.tasks[task].job : model::JobId();
    if (!job.valid() || !snapshot.jobs[job].queue.valid()) return absl::OkStatus();
    auto stop = queues.find(*snapshot.queues[snapshot.jobs[job].queue].name);
    return stop == queues.end() ? absl::OkStatus() : Stopped("queue", stop->first, stop->second);
  };
  absl::Status status;
  for (const framework::BindEffect& bind : batch.binds) {
    status.Update(check_node(bind.node));
    status.Update(check_queue(bind.task));
  }
  for (const framework::EvictEffect& eviction : batch.evictions) {
    status.Update(check_node(snapshot.usage.tasks[eviction.victim].node));
    status.Update(check_queue(eviction.victim));
    status.Update(check_queue(eviction.beneficiary));
  }
  for (const framework::PipelineEffect& pipeline : batch.pipelines) {
    status.Update(check_node(pipeline.node));
    status.Update(check_queue(pipeline.task));
  }
  return status;
}

}  // namespace bth::cache
