// What nodes hold of what they have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "cli/print/table.h"
#include "cli/print/terminal.h"
#include "client/known_objects.h"

namespace bth::cli {

struct NodeLoad {
  std::string name;
  bool is_ready = false;
  bool is_schedulable = true;
  types::ResourceList allocatable;
  types::ResourceList requested;  // By the pods on it that have not ended.
  int64_t pods = 0;
  int64_t jobs = 0;  // Of which there are pods on it.
};

// Nodes and the pods on them, as they change. Of a pod its node, its requests and its job are
// kept; pods that have no node, or have ended, are not kept. Thread: one.
class NodeLoads final {
 public:
  void Put(const types::Node& node);
  void RemoveNode(const std::string& name);
  void Put(const types::Pod& pod);
  void RemovePod(const client::ObjectKey& key);

  // By name.
  std::vector<NodeLoad> Loads() const;

 private:
  struct PodRecord {
    std::string node;
    std::string job;  // "namespace/name"; empty: none.
    types::ResourceList requests;
  };
  absl::flat_hash_map<std::string, NodeLoad> nodes_;  // Without what pods make of them.
  absl::flat_hash_map<std::string, PodRecord> pods_;  // By "namespace/name".
};

// A row for each node: with bars on a terminal, with percentages elsewhere.
Table NodesTable(const std::vector<NodeLoad>& loads, const Terminal& terminal);

}  // namespace bth::cli
