// Metadata that every Kubernetes object carries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "api/types/sorted_map.h"

namespace bth::types {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name;
  std::string generate_name;
  std::string ns;  // metadata.namespace; empty for cluster-scoped objects
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  absl::Time creation_time;  // UnixEpoch when unset
  std::optional<absl::Time> deletion_time;
  std::optional<int64_t> deletion_grace_seconds;
  LabelMap labels;
  LabelMap annotations;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string> finalizers;

  // The owner that manages this object (controller: true), or null.
  const OwnerReference* Controller() const;
  // Empty when absent.
  std::string_view Label(std::string_view key) const;
  std::string_view Annotation(std::string_view key) const;
  // "ns/name", or "name" without namespace.
  std::string Key() const;
  bool operator==(const ObjectMeta&) const = default;
};

// Points at another object, as events, claims and references do.
struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string field_path;
  bool operator==(const ObjectReference&) const = default;
};

// One entry of status.conditions, as pods, nodes, PodGroups and HyperNodes have it.
struct Condition {
  std::string type;
  std::string status;  // True, False, Unknown
  std::string reason;
  std::string message;
  std::string transition_id;  // PodGroups only: the session that wrote it
  int64_t observed_generation = 0;
  std::optional<absl::Time> last_transition_time;
  std::optional<absl::Time> last_probe_time;
  std::optional<absl::Time> last_heartbeat_time;
  bool operator==(const Condition&) const = default;
};

// The condition of that type, or null.
const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type);

}  // namespace bth::types
