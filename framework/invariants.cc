#include "framework/invariants.h"

#include "absl/strings/str_cat.h"
#include "base/strings.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::NodeId;
using model::QueueId;
using model::ResourceVec;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

// Nodes that got a task in this session must hold what is on them.
void CheckNodes(const Session& session, std::vector<Violation>* out) {
  IdVector<NodeId, uint8_t> seen(session.base().nodes.size(), 0);
  for (NodeId node : session.node_changes()) {
    if (seen[node] != 0) continue;
    seen[node] = 1;
    const ResourceVec& now = session.usage().idle[node];
    const ResourceVec& before = session.base().usage.idle[node];
    for (int d = 0; d < session.dims().size(); ++d) {
      // Others may have overcommitted the node; what we took must have been there.
      if (now[d] >= 0 || now[d] >= before[d]) continue;
      out->push_back({.invariant = "node_over_allocatable",
                      .detail = absl::StrCat("node ", session.node(node).name, " lacks ", -now[d],
                                             " of ", ToAbsl(session.dims().name(d))),
                      .node = node,
                      .queue = QueueId()});
      break;
    }
  }
}

// Recounts every job from its task states.
void CheckSums(const Session& session, std::vector<Violation>* out) {
  const model::Snapshot& base = session.base();
  for (JobId job : session.touched_jobs()) {
    const model::JobRow& row = session.job(job);
    if (row.facts == nullptr) continue;
    model::StatusCounts counts{};
    ResourceVec allocated;
    for (TaskId task : *row.tasks) {
      const TaskState& state = session.state(task);
      ++counts[static_cast<size_t>(state.status)];
      if (model::InGroup(state.status, model::kAllocatedGroup)) {
        allocated += base.shapes[base.tasks[task].shape].request;
      }
    }
    if (counts == session.counts(job).by_status && allocated == session.counts(job).allocated) {
      continue;
    }
    out->push_back(
        {.invariant = "job_sums",
         .detail = absl::StrCat("job ", row.facts->Key(), ": sums differ from its task states"),
         .node = NodeId(),
         .queue = row.queue});
  }
}

// A job of which tasks were committed in this session must be ready.
void CheckGangs(const Session& session, std::vector<Violation>* out) {
  for (JobId job : session.touched_jobs()) {
    const model::JobRow& row = session.job(job);
    if (row.facts == nullptr || !row.has_pod_group) continue;
    const int32_t bound_here = session.counts(job).count(TaskStatus::kBinding) -
                               session.base().usage.jobs[job].count(TaskStatus::kBinding);
    if (bound_here <= 0 || session.JobReady(job)) continue;
    out->push_back({.invariant = "gang_in_part",
                    .detail = absl::StrCat("job ", row.facts->Key(), ": ", bound_here,
                                           " tasks are bound below the gang's minimum"),
                    .node = NodeId(),
                    .queue = row.queue});
  }
}

}  // namespace

std::vector<Violation> CheckInvariants(const Session& session) {
  std::vector<Violation> out;
  CheckNodes(session, &out);
  CheckSums(session, &out);
  CheckGangs(session, &out);
  return out;
}

}  // namespace bth::framework
