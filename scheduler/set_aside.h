// Objects that a defect of ours was found with, and that are left alone since.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "client/known_objects.h"
#include "metrics/scheduler_metrics.h"

namespace bth::scheduler {

// An object stays aside until it changes; one with which the work failed kChancesMax times, for its
// life. Outlives feeds: what is read anew is still aside. Thread: I/O.
class SetAside {
 public:
  static constexpr int32_t kChancesMax = 3;
  // More than these are not remembered, and fail once more when they are read anew.
  static constexpr size_t kObjectsMax = 10'000;

  // `metrics` may be null, and outlives it.
  explicit SetAside(metrics::SchedulerMetrics* metrics) : metrics_(metrics) {}

  void Add(const std::string& kind, const client::ObjectKey& key, const std::string& version);
  // True for the object as it was when it was set aside, and for one that had its chances.
  bool Holds(const std::string& kind, const client::ObjectKey& key,
             const std::string& version) const;
  // Whatever its version.
  bool Knows(const std::string& kind, const client::ObjectKey& key) const {
    return objects_.contains({kind, key.namespace_name, key.name});
  }
  void Gone(const std::string& kind, const client::ObjectKey& key);
  bool empty() const { return objects_.empty(); }
  size_t size() const { return objects_.size(); }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // Kind, namespace, name.
  struct Object {
    std::string uid;
    std::string version;
    int32_t failures = 0;
  };

  metrics::SchedulerMetrics* const metrics_;
  std::map<Key, Object> objects_;
};

}  // namespace bth::scheduler
