#include "cache/writes/effect_queue.h"

#include <memory>
#include <utility>

#include "base/strings.h"

namespace bth::cache {

absl::Status EffectQueue::Submit(framework::EffectBatch batch) {
  if (absl::Status stopped = stops_.Check(batch); !stopped.ok()) return stopped;
  const auto binds = static_cast<int64_t>(batch.binds.size());
  if (writer_.binds_under_way() + binds > kBindsMax) {
    writer_.CountRefusedBatch();
    return absl::ResourceExhaustedError(StrCat("more than ", kBindsMax, " bindings are under way"));
  }
  writer_.AddUnderWay(binds);
  if (buffers_) {
    buffered_.push_back(std::move(batch));
  } else {
    Send(std::move(batch));
  }
  return absl::OkStatus();
}

void EffectQueue::Send(framework::EffectBatch batch) {
  executor_.Post(
      [&writer = writer_, batch = std::move(batch)]() mutable { writer.Take(std::move(batch)); });
}

void EffectQueue::Report(framework::CycleReport report) {
  if (buffers_) {
    buffered_report_ = std::move(report);
    return;
  }
  Filter(&report);
  executor_.Post([&writer = writer_, report = std::move(report)]() mutable {
    writer.Take(std::move(report));
  });
}

void EffectQueue::BeginCycle(WriteStops stops, bool buffers) {
  stops_ = std::move(stops);
  buffers_ = buffers;
  dropped_jobs_.clear();
}

int64_t EffectQueue::EndCycle(WriteStops stops) {
  stops_ = std::move(stops);
  buffers_ = false;
  int64_t dropped = 0;
  for (framework::EffectBatch& batch : buffered_) {
    if (stops_.Check(batch).ok()) {
      Send(std::move(batch));
      continue;
    }
    dropped += static_cast<int64_t>(batch.binds.size() + batch.evictions.size());
    writer_.AddUnderWay(-static_cast<int64_t>(batch.binds.size()));
    for (const framework::BindEffect& bind : batch.binds) {
      dropped_jobs_.insert(batch.snapshot->tasks[bind.task].job);
    }
    for (const framework::PipelineEffect& pipeline : batch.pipelines) {
      dropped_jobs_.insert(batch.snapshot->tasks[pipeline.task].job);
    }
  }
  buffered_.clear();
  if (buffered_report_) Report(*std::exchange(buffered_report_, std::nullopt));
  return dropped;
}

void EffectQueue::Filter(framework::CycleReport* report) const {
  if (stops_.empty() && dropped_jobs_.empty()) return;
  const model::Snapshot& snapshot = *report->snapshot;
  const auto untold = [&](model::JobId job) {
    return dropped_jobs_.contains(job) ||
           (job.valid() && stops_.StopsQueue(snapshot, snapshot.jobs[job].queue));
  };
  std::erase_if(report->pod_groups, [&](const auto& group) { return untold(group.job); });
  std::erase_if(report->backoff_pod_groups, [&](const auto& group) { return untold(group.job); });
  std::erase_if(report->pods,
                [&](const auto& pod) { return untold(snapshot.tasks[pod.task].job); });
  std::erase_if(report->lifted_gates,
                [&](model::TaskId task) { return untold(snapshot.tasks[task].job); });
  // A queue's total also counts the jobs whose bindings were dropped.
  std::erase_if(report->queues, [&](const auto& queue) {
    return !dropped_jobs_.empty() || stops_.StopsQueue(snapshot, queue.queue);
  });
}

}  // namespace bth::cache
