#include "plugins/queue_gauges.h"

#include <limits>
#include <utility>
#include <vector>

#include "algo/queue_quotas.h"

namespace bth::plugins {
namespace {

using metrics::QueueAmount;

// What cpu or memory without a limit is shown as, and what any other resource is. As in Volcano.
constexpr double kNoLimitShown = std::numeric_limits<double>::max();
constexpr auto kNoScalarLimitShown = static_cast<double>(std::numeric_limits<int64_t>::max());

double Shown(int64_t amount, int64_t factor, double no_limit_shown) {
  constexpr int64_t kNoLimit = algo::kUnlimited / 2;
  if (amount >= kNoLimit) return no_limit_shown;
  return static_cast<double>(amount) * static_cast<double>(factor);
}

void SetAmounts(metrics::QueueSeries& series, QueueAmount kind, const model::DimensionTable& dims,
                const model::ResourceVec& amounts, const NamedGauges& devices = {}) {
  std::vector<metrics::ScalarAmount> scalars;
  scalars.reserve(model::kDims + devices.size());
  for (int d = 0; d < dims.size(); ++d) {
    if (d == model::kCpu || d == model::kMemory || amounts[d] == 0) continue;
    const double value = Shown(amounts[d], dims.DisplayFactor(d), kNoScalarLimitShown);
    scalars.push_back({.name = dims.name(d), .value = value});
  }
  for (const auto& [name, value] : devices) scalars.push_back({.name = name, .value = value});
  series.Set(kind, {.milli_cpu = Shown(amounts[model::kCpu], 1, kNoLimitShown),
                    .memory_bytes = Shown(amounts[model::kMemory], 1, kNoLimitShown),
                    .scalars = scalars});
}

}  // namespace

void QueueGauges::Publish(const model::DimensionTable& dims, model::QueueId id,
                          const model::QueueRow& queue, const QueueGauge& gauge,
                          metrics::SchedulerMetrics& metrics) {
  published_.EnsureContains(id);
  Published& published = published_[id];
  if (published.name == queue.name && published.gauge == gauge) return;
  const bool is_same = published.name != nullptr && *published.name == *queue.name;
  const QueueGauge before = is_same ? std::move(published.gauge) : QueueGauge();
  published = {.name = queue.name, .gauge = gauge};
  const std::shared_ptr<metrics::QueueSeries> series = metrics.Queue(*queue.name);
  SetAmounts(*series, QueueAmount::kAllocated, dims, gauge.allocated, gauge.allocated_devices);
  SetAmounts(*series, QueueAmount::kRequest, dims, gauge.request);
  SetAmounts(*series, QueueAmount::kInqueue, dims, gauge.inqueue, gauge.inqueue_devices);
  const auto set = [&](QueueAmount kind, const auto& was, const auto& now,
                       const NamedGauges& devices = {}) {
    if (now || was) SetAmounts(*series, kind, dims, now.value_or(model::ResourceVec()), devices);
  };
  set(QueueAmount::kDeserved, before.deserved, gauge.deserved);
  set(QueueAmount::kCapacity, before.capacity, gauge.capacity, gauge.capacity_devices);
  set(QueueAmount::kRealCapacity, before.real_capacity, gauge.real_capacity);
  if (gauge.weight) series->SetWeight(*gauge.weight);
  if (gauge.share || before.share) series->SetShare(gauge.share.value_or(0));
  if (gauge.overused || before.overused) series->SetOverused(gauge.overused.value_or(false));
}

}  // namespace bth::plugins
