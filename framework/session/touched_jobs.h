// Which jobs a session has changed.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "api/model/ids.h"

namespace bth::framework {

// Jobs whose counts, phase, conditions or events changed, each once, in order of their first
// change. Thread: scheduling.
class TouchedJobs {
 public:
  void Add(model::JobId job) {
    // Mostly the job of the call before.
    if (!jobs_.empty() && jobs_.back() == job) return;
    if (known_.insert(job).second) jobs_.push_back(job);
  }
  const std::vector<model::JobId>& jobs() const { return jobs_; }

 private:
  std::vector<model::JobId> jobs_;
  absl::flat_hash_set<model::JobId> known_;
};

}  // namespace bth::framework
