// Shared devices: which pods hold which, and on which nodes.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "cache/cluster/draft.h"

namespace bth::cache {

// Tells snapshots what pods on each node hold of its devices, by what their objects say, and by
// what we gave to those whose object does not show it yet: no device is given away twice in
// between. Pods without devices have no entry. Thread: I/O. Cost of a change: the node's holders.
class DeviceBook {
 public:
  using Held = std::shared_ptr<const model::PodDevices>;

  explicit DeviceBook(Draft& draft) : draft_(draft) {}

  // What the task's object says, and whether it says a node. Null: nothing.
  void Show(model::TaskId id, Held shown, bool bound);
  // It is given these with its place on `node`, until its object says the same or Release.
  // kFailedPrecondition when they are not free any more; then nothing is given.
  absl::Status Give(model::TaskId id, model::NodeId node, Held given);
  // The same for a task whose row came anew.
  void Keep(model::TaskId id, model::NodeId node, Held given);
  void Release(model::TaskId id);
  // Null: none.
  Held GivenTo(model::TaskId id) const;
  // The task came into `state`, or left it.
  void Track(model::TaskId id, const model::TaskState& state, bool on);
  void Drop(model::TaskId id);

  // For tests: what the rows of nodes say that does not follow from the entries. Cost: all of them.
  absl::Status Check() const;

 private:
  struct Entry {
    Held shown;
    Held given;
    model::NodeId given_on;
    model::NodeId listed_on;  // Whose row names it; invalid: none.
    bool leaving = false;     // As that row says it,
    Held listed;              // with these.
  };

  static const Held& HeldOn(const Entry& entry, model::NodeId node);
  void Settle(model::TaskId id, Entry& entry, const model::TaskState& state);
  void WriteRow(model::NodeId node);

  Draft& draft_;
  absl::flat_hash_map<model::TaskId, Entry> entries_;
  IdVector<model::NodeId, std::vector<model::TaskId>> on_node_;  // Sorted.
};

}  // namespace bth::cache
