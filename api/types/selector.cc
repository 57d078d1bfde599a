#include "api/types/selector.h"

#include <algorithm>
#include <charconv>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/strings.h"

namespace bth::types {
namespace {

constexpr std::string_view kOpNames[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
constexpr size_t kLabelMax = 63;
constexpr size_t kPrefixMax = 253;

std::optional<int64_t> ParseInt(std::string_view text) {
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Letters, digits, '-', '_' and '.', with a letter or digit at both ends.
bool IsLabelName(std::string_view text) {
  if (text.empty() || text.size() > kLabelMax) return false;
  if (!IsAlphanumeric(text.front()) || !IsAlphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsDnsSubdomain(std::string_view text) {
  if (text.empty() || text.size() > kPrefixMax) return false;
  while (true) {
    const std::string_view label = text.substr(0, text.find('.'));
    const bool plain = std::all_of(label.begin(), label.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (!plain || label.empty() || label.front() == '-' || label.back() == '-') return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

absl::Status Invalid(std::string_view what, std::string_view text, std::string_view reason) {
  return absl::InvalidArgumentError(StrCat(what, " \"", text.substr(0, 300), "\": ", reason));
}

// How many values an operator takes.
absl::Status CheckValues(const Requirement& requirement) {
  const size_t count = requirement.values.size();
  switch (requirement.op) {
    case SelectorOp::kIn:
    case SelectorOp::kNotIn:
      if (count == 0) return Invalid("selector key", requirement.key, "In and NotIn need values");
      return absl::OkStatus();
    case SelectorOp::kExists:
    case SelectorOp::kDoesNotExist:
      if (count > 0) {
        return Invalid("selector key", requirement.key, "Exists and DoesNotExist take no values");
      }
      return absl::OkStatus();
    case SelectorOp::kGt:
    case SelectorOp::kLt:
      if (count != 1 || !ParseInt(requirement.values[0])) {
        return Invalid("selector key", requirement.key, "Gt and Lt take one integer");
      }
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view SelectorOpName(SelectorOp op) {
  return kOpNames[static_cast<size_t>(op)];
}

std::optional<SelectorOp> ParseSelectorOp(std::string_view name) {
  for (size_t i = 0; i < std::size(kOpNames); ++i) {
    if (kOpNames[i] == name) return static_cast<SelectorOp>(i);
  }
  return std::nullopt;
}

bool Requirement::Matches(const std::string* value) const {
  switch (op) {
    case SelectorOp::kExists:
      return value != nullptr;
    case SelectorOp::kDoesNotExist:
      return value == nullptr;
    case SelectorOp::kIn:
      return value != nullptr && std::find(values.begin(), values.end(), *value) != values.end();
    case SelectorOp::kNotIn:
      return value == nullptr || std::find(values.begin(), values.end(), *value) == values.end();
    case SelectorOp::kGt:
    case SelectorOp::kLt: {
      if (value == nullptr || values.size() != 1) return false;
      const std::optional<int64_t> left = ParseInt(*value);
      const std::optional<int64_t> right = ParseInt(values[0]);
      if (!left || !right) return false;
      return op == SelectorOp::kGt ? *left > *right : *left < *right;
    }
  }
  return false;
}

bool LabelSelector::Matches(const LabelMap& labels) const {
  for (const auto& [key, value] : match_labels) {
    const std::string* found = labels.Find(key);
    if (found == nullptr || *found != value) return false;
  }
  return std::all_of(match_expressions.begin(), match_expressions.end(),
                     [&labels](const Requirement& r) { return r.Matches(labels.Find(r.key)); });
}

absl::Status LabelSelector::Check() const {
  for (const Requirement& requirement : match_expressions) {
    if (requirement.key.empty()) {
      return absl::InvalidArgumentError("matchExpressions: a requirement has no key");
    }
    BTH_RETURN_IF_ERROR(CheckValues(requirement));
  }
  return absl::OkStatus();
}

std::string LabelSelector::ToString() const {
  std::vector<std::pair<std::string_view, std::string>> parts;
  for (const auto& [key, value] : match_labels) {
    parts.emplace_back(key, StrCat(key, "=", value));
  }
  for (const Requirement& r : match_expressions) {
    std::vector<std::string> values = r.values;
    std::sort(values.begin(), values.end());
    const std::string joined = absl::StrJoin(values, ",");
    std::string text;
    switch (r.op) {
      case SelectorOp::kIn:
        text =
            values.size() == 1 ? StrCat(r.key, "=", joined) : StrCat(r.key, " in (", joined, ")");
        break;
      case SelectorOp::kNotIn:
        text = values.size() == 1 ? StrCat(r.key, "!=", joined)
                                  : StrCat(r.key, " notin (", joined, ")");
        break;
      case SelectorOp::kExists:
        text = r.key;
        break;
      case SelectorOp::kDoesNotExist:
        text = StrCat("!", r.key);
        break;
      case SelectorOp::kGt:
        text = StrCat(r.key, ">", joined);
        break;
      case SelectorOp::kLt:
        text = StrCat(r.key, "<", joined);
        break;
    }
    parts.emplace_back(r.key, std::move(text));
  }
  std::sort(parts.begin(), parts.end());
  return absl::StrJoin(parts, ",", [](std::string* out, const auto& part) { *out += part.second; });
}

bool NodeSelectorTerm::Matches(const LabelMap& labels, std::string_view node_name) const {
  if (match_expressions.empty() && match_fields.empty()) return false;
  if (!Check().ok()) return false;
  const std::string name(node_name);
  return std::all_of(match_expressions.begin(), match_expressions.end(),
                     [&labels](const Requirement& r) { return r.Matches(labels.Find(r.key)); }) &&
         std::all_of(match_fields.begin(), match_fields.end(),
                     [&name](const Requirement& r) { return r.Matches(&name); });
}

absl::Status NodeSelectorTerm::Check() const {
  for (const Requirement& requirement : match_expressions) {
    BTH_RETURN_IF_ERROR(CheckValues(requirement));
  }
  for (const Requirement& requirement : match_fields) {
    const bool set_op = requirement.op == SelectorOp::kIn || requirement.op == SelectorOp::kNotIn;
    if (requirement.key != "metadata.name" || !set_op || requirement.values.size() != 1) {
      return Invalid("matchFields key", requirement.key,
                     "expected metadata.name, In or NotIn and one value");
    }
  }
  return absl::OkStatus();
}

bool NodeSelector::Matches(const LabelMap& labels, std::string_view node_name) const {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const NodeSelectorTerm& term) { return term.Matches(labels, node_name); });
}

absl::Status CheckLabelKey(std::string_view key) {
  const size_t slash = key.find('/');
  const bool has_prefix = slash != std::string_view::npos;
  const std::string_view name = has_prefix ? key.substr(slash + 1) : key;
  if (has_prefix && !IsDnsSubdomain(key.substr(0, slash))) {
    return Invalid("label key", key, "the part before the slash must be a lower-case DNS name");
  }
  if (!IsLabelName(name)) {
    return Invalid("label key", key,
                   "the name must be 1 to 63 letters, digits, '-', '_' or '.', with a letter or "
                   "digit at both ends");
  }
  return absl::OkStatus();
}

absl::Status CheckLabelValue(std::string_view value) {
  if (value.empty() || IsLabelName(value)) return absl::OkStatus();
  return Invalid("label value", value,
                 "must be empty or up to 63 letters, digits, '-', '_' or '.', with a letter or "
                 "digit at both ends");
}

}  // namespace bth::types
