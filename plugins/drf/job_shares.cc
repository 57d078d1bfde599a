#include "plugins/drf/job_shares.h"

namespace bth::plugins::drf {

using model::JobId;
using model::ResourceVec;

void JobShares::Open(const model::Snapshot& base) {
  base_ = &base;
  shares_.assign(base.jobs.size(), kUnknown);
  change_at_.assign(base.jobs.size(), -1);
  changes_.clear();
  changed_.clear();
}

double JobShares::ShareOf(JobId job) {
  double& share = shares_[job];
  if (share == kUnknown) {
    const int32_t at = change_at_[job];
    share = at < 0 ? algo::DominantShare(base_->usage.jobs[job].allocated, base_->total)
                   : algo::DominantShare(AllocatedOf(job), base_->total);
  }
  return share;
}

ResourceVec JobShares::AllocatedOf(JobId job) const {
  const ResourceVec& allocated = base_->usage.jobs[job].allocated;
  const int32_t at = change_at_[job];
  return at < 0 ? allocated : allocated + changes_[static_cast<size_t>(at)];
}

void JobShares::Add(JobId job, const ResourceVec& amount) {
  ChangeOf(job) += amount;
}
void JobShares::Remove(JobId job, const ResourceVec& amount) {
  ChangeOf(job) -= amount;
}

ResourceVec& JobShares::ChangeOf(JobId job) {
  shares_[job] = kUnknown;
  int32_t& at = change_at_[job];
  if (at < 0) {
    at = static_cast<int32_t>(changes_.size());
    changes_.emplace_back();
    changed_.push_back(job);
  }
  return changes_[static_cast<size_t>(at)];
}

}  // namespace bth::plugins::drf
