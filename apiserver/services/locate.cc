#include "apiserver/services/locate.h"

#include <optional>

#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr char kLoopback[] = "127.0.0.1";

// The entry of a service's ports; null: there is none.
const Json* PortOf(const Json& service, std::string_view port) {
  int64_t number = 0;
  const bool by_number = SimpleAtoi(port, &number);
  for (const Json& entry : service["spec"]["ports"].items()) {
    if (by_number ? entry["port"].AsInt() == number : entry["name"].AsString() == port) {
      return &entry;
    }
  }
  return nullptr;
}

std::optional<uint16_t> PortNamed(const Json& ports, std::string_view name) {
  for (const Json& port : ports.items()) {
    const int64_t number = port["port"].AsInt();
    const bool named = port["name"].AsString() == name || ports.size() == 1;
    if (named && number > 0 && number <= 65535) return static_cast<uint16_t>(number);
  }
  return std::nullopt;
}

// The first ready one, by the names of the slices.
std::optional<ServiceAddress> FromSlices(const Core& core, const ObjectKey& service,
                                         std::string_view port_name) {
  Collection* slices = core.store->Find("endpointslices.discovery.k8s.io");
  if (slices == nullptr) return std::nullopt;
  for (const ObjectPtr& stored : slices->All(service.ns)) {
    const std::string* of = stored->labels.Find("kubernetes.io/service-name");
    if (of == nullptr || *of != service.name) continue;
    const Json slice = ParseStored(*stored);
    const std::optional<uint16_t> port = PortNamed(slice["ports"], port_name);
    if (!port.has_value()) continue;
    for (const Json& endpoint : slice["endpoints"].items()) {
      if (!endpoint["conditions"]["ready"].AsBool(true) || endpoint["addresses"].empty()) continue;
      return ServiceAddress{std::string(endpoint["addresses"][size_t{0}].AsString()), *port};
    }
  }
  return std::nullopt;
}

std::optional<ServiceAddress> FromEndpoints(const Core& core, const ObjectKey& service,
                                            std::string_view port_name) {
  const ObjectPtr stored = core.store->Find("endpoints")->Get(service);
  if (stored == nullptr) return std::nullopt;
  const Json endpoints = ParseStored(*stored);
  for (const Json& subset : endpoints["subsets"].items()) {
    const std::optional<uint16_t> port = PortNamed(subset["ports"], port_name);
    if (!port.has_value() || subset["addresses"].empty()) continue;
    return ServiceAddress{std::string(subset["addresses"][size_t{0}]["ip"].AsString()), *port};
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<ServiceAddress> LocateService(const Core& core, const ObjectKey& service,
                                             std::string_view port) {
  const ObjectPtr stored = core.store->Find("services")->Get(service);
  if (stored == nullptr) {
    return absl::NotFoundError(StrCat("service \"", service.name, "\" not found"));
  }
  const Json object = ParseStored(*stored);
  uint16_t number = 0;
  if (int given = 0; SimpleAtoi(port, &given) && given > 0 && given <= 65535) {
    number = static_cast<uint16_t>(given);
  }
  if (object["spec"]["type"].AsString() == "ExternalName") {
    return ServiceAddress{std::string(object["spec"]["externalName"].AsString()), number};
  }
  const Json* entry = PortOf(object, port);
  if (entry == nullptr) {
    return absl::NotFoundError(
        StrCat("no service port ", port, " found for service \"", service.name, "\""));
  }
  const std::string_view name = (*entry)["name"].AsString();
  if (auto address = FromSlices(core, service, name)) return *address;
  if (auto address = FromEndpoints(core, service, name)) return *address;
  const int64_t target = (*entry)["targetPort"].AsInt((*entry)["port"].AsInt());
  const bool fits = target > 0 && target <= 65535;
  return ServiceAddress{kLoopback, fits ? static_cast<uint16_t>(target) : number};
}

}  // namespace bth::apiserver
