// Whether a node takes a task, apart from who stands there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "api/model/ids.h"
#include "framework/nodes/node_evaluator.h"
#include "framework/nodes/static_fit.h"
#include "framework/session/session.h"

namespace bth::actions::eviction {

// Asks the filters and scores of the session for evicting actions, which look at nodes one by one
// and in the order of their scores. Lives for one run of an action. Thread: scheduling.
class NodeFit {
 public:
  explicit NodeFit(framework::Session& session) : session_(session), evaluator_(session) {}

  // False when something holds the task off all nodes.
  bool MayGoAnywhere(model::TaskId task) const;
  // The node passes the filters that evictions do not change.
  bool PassesStatic(model::TaskId task, model::NodeId node) const;
  // What a filter says that refuses the node whoever leaves it; kFits: none does.
  framework::ReasonId BeyondHelp(model::TaskId task, model::NodeId node) const;

  enum class Rule : uint8_t { kNone, kRoom, kQueue, kFilter };
  struct Objection {
    Rule rule = Rule::kNone;
    framework::ReasonId reason = framework::kFits;  // Of a filter.
  };
  // What speaks first against the task on the node, as things stand: no room, present or being
  // left; the queue may not allocate it; a filter. For nodes that pass the static ones.
  Objection Against(model::TaskId task, model::NodeId node) const;
  bool MayTake(model::TaskId task, model::NodeId node) const {
    return Against(task, node).rule == Rule::kNone;
  }
  // Empty, and whatever else holds, the node would have room for the task.
  bool WouldHold(model::TaskId task, model::NodeId node) const {
    return session_.request(task).FitsIn(session_.base().allocatable[node]);
  }

  // Some node passes the static filters and would hold it. Cost: once for each shape, the nodes.
  bool FitsSomeEmptyNode(model::TaskId task);

  // The best node that takes the task without evictions: where it is nominated, where it fits now,
  // where it will fit. Invalid: none.
  model::NodeId BestFree(model::TaskId task);
  // The same among the nodes `inside`, whether the task is nominated or not.
  model::NodeId BestIn(model::TaskId task, absl::FunctionRef<bool(model::NodeId)> inside);

  struct Scored {
    model::NodeId node;
    double score = 0;
    uint32_t rank = 0;  // By name.
  };
  // Nodes that pass the static filters and `wanted`, in the order of their names; scored if asked.
  std::vector<Scored> Nodes(model::TaskId task, bool scored,
                            absl::FunctionRef<bool(model::NodeId)> wanted);

 private:
  std::shared_ptr<const framework::StaticFit> StaticOf(model::TaskId task) const;
  std::vector<model::NodeId> Feasible(model::TaskId task, framework::Room room) const;
  // Of the raw static scores, for those that are normalised.
  std::vector<int64_t> MaximaOver(model::TaskId task,
                                  const std::vector<model::NodeId>& nodes) const;
  void Score(model::TaskId task, const std::vector<int64_t>& maxima, std::vector<Scored>& nodes);

  framework::Session& session_;
  framework::NodeEvaluator evaluator_;
  absl::flat_hash_map<model::ShapeId, bool> fits_empty_;
};

// Better score first, then the name.
bool ComesFirst(const NodeFit::Scored& a, const NodeFit::Scored& b);

}  // namespace bth::actions::eviction
