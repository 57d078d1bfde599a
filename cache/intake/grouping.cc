#include "cache/intake/grouping.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "cache/intake/whole_number.h"

namespace bth::cache {
namespace {

const std::string* FindLabel(const Labels& labels, const std::string& key) {
  auto it =
      std::lower_bound(labels.begin(), labels.end(), key,
                       [](const auto& label, const std::string& k) { return label.first < k; });
  return it != labels.end() && it->first == key ? &it->second : nullptr;
}

bool Matches(const LabelRequirement& requirement, const Labels& labels) {
  const std::string* value = FindLabel(labels, requirement.key);
  const auto listed = [&] {
    return std::binary_search(requirement.values.begin(), requirement.values.end(), *value);
  };
  switch (requirement.op) {
    case model::SelectorOp::kIn:
      return value != nullptr && listed();
    case model::SelectorOp::kNotIn:
      return value == nullptr || !listed();
    case model::SelectorOp::kExists:
      return value != nullptr;
    case model::SelectorOp::kDoesNotExist:
      return value == nullptr;
    default:
      return false;  // Label selectors have no order operators.
  }
}

}  // namespace

bool MatchesAll(const std::vector<LabelRequirement>& selector, const Labels& labels) {
  return std::all_of(selector.begin(), selector.end(),
                     [&labels](const LabelRequirement& r) { return Matches(r, labels); });
}

std::string SafeHash(const std::string& text) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint32_t hash = 2166136261u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  std::string out = std::to_string(hash);
  for (char& c : out) c = kAlphabet[static_cast<unsigned char>(c) % kAlphabet.size()];
  return out;
}

std::optional<SubJobMatch> MatchSubGroup(const SubGroup& group, const Labels& labels) {
  if (group.never || group.match_label_keys.empty()) return std::nullopt;
  if (!MatchesAll(group.selector, labels)) return std::nullopt;
  std::vector<std::string> values;
  for (const std::string& key : group.match_label_keys) {
    const std::string* value = FindLabel(labels, key);
    if (value == nullptr || value->empty()) return std::nullopt;
    values.push_back(*value);
  }
  constexpr size_t kSuffixBytesMax = 128;
  SubJobMatch match;
  match.suffix = absl::StrJoin(values, "-");
  if (match.suffix.size() > kSuffixBytesMax) match.suffix = SafeHash(match.suffix);
  match.index = WholeNumber(values.front()).value_or(0);
  return match;
}

}  // namespace bth::cache
