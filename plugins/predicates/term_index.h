// Which of many sets of node terms match a node, without asking all of them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "api/model/constraints.h"

namespace bth::plugins::predicates {

// Entries are numbered as they are added. Those that name values of a label, as volumes of one node
// or zone do, are found by the node's label; the rest are asked in turn. Thread: built by one,
// read by any.
class TermIndex {
 public:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  // Matches every node.
  void AddAnywhere();
  // Matches where one of `terms` does; they outlive the index.
  void Add(absl::Span<const model::NodeTerm> terms);

  // The lowest number that accept(number) takes, of entries that match every node and come after
  // the first `skip` of them; as their position among these. Their number when there is none.
  template <typename Accept>
  size_t FirstAnywhere(size_t skip, const Accept& accept) const {
    while (skip < anywhere_.size() && !accept(anywhere_[skip])) ++skip;
    return skip;
  }

  // The lowest number of an entry that matches the node and that accept(number) takes, or kNone;
  // the first `skip` that match everywhere are left out.
  template <typename Accept>
  size_t First(const model::NodeFacts& node, size_t skip, const Accept& accept) const {
    size_t best = kNone;
    skip = FirstAnywhere(skip, accept);
    if (skip < anywhere_.size()) best = anywhere_[skip];
    const auto look = [&](const std::vector<uint32_t>& numbers) {
      for (uint32_t number : numbers) {
        if (number >= best) return;
        if (accept(number) && Matches(number, node)) best = number;
      }
    };
    for (Symbol key : keys_) {
      const model::NodeLabel* label = node.FindLabel(key);
      if (label == nullptr) continue;
      const auto named = by_label_.find({key, label->value});
      if (named != by_label_.end()) look(named->second);
    }
    look(others_);
    return best;
  }

 private:
  bool Matches(uint32_t number, const model::NodeFacts& node) const;

  std::vector<absl::Span<const model::NodeTerm>> entries_;
  std::vector<uint32_t> anywhere_;
  absl::flat_hash_map<std::pair<Symbol, Symbol>, std::vector<uint32_t>> by_label_;
  std::vector<Symbol> keys_;  // Of by_label_, each once.
  std::vector<uint32_t> others_;
};

}  // namespace bth::plugins::predicates
