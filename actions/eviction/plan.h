// Evictions and the tasks that are pipelined to the room they make, as one what-if.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "framework/session/session.h"
#include "framework/session/statement.h"

namespace bth::actions::eviction {

// Each eviction names the task it is for, and comes before that task is pipelined.
// Everything is done on the session itself; what is not committed is undone. Thread: scheduling.
class Plan {
 public:
  struct Mark {
    size_t steps = 0;
  };
  // Whether `task` may be pipelined to `node`, as things stand.
  using MayTake = absl::FunctionRef<bool(model::TaskId, model::NodeId)>;

  // `action` must outlive the plan.
  Plan(framework::Session& session, std::string_view action)
      : session_(session), statement_(session, action) {}

  void Evict(model::TaskId victim, model::TaskId beneficiary);
  // The pod is nominated for the node when room was made for it there.
  void Pipeline(model::TaskId task, model::NodeId node);

  Mark Checkpoint() const { return {steps_.size()}; }
  void RollbackTo(Mark mark);
  // Takes back, the last first, each eviction since `mark` without which all tasks can still be
  // pipelined once the other evictions are. Afterwards none of them can be left out alone. Cost:
  // steps since `mark`, for each eviction whose room is not plainly needed; at most kRedoneStepsMax
  // in a plan.
  void Spare(Mark mark, MayTake may_take);

  // The victims since `mark`, in the order of their evictions.
  std::vector<model::TaskId> VictimsSince(Mark mark) const;
  bool empty() const { return steps_.empty(); }
  bool HasEvictions() const;
  size_t pipelined() const;
  // For whom the plan is first; invalid when it is empty.
  model::TaskId FirstServed() const;

  // Hands the evictions over and leaves the pipelined tasks in the session. If somebody is evicted,
  // all pods of the plan are nominated for their nodes. When the sink refuses, all is undone.
  absl::Status Commit();

 private:
  static constexpr size_t kRedoneStepsMax = 1'000'000;  // About half a second.

  struct Step {
    model::TaskId task;         // Victim, or who is pipelined.
    model::TaskId beneficiary;  // Of an eviction; else invalid.
    model::NodeId node;
    bool is_eviction() const { return beneficiary.valid(); }
  };

  // What pipelined tasks asked for, by node.
  using AskedByNode = absl::flat_hash_map<model::NodeId, model::DimMask>;
  AskedByNode AskedSince(Mark mark) const;
  bool RoomIsNeeded(const Step& eviction, const AskedByNode& asked) const;
  // The order in which Spare tries: all evictions, then all pipelined tasks.
  void PutEvictionsFirst(Mark mark);
  bool RedoWithout(size_t eviction, MayTake may_take);
  void Redo(const Step& step, bool room_was_made);

  framework::Session& session_;
  framework::Statement statement_;
  std::vector<Step> steps_;  // One for each record of the statement.
  size_t redone_steps_ = 0;
};

}  // namespace bth::actions::eviction
