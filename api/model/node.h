// Nodes as the scheduler sees them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/model/devices.h"
#include "api/model/numa.h"
#include "api/model/resource_vec.h"
#include "base/interner.h"

namespace bth::model {

enum class TaintEffect : uint8_t { kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  Symbol key;
  Symbol value;
  TaintEffect effect = TaintEffect::kNoSchedule;
};

struct NodeLabel {
  Symbol key;
  Symbol value;
  std::optional<int64_t> number;  // When the value is a decimal int64, for Gt and Lt.
};

// A host port some pod holds or wants. `ip` is empty for all addresses.
struct HostPort {
  uint8_t protocol = 0;  // 0 TCP, 1 UDP, 2 SCTP.
  int32_t port = 0;
  std::string ip;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};

// What is constant about a node between two updates of its object. Immutable once published.
struct NodeFacts {
  std::string name;
  Symbol name_symbol;
  std::vector<NodeLabel> labels;  // By key symbol.
  std::vector<Taint> taints;      // In the order of the object.
  bool unschedulable = false;
  std::string revocable_zone;      // Label volcano.sh/revocable-zone.
  std::string node_group;          // Label volcano.sh/nodegroup-name.
  ResourceVec kube_allocatable;    // Without oversubscription: what kube-scheduler's scores use.
  int64_t capacity_cpu_milli = 0;  // Of status.capacity.
  int64_t capacity_memory_bytes = 0;
  std::vector<std::pair<Symbol, int64_t>> images;  // Image name, size in bytes; by symbol.
  std::shared_ptr<const std::string> document;     // As JSON; null unless a plugin needs it.
  SharedSymbols symbols;                           // Of all of them but the name.
  std::shared_ptr<const NodeDevices> devices;      // Null: none that are shared.

  const NodeLabel* FindLabel(Symbol key) const;
};

// Requested cpu (milli) and memory (bytes) with the defaults that kube-scheduler's scores put in
// for containers without requests; of every pod in the node, pipelined ones included.
struct NonZeroRequest {
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  friend bool operator==(const NonZeroRequest&, const NonZeroRequest&) = default;
};

// How a scheduler that shares the cluster with others keeps to its shard of the nodes.
enum class ShardMode : uint8_t {
  kNone,  // There are no shards.
  kHard,  // It uses nodes of its shard only;
  kSoft,  // these first.
};

struct NodeRow {
  std::shared_ptr<const NodeFacts> facts;  // Null: the slot is free, or no Node object is known.
  std::shared_ptr<const std::vector<HostPort>> ports;  // Held by pods on it; null = none.
  std::shared_ptr<const NodeNuma> numa;  // Null: nothing is known of how its CPUs lie.
  std::shared_ptr<const DeviceHolders> device_holders;  // Pods on it; null = none.
  uint32_t name_rank = 0;      // Position among all names: the last word on ties between nodes.
  bool outside_shard = false;  // Of the scheduler's; never without shards.

  bool has_object() const { return facts != nullptr; }
};

}  // namespace bth::model
