#include "cache/cluster/hyper_node_book.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/changed_rows.h"
#include "base/strings.h"

namespace bth::cache {

using model::NodeId;

namespace {

bool SameLabels(const model::NodeFacts& a, const model::NodeFacts& b) {
  return a.name == b.name &&
         std::equal(a.labels.begin(), a.labels.end(), b.labels.begin(), b.labels.end(),
                    [](const model::NodeLabel& l, const model::NodeLabel& r) {
                      return l.key == r.key && l.value == r.value;
                    });
}

Labels LabelsOf(const model::NodeFacts& facts, const Interner& symbols) {
  Labels labels;
  for (const model::NodeLabel& label : facts.labels) {
    labels.emplace_back(symbols.Text(label.key), symbols.Text(label.value));
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

}  // namespace

bool HyperNodeBook::Put(CompiledHyperNode object) {
  const auto known = records_.find(object.name);
  if (known != records_.end() && SaysTheSame(known->second.object, object)) return false;
  Record& record = records_[object.name];
  const bool selects_the_same =
      record.object.patterns == object.patterns && record.object.selectors == object.selectors;
  record.stale |= !selects_the_same;
  record.object = std::move(object);
  CountPatterns();
  changed_ = true;
  return true;
}

bool HyperNodeBook::Remove(const std::string& name) {
  const auto known = records_.find(name);
  if (known == records_.end()) return false;
  records_.erase(known);
  news_.erase(name);
  CountPatterns();
  changed_ = true;
  return true;
}

// Those first by name have their turn first.
void HyperNodeBook::CountPatterns() {
  size_t patterns = 0;
  following_ = 0;
  without_patterns_ = 0;
  for (auto& [name, record] : records_) {
    if (!record.object.FollowsNodes()) {
      record.counts = false;
      record.selected.clear();
      continue;
    }
    patterns += record.object.patterns.size() + record.object.selectors.size();
    const bool counts = patterns <= kPatternsMax;
    record.stale |= counts && !record.counts;
    record.counts = counts;
    without_patterns_ += counts ? 0 : 1;
    ++following_;
  }
}

void HyperNodeBook::Publish(const NodeTable& nodes, const Interner& symbols, model::Snapshot* now) {
  if (records_.empty()) {
    now->hyper_nodes = nullptr;
    without_nodes_ = 0;
    rows_ = {};
    ready_ = nullptr;
    changed_ = false;
    return;
  }
  changed_ |= ready_ != now->nodes_by_name;
  if (following_ > 0) Select(symbols, *now);
  rows_ = now->nodes;
  ready_ = now->nodes_by_name;
  if (changed_ || now->hyper_nodes == nullptr) Rebuild(nodes, now);
  changed_ = false;
}

void HyperNodeBook::Select(const Interner& symbols, const model::Snapshot& now) {
  const auto look = [&](size_t row) {
    const NodeId node = NodeId::FromIndex(row);
    const model::NodeFacts* before = rows_.Contains(node) ? rows_[node].facts.get() : nullptr;
    const model::NodeFacts* facts = now.nodes[node].facts.get();
    if (before == facts) return;
    if (before != nullptr && facts != nullptr && SameLabels(*before, *facts)) return;
    SelectChanged(node, symbols, now);
  };
  ForChangedRows(now.nodes, rows_, look);
  for (auto& [name, record] : records_) {
    if (record.stale) changed_ |= SelectAll(record, symbols, now);
  }
}

bool HyperNodeBook::SelectAll(Record& record, const Interner& symbols, const model::Snapshot& now) {
  std::vector<NodeId> selected;
  if (record.counts) {
    for (NodeId node : *now.nodes_by_name) {
      const model::NodeFacts& facts = *now.nodes[node].facts;
      const bool asks_labels = !record.object.selectors.empty();
      const Labels labels = asks_labels ? LabelsOf(facts, symbols) : Labels();
      if (record.object.Selects(facts.name, labels)) selected.push_back(node);
    }
    std::sort(selected.begin(), selected.end());
  }
  record.stale = false;
  if (selected == record.selected) return false;
  record.selected = std::move(selected);
  return true;
}

void HyperNodeBook::SelectChanged(NodeId node, const Interner& symbols,
                                  const model::Snapshot& now) {
  const model::NodeFacts* facts = now.nodes[node].facts.get();
  const Labels labels = facts == nullptr ? Labels() : LabelsOf(*facts, symbols);
  for (auto& [name, record] : records_) {
    if (!record.counts || record.stale) continue;
    const auto place = std::lower_bound(record.selected.begin(), record.selected.end(), node);
    const bool was = place != record.selected.end() && *place == node;
    const bool is = facts != nullptr && record.object.Selects(facts->name, labels);
    if (was == is) continue;
    changed_ = true;
    if (is) {
      record.selected.insert(place, node);
    } else {
      record.selected.erase(place);
    }
  }
}

void HyperNodeBook::Rebuild(const NodeTable& nodes, model::Snapshot* now) {
  ++rebuilds_;
  std::vector<algo::HyperNodeInput> inputs;
  std::vector<std::vector<NodeId>> direct;
  inputs.reserve(records_.size());
  direct.reserve(records_.size());
  for (const auto& [name, record] : records_) {
    std::vector<NodeId>& own = direct.emplace_back(record.selected);
    for (const std::string& node : record.object.nodes) {
      if (const NodeId id = nodes.FindReady(node); id.valid()) own.push_back(id);
    }
    inputs.push_back({.name = name,
                      .tier = record.object.tier,
                      .tier_name = record.object.tier_name,
                      .members = record.object.hyper_nodes,
                      .nodes = own});
  }
  algo::BuiltHyperNodes built = algo::BuildHyperNodes(inputs, *now->nodes_by_name);
  now->hyper_nodes = std::move(built.tree);
  without_nodes_ = built.cut_off;
  Tell(built.faults);
}

void HyperNodeBook::Tell(const std::vector<algo::HyperNodeFault>& faults) {
  constexpr size_t kFaultsTold = 8;
  auto next = faults.begin();
  for (auto& [name, record] : records_) {
    std::vector<std::string> texts = record.object.faults;
    if (record.object.FollowsNodes() && !record.counts) {
      texts.push_back(
          StrCat("HyperNodes have more than ", kPatternsMax,
                 " members by regexMatch or labelMatch together: its own do not count"));
    }
    for (; next != faults.end() && next->name == name; ++next) texts.push_back(next->message);
    if (texts.size() > kFaultsTold) {
      const size_t more = texts.size() - kFaultsTold;
      texts.resize(kFaultsTold);
      texts.push_back(StrCat("and ", more, " more"));
    }
    std::string message = absl::StrJoin(texts, "; ");
    if (message == record.told) continue;
    record.told = message;
    news_[name] = {.name = name, .uid = record.object.uid, .message = std::move(message)};
  }
}

std::vector<HyperNodeNews> HyperNodeBook::TakeNews() {
  std::vector<HyperNodeNews> news;
  for (auto& [name, one] : news_) news.push_back(std::move(one));
  news_.clear();
  return news;
}

}  // namespace bth::cache
