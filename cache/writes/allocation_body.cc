#include "cache/writes/allocation_body.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/types/quantity.h"
#include "base/strings.h"
#include "cache/intake/compile_devices.h"

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

// By the names that the slice has: other schedulers look for these.
Json ConsumedBody(const model::AllocatedDeviceFacts& device) {
  Json out = Json::MakeObject();
  for (const model::CapacityAmount& amount : device.consumed) {
    const auto format =
        amount.binary ? types::Quantity::Format::kBinarySI : types::Quantity::Format::kDecimalSI;
    const size_t domain = amount.bare ? device.driver.size() + 1 : 0;
    out.Set(amount.name.substr(domain),
            types::Quantity::FromMilli(amount.milli, format).ToString());
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
  if (!device.consumed.empty()) out.Set("consumedCapacity", ConsumedBody(device));
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

Json ExtendedClaimBody(const ClaimOwner& pod, const model::ExtendedClaimFacts& extended) {
  Json body = Json::MakeObject();
  body.Set("apiVersion", "resource.k8s.io/v1");
  body.Set("kind", "ResourceClaim");
  Json& meta = body["metadata"];
  meta.Set("namespace", pod.ns);
  meta.Set("generateName", StrCat(pod.name, "-extended-resources-"));
  meta["annotations"].Set(kExtendedClaim, "true");
  meta["ownerReferences"].MutableItems().push_back(Json::MakeObject({{"apiVersion", "v1"},
                                                                     {"kind", "Pod"},
                                                                     {"name", pod.name},
                                                                     {"uid", pod.uid},
                                                                     {"controller", true}}));
  for (const model::DeviceRequestFacts& request : extended.requests) {
    const model::DeviceDemandFacts& demand = request.demands.front();
    Json row = Json::MakeObject({{"name", request.name}});
    row.Set("exactly", Json::MakeObject({{"deviceClassName", demand.device_class},
                                         {"allocationMode", "ExactCount"},
                                         {"count", demand.count}}));
    body["spec"]["devices"]["requests"].MutableItems().push_back(std::move(row));
  }
  return body;
}

Json ExtendedStatusBody(const model::ExtendedClaimFacts& extended, const std::string& claim) {
  Json out = Json::MakeObject({{"resourceClaimName", claim}});
  for (const model::ExtendedClaimFacts::Mapping& mapping : extended.mappings) {
    out["requestMappings"].MutableItems().push_back(
        Json::MakeObject({{"containerName", mapping.container},
                          {"resourceName", mapping.resource},
                          {"requestName", mapping.request}}));
  }
  return out;
}

}  // namespace bth::cache
