// Queues as the scheduler sees them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "api/model/ids.h"
#include "api/model/node_group.h"
#include "api/model/resource_vec.h"

namespace bth::model {

struct DeviceQuota;  // api/model/device_quota.h

// A queue whose state is still empty counts as open.
enum class QueueState : uint8_t { kOpen, kClosed, kClosing, kUnknown };

struct QueueRow {
  std::shared_ptr<const std::string> name;  // Null: the slot is free.
  std::string uid;
  int64_t created_us = 0;
  int32_t weight = 1;
  int32_t priority = 0;
  bool reclaimable = true;
  QueueState state = QueueState::kOpen;
  std::string parent;  // Name; empty: the root.
  ResourceSet capability;
  ResourceSet deserved;
  ResourceSet guarantee;
  bool deserves_unasked = false;  // `deserved` also names resources that no pod asks for.
  // Amounts per device class of the capability; null: none.
  std::shared_ptr<const DeviceQuota> device_quota;
  bool has_idle_device_quota =
      false;                        // `deserved` or `guarantee` name some, where they mean nothing.
  bool has_negative_quota = false;  // Some amounts were below zero, and count as zero.
  std::string hierarchy;            // Annotation volcano.sh/hierarchy, for hierarchical drf.
  std::string hierarchy_weights;    // Annotation volcano.sh/hierarchy-weights.
  std::string dequeue_strategy;
  std::shared_ptr<const NodeGroupRules> node_groups;  // Null: neither affinity nor limits.

  // It serves its jobs strictly one after the other (spec.dequeueStrategy: fifo): while one waits,
  // those after it wait too. Others pass over jobs that cannot be served now.
  bool KeepsStrictOrder() const { return dequeue_strategy == "fifo"; }
};

}  // namespace bth::model
