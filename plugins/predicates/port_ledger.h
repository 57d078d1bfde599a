// Which host ports are held on which node as the session goes on.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/snapshot.h"

namespace bth::plugins::predicates {

// Starts from the snapshot and keeps a list of its own only for nodes on which a pod with ports
// was placed or evicted. Lives for one session. Thread: changes on the scheduling thread, reads on
// any while it waits.
class PortLedger {
 public:
  explicit PortLedger(const model::Snapshot& base) : base_(base) {}

  void Place(model::TaskId task, model::NodeId node);
  // Frees the ports that the task holds on `node`.
  void Remove(model::TaskId task, model::NodeId node);

  // True when one of `wanted` cannot be had on the node. Cost: wanted x held.
  bool Conflicts(const std::vector<model::HostPort>& wanted, model::NodeId node) const;

 private:
  const std::vector<model::HostPort>& PortsOf(model::TaskId task) const;
  const std::vector<model::HostPort>* Held(model::NodeId node) const;
  std::vector<model::HostPort>& Own(model::NodeId node);

  const model::Snapshot& base_;
  absl::flat_hash_map<model::NodeId, std::vector<model::HostPort>> changed_;
};

}  // namespace bth::plugins::predicates
