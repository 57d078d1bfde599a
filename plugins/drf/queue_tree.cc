#include "plugins/drf/queue_tree.h"

#include <algorithm>
#include <tuple>

#include "base/changed_rows.h"

namespace bth::plugins::drf {

using algo::HdrfTree;
using model::JobFacts;
using model::JobId;
using model::QueueId;
using model::QueueRow;
using model::ResourceVec;
using model::Snapshot;

namespace {

bool IsSameJob(const JobFacts& a, const JobFacts& b) {
  return &a == &b ||
         std::tie(a.created_us, a.uid, a.ns, a.name) == std::tie(b.created_us, b.uid, b.ns, b.name);
}

bool HasSamePath(const QueueRow& a, const QueueRow& b) {
  return a.hierarchy == b.hierarchy && a.hierarchy_weights == b.hierarchy_weights;
}

}  // namespace

void QueueTree::Open(const Snapshot& base) {
  constexpr size_t kUnusedElements = 64;
  bool anew = QueuesChanged(base) || !tree_ || tree_->has_contradictions() ||
              tree_->elements() > 2 * elements_at_build_ + kUnusedElements;
  if (branches_.size() < base.queues.size()) branches_.resize(base.queues.size());
  changes_.Advance(
      base, [&anew] { anew = true; },
      [&](JobId id, const algo::JobChanges::Job* before, const algo::JobChanges::Job* now) {
        if (!anew) Visit(base, id, before, now);
      });
  // Which weight holds follows from the age of all jobs.
  if (anew || tree_->has_contradictions()) return Rebuild(base);
  tree_->SetTotal(base.total);
  for (JobId id : moved_) {
    const model::JobCounts& counts = base.usage.jobs[id];
    if (IsKnown(id)) tree_->SetJob(leaves_[id], counts.allocated, counts.request);
  }
  moved_.clear();
}

// Of queues with jobs; the others forget their path.
bool QueueTree::QueuesChanged(const Snapshot& base) {
  const auto& now = base.queues;
  bool changed = false;
  const auto look = [&](size_t row) {
    const QueueId id = QueueId::FromIndex(row);
    if (!branches_.Contains(id) || branches_[id].path.empty()) return;
    if (now.Contains(id) && HasSamePath(queues_[id], now[id])) return;
    changed = changed || branches_[id].jobs > 0;
    branches_[id].path.clear();
  };
  ForChangedRows(now, queues_, look);
  for (size_t row = now.size(); row < queues_.size(); ++row) look(row);
  queues_ = now;
  return changed;
}

void QueueTree::Rebuild(const Snapshot& base) {
  ++rebuilds_;
  tree_.emplace(base.total);
  branches_.clear();
  branches_.resize(base.queues.size());
  leaves_.clear();
  moved_.clear();
  for (JobId id : *base.all_jobs) AddJob(base, id);
  elements_at_build_ = tree_->elements();
}

void QueueTree::AddJob(const Snapshot& base, JobId id) {
  const model::JobRow& row = base.jobs[id];
  Branch& branch = branches_[row.queue];
  if (branch.path.empty()) {
    const QueueRow& queue = base.queues[row.queue];
    branch.path = tree_->AddQueue(queue.hierarchy, queue.hierarchy_weights);
  }
  ++branch.jobs;
  const model::JobCounts& counts = base.usage.jobs[id];
  leaves_.EnsureContains(id);
  leaves_[id] = tree_->AddJob(branch.path, counts.allocated, counts.request, row.facts);
}

void QueueTree::RemoveJob(JobId id, QueueId queue) {
  tree_->RemoveJob(leaves_[id]);
  leaves_[id] = kNone;
  --branches_[queue].jobs;
}

void QueueTree::Visit(const Snapshot& base, JobId id, const algo::JobChanges::Job* before,
                      const algo::JobChanges::Job* now) {
  const bool stays = before != nullptr && now != nullptr && before->row.queue == now->row.queue &&
                     IsSameJob(*before->row.facts, *now->row.facts);
  if (stays) {
    tree_->SetJob(leaves_[id], now->counts.allocated, now->counts.request);
    return;
  }
  if (before != nullptr) RemoveJob(id, before->row.queue);
  if (now != nullptr) AddJob(base, id);
}

const HdrfTree::Path& QueueTree::PathOf(QueueId queue) const {
  static const auto* const kNowhere = new HdrfTree::Path();
  const Branch& branch = branches_[queue];
  return branch.jobs == 0 ? *kNowhere : branch.path;
}

void QueueTree::Change(JobId job, const ResourceVec& by) {
  if (!IsKnown(job)) return;
  tree_->Change(leaves_[job], by);
  moved_.push_back(job);
}

int QueueTree::Order(QueueId left, QueueId right) {
  if (const int order = Compare(left, right); order != 0) return order;
  const size_t left_length = PathOf(left).size();
  const size_t right_length = PathOf(right).size();
  return static_cast<int>(left_length > right_length) -
         static_cast<int>(left_length < right_length);
}

}  // namespace bth::plugins::drf
