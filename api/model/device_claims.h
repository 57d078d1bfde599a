// What pods claim of devices, and what they were given.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "api/model/claimable_devices.h"
#include "api/model/name_table.h"

namespace bth::model {

// An entry of a pod's spec.resourceClaims.
struct DeviceClaimUse {
  enum class Kind : uint8_t { kNamed, kFromTemplate, kNotMadeYet, kUnknown };
  Kind kind = Kind::kNamed;
  std::string entry;
  std::string claim;  // Of the first two; in the pod's namespace.
  friend bool operator==(const DeviceClaimUse&, const DeviceClaimUse&) = default;
};

// The claims of one pod. Immutable.
struct PodDeviceClaims {
  std::string ns;
  std::vector<DeviceClaimUse> uses;  // In the order of the pod.
  friend bool operator==(const PodDeviceClaims&, const PodDeviceClaims&) = default;
};

// What one request, or one alternative of it, asks for.
struct DeviceDemandFacts {
  std::string name;  // Of an alternative; else empty.
  std::string device_class;
  std::vector<DeviceSelectorFacts> selectors;
  bool all = false;   // Every device that matches.
  int64_t count = 1;  // Else so many.
  bool admin = false;
  std::string unknown_mode;  // An allocation mode that is none of these.
  std::vector<DeviceTolerationFacts> tolerations;
  std::vector<std::string> tolerations_text;  // As JSON.
  std::vector<CapacityAmount> capacities;     // Names as written: without domain, the driver's.
};

struct DeviceRequestFacts {
  std::string name;
  bool prioritized = false;                // The first alternative that is to be had.
  std::vector<DeviceDemandFacts> demands;  // One, if not prioritized; none: of an unknown type.

  // "request", or "request/alternative".
  std::string LabelOf(const DeviceDemandFacts& demand) const {
    return prioritized ? name + "/" + demand.name : name;
  }
};

// The devices of these requests have, or do not share, one value of an attribute.
struct DeviceConstraintFacts {
  std::vector<std::string> requests;  // Empty: all.
  std::string attribute;              // "domain/name"
  bool distinct = false;
};

struct DeviceConfigFacts {
  std::vector<std::string> requests;  // Empty: all.
  std::string text;                   // As JSON: {"opaque": …}
};

struct AllocatedDeviceFacts {
  std::string request;  // "request", or "request/alternative".
  std::string driver;
  std::string pool;
  std::string device;
  bool admin = false;
  std::string share_id;  // Of devices that several have a part of.
  std::vector<CapacityAmount> consumed;
  std::vector<std::string> tolerations;  // As JSON.
  std::vector<std::string> binding_conditions;
  std::vector<std::string> failure_conditions;

  std::string Key() const { return driver + "/" + pool + "/" + device; }
  friend bool operator==(const AllocatedDeviceFacts&, const AllocatedDeviceFacts&) = default;
};

// What a claim was given, or is to be given. Immutable.
struct AllocationFacts {
  struct Config {
    bool from_class = false;
    std::vector<std::string> requests;
    std::string text;
  };
  std::vector<AllocatedDeviceFacts> devices;
  std::string node;                    // Not empty: of use on that node alone.
  bool anywhere = false;               // Else on every node,
  std::vector<NodeTerm> terms;         // or where one of these holds.
  std::vector<std::string> selectors;  // What `terms` come from, as JSON; ANDed. Not of read ones.
  std::vector<Config> config;          // Not of read ones.
  SharedSymbols symbols;
  // Of slices that `terms` were taken from.
  std::vector<std::shared_ptr<const SliceFacts>> slices;

  bool Covers(const NodeFacts& facts) const;
};

// A condition that a driver set on an allocated device.
struct DeviceConditionFacts {
  std::string device;  // Key of the device.
  std::string share_id;
  std::string type;
  friend bool operator==(const DeviceConditionFacts&, const DeviceConditionFacts&) = default;
};

// Stands for what claims ask for: there is one of a kind, as long as some claim has it.
struct DeviceAskId {};

// A ResourceClaim.
struct DeviceClaimFacts {
  std::string key;  // "<namespace>/<name>"
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string owner_uid;      // Of the controller among its owners.
  bool for_extended = false;  // Made by a scheduler for the extended resources of its owner.
  bool deleting = false;
  // Claims that ask for the same have the same; null: not known.
  std::shared_ptr<const DeviceAskId> ask;
  std::vector<DeviceRequestFacts> requests;
  std::vector<DeviceConstraintFacts> constraints;
  std::vector<DeviceConfigFacts> config;
  std::string fault;                                  // What of it nobody here understands.
  std::shared_ptr<const AllocationFacts> allocation;  // Null: none.
  std::vector<std::string> reserved_for;              // UIDs.
  std::vector<DeviceConditionFacts> conditions;       // Those that are true.

  bool IsReservedFor(std::string_view pod_uid) const;
  // Nobody but that pod has it.
  bool IsFreeFor(std::string_view pod_uid) const;
};

// How many may use one claim.
inline constexpr size_t kClaimConsumersMax = 256;
// How many devices one claim may have.
inline constexpr size_t kDevicesPerClaimMax = 32;

// What the claims of the cluster have of one device.
struct DeviceUseFacts {
  int32_t claims = 0;
  std::vector<CapacityAmount> consumed;  // By name.
};

// Immutable picture of all of it. Keys of `pools` begin with the node whose devices they have, or
// with "*" for devices that are not of one node: a pool may be there several times.
struct DeviceClaimsView {
  uint64_t generation = 0;  // Grows with each change.
  // Since the view one generation before: there may be more to have, by slices, classes or devices
  // that were given back;
  bool offers_more = true;
  // and these claims changed, by key.
  std::vector<std::string> changed_claims;
  NameTable<DeviceClaimFacts> claims;
  NameTable<DeviceClassFacts> classes;
  NameTable<PoolFacts> pools;
  NameTable<DeviceUseFacts> in_use;  // By key of the device.
  // Classes by the extended resources that their devices serve; null: none do.
  std::shared_ptr<const std::map<std::string, std::string, std::less<>>> extended;
  // "<namespace>/<UID>/<claim>": by the pod that they were made for.
  NameTable<DeviceClaimFacts> for_extended;
  // UIDs of pods that were not bound after all, and what was written into their claims is being
  // taken back; null: there are none.
  std::shared_ptr<const std::set<std::string, std::less<>>> returning;

  bool IsReturning(std::string_view pod_uid) const {
    return returning != nullptr && returning->contains(pod_uid);
  }
  // The claim for the extended resources of the pod, of several the first by name; null: there is
  // none.
  const DeviceClaimFacts* MadeFor(std::string_view ns, std::string_view pod_uid) const;
  static std::string PoolsOf(std::string_view node);  // The beginning of the keys.
  static constexpr std::string_view kEverywhere = "*";
};

// The claim that a scheduler makes of what the containers of a pod request of extended resources.
struct ExtendedClaimFacts {
  struct Mapping {
    std::string container;
    std::string resource;
    std::string request;  // Of the claim.
    friend bool operator==(const Mapping&, const Mapping&) = default;
  };
  std::vector<DeviceRequestFacts> requests;  // By name.
  std::vector<Mapping> mappings;
};

// What the binding of a pod needs done to its claims first. Immutable.
struct ClaimPlan {
  struct Claim {
    std::string key;  // Empty: it is to be made.
    std::string uid;
    // Null: it has its devices, and is to be reserved for the pod.
    std::shared_ptr<const AllocationFacts> allocation;
    // What the pod is to show of it; null: nothing.
    std::shared_ptr<const ExtendedClaimFacts> extended;
  };
  std::vector<Claim> claims;  // In the order of the pod.
  absl::Duration timeout;     // For the conditions of its devices to hold.
  // Why the pod cannot have its devices on the node that it was placed on; empty: it can.
  std::string why_not;
};

}  // namespace bth::model
