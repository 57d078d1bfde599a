// Pods with volumes: where they are; and which wait for volumes or devices.
#pragma once

#include "absl/container/flat_hash_set.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "cache/cluster/storage_mirror.h"

namespace bth::cache {

// Tells the storage what is mounted on each node. Thread: I/O.
class MountBook {
 public:
  // It outlives the book.
  explicit MountBook(StorageMirror& storage) : storage_(storage) {}

  // A task came into `state`, or left it. `ours`: we are to place it.
  void Track(model::TaskId id, const model::TaskState& state, bool ours, bool on,
             const model::Snapshot& now);
  // Ours with volumes, or with device claims or extended resources: what changes about those may
  // let them in.
  bool some_wait() const { return !waiting_.empty(); }

 private:
  StorageMirror& storage_;
  absl::flat_hash_set<model::TaskId> waiting_;  // Ours.
  IdVector<model::NodeId, absl::flat_hash_set<model::TaskId>> on_node_;
};

}  // namespace bth::cache
