// v1 Service.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types/int_or_string.h"
#include "api/types/meta.h"

namespace bth::types {

struct ServicePort {
  std::string name;
  std::string protocol;
  int32_t port = 0;
  std::optional<IntOrString> target_port;  // absent: the same number
  bool operator==(const ServicePort&) const = default;
};

struct ServiceSpec {
  std::string type;
  std::string cluster_ip;  // "None" for a headless service
  LabelMap selector;
  std::vector<ServicePort> ports;
  bool publish_not_ready_addresses = false;
  bool operator==(const ServiceSpec&) const = default;
};

struct Service {
  ObjectMeta meta;
  ServiceSpec spec;
  bool operator==(const Service&) const = default;
};

}  // namespace bth::types
