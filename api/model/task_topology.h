// How the tasks of a job want to stand to each other, by role.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace bth::model {

// Annotations of a PodGroup as they are written; whether the job has such roles is another
// question. Immutable.
struct TaskTopology {
  using Names = std::vector<std::string>;  // Of roles; some may be empty.

  std::vector<Names> affinity;       // volcano.sh/task-topology-affinity
  std::vector<Names> anti_affinity;  // volcano.sh/task-topology-anti-affinity
  Names order;                       // volcano.sh/task-topology-task-order
  std::string unusable;              // Why it is left out; then the lists are empty.
  friend bool operator==(const TaskTopology&, const TaskTopology&) = default;
};

// One that several may share; equal by what it says. Null: the PodGroup has none.
struct SharedTaskTopology {
  std::shared_ptr<const TaskTopology> shared;

  explicit operator bool() const { return shared != nullptr; }
  const TaskTopology& operator*() const { return *shared; }
  const TaskTopology* operator->() const { return shared.get(); }
  friend bool operator==(const SharedTaskTopology& a, const SharedTaskTopology& b) {
    if (a.shared == b.shared) return true;
    return a && b && *a == *b;
  }
};

}  // namespace bth::model
