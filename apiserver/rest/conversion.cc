// Conversion between served versions and storage (declared in rest/output.h).
#include <array>
#include <string_view>
#include <utility>

#include "apiserver/rest/output.h"
#include "apiserver/schema/coerce.h"

namespace bth::apiserver {
namespace {

// events.k8s.io name, core name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEventNames = {{
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
}};

void Rename(Json& object, std::string_view from, std::string_view to) {
  Json* present = object.Find(from);
  if (present == nullptr) return;
  Json value = std::move(*present);
  object.Erase(from);
  object.Set(to, std::move(value));
}

}  // namespace

void ToStorage(const ResourceType& type, Json& object) {
  if (type.conversion == Conversion::kNone) return;
  object.Set("apiVersion", type.storage_api_version);
  // What the version in the store does not know is lost, as there is no converter to keep it.
  if (type.stored_as != nullptr) PruneFields(*type.stored_as, object, nullptr);
  if (type.conversion != Conversion::kEvents) return;
  for (const auto& [outside, inside] : kEventNames) Rename(object, outside, inside);
}

void FromStorage(const ResourceType& type, Json& object) {
  if (type.conversion == Conversion::kNone) return;
  object.Set("apiVersion", type.api_version());
  if (type.stored_as != nullptr) PruneFields(*type.structural, object, nullptr);
  if (type.conversion != Conversion::kEvents) return;
  for (const auto& [outside, inside] : kEventNames) Rename(object, inside, outside);
}

}  // namespace bth::apiserver
