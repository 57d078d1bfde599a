#include "apiserver/store/selector.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::apiserver {

absl::StatusOr<types::LabelSelector> SelectorFromJson(const Json& selector) {
  types::LabelSelector result;
  for (const auto& [key, value] : selector["matchLabels"].members()) {
    result.match_labels.Set(key, std::string(value.AsString()));
  }
  for (const Json& expression : selector["matchExpressions"].items()) {
    const std::string_view name = expression["operator"].AsString();
    const std::optional<types::SelectorOp> op = types::ParseSelectorOp(name);
    if (!op.has_value()) {
      return absl::InvalidArgumentError(
          StrCat("\"", name, "\" is not a valid label selector operator"));
    }
    types::Requirement requirement{std::string(expression["key"].AsString()), *op, {}};
    for (const Json& value : expression["values"].items()) {
      requirement.values.emplace_back(value.AsString());
    }
    result.match_expressions.push_back(std::move(requirement));
  }
  BTH_RETURN_IF_ERROR(result.Check());
  return result;
}

absl::StatusOr<FieldFilter> FieldFilter::Parse(std::string_view text,
                                               const std::vector<SelectableField>& fields) {
  FieldFilter filter;
  BTH_ASSIGN_OR_RETURN(types::FieldSelector parsed, types::ParseFieldSelector(text));
  for (types::FieldSelector::Term& asked : parsed.terms) {
    Term term{kName, asked.equal, std::move(asked.value)};
    const auto known =
        std::find_if(fields.begin(), fields.end(),
                     [&](const SelectableField& field) { return field.name == asked.field; });
    if (known != fields.end()) {
      term.field = static_cast<int>(known - fields.begin());
    } else if (asked.field == "metadata.namespace") {
      term.field = kNamespace;
    } else if (asked.field != "metadata.name") {
      return absl::InvalidArgumentError(StrCat("field label not supported: ", asked.field));
    }
    filter.terms_.push_back(std::move(term));
  }
  return filter;
}

bool FieldFilter::Matches(const StoredObject& object) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    // The object was indexed by other fields than the filter was made for.
    if (term.field >= static_cast<int>(object.fields.size())) return false;
    const std::string& value = term.field == kName        ? object.key.name
                               : term.field == kNamespace ? object.key.ns
                                                          : object.fields[term.field];
    return (value == term.value) == term.equal;
  });
}

}  // namespace bth::apiserver
