// Resources that get a dimension or lose it, and how full the tables are.
#include <algorithm>

#include "cache/cluster/mirror.h"

namespace bth::cache {

using model::TaskId;
using model::TaskStatus;

// A pod of ours asks for its resources until it has ended. Others use what their nodes have of
// them, which counts as far as somebody asks.
void Mirror::NoteDemand(TaskId id, TaskStatus status, const NamedAmounts& requests) {
  PodRecord& record = pod_records_[id];
  const bool asks =
      record.ours && status != TaskStatus::kSucceeded && status != TaskStatus::kFailed;
  if (asks == record.asks) return;
  record.asks = asks;
  vocabulary_.dimensions().Ask(requests, asks ? 1 : -1);
}

// Cost: nothing while the same resources count; else the shapes, and the pods that name one of
// those that turned; when a dimension changes hands, every node, queue and job beside.
void Mirror::SettleDimensions() {
  DimensionBook& dimensions = vocabulary_.dimensions();
  if (!dimensions.unsettled()) return;
  const auto before = dimensions.shared_table();
  const IdVector<model::ShapeId, uint8_t> asking = shapes_.Asking(dimensions.Settle());
  const bool some_ask =
      std::any_of(asking.begin(), asking.end(), [](uint8_t asks) { return asks != 0; });
  std::vector<TaskId> tasks;
  for (TaskId id : now_.tasks.ids()) {
    if (!some_ask) break;
    if (now_.tasks[id].names != nullptr && asking[now_.tasks[id].shape] != 0) tasks.push_back(id);
  }
  const bool renamed = dimensions.shared_table() != before;
  if (!renamed && tasks.empty()) return;
  CountAnew(tasks, renamed);
  ++now_.generation;  // A gap: who follows changes looks at everything anew.
}

// All sums lose these tasks, then change to the new dimensions, then get the tasks back.
void Mirror::CountAnew(const std::vector<TaskId>& tasks, bool renamed) {
  std::vector<std::shared_ptr<const PodShape>> asked;  // By task; shapes go with their last pod.
  for (TaskId id : tasks) {
    const model::ShapeId shape = pod_records_[id].shape;
    asked.push_back(shapes_.Known(shape));
    TrackPeers(id, now_.usage.tasks[id], false);
    now_.usage.Count(now_.tasks[id], now_.shapes[shape], now_.usage.tasks[id], -1);
    shapes_.Release(shape, &now_);
  }
  if (renamed) {
    for (const auto& [name, node] : nodes_) WriteNodeRow(node);
    rows_rewritten_ += queues_.WriteRows(vocabulary_, &now_);
    for (const auto& [key, job] : jobs_) WriteJobRow(job);
  }
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TaskId id = tasks[i];
    PodRecord& record = pod_records_[id];
    record.shape = shapes_.Acquire(*asked[i], record.ours, vocabulary_, &now_);
    ChangeRow(id).shape = record.shape;
    now_.usage.Count(now_.tasks[id], now_.shapes[record.shape], now_.usage.tasks[id], +1);
    TrackPeers(id, now_.usage.tasks[id], true);
    if (record.job.valid()) Touch(record.job);
    ++rows_rewritten_;
  }
  changed_ |= !tasks.empty();
}

std::optional<std::string> Mirror::CountResources(const std::vector<std::string>& names) {
  DimensionBook& dimensions = vocabulary_.dimensions();
  dimensions.Pin(names);
  changed_ |= dimensions.unsettled();
  SettleDimensions();
  NamedAmounts counted;
  for (const std::string& name : names) {
    if (model::IsCountedResource(name)) counted.emplace_back(name, 1);
  }
  return dimensions.Homeless(counted);
}

TableSizes Mirror::table_sizes() const {
  const DimensionBook& dimensions = vocabulary_.dimensions();
  return {.symbols = vocabulary_.symbols().size(),
          .label_keys = peers_.label_keys(),
          .label_sets = peers_.label_sets(),
          .pod_groups = jobs_.size() - without_group_.size(),
          .queues = queues_.size(),
          .shapes = shapes_.shapes(),
          .constraints = shapes_.constraints(),
          .resources = dimensions.names(),
          .dimensions = dimensions.used(),
          .without_dimension = dimensions.waiting()};
}

}  // namespace bth::cache
