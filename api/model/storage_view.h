// Volumes, claims, classes and what CSI drivers tell, as one immutable picture.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/model/constraints.h"
#include "api/model/ids.h"
#include "api/model/job.h"
#include "api/model/name_table.h"
#include "api/model/storage.h"
#include "base/cow_vector.h"

namespace bth::model {

// One bit each.
enum AccessMode : uint8_t {
  kReadWriteOnce = 1,
  kReadOnlyMany = 2,
  kReadWriteMany = 4,
  kReadWriteOncePod = 8,
  kOtherAccessMode = 128,  // A word that is none of these.
};
using AccessModes = uint8_t;

// Labels of an object as symbols, by key.
using SymbolLabels = std::vector<std::pair<Symbol, Symbol>>;
// All requirements must hold; only the set operators occur.
bool Matches(const std::vector<NodeRequirement>& selector, const SymbolLabels& labels);

// A PersistentVolumeClaim.
struct ClaimFacts {
  std::string key;  // "<namespace>/<name>"
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string storage_class;     // Empty: none.
  std::string attributes_class;  // spec.volumeAttributesClassName; empty: none.
  std::string volume;            // spec.volumeName
  std::string selected_node;     // The annotation, or what a binding under way is about to write.
  std::string owner_uid;         // Of the controller among its owners.
  bool bound = false;            // To `volume`, completely.
  bool lost = false;             // Its volume is no more.
  bool deleting = false;
  bool block = false;           // volumeMode Block.
  bool unreadable = false;      // Its selector matches nothing.
  bool states_request = false;  // Says how large it is.
  AccessModes modes = 0;
  int64_t bytes = 0;
  std::vector<NodeRequirement> selector;
  SharedSymbols symbols;  // Of all of them.
};

// What a volume is to the node that mounts it.
struct AttachedAs {
  // CSI driver, or kubernetes.io/…: a plugin in Kubernetes' own tree, which counts for the driver
  // that took over from it where it is migrated; empty: not to be counted.
  std::string plugin;
  std::string handle;  // Unique for the plugin.
};

// A label of a volume that says in which zones or regions it is.
struct ZoneLabel {
  Symbol key;
  Symbol stable_key;  // What nodes may have instead of a beta key; invalid: nothing.
  std::vector<Symbol> values;
};

// A PersistentVolume.
struct VolumeFacts {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string storage_class;
  std::string attributes_class;
  std::string claim;       // "<namespace>/<name>" of the claimRef, or of a binding under way.
  std::string claim_uid;   // Empty: any claim of that name.
  bool available = false;  // Phase Available.
  bool deleting = false;
  bool block = false;
  bool anywhere = true;  // Has no node affinity.
  AccessModes modes = 0;
  int64_t bytes = 0;
  SymbolLabels labels;
  std::vector<NodeTerm> node_terms;  // ORed; of volumes that are not everywhere.
  std::vector<ZoneLabel> zones;
  std::vector<Symbol> zone_keys;  // Of all such labels; empty without zones.
  AttachedAs attached;
  SharedSymbols symbols;  // Of all of them.

  bool Reaches(const NodeFacts& node) const;
  bool IsClaimedBy(const ClaimFacts& other) const {
    return claim == other.key && (claim_uid.empty() || claim_uid == other.uid);
  }
};

// A StorageClass.
struct ClassFacts {
  std::string provisioner;
  bool waits = false;                // volumeBindingMode WaitForFirstConsumer.
  std::vector<NodeTerm> topologies;  // ORed; none: everywhere.
  SharedSymbols symbols;             // Of all of them.
  bool provisions() const;
};

// A CSINode.
struct CsiNodeFacts {
  std::vector<std::pair<std::string, int32_t>> limits;  // By driver; those that have one.
  std::vector<std::string> migrated;                    // In-tree plugins, sorted.
};

// A CSIStorageCapacity.
struct CapacityFacts {
  std::optional<int64_t> bytes;      // The largest volume that can be made; absent: none.
  int64_t left = 0;                  // What is left in all; 0: nobody says.
  std::optional<NodeTerm> topology;  // Absent: no node has access.
  SharedSymbols symbols;             // Of all of them.
};

// A VolumeAttachment.
struct AttachmentFacts {
  std::string volume;
};

// Pods with volumes on a node.
struct NodeMounts {
  std::vector<TaskId> tasks;
  int32_t volumes = 0;  // That they name in all.
};

struct StorageView {
  uint64_t generation = 0;  // Grows with each change.
  NameTable<ClaimFacts> claims;
  NameTable<VolumeFacts> volumes;
  // The volumes that a claim without a volume can be given, by FreeKey.
  NameTable<VolumeFacts> free_volumes;
  // The volumes that name a claim, by ClaimedKey.
  NameTable<VolumeFacts> claimed_volumes;
  NameTable<ClassFacts> classes;
  NameTable<CsiNodeFacts> csi_nodes;
  std::shared_ptr<const std::map<std::string, bool, std::less<>>> tracks_capacity;  // By driver.
  NameTable<CapacityFacts> capacities;     // By CapacityKey.
  NameTable<AttachmentFacts> attachments;  // By AttachmentKey.
  CowVector<NodeId, std::shared_ptr<const NodeMounts>, kPointerChunkRows> mounts;

  bool TracksCapacity(std::string_view driver) const;

  // Keys that put in order what is looked for together.
  static std::string FreePrefix(std::string_view storage_class);
  static std::string FreeKey(const VolumeFacts& volume);  // Class, size, name.
  static std::string ClaimedPrefix(std::string_view claim);
  static std::string ClaimedKey(const VolumeFacts& volume);
  static std::string CapacityPrefix(std::string_view storage_class);
  static std::string CapacityKey(std::string_view storage_class, std::string_view key);
  static std::string AttachmentPrefix(std::string_view node);
  static std::string AttachmentKey(std::string_view node, std::string_view name);
};

}  // namespace bth::model
