#include "cache/intake/compile_hyper_node.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/strings.h"
#include "cache/intake/compile.h"
#include "cache/intake/grouping.h"
#include "re2/re2.h"

namespace bth::cache {
namespace {

constexpr int32_t kTierMax = 1'000'000;
// Of one compiled pattern, program and automaton each.
constexpr int64_t kPatternMemoryMax = int64_t{1} << 18;

void SortUnique(std::vector<std::string>* names) {
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
}

void AddPattern(const std::string& pattern, CompiledHyperNode* out) {
  if (pattern.size() > kPatternBytesMax) {
    out->faults.push_back(
        StrCat("a regexMatch pattern is longer than ", kPatternBytesMax, " bytes"));
    return;
  }
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kPatternMemoryMax);
  auto expression = std::make_shared<const re2::RE2>(pattern, options);
  if (!expression->ok()) {
    out->faults.push_back(
        StrCat("its regexMatch pattern ", pattern, " is invalid: ", expression->error()));
    return;
  }
  out->patterns.push_back(pattern);
  out->expressions.push_back(std::move(expression));
}

void AddSelector(const types::LabelSelector& selector, CompiledHyperNode* out) {
  if (selector.empty()) {
    out->faults.emplace_back("a labelMatch without requirements selects no node");
  } else if (const absl::Status status = selector.Check(); !status.ok()) {
    out->faults.push_back(StrCat("a labelMatch is invalid: ", status.message()));
  } else {
    out->selectors.push_back(CompileSelector(selector));
  }
}

bool HasRule(const types::HyperNodeMember& member) {
  return !member.regex_pattern.empty() || member.label_match.has_value();
}

// Nodes by what they are like: each of them is asked about it.
bool FollowsNodes(const types::HyperNodeMember& member) {
  return member.type == "Node" && member.exact_name.empty() && HasRule(member);
}

void AddMember(const types::HyperNodeMember& member, CompiledHyperNode* out) {
  if (member.type == "HyperNode") {
    if (!member.exact_name.empty()) out->hyper_nodes.push_back(member.exact_name);
    if (HasRule(member)) {
      out->faults.emplace_back(
          "members of type HyperNode are selected by exactMatch alone, others select none");
    }
    return;
  }
  if (member.type != "Node") {
    out->faults.push_back(StrCat("a member is of type ", member.type, ", not Node or HyperNode"));
    return;
  }
  if (!member.exact_name.empty()) {
    out->nodes.push_back(member.exact_name);
  } else if (!member.regex_pattern.empty()) {
    AddPattern(member.regex_pattern, out);
  } else if (member.label_match) {
    AddSelector(*member.label_match, out);
  }
}

// In their order, up to the limits. What is cut off is told first: there may be many other faults.
void AddMembers(const std::vector<types::HyperNodeMember>& all, CompiledHyperNode* out) {
  const std::span<const types::HyperNodeMember> members =
      std::span(all).first(std::min(all.size(), kHyperNodeMembersMax));
  if (members.size() < all.size()) {
    out->faults.push_back(StrCat("it has ", all.size(), " members: those after the first ",
                                 kHyperNodeMembersMax, " do not count"));
  }
  const auto following =
      static_cast<size_t>(std::count_if(members.begin(), members.end(), FollowsNodes));
  if (following > kHyperNodePatternsMax) {
    out->faults.push_back(StrCat("it has ", following,
                                 " members by regexMatch or labelMatch: those after the first ",
                                 kHyperNodePatternsMax, " do not count"));
  }
  size_t followed = 0;
  for (const types::HyperNodeMember& member : members) {
    if (FollowsNodes(member) && ++followed > kHyperNodePatternsMax) continue;
    AddMember(member, out);
  }
}

}  // namespace

bool CompiledHyperNode::Selects(std::string_view node, const Labels& labels) const {
  const auto matches = [node](const std::shared_ptr<const re2::RE2>& expression) {
    return re2::RE2::PartialMatch(re2::StringPiece(node.data(), node.size()), *expression);
  };
  return std::any_of(expressions.begin(), expressions.end(), matches) ||
         std::any_of(selectors.begin(), selectors.end(),
                     [&labels](const auto& selector) { return MatchesAll(selector, labels); });
}

bool SaysTheSame(const CompiledHyperNode& a, const CompiledHyperNode& b) {
  return a.uid == b.uid && a.tier == b.tier && a.tier_name == b.tier_name && a.nodes == b.nodes &&
         a.hyper_nodes == b.hyper_nodes && a.patterns == b.patterns && a.selectors == b.selectors &&
         a.faults == b.faults;
}

absl::StatusOr<CompiledHyperNode> Compile(const types::HyperNode& object) {
  CompiledHyperNode out;
  out.name = object.meta.name;
  out.uid = object.meta.uid;
  out.tier = object.tier;
  out.tier_name = object.tier_name;
  if (object.tier < 0 || object.tier > kTierMax) {
    return absl::InvalidArgumentError(
        StrCat("spec.tier: ", object.tier, " is not between 0 and ", kTierMax));
  }
  AddMembers(object.members, &out);
  SortUnique(&out.nodes);
  SortUnique(&out.hyper_nodes);
  return out;
}

}  // namespace bth::cache
