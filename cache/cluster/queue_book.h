// Queues as objects and as rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "cache/cluster/slots.h"
#include "cache/cluster/vocabulary.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Thread: I/O.
class QueueBook {
 public:
  // Takes what the queue shows as allocated; true when it differs in nothing else from the one
  // known by that name. Sets `untrue` when the queue shows anything else than was told of it.
  bool TakeShown(CompiledQueue& queue, bool* untrue);
  // What is allocated by the last cycle.
  void NoteTold(const std::string& name, const NamedAmounts& allocated);
  // True when no queue of that name was known.
  bool Put(CompiledQueue queue, const Vocabulary& vocabulary, model::Snapshot* now);
  // False when there is none of that name.
  bool Remove(const std::string& name, model::Snapshot* now);
  // After resources got or lost a dimension. Returns the number of rows.
  int64_t WriteRows(const Vocabulary& vocabulary, model::Snapshot* now) const;

  model::QueueId Find(const std::string& name) const;  // Invalid: none.
  // The queue of that name as its object says; null: there is none. Until the next change.
  const CompiledQueue* Known(const std::string& name) const;
  size_t size() const { return ids_.size(); }

  // The order by name, when it changed.
  void Publish(model::Snapshot* now);
  // After a snapshot was published.
  void Recycle() { slots_.Recycle(); }

 private:
  void WriteRow(model::QueueId id, const Vocabulary& vocabulary, model::Snapshot* now) const;

  absl::flat_hash_map<std::string, model::QueueId> ids_;
  IdVector<model::QueueId, std::optional<CompiledQueue>> records_;
  absl::flat_hash_map<model::QueueId, NamedAmounts> told_;  // Since its object changed last.
  Slots<model::QueueId> slots_;
  bool names_dirty_ = true;
};

}  // namespace bth::cache
