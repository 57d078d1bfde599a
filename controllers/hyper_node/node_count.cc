#include "controllers/hyper_node/node_count.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "admission/rules/member_pattern.h"
#include "re2/re2.h"

namespace bth::controllers {
namespace {

using NodeNames = std::set<std::string_view>;

void AddMatchingNames(const std::string& pattern, const NodeList& nodes, NodeNames& names) {
  const auto compiled = admission::CompilePattern(pattern);
  if (!compiled.ok()) return;
  for (const auto& node : nodes) {
    if (re2::RE2::PartialMatch(node->meta.name, **compiled)) names.insert(node->meta.name);
  }
}

void AddLabelled(const types::LabelSelector& selector, const NodeList& nodes, NodeNames& names) {
  if (selector.empty() || !selector.Check().ok()) return;
  for (const auto& node : nodes) {
    if (selector.Matches(node->meta.labels)) names.insert(node->meta.name);
  }
}

}  // namespace

int64_t CountNodes(const types::HyperNode& hyper_node, const NodeList& nodes) {
  NodeNames names;
  for (const types::HyperNodeMember& member : hyper_node.members) {
    if (!member.exact_name.empty()) {
      names.insert(member.exact_name);
    } else if (!member.regex_pattern.empty()) {
      AddMatchingNames(member.regex_pattern, nodes, names);
    } else if (member.label_match.has_value()) {
      AddLabelled(*member.label_match, nodes, names);
    }
  }
  return static_cast<int64_t>(names.size());
}

bool DependsOnNodes(const types::HyperNode& hyper_node) {
  return std::any_of(hyper_node.members.begin(), hyper_node.members.end(), [](const auto& member) {
    return member.exact_name.empty() &&
           (!member.regex_pattern.empty() || member.label_match.has_value());
  });
}

}  // namespace bth::controllers
