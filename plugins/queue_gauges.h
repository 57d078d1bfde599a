// Publishes what the queue plugins know about a queue, as metrics.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/model/queue.h"
#include "api/model/resource_vec.h"
#include "base/ids.h"
#include "metrics/scheduler_metrics.h"

namespace bth::plugins {

// Amounts by names that have no dimension: devices by class.
using NamedGauges = std::vector<std::pair<std::string, double>>;

// One queue's published values. What is absent is not written; what was written before becomes
// zero, but for the weight, which is the queue's own.
struct QueueGauge {
  model::ResourceVec allocated;
  model::ResourceVec request;
  model::ResourceVec inqueue;
  std::optional<model::ResourceVec> deserved;
  std::optional<model::ResourceVec> capacity;
  std::optional<model::ResourceVec> real_capacity;
  std::optional<int32_t> weight;
  std::optional<double> share;
  std::optional<bool> overused;
  NamedGauges allocated_devices = {};
  NamedGauges inqueue_devices = {};
  NamedGauges capacity_devices = {};
  friend bool operator==(const QueueGauge&, const QueueGauge&) = default;
};

// Writes a queue's series when its values differ from those written before. Lives as long as its
// plugin. Thread: scheduling.
class QueueGauges {
 public:
  void Publish(const model::DimensionTable& dims, model::QueueId id, const model::QueueRow& queue,
               const QueueGauge& gauge, metrics::SchedulerMetrics& metrics);

 private:
  struct Published {
    std::shared_ptr<const std::string> name;  // Tells when a slot has got another queue.
    QueueGauge gauge;
  };
  IdVector<model::QueueId, Published> published_;
};

}  // namespace bth::plugins
