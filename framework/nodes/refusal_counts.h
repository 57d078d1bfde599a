// How many nodes refuse a task, and why.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "api/model/ids.h"
#include "base/ids.h"
#include "framework/nodes/node_follower.h"
#include "framework/nodes/node_judge.h"
#include "framework/report/fit_report.h"
#include "framework/report/reasons.h"

namespace bth::framework {

class RefusalCounts {
 public:
  // What so many nodes say; no reasons: they take it.
  void Add(absl::Span<const ReasonId> reasons, int32_t nodes = 1);
  // By id; those with the same text are one to whoever reads it.
  void WriteTo(const ReasonTable& table, TaskFit* fit) const;

 private:
  std::vector<int32_t> nodes_of_reason_;
  int32_t refused_ = 0;
};

// The same over all ready nodes for one kind of task, kept up to date: nodes are asked again once
// they changed. Lives for one session. Thread: scheduling.
class KindRefusals {
 public:
  // For the kind of `task`.
  KindRefusals(const Session& session, const NodeJudge& judge, model::TaskId task,
               bool check_resources);

  bool checks_resources() const { return checks_resources_; }
  // Asks for a task of the kind that no filter concerns, as things stand, that looks beyond single
  // nodes; one that was asked for before may have come to be concerned. Cost: the changed nodes x
  // filters, and one look at each change.
  void CatchUp(model::TaskId task);
  // As of the last call of CatchUp. Cost: the answers that differ.
  RefusalCounts Count() const;

 private:
  // Nodes that answer alike.
  struct Answer {
    std::vector<ReasonId> reasons;
    int32_t nodes = 0;
  };
  // By position in `answers_`; the first is of those that take the task, or were not asked.
  using AnswerId = uint32_t;

  void Ask(model::TaskId task, model::NodeId node);

  const NodeJudge& judge_;
  const bool checks_resources_;
  const AskedRoom asked_;
  NodeFollower follower_;
  std::vector<Answer> answers_;
  absl::flat_hash_map<std::vector<ReasonId>, AnswerId> answer_ids_;
  IdVector<model::NodeId, AnswerId> answer_of_;
  std::vector<ReasonId> reasons_;  // Of the node that is asked.
};

}  // namespace bth::framework
