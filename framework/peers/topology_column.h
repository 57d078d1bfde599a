// Which topology domain each node is in, for one label key.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/snapshot.h"
#include "base/row_at.h"

namespace bth::framework {

// Domains are numbered densely in order of their appearance; the numbers mean nothing beyond
// `version`. Lives across sessions. Thread: scheduling.
class TopologyColumn {
 public:
  static constexpr uint32_t kNone = 0;  // The node lacks the key, or is not ready.

  explicit TopologyColumn(Symbol key) : key_(key) {}

  // Cost: the nodes whose facts changed since the last call.
  void Refresh(const model::Snapshot& snapshot);

  uint32_t of(model::NodeId node) const { return RowAt(of_node_, node); }
  size_t nodes() const { return of_node_.size(); }
  // One more than the highest number.
  size_t domains() const { return next_; }
  // Another one whenever the domain of some node is another.
  uint64_t version() const { return version_; }

 private:
  void Write(model::NodeId node, const model::NodeRow& row);
  void Renumber(const model::Snapshot& snapshot);

  const Symbol key_;
  CowVector<model::NodeId, model::NodeRow> rows_;  // What the column is up to date with.
  std::vector<uint32_t> of_node_;
  absl::flat_hash_map<Symbol, uint32_t> numbers_;
  uint32_t next_ = 1;
  uint64_t version_ = 1;
};

}  // namespace bth::framework
