#include "cli/print/jsonpath/compare.h"

#include "base/strings.h"

namespace bth::cli::jsonpath {
namespace {

using types::Json;

bool IsBasic(const Json& value) {
  return value.is_bool() || value.is_number() || value.is_string();
}

bool AreOfOneKind(const Json& a, const Json& b) {
  return a.is_bool() == b.is_bool() && a.is_int() == b.is_int() && a.is_double() == b.is_double();
}

// For values of one kind that has an order.
bool Less(const Json& a, const Json& b) {
  if (a.is_int()) return a.AsInt() < b.AsInt();
  if (a.is_double()) return a.AsDouble() < b.AsDouble();
  return a.AsString() < b.AsString();
}

}  // namespace

absl::StatusOr<bool> Compare(const Json& left, std::string_view op, const Json& right) {
  const bool has_order = op == "<" || op == ">" || op == "<=" || op == ">=";
  if (!has_order && op != "==" && op != "!=") {
    return absl::InvalidArgumentError(StrCat("unrecognized filter operator ", op));
  }
  if (!IsBasic(left) || !IsBasic(right)) {
    return absl::InvalidArgumentError("invalid type for comparison");
  }
  if (!AreOfOneKind(left, right)) {
    return absl::InvalidArgumentError("incompatible types for comparison");
  }
  if (op == "==") return left == right;
  if (op == "!=") return !(left == right);
  if (left.is_bool()) return absl::InvalidArgumentError("invalid type for comparison");
  if (op == "<") return Less(left, right);
  if (op == ">=") return !Less(left, right);
  const bool less_or_equal = Less(left, right) || left == right;
  return op == "<=" ? less_or_equal : !less_or_equal;
}

}  // namespace bth::cli::jsonpath
