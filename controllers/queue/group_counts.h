// How many PodGroups each queue holds, by phase.
#pragma once

#include <map>
#include <string>

#include "api/types/pod_group.h"
#include "metrics/controller_metrics.h"

namespace bth::controllers {

// Follows PodGroups one by one; nothing is ever counted again from the start. Thread: one.
class GroupCounts final {
 public:
  void Add(const types::PodGroup& group) { Count(group, 1); }
  void Remove(const types::PodGroup& group) { Count(group, -1); }

  // All of them, whatever their phase.
  int64_t Total(const std::string& queue) const;
  metrics::PodGroupCounts Of(const std::string& queue) const;

 private:
  struct Counts {
    int64_t total = 0;
    metrics::PodGroupCounts phases;
  };
  void Count(const types::PodGroup& group, int64_t by);

  std::map<std::string, Counts> queues_;  // Only those that hold some.
};

}  // namespace bth::controllers
