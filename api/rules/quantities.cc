#include "api/rules/quantities.h"

#include <string>

#include "api/rules/names.h"
#include "base/strings.h"

namespace bth::rules {
namespace {

using types::Json;
using types::Quantity;

constexpr std::string_view kHugePages = "hugepages-";

}  // namespace

std::optional<Quantity> QuantityOf(const Json& value) {
  const absl::StatusOr<Quantity> amount =
      value.is_string() ? Quantity::Parse(value.AsString()) : Quantity::Parse(value.Dump());
  if (!amount.ok()) return std::nullopt;
  return *amount;
}

bool IsQuantity(const Json& value) {
  return value.is_number() || (value.is_string() && QuantityOf(value).has_value());
}

bool IsHugePages(std::string_view name) {
  return name.starts_with(kHugePages);
}

bool IsStandardResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || IsHugePages(name);
}

bool IsNativeResource(std::string_view name) {
  return name.find('/') == name.npos || StrContains(name, "kubernetes.io/");
}

bool IsExtendedResource(std::string_view name) {
  return !IsNativeResource(name) && !name.starts_with("requests.") &&
         CheckQualifiedName(StrCat("requests.", name)).empty();
}

std::optional<Quantity> HugePageSize(std::string_view name) {
  if (!IsHugePages(name)) return std::nullopt;
  return QuantityOf(Json(name.substr(kHugePages.size())));
}

bool IsWhole(const Quantity& amount) {
  return Quantity::FromValue(amount.Value()) == amount;
}

}  // namespace bth::rules
