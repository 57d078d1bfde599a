// What a list or watch chooses: selectors of api/types made ready for stored objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/selector.h"
#include "apiserver/store/object.h"

namespace bth::apiserver {

// A LabelSelector object (matchLabels, matchExpressions). Errors: kInvalidArgument.
absl::StatusOr<types::LabelSelector> SelectorFromJson(const Json& selector);

// A field selector whose names were looked up among the fields of a collection.
class FieldFilter {
 public:
  // `fields` are the collection's; metadata.name and metadata.namespace always work.
  // Errors: kInvalidArgument: unreadable, or a field that the resource does not offer.
  static absl::StatusOr<FieldFilter> Parse(std::string_view text,
                                           const std::vector<SelectableField>& fields);
  bool empty() const { return terms_.empty(); }
  bool Matches(const StoredObject& object) const;

 private:
  static constexpr int kName = -1;
  static constexpr int kNamespace = -2;
  struct Term {
    int field = kName;  // Index into StoredObject::fields, or one of the constants.
    bool equal = true;
    std::string value;
  };
  std::vector<Term> terms_;
};

struct Selection {
  std::string ns;  // Empty: all namespaces.
  types::LabelSelector labels;
  FieldFilter fields;

  bool Matches(const StoredObject& object) const {
    return (ns.empty() || object.key.ns == ns) && labels.Matches(object.labels) &&
           fields.Matches(object);
  }
  bool selective() const { return !labels.empty() || !fields.empty(); }
};

}  // namespace bth::apiserver
