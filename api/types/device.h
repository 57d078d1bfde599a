// Devices that drivers offer: resource.k8s.io/v1 ResourceSlice and DeviceClass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/types/meta.h"
#include "api/types/raw_view.h"
#include "api/types/selector.h"

namespace bth::types {

// Exactly one member is there; of the lists, one is not empty.
struct DeviceAttribute {
  std::optional<int64_t> integer;             // int
  std::optional<bool> boolean;                // bool
  std::optional<std::string> text;            // string
  std::optional<std::string> version;         // version: a semantic version
  std::vector<int64_t> integers;              // ints
  std::vector<std::optional<bool>> booleans;  // bools
  std::vector<std::string> texts;             // strings
  std::vector<std::string> versions;
  bool operator==(const DeviceAttribute&) const = default;
};

struct CapacityRange {
  std::optional<Quantity> min;
  std::optional<Quantity> max;
  std::optional<Quantity> step;
  bool operator==(const CapacityRange&) const = default;
};

// How much of a capacity one allocation may take.
struct CapacityPolicy {
  std::optional<Quantity> default_amount;  // default
  std::vector<Quantity> valid_values;
  std::optional<CapacityRange> valid_range;
  bool operator==(const CapacityPolicy&) const = default;
};

struct DeviceCapacity {
  Quantity value;
  std::optional<CapacityPolicy> request_policy;
  bool operator==(const DeviceCapacity&) const = default;
};

struct Counter {
  Quantity value;
  bool operator==(const Counter&) const = default;
};

// What the devices of a pool share.
struct CounterSet {
  std::string name;
  SortedMap<Counter> counters;
  bool operator==(const CounterSet&) const = default;
};

struct CounterConsumption {
  std::string counter_set;
  SortedMap<Counter> counters;
  bool operator==(const CounterConsumption&) const = default;
};

struct DeviceTaint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, NoExecute, None
  bool operator==(const DeviceTaint&) const = default;
};

struct Device {
  std::string name;
  SortedMap<DeviceAttribute> attributes;  // By "domain/name", or "name" for the driver's own.
  SortedMap<DeviceCapacity> capacity;
  std::vector<CounterConsumption> consumes_counters;
  std::optional<std::string> node_name;
  RawView<NodeSelector> node_selector;
  bool all_nodes = false;
  std::vector<DeviceTaint> taints;
  bool binds_to_node = false;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  bool allow_multiple_allocations = false;
  bool operator==(const Device&) const = default;
};

struct ResourcePool {
  std::string name;
  int64_t generation = 0;
  int64_t resource_slice_count = 0;
  bool operator==(const ResourcePool&) const = default;
};

struct ResourceSliceSpec {
  std::string driver;
  ResourcePool pool;
  std::optional<std::string> node_name;
  RawView<NodeSelector> node_selector;
  bool all_nodes = false;
  bool per_device_node_selection = false;
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;
  bool operator==(const ResourceSliceSpec&) const = default;
};

struct ResourceSlice {
  ObjectMeta meta;
  ResourceSliceSpec spec;
  bool operator==(const ResourceSlice&) const = default;
};

// cel.expression
struct DeviceSelector {
  std::optional<std::string> expression;
  bool operator==(const DeviceSelector&) const = default;
};

// Settings for a driver, passed on as they are written.
struct DeviceConfiguration {
  std::vector<std::string> requests;
  std::string driver;  // opaque.driver
  bool operator==(const DeviceConfiguration&) const = default;
};

struct DeviceClassSpec {
  std::vector<DeviceSelector> selectors;
  std::vector<RawView<DeviceConfiguration>> config;
  std::string extended_resource_name;
  bool operator==(const DeviceClassSpec&) const = default;
};

struct DeviceClass {
  ObjectMeta meta;
  DeviceClassSpec spec;
  bool operator==(const DeviceClass&) const = default;
};

// What is not set may be anything.
struct DeviceTaintSelector {
  std::optional<std::string> driver;
  std::optional<std::string> pool;
  std::optional<std::string> device;
  bool operator==(const DeviceTaintSelector&) const = default;
};

struct DeviceTaintRuleSpec {
  std::optional<DeviceTaintSelector> device_selector;  // Absent: no device.
  DeviceTaint taint;
  bool operator==(const DeviceTaintRuleSpec&) const = default;
};

// A taint that an administrator puts on devices: resource.k8s.io/v1beta2 DeviceTaintRule.
struct DeviceTaintRule {
  ObjectMeta meta;
  DeviceTaintRuleSpec spec;
  bool operator==(const DeviceTaintRule&) const = default;
};

}  // namespace bth::types
