// Chooses the node for a task: filters, scores, ties.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/ids.h"
#include "framework/candidate_index.h"
#include "framework/fit_report.h"
#include "framework/session.h"

namespace bth::framework {

// All nodes are considered. The best total score wins, ties go to the first node by name. Nodes
// with the room now go before nodes that will have it.
// Thread: scheduling; scans are spread over the session's workers in fixed blocks.
class NodePicker {
 public:
  explicit NodePicker(Session& session);
  ~NodePicker();

  // The choice for `task` as things stand, or none with its fit recorded in the session.
  NodeChoice Pick(model::TaskId task);
  // For tasks that ask for nothing: as Pick, without a resource check.
  NodeChoice PickForBestEffort(model::TaskId task);
  // The slow twin: looks at every node with no cache and no index. Same answer.
  NodeChoice PickSlowly(model::TaskId task) const;

  // Whether `node` can take `task` (future room counts), all filters asked.
  bool FitsOn(model::TaskId task, model::NodeId node) const;
  // Counts why every node refuses the task; cost: nodes x filters.
  std::shared_ptr<const TaskFit> Explain(model::TaskId task, bool check_resources = true) const;

  uint64_t scans() const { return scans_; }
  uint64_t index_builds() const { return index_builds_; }

 private:
  struct Scan;
  bool UsesIndex(model::ShapeId shape) const;
  NodeChoice PickByIndex(model::TaskId task);
  NodeChoice PickByScan(model::TaskId task, bool check_resources);
  NodeChoice PickNominated(model::TaskId task, bool check_resources) const;
  void CollectReasons(model::TaskId task, model::NodeId node, bool check_resources,
                      std::vector<ReasonId>* out) const;

  Session& session_;
  IdVector<model::ShapeId, int32_t> pending_of_shape_;
  absl::flat_hash_map<model::ShapeId, std::unique_ptr<CandidateIndex>> indexes_;
  std::vector<ReasonId> missing_;  // "Insufficient <name>" by dimension.
  uint64_t scans_ = 0;
  uint64_t index_builds_ = 0;
};

}  // namespace bth::framework
