// The tree that the parents of queues make.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::algo {

// Why a queue is not in the tree.
enum class QueueFault : uint8_t {
  kNone,
  kParentMissing,  // It names a parent that does not exist.
  kCycle,          // It is its own ancestor.
  kBelowFault,     // One of its ancestors is at fault.
};

struct QueuePlace {
  model::QueueId parent;                 // Invalid: the root, or a parent that does not exist.
  std::vector<model::QueueId> children;  // By name.
  int32_t depth = 0;                     // 0: the root. Below a missing parent: that of a root.
  QueueFault fault = QueueFault::kNone;
  model::QueueId culprit;  // With kBelowFault: the nearest ancestor at fault.

  bool attached() const { return fault == QueueFault::kNone; }
  // Only leaves take jobs.
  bool takes_jobs() const { return attached() && children.empty(); }
};

// Cheap to keep: it is built anew only when some queue changed. Thread: one at a time.
class QueueTree {
 public:
  // Names the root; a queue without a parent stands below it.
  static constexpr std::string_view kRoot = "root";

  // Catches up with the queues of `base`. True when something changed since the last call.
  bool Follow(const model::Snapshot& base);

  model::QueueId root() const { return root_; }  // Invalid: there is none.
  const QueuePlace& operator[](model::QueueId queue) const { return places_[queue]; }
  // Every queue that is no part of a cycle nor below one, parents before their children.
  const std::vector<model::QueueId>& top_down() const { return top_down_; }

  // How deep the common ancestors of two attached queues reach, not counting the two themselves; 0
  // when only the root is above both. Cost: their depths.
  int32_t CommonLevel(model::QueueId left, model::QueueId right) const;
  // The one that stands `depth` deep among a queue and its ancestors; the queue when it is not so
  // deep.
  model::QueueId AncestorAt(model::QueueId queue, int32_t depth) const;
  // The ancestor `level` steps above, 1 being the parent; invalid when there is none.
  model::QueueId Above(model::QueueId queue, int32_t level) const;

 private:
  void LinkParents(const model::Snapshot& base);
  void FindFaults(const std::vector<model::QueueId>& queues);

  decltype(model::Snapshot::queues) followed_;
  std::shared_ptr<const std::vector<model::QueueId>> followed_names_;
  model::QueueId root_;
  IdVector<model::QueueId, QueuePlace> places_;
  std::vector<model::QueueId> top_down_;
};

}  // namespace bth::algo
