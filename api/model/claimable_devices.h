// Devices that drivers offer on nodes, compiled for allocation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/model/constraints.h"
#include "api/model/node.h"
#include "base/interner.h"

namespace bth::model {

struct AttributeValue {
  enum class Kind : uint8_t { kInt, kBool, kText, kVersion, kList };
  Kind kind = Kind::kInt;
  int64_t number = 0;                      // Of kInt; of kBool 0 or 1.
  std::string text = {};                   // Of kText and kVersion.
  std::vector<AttributeValue> items = {};  // Of kList; of one kind, and no lists.
  friend bool operator==(const AttributeValue&, const AttributeValue&) = default;

  // A list has its items, any other value itself.
  bool Has(const AttributeValue& item) const;
  // Some value that both have, and all of `others`.
  bool SharesWith(const std::vector<const AttributeValue*>& others) const;
};

// Thousandths of a unit, and the notation that people see it in.
struct CapacityAmount {
  std::string name;  // "domain/name"
  int64_t milli = 0;
  bool binary = false;  // 1Gi rather than 1G.
  bool bare = false;    // Written without its domain, which is the driver's.
  friend bool operator==(const CapacityAmount&, const CapacityAmount&) = default;
};

// How much of a capacity one allocation takes: of `valid`, or from `min` in steps; neither: as
// asked.
struct CapacityRule {
  int64_t standard = 0;        // When nothing is asked.
  std::vector<int64_t> valid;  // Sorted.
  bool has_range = false;
  int64_t min = 0;
  std::optional<int64_t> max;
  int64_t step = 0;  // 0: any amount.
};

struct DeviceCapacityFacts : CapacityAmount {
  std::optional<CapacityRule> rule;
};

// So much of one of the pool's counters.
struct CounterAmount {
  std::string set;
  std::string counter;
  int64_t milli = 0;
};

struct DeviceTaintFacts {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::kNoSchedule;  // NoSchedule or NoExecute.
};

// A DeviceTaintRule.
struct DeviceTaintRuleFacts {
  bool selects = false;               // Else it is about no device.
  std::optional<std::string> driver;  // Nothing: any. The same of the others.
  std::optional<std::string> pool;
  std::optional<std::string> device;
  std::optional<DeviceTaintFacts> taint;  // Nothing: one that keeps nobody off.

  bool MayCover(std::string_view of_driver, std::string_view of_pool) const {
    return selects && taint && (!driver || *driver == of_driver) && (!pool || *pool == of_pool);
  }
};

struct DeviceTolerationFacts {
  std::string key;  // Empty: any, with `exists`.
  std::string value;
  std::string effect;  // Empty: any.
  bool exists = false;
};

// From which nodes a device can be used.
struct DeviceReach {
  enum class Kind : uint8_t { kNode, kTerms, kEverywhere, kByDevice, kNowhere };
  Kind kind = Kind::kNowhere;
  std::string node;             // Of kNode.
  std::vector<NodeTerm> terms;  // Of kTerms; ORed.
  std::string selector;         // Of kTerms, as JSON.

  // Not of kByDevice.
  bool Covers(const NodeFacts& node_facts) const;
};

struct DeviceFacts {
  std::string name;
  std::vector<std::pair<std::string, AttributeValue>> attributes;  // By "domain/name", sorted.
  std::vector<DeviceCapacityFacts> capacities;                     // The same.
  std::vector<CounterAmount> counters;
  std::vector<DeviceTaintFacts> taints;
  DeviceReach reach;    // Of slices that leave it to their devices.
  bool shared = false;  // Several claims may have a part of it.
  bool local = false;   // Whoever has it is bound to the node.
  std::vector<std::string> binding_conditions;
  std::vector<std::string> failure_conditions;

  const AttributeValue* FindAttribute(std::string_view full_name) const;
  const DeviceCapacityFacts* FindCapacity(std::string_view full_name) const;
};

struct CounterSetFacts {
  std::string name;
  std::vector<std::pair<std::string, int64_t>> counters;  // Milli.
};

// A ResourceSlice.
struct SliceFacts {
  std::string name;
  std::string driver;
  std::string pool;
  int64_t generation = 0;
  int64_t slices_in_pool = 0;
  DeviceReach reach;
  std::vector<DeviceFacts> devices;  // In the order of the object.
  std::vector<CounterSetFacts> counters;
  SharedSymbols symbols;  // Of all of them.

  const DeviceReach& ReachOf(const DeviceFacts& device) const {
    return reach.kind == DeviceReach::Kind::kByDevice ? device.reach : reach;
  }
};

struct PoolDevice {
  const SliceFacts* slice = nullptr;
  const DeviceFacts* facts = nullptr;
  std::vector<std::pair<uint32_t, int64_t>> counters;  // By number in the pool: what it takes.
  std::vector<DeviceTaintFacts> taints;                // Beside its own: by DeviceTaintRules.
};

// The slices of one driver that belong together. Immutable.
struct PoolFacts {
  uint64_t serial = 0;  // No two have the same.
  std::string driver;
  std::string name;
  bool complete = false;  // All slices of the newest generation are there.
  std::string fault;      // Why nothing can be taken from it; empty: nothing is wrong.
  std::vector<std::shared_ptr<const SliceFacts>> slices;  // Of the newest generation, by name.
  std::vector<PoolDevice> devices;                        // In the order of the slices.
  std::vector<int64_t> counters;                          // What there is, milli.

  std::string Id() const { return driver + "/" + name; }
  std::string DeviceKey(size_t device) const { return Id() + "/" + devices[device].facts->name; }
  // Of the newest generation among `slices`, which are of one pool and not empty; sorted by name.
  static std::shared_ptr<PoolFacts> Of(std::vector<std::shared_ptr<const SliceFacts>> slices);
};

// A CEL expression about one device. Immutable, any thread.
class DeviceTest {
 public:
  struct Outcome {
    bool matches = false;
    std::string error;  // Empty: it could be told.
    uint64_t cost = 0;  // In CEL's units.
  };
  explicit DeviceTest(uint64_t serial) : serial_(serial) {}
  virtual ~DeviceTest() = default;
  virtual Outcome Run(std::string_view driver, const DeviceFacts& device) const = 0;
  uint64_t serial() const { return serial_; }  // No two expressions have the same.

 private:
  const uint64_t serial_;
};

struct DeviceSelectorFacts {
  std::shared_ptr<const DeviceTest> test;  // Null: it cannot be understood, because of
  std::string fault;                       // this.
};

// A DeviceClass.
struct DeviceClassFacts {
  std::string name;
  std::string extended_resource;  // That its devices serve; empty: none but the one named after it.
  bool serves_extended = false;   // Its devices serve extended resources at all.
  int64_t created_us = 0;
  std::vector<DeviceSelectorFacts> selectors;  // ANDed.
  std::vector<std::string> config;             // For drivers, as JSON: {"opaque": …} each.
};

}  // namespace bth::model
