#include "framework/report/queue_use.h"

#include <algorithm>
#include <utility>

#include "framework/session/session.h"

namespace bth::framework {

using algo::JobChanges;
using model::JobId;
using model::QueueId;
using model::ResourceVec;

void QueueUse::Advance(const Session& session) {
  devices_.Advance(session);
  const model::Snapshot& base = session.base();
  changes_.Advance(
      base, [this] { at_open_.clear(); },
      [this](JobId, const JobChanges::Job* before, const JobChanges::Job* now) {
        if (before != nullptr) at_open_[before->row.queue] -= before->counts.allocated;
        if (now == nullptr) return;
        at_open_.EnsureContains(now->row.queue);
        at_open_[now->row.queue] += now->counts.allocated;
      });
  at_open_.resize(std::max(at_open_.size(), base.queues.size()));
  if (!tree_.Follow(base)) return;
  findings_ = algo::FindAmountFaults(base);
  for (algo::QueueFinding& finding : algo::FindParentFaults(base, tree_)) {
    findings_.push_back(std::move(finding));
  }
}

IdVector<QueueId, ResourceVec> QueueUse::Allocated(const Session& session) const {
  IdVector<QueueId, ResourceVec> allocated = at_open_;
  for (JobId job : session.touched_jobs()) {
    const model::JobRow& row = session.job(job);
    if (!algo::TakesPart(row)) continue;
    allocated[row.queue] += session.counts(job).allocated;
    allocated[row.queue] -= session.base().usage.jobs[job].allocated;
  }
  if (!tree_.root().valid()) return allocated;
  const std::vector<QueueId>& queues = tree_.top_down();
  for (auto queue = queues.rbegin(); queue != queues.rend(); ++queue) {
    const QueueId parent = tree_[*queue].parent;
    if (parent.valid()) allocated[parent] += allocated[*queue];
  }
  return allocated;
}

}  // namespace bth::framework
