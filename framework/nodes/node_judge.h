// What a single node says to a task: whether it takes it, and if not, why.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::framework {

// What a task asks for, in the order in which it is said to be missing: cpu, memory, pods, then by
// name, since the numbers of other dimensions depend on who asked first.
struct AskedRoom {
  std::array<uint8_t, model::kDims> dims = {};
  size_t count = 0;
};

// By the rows of the session, as things stand. Lives for one session. Thread: scheduling.
class NodeJudge {
 public:
  explicit NodeJudge(Session& session);

  // The reason that holds the task off all nodes, or kFits.
  ReasonId HoldsOff(model::TaskId task) const;
  // The node is there and passes the filters that no placement or eviction changes.
  bool PassesStatic(model::TaskId task, model::NodeId node) const;
  // What a filter says that refuses the node whoever leaves it; kFits: none does.
  ReasonId BeyondHelp(model::TaskId task, model::NodeId node) const;
  // Empty, and whatever else holds, the node would have room for the task.
  bool WouldHold(model::TaskId task, model::NodeId node) const {
    return session_.request(task).FitsIn(session_.base().allocatable[node]);
  }

  enum class Rule : uint8_t { kNone, kRoom, kQueue, kFilter };
  struct Objection {
    Rule rule = Rule::kNone;
    ReasonId reason = kFits;  // Of a filter.
  };
  // What speaks first against the task on the node: no room, present or being left; the queue may
  // not allocate it; a filter. For nodes that pass the static ones.
  Objection Against(model::TaskId task, model::NodeId node) const;
  bool MayTake(model::TaskId task, model::NodeId node) const {
    return Against(task, node).rule == Rule::kNone;
  }

  // The node, which takes the task, has the room now and not only when releasing pods have left.
  bool HasRoomNow(model::TaskId task, model::NodeId node) const;

  // All reasons of the node, in hook order; empty when it takes the task, now or when releasing
  // pods have left. The queue is not asked.
  void CollectReasons(model::TaskId task, model::NodeId node, bool check_resources,
                      std::vector<ReasonId>* out) const;
  // The same for many nodes; room that is not asked for is not looked at.
  AskedRoom RoomAskedBy(model::TaskId task) const;
  void CollectReasons(model::TaskId task, model::NodeId node, const AskedRoom& asked,
                      std::vector<ReasonId>* out) const;
  // As far as all tasks of its kind go: whatever filters say that tell such apart, by labels or
  // device claims. Others of the kind may be refused, but none is taken where this one is not.
  bool MayTakeKindOf(model::TaskId task, model::NodeId node) const;
  // What the filters say that go by the task's device claims.
  bool HasDevicesFor(model::TaskId task, model::NodeId node) const;

 private:
  ReasonId MissingOf(const model::ResourceVec& request, const AskedRoom& asked,
                     model::NodeId node) const;

  Session& session_;
  std::vector<ReasonId> missing_;  // "Insufficient <name>", by dimension.
};

}  // namespace bth::framework
