#include "cache/writes/allocation_body.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/types/quantity.h"

namespace bth::cache {
namespace {

using types::Json;

Json Texts(const std::vector<std::string>& words) {
  Json out = Json::MakeArray();
  for (const std::string& word : words) out.MutableItems().emplace_back(word);
  return out;
}

// What was read from an object, and is JSON.
Json Parsed(const std::string& text) {
  return Json::Parse(text).value_or(Json());
}

Json AmountsBody(const std::vector<model::CapacityAmount>& amounts) {
  Json out = Json::MakeObject();
  for (const model::CapacityAmount& amount : amounts) {
    const auto format =
        amount.binary ? types::Quantity::Format::kBinarySI : types::Quantity::Format::kDecimalSI;
    out.Set(amount.name, types::Quantity::FromMilli(amount.milli, format).ToString());
  }
  return out;
}

Json DeviceBody(const model::AllocatedDeviceFacts& device) {
  Json out = Json::MakeObject();
  out.Set("request", device.request);
  out.Set("driver", device.driver);
  out.Set("pool", device.pool);
  out.Set("device", device.device);
  if (device.admin) out.Set("adminAccess", true);
  if (!device.tolerations.empty()) {
    Json& tolerations = out["tolerations"];
    for (const std::string& text : device.tolerations) {
      tolerations.MutableItems().push_back(Parsed(text));
    }
  }
  if (!device.binding_conditions.empty()) {
    out.Set("bindingConditions", Texts(device.binding_conditions));
  }
  if (!device.failure_conditions.empty()) {
    out.Set("bindingFailureConditions", Texts(device.failure_conditions));
  }
  if (!device.share_id.empty()) out.Set("shareID", device.share_id);
  if (!device.consumed.empty()) out.Set("consumedCapacity", AmountsBody(device.consumed));
  return out;
}

Json ConfigBody(const model::AllocationFacts::Config& config) {
  Json out = Json::MakeObject();
  out.Set("source", config.from_class ? "FromClass" : "FromClaim");
  if (!config.requests.empty()) out.Set("requests", Texts(config.requests));
  const Json written = Parsed(config.text);
  for (const auto& [name, value] : written.members()) out.Set(name, value);
  return out;
}

Json NodeTermBody(const model::AllocationFacts& allocation) {
  Json term = Json::MakeObject();
  if (!allocation.node.empty()) {
    Json name = Json::MakeObject();
    name.Set("key", "metadata.name");
    name.Set("operator", "In");
    name.Set("values", Texts({allocation.node}));
    term["matchFields"].MutableItems().push_back(std::move(name));
    return term;
  }
  for (const std::string& text : allocation.selectors) {
    const Json selector = Parsed(text);
    for (const Json& part : selector["nodeSelectorTerms"].items()) {
      for (const char* list : {"matchExpressions", "matchFields"}) {
        for (const Json& requirement : part[list].items()) {
          term[list].MutableItems().push_back(requirement);
        }
      }
    }
  }
  return term;
}

}  // namespace

Json AllocationBody(const model::AllocationFacts& allocation, absl::Time now) {
  Json out = Json::MakeObject();
  Json& devices = out["devices"];
  devices["results"] = Json::MakeArray();
  for (const model::AllocatedDeviceFacts& device : allocation.devices) {
    devices["results"].MutableItems().push_back(DeviceBody(device));
  }
  for (const model::AllocationFacts::Config& config : allocation.config) {
    devices["config"].MutableItems().push_back(ConfigBody(config));
  }
  if (!allocation.anywhere) {
    out["nodeSelector"]["nodeSelectorTerms"].MutableItems().push_back(NodeTermBody(allocation));
  }
  const bool waits = std::any_of(
      allocation.devices.begin(), allocation.devices.end(),
      [](const model::AllocatedDeviceFacts& device) { return !device.binding_conditions.empty(); });
  if (waits) {
    out.Set("allocationTimestamp",
            absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", now, absl::UTCTimeZone()));
  }
  return out;
}

}  // namespace bth::cache
