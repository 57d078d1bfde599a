// What pods ask of devices: resource.k8s.io/v1 ResourceClaim and ResourceClaimTemplate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types/device.h"
#include "api/types/meta.h"
#include "api/types/pod.h"
#include "api/types/raw_view.h"

namespace bth::types {

// `exactly` of a request, or one of its alternatives, which have a name.
struct DeviceDemand {
  std::string name;
  std::string device_class_name;
  std::vector<DeviceSelector> selectors;
  std::string allocation_mode;  // ExactCount (also empty), All
  int64_t count = 0;            // 0: one
  bool admin_access = false;    // Not of alternatives.
  std::vector<RawView<Toleration>> tolerations;
  ResourceList capacity;  // capacity.requests
  bool operator==(const DeviceDemand&) const = default;
};

struct DeviceRequest {
  std::string name;
  std::optional<DeviceDemand> exactly;
  std::vector<DeviceDemand> first_available;
  bool operator==(const DeviceRequest&) const = default;
};

struct DeviceConstraint {
  std::vector<std::string> requests;  // Empty: all.
  std::optional<std::string> match_attribute;
  std::optional<std::string> distinct_attribute;
  bool operator==(const DeviceConstraint&) const = default;
};

struct ResourceClaimSpec {
  std::vector<DeviceRequest> requests;        // devices.requests
  std::vector<DeviceConstraint> constraints;  // devices.constraints
  std::vector<RawView<DeviceConfiguration>> config;
  bool operator==(const ResourceClaimSpec&) const = default;
};

struct AllocatedDevice {
  std::string request;  // "request", or "request/alternative"
  std::string driver;
  std::string pool;
  std::string device;
  bool admin_access = false;
  std::vector<RawView<Toleration>> tolerations;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::string share_id;
  ResourceList consumed_capacity;
  bool operator==(const AllocatedDevice&) const = default;
};

struct ClaimAllocation {
  std::vector<AllocatedDevice> results;  // devices.results
  RawView<NodeSelector> node_selector;
  std::optional<absl::Time> timestamp;  // allocationTimestamp
  bool operator==(const ClaimAllocation&) const = default;
};

struct ClaimConsumer {
  std::string api_group;
  std::string resource;
  std::string name;
  std::string uid;
  bool operator==(const ClaimConsumer&) const = default;
};

// What a driver says of an allocated device.
struct AllocatedDeviceStatus {
  std::string driver;
  std::string pool;
  std::string device;
  std::string share_id;
  std::vector<Condition> conditions;
  bool operator==(const AllocatedDeviceStatus&) const = default;
};

struct ResourceClaimStatus {
  std::optional<ClaimAllocation> allocation;
  std::vector<ClaimConsumer> reserved_for;
  std::vector<AllocatedDeviceStatus> devices;
  bool operator==(const ResourceClaimStatus&) const = default;
};

struct ResourceClaim {
  ObjectMeta meta;
  ResourceClaimSpec spec;
  ResourceClaimStatus status;
  bool operator==(const ResourceClaim&) const = default;
};

// What claims made from a template begin with.
struct ClaimTemplateMeta {
  LabelMap labels;
  LabelMap annotations;
  bool operator==(const ClaimTemplateMeta&) const = default;
};

struct ResourceClaimTemplateSpec {
  ClaimTemplateMeta meta;  // metadata
  RawView<ResourceClaimSpec> spec;
  bool operator==(const ResourceClaimTemplateSpec&) const = default;
};

struct ResourceClaimTemplate {
  ObjectMeta meta;
  ResourceClaimTemplateSpec spec;
  bool operator==(const ResourceClaimTemplate&) const = default;
};

}  // namespace bth::types
