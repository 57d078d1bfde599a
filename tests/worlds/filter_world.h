// Random clusters made of objects as an API server has them, for the filters of pods and nodes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "cache/cluster/mirror.h"

namespace bth::test {

// Kubernetes' words, as they stand in the objects; empty texts stand for fields that are not set.
struct NeedSpec {  // Of matchExpressions or matchFields.
  std::string key, op;
  std::vector<std::string> values;
};
struct NodeTermSpec {
  std::vector<NeedSpec> labels, fields;
};
struct TaintSpec {
  std::string key, value, effect;
};
struct TolerationSpec {
  std::string key, op, value, effect;
};
struct HostPortSpec {
  int32_t port = 0;  // 0: a port of the container only.
  std::string protocol, ip;
  enum class Of { kContainer, kSidecar, kInitContainer } of = Of::kContainer;
};

// One volume of a pod: the source of which it is says what the other fields mean.
struct MountSpec {
  enum class Source { kClaim, kEphemeral, kGce, kAws, kIscsi, kRbd } source = Source::kClaim;
  std::string name;
  std::string id;                     // Claim, disk, IQN or image; none of an ephemeral one.
  std::vector<std::string> monitors;  // Of an RBD image,
  std::string pool;                   // and its pool.
  bool read_only = false;
};

struct FilterPod {
  std::string name;
  std::string node;  // As its spec says; empty: it waits.
  std::string phase = "Pending";
  bool deleting = false;
  bool foreign = false;  // Of another scheduler.
  std::map<std::string, std::string> selector;
  std::optional<std::vector<NodeTermSpec>> required;
  std::vector<TolerationSpec> tolerations;
  std::vector<HostPortSpec> ports;
  std::vector<MountSpec> mounts;
};
struct FilterNode {
  std::string name;
  std::map<std::string, std::string> labels;
  std::vector<TaintSpec> taints;
  bool cordoned = false;
  int32_t pods = 10;
};
struct CsiNodeSpec {
  std::string node;
  std::vector<std::pair<std::string, std::optional<int32_t>>> drivers;  // With the limit.
  std::string migrated;                                                 // The annotation.
};
struct FilterVolume {
  std::string name;
  enum class Source { kCsi, kGce, kAws, kOther } source = Source::kOther;
  std::string driver, handle;
  std::map<std::string, std::string> labels;
};
struct FilterClaim {
  std::string name;
  std::string volume, storage_class, phase;
  std::string owner;  // Name of the pod, when it is one's.
  std::vector<std::string> modes;
  bool bind_completed = false;
  bool deleting = false;
};
struct ClassSpec {
  std::string name, provisioner;
  bool waits = false;
};
struct AttachmentSpec {
  std::string node, volume;
};

struct FilterWorld {
  std::vector<FilterNode> nodes;
  std::vector<FilterPod> pods;
  std::vector<CsiNodeSpec> csi_nodes;
  std::vector<FilterVolume> volumes;
  std::vector<FilterClaim> claims;
  std::vector<ClassSpec> classes;
  std::vector<AttachmentSpec> attachments;
};

// At most 7 nodes and 14 pods, all of namespace "ns"; half of them have volumes.
FilterWorld RandomFilterWorld(Rng& rng);

// As JSON, the way a client would write it.
std::string JsonOf(const FilterPod& pod);
std::string JsonOf(const FilterNode& node);
std::string JsonOf(const CsiNodeSpec& node);
std::string JsonOf(const FilterVolume& volume);
std::string JsonOf(const FilterClaim& claim);
std::string JsonOf(const ClassSpec& storage_class);
std::string JsonOf(const AttachmentSpec& attachment);

// What the daemon makes of the objects, which come in an order shuffled by `order`; 0: as they are
// listed. Throws std::runtime_error when one is refused.
std::shared_ptr<const model::Snapshot> SnapshotOf(const FilterWorld& world, uint64_t order);

}  // namespace bth::test
