// What is guessed of pods whose load nobody has measured yet, summed up by node.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/ids.h"
#include "base/row_at.h"

namespace bth::plugins::usage {

struct Guess {
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  friend bool operator==(const Guess&, const Guess&) = default;
};

// Of one session. Whole numbers, so that what was added is taken away exactly. Thread: scheduling;
// sums are read on any while it waits.
class ShadowLoad {
 public:
  explicit ShadowLoad(size_t nodes) : sums_(nodes) {}
  Guess on(model::NodeId node) const { return RowAt(sums_, node); }

  // The task comes to the node; it must not be anywhere.
  void Add(model::TaskId task, model::NodeId node, const Guess& guess);
  // The task leaves the node, also when nothing was guessed of it.
  void Remove(model::TaskId task, model::NodeId node);
  // True when the task only comes back to the node that it left last, and nothing has changed there
  // since: then all is as it was before it left.
  bool ComeBack(model::TaskId task, model::NodeId node);

 private:
  struct Departure {
    model::NodeId node;
    bool was_noted = false;
    Guess guess;
    Guess left;  // The node's sum right after it.
  };

  std::vector<Guess> sums_;  // By node.
  absl::flat_hash_map<model::TaskId, Guess> guesses_;
  absl::flat_hash_map<model::TaskId, Departure> departures_;
};

}  // namespace bth::plugins::usage
