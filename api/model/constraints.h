// What a pod asks of nodes beside resources, compiled for comparison by integer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/model/node.h"
#include "base/interner.h"

namespace bth::model {

enum class SelectorOp : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

struct NodeRequirement {
  Symbol key;
  SelectorOp op = SelectorOp::kExists;
  std::vector<Symbol> values;    // Sorted; of kIn and kNotIn.
  std::optional<int64_t> bound;  // Of kGt and kLt; absent: the requirement never holds.
};

// One nodeSelectorTerm; requirements are ANDed. `never` marks a term that cannot be parsed or
// that is empty: it matches no node.
struct NodeTerm {
  std::vector<NodeRequirement> labels;
  // matchFields metadata.name: node names in or not in.
  std::vector<NodeRequirement> names;
  bool never = false;
};

struct PreferredNodeTerm {
  NodeTerm term;
  int32_t weight = 0;
};

struct Toleration {
  Symbol key;  // Invalid: any key.
  Symbol value;
  bool exists = false;                // Operator Exists.
  bool never = false;                 // An operator that never matches here (Lt, Gt, unknown).
  std::optional<TaintEffect> effect;  // Absent: any.
};

// A feature of the pod that no filter of this version can judge; the pod waits with that reason.
enum class UnsupportedFeature : uint8_t {
  kNone,
  kDimensions,  // Asks for more kinds of resources than BTH_DIMS.
};
inline constexpr size_t kUnsupportedFeatures = 1;

// A set of them, one bit each; kNone has none.
using UnsupportedSet = uint8_t;
constexpr UnsupportedSet Bit(UnsupportedFeature feature) {
  return static_cast<UnsupportedSet>((1u << static_cast<unsigned>(feature)) >> 1);
}

struct PodDeviceClaims;    // api/model/device_claims.h
struct PodDeviceRequests;  // api/model/devices.h
struct PodExtras;          // api/model/pod_extras.h
struct PodPeerTerms;       // api/model/pod_peers.h
struct PodVolumes;         // api/model/storage.h

// Immutable, shared by every pod with the same ones.
struct PodConstraints {
  std::vector<std::pair<Symbol, Symbol>> node_selector;
  bool has_required_terms = false;       // An empty term list matches nothing.
  std::vector<NodeTerm> required_terms;  // ORed.
  bool has_preferred_terms = false;
  std::vector<PreferredNodeTerm> preferred_terms;
  std::vector<Toleration> tolerations;
  // Some toleration tolerates the taint node.kubernetes.io/unschedulable:NoSchedule with an empty
  // value, which a cordoned node counts as having.
  bool tolerates_unschedulable = false;
  std::vector<HostPort> ports;
  std::vector<Symbol> images;                      // Of containers and image volumes, with tag.
  int image_containers = 0;                        // Containers counted by the image score.
  bool has_sidecar = false;                        // A restartable init container.
  bool revocable = false;                          // May go to revocable nodes.
  std::shared_ptr<const PodPeerTerms> peer_terms;  // Null: no affinity to pods, no spread.
  std::shared_ptr<const PodVolumes> volumes;       // Null: none that matters here.
  bool claims_devices = false;              // Which claims it has is the task's own (TaskRow).
  std::shared_ptr<const PodExtras> extras;  // Null: none of them.
  std::shared_ptr<const PodDeviceRequests> devices;  // Null: none that are shared.
  UnsupportedSet unsupported = 0;
  std::string unsupported_detail;  // For people: names of resources, volumes and so on.
  SharedSymbols symbols;           // Of all of them.
};

bool PortsConflict(const HostPort& a, const HostPort& b);

}  // namespace bth::model
