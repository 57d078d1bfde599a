#include "apiserver/schema/wrong_type.h"

#include "base/strings.h"

namespace bth::apiserver {
namespace {

std::string_view NameOfType(const types::Json& value) {
  if (value.is_number()) return "number";
  return value.is_bool() ? "bool" : value.TypeName();
}

}  // namespace

absl::Status WrongType(std::string_view field, const types::Json& value, std::string_view wanted) {
  return absl::InvalidArgumentError(StrCat(
      "json: cannot unmarshal ", NameOfType(value), value.is_double() ? " " : "",
      value.is_double() ? value.Dump() : "", " into Go struct field ", field, " of type ", wanted));
}

}  // namespace bth::apiserver
