// A text of each node as a small number, kept from session to session.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/model/snapshot.h"
#include "base/changed_rows.h"
#include "base/row_at.h"

namespace bth::plugins {

// Number 0 is the empty text and nodes that are not ready. Cost of Advance: the chunks of node rows
// that changed. Thread: scheduling; reads on any while it waits.
class NodeTextColumn {
 public:
  using TextOf = const std::string& (*)(const model::NodeFacts&);
  explicit NodeTextColumn(TextOf text_of) : text_of_(text_of) {}

  void Advance(const model::Snapshot& base) {
    // Texts of nodes that are gone are dropped from time to time.
    if (texts_.size() > kTextsKept) *this = NodeTextColumn(text_of_);
    numbers_.resize(base.nodes.size(), 0);
    ForChangedRows(base.nodes, nodes_, [&](size_t row) {
      const model::NodeRow& node = base.nodes[model::NodeId::FromIndex(row)];
      numbers_[row] = node.has_object() ? NumberOf(text_of_(*node.facts)) : 0;
    });
    nodes_ = base.nodes;
  }

  uint32_t operator[](model::NodeId node) const { return RowAt(numbers_, node); }
  // By number.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  static constexpr size_t kTextsKept = 4096;

  uint32_t NumberOf(const std::string& text) {
    const auto [known, fresh] = known_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (fresh) texts_.push_back(text);
    return known->second;
  }

  TextOf text_of_;
  decltype(model::Snapshot::nodes) nodes_;
  std::vector<uint32_t> numbers_;
  std::vector<std::string> texts_ = {""};
  std::map<std::string, uint32_t> known_ = {{"", 0}};
};

}  // namespace bth::plugins
