// Label, node and field selectors: parsing their text forms and matching.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/sorted_map.h"

namespace bth::types {

enum class SelectorOp : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

// "In", "NotIn", ... as the API spells them.
std::string_view SelectorOpName(SelectorOp op);
std::optional<SelectorOp> ParseSelectorOp(std::string_view name);

struct Requirement {
  std::string key;
  SelectorOp op = SelectorOp::kIn;
  std::vector<std::string> values;

  // Null stands for an absent label. Gt and Lt compare decimal int64; NotIn accepts absence.
  bool Matches(const std::string* value) const;
  bool operator==(const Requirement&) const = default;
};

// An empty selector matches everything. "Nothing" is an absent selector: std::optional outside.
struct LabelSelector {
  LabelMap match_labels;
  std::vector<Requirement> match_expressions;

  bool Matches(const LabelMap& labels) const;
  bool empty() const { return match_labels.empty() && match_expressions.empty(); }
  // kInvalidArgument when an operator has too many, too few or unreadable values.
  absl::Status Check() const;
  // The canonical query text, requirements sorted by key: "a=b,c in (x,y),!d".
  std::string ToString() const;
  bool operator==(const LabelSelector&) const = default;
};

// Both lists must match; a term without requirements matches nothing.
struct NodeSelectorTerm {
  std::vector<Requirement> match_expressions;
  std::vector<Requirement> match_fields;

  bool Matches(const LabelMap& labels, std::string_view node_name) const;
  // The rules of Kubernetes: fields know metadata.name with In or NotIn and one value, Gt and Lt
  // take one integer. A term that fails here matches nothing.
  absl::Status Check() const;
  bool operator==(const NodeSelectorTerm&) const = default;
};

// Terms are alternatives; without terms nothing matches.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;

  bool Matches(const LabelMap& labels, std::string_view node_name) const;
  bool operator==(const NodeSelector&) const = default;
};

// Reads the labelSelector query parameter: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>5,j<6`.
// An empty text selects everything. kInvalidArgument names the place.
absl::StatusOr<LabelSelector> ParseLabelSelector(std::string_view text);

// Reads the fieldSelector query parameter: `spec.nodeName=,metadata.name!=x` with `\` escaping
// `\`, `,` and `=`.
struct FieldSelector {
  struct Term {
    std::string field;
    bool equal = true;
    std::string value;
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms;

  // `value_of` gives the value of a field, empty when unset. All terms must match.
  bool Matches(const std::function<std::string_view(std::string_view)>& value_of) const;
  std::string ToString() const;
};
absl::StatusOr<FieldSelector> ParseFieldSelector(std::string_view text);

// Label syntax of Kubernetes: an optional DNS prefix and a name for keys, up to 63 characters.
absl::Status CheckLabelKey(std::string_view key);
absl::Status CheckLabelValue(std::string_view value);

}  // namespace bth::types
