#include "plugins/drf/job_shares.h"

namespace bth::plugins::drf {

using model::JobId;
using model::ResourceVec;

void JobShares::Open(const model::Snapshot& base) {
  base_ = &base;
  ++session_;
  changes_.clear();
  changed_.clear();
}

JobShares::Row& JobShares::RowOf(JobId job) {
  rows_.EnsureContains(job);
  Row& row = rows_[job];
  if (row.session != session_) row = {.session = session_};
  return row;
}

double JobShares::ShareOf(JobId job) {
  double& share = RowOf(job).share;
  if (share == kUnknown) share = algo::DominantShare(AllocatedOf(job), base_->total);
  return share;
}

ResourceVec JobShares::AllocatedOf(JobId job) const {
  const ResourceVec& allocated = base_->usage.jobs[job].allocated;
  if (!rows_.Contains(job) || rows_[job].session != session_) return allocated;
  const int32_t at = rows_[job].change_at;
  return at < 0 ? allocated : allocated + changes_[static_cast<size_t>(at)];
}

void JobShares::Add(JobId job, const ResourceVec& amount) {
  ChangeOf(job) += amount;
}
void JobShares::Remove(JobId job, const ResourceVec& amount) {
  ChangeOf(job) -= amount;
}

ResourceVec& JobShares::ChangeOf(JobId job) {
  Row& row = RowOf(job);
  row.share = kUnknown;
  if (row.change_at < 0) {
    row.change_at = static_cast<int32_t>(changes_.size());
    changes_.emplace_back();
    changed_.push_back(job);
  }
  return changes_[static_cast<size_t>(row.change_at)];
}

}  // namespace bth::plugins::drf
