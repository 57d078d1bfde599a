#include "plugins/queue_gauges.h"

#include <array>

namespace bth::plugins {
namespace {

using metrics::QueueAmount;

void SetAmounts(metrics::QueueSeries& series, QueueAmount kind, const model::DimensionTable& dims,
                const model::ResourceVec& amounts) {
  std::array<metrics::ScalarAmount, model::kDims> scalars;
  size_t count = 0;
  for (int d = 0; d < dims.size(); ++d) {
    if (d == model::kCpu || d == model::kMemory || amounts[d] == 0) continue;
    const auto value = static_cast<double>(amounts[d]) * static_cast<double>(dims.DisplayFactor(d));
    scalars[count++] = {.name = dims.name(d), .value = value};
  }
  series.Set(kind, {.milli_cpu = static_cast<double>(amounts[model::kCpu]),
                    .memory_bytes = static_cast<double>(amounts[model::kMemory]),
                    .scalars = absl::MakeConstSpan(scalars.data(), count)});
}

}  // namespace

void QueueGauges::Publish(const model::DimensionTable& dims, model::QueueId id,
                          const model::QueueRow& queue, const QueueGauge& gauge,
                          metrics::SchedulerMetrics& metrics) {
  published_.EnsureContains(id);
  Published& published = published_[id];
  if (published.name == queue.name && published.gauge == gauge) return;
  published = {.name = queue.name, .gauge = gauge};
  const std::shared_ptr<metrics::QueueSeries> series = metrics.Queue(*queue.name);
  SetAmounts(*series, QueueAmount::kAllocated, dims, gauge.allocated);
  SetAmounts(*series, QueueAmount::kRequest, dims, gauge.request);
  SetAmounts(*series, QueueAmount::kInqueue, dims, gauge.inqueue);
  if (!gauge.has_jobs) return;
  SetAmounts(*series, QueueAmount::kDeserved, dims, gauge.deserved);
  series->SetWeight(gauge.weight);
  series->SetShare(gauge.share);
  series->SetOverused(gauge.overused);
}

}  // namespace bth::plugins
