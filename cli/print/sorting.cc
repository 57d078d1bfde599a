#include "cli/print/sorting.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "api/types/quantity.h"
#include "base/status.h"
#include "base/strings.h"
#include "cli/print/go_text.h"
#include "cli/print/jsonpath/evaluate.h"
#include "cli/print/jsonpath/template.h"

namespace bth::cli {
namespace {

using types::Json;

// What an object is sorted by.
struct SortKey {
  bool is_found = false;
  Json value;
  std::optional<types::Quantity> quantity;  // Of texts that are one.
};

SortKey KeyOf(const std::vector<jsonpath::Results>& found) {
  SortKey key;
  if (found.empty() || found[0].empty()) return key;
  key.is_found = true;
  key.value = found[0][0].value();
  if (key.value.is_string()) {
    const auto quantity = types::Quantity::Parse(key.value.AsString());
    if (quantity.ok()) key.quantity = *quantity;
  }
  return key;
}

std::string_view SortKindOf(const Json& value) {
  if (value.is_bool()) return "bool";
  return value.is_object() ? "map[string]interface {}" : "[]interface {}";
}

// Why the keys have no order, if so: one of them has none, or texts and numbers are mixed.
absl::Status CheckComparable(std::string_view field, const std::vector<SortKey>& keys) {
  bool has_text = false, has_number = false;
  int found = 0;
  std::string why;
  for (const SortKey& key : keys) {
    found += key.is_found ? 1 : 0;
    has_text |= key.value.is_string();
    has_number |= key.value.is_number();
    const bool has_order = key.value.is_null() || key.value.is_string() || key.value.is_number();
    if (!has_order) why = StrCat("unsortable type: ", SortKindOf(key.value));
  }
  if (why.empty() && has_text && has_number) why = "unsortable interface: interface";
  // A value alone is compared with none.
  if (why.empty() || found < 2) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("Field ", field,
             " in *unstructured.Unstructured is an unsortable type: interface, err: ", why));
}

bool KeyLess(const SortKey& a, const SortKey& b) {
  if (!a.is_found || !b.is_found) return !a.is_found && b.is_found;
  if (a.value.is_null() || b.value.is_null()) return a.value.is_null() && !b.value.is_null();
  if (a.value.is_int() && b.value.is_int()) return a.value.AsInt() < b.value.AsInt();
  if (a.value.is_number()) return a.value.AsDouble() < b.value.AsDouble();
  if (a.quantity && b.quantity) return a.quantity->Compare(*b.quantity) < 0;
  return a.value.AsString() < b.value.AsString();
}

}  // namespace

absl::StatusOr<std::vector<size_t>> OrderBy(std::string_view path, absl::Span<const Json> items) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (items.empty() || path.empty()) return order;
  BTH_ASSIGN_OR_RETURN(const std::string field, jsonpath::RelaxedPath(path));
  BTH_ASSIGN_OR_RETURN(const jsonpath::Template program, jsonpath::Template::Parse(field));
  jsonpath::EvaluateOptions options;
  options.allow_missing_keys = true;
  std::vector<SortKey> keys;
  for (const Json& item : items) {
    BTH_ASSIGN_OR_RETURN(const auto found, jsonpath::Evaluate(program, item, options));
    keys.push_back(KeyOf(found));
  }
  if (std::none_of(keys.begin(), keys.end(), [](const SortKey& key) { return key.is_found; })) {
    return absl::InvalidArgumentError(
        StrCat("couldn't find any field with path ", GoQuote(field), " in the list of objects"));
  }
  BTH_RETURN_IF_ERROR(CheckComparable(field, keys));
  std::stable_sort(order.begin(), order.end(),
                   [&keys](size_t a, size_t b) { return KeyLess(keys[a], keys[b]); });
  return order;
}

}  // namespace bth::cli
