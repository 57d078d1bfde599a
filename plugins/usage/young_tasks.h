// Tasks whose load the source cannot have seen yet.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "api/model/snapshot.h"

namespace bth::plugins::usage {

// True for what is about to start, and for what runs since less than `window_us`, or since an
// unknown time.
bool IsYoung(const model::TaskRow& task, const model::TaskState& state, int64_t now_us,
             int64_t window_us);

// Kept from session to session. Cost of Advance: the chunks of tasks that changed, and the young
// ones. Thread: scheduling.
class YoungTasks {
 public:
  void Advance(const model::Snapshot& base, int64_t now_us, int64_t window_us);
  // By node, then age and UID.
  std::vector<model::TaskId> Sorted(const model::Snapshot& base) const;

 private:
  std::set<model::TaskId> tasks_;
  decltype(model::Snapshot::tasks) rows_;
  decltype(model::Usage::tasks) states_;
};

}  // namespace bth::plugins::usage
