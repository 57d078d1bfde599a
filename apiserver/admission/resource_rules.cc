// What a container may ask for.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "api/types/quantity.h"
#include "apiserver/admission/builtin.h"
#include "apiserver/rest/metadata.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using types::Quantity;

bool IsHugePages(std::string_view name) {
  return name.starts_with("hugepages-");
}

// Of a device plugin, or of an administrator: nvidia.com/gpu.
bool IsExtended(std::string_view name) {
  return name.find('/') != name.npos && !StrContains(name, "kubernetes.io/");
}

// What is promised twice is taken twice: requests and limits must be one amount.
bool MayBeOvercommitted(std::string_view name) {
  return !IsExtended(name) && !IsHugePages(name);
}

bool IsNegative(const Json& value) {
  if (value.is_number()) return value.AsDouble() < 0;
  return value.AsString().starts_with('-');
}

bool IsWhole(const Quantity& amount) {
  return Quantity::FromValue(amount.Value()) == amount;
}

// Returns the amount when it can be compared with others.
std::optional<Quantity> CheckAmount(std::string_view name, const Json& value, const std::string& at,
                                    std::vector<Cause>& causes) {
  if (!IsQualifiedName(name)) {
    causes.push_back(FieldInvalid(at, name, "must be a valid resource name"));
    return std::nullopt;
  }
  if (name.find('/') == name.npos && !IsStandardResource(name)) {
    causes.push_back(FieldInvalid(at, name, "must be a standard resource type or fully qualified"));
    causes.push_back(FieldInvalid(at, name, "must be a standard resource for containers"));
  }
  if (!IsQuantity(value)) {
    causes.push_back(FieldInvalid(at, value,
                                  "quantities must match the regular expression "
                                  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"));
    return std::nullopt;
  }
  const std::optional<Quantity> amount = QuantityOf(value);
  if (IsNegative(value)) {
    causes.push_back(FieldInvalid(at, value, "must be greater than or equal to 0"));
  } else if (amount && IsExtended(name) && !IsWhole(*amount)) {
    causes.push_back(FieldInvalid(at, amount->ToString(), "must be an integer"));
  }
  return amount;
}

void CheckBeside(std::string_view name, const Quantity& request, const Json& resources,
                 const std::string& field, std::vector<Cause>& causes) {
  const Json* given = resources["limits"].Find(name);
  if (given == nullptr) {
    if (MayBeOvercommitted(name)) return;
    causes.push_back(
        FieldRequired(field + ".limits", "Limit must be set for non overcommitable resources"));
    return;
  }
  const std::optional<Quantity> limit = QuantityOf(*given);
  if (!limit) return;  // Told of already.
  const std::string of_limit = StrCat(name, " limit of ", limit->ToString());
  if (!(request == *limit) && !MayBeOvercommitted(name)) {
    causes.push_back(FieldInvalid(field + ".requests", request.ToString(),
                                  StrCat("must be equal to ", of_limit)));
  } else if (request.Compare(*limit) > 0) {
    causes.push_back(FieldInvalid(field + ".requests", request.ToString(),
                                  StrCat("must be less than or equal to ", of_limit)));
  }
}

}  // namespace

std::optional<Quantity> QuantityOf(const Json& value) {
  const absl::StatusOr<Quantity> amount =
      Quantity::Parse(value.is_string() ? std::string(value.AsString()) : value.Dump());
  if (!amount.ok()) return std::nullopt;
  return *amount;
}

bool IsQuantity(const Json& value) {
  return value.is_number() || (value.is_string() && QuantityOf(value).has_value());
}

bool IsStandardResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || IsHugePages(name);
}

void CheckResources(const Json& resources, const std::string& field, std::vector<Cause>& causes) {
  for (const char* part : {"limits", "requests"}) {
    const Json& list = resources[part];
    if (!list.is_null() && !list.is_object()) {
      causes.push_back(FieldInvalid(StrCat(field, ".", part), list, "must be an object"));
    }
    for (const auto& [name, value] : list.members()) {
      const std::string at = StrCat(field, ".", part, "[", name, "]");
      const std::optional<Quantity> amount = CheckAmount(name, value, at, causes);
      if (!amount || part == std::string_view("limits")) continue;
      CheckBeside(name, *amount, resources, field, causes);
    }
  }
}

}  // namespace bth::apiserver
