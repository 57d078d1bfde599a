#include "plugins/proportion/queue_ledger.h"

#include "algo/queue_quotas.h"

namespace bth::plugins::proportion {

using model::QueueId;
using model::ResourceVec;

void QueueLedger::Open(const model::Snapshot& base) {
  if (sums_.Follow(base)) divided_claims_.clear();
  OpenAccounts(base);
  Divide(base.total);
}

void QueueLedger::OpenAccounts(const model::Snapshot& base) {
  ResourceVec guaranteed;
  for (QueueId id : *base.queues_by_name) {
    guaranteed = algo::SaturatingSum(guaranteed, base.queues[id].guarantee.v);
  }
  accounts_.assign(base.queues.size(), Account());
  claimants_.clear();
  claims_.clear();
  for (QueueId id : *base.queues_by_name) {
    const algo::QueueSums& sums = sums_[id];
    if (sums.jobs == 0) continue;
    const model::QueueRow& queue = base.queues[id];
    Account& account = accounts_[id];
    account.has_jobs = true;
    account.real_capability =
        algo::RealCapability(base.total, guaranteed, queue.guarantee, queue.capability);
    account.request = sums.request;
    account.elastic = sums.elastic;
    account.allocated = sums.allocated;
    account.inqueue = sums.inqueue;
    claimants_.push_back(id);
    // Who is leaving is mostly replaced at once: were its queue to lose its claim meanwhile, others
    // would evict for a share that they do not keep.
    claims_.push_back({.weight = queue.weight,
                       .request = sums.request + sums.leaving,
                       .limit = account.real_capability,
                       .guarantee = queue.guarantee.v});
  }
}

void QueueLedger::Divide(const ResourceVec& total) {
  if (claims_ != divided_claims_ || total != divided_total_) {
    shares_ = algo::DivideFairly(total, claims_);
    divided_claims_ = claims_;
    divided_total_ = total;
  }
  for (size_t i = 0; i < claimants_.size(); ++i) {
    Account& account = accounts_[claimants_[i]];
    account.deserved = shares_.deserved[i];
    UpdateShare(account);
  }
}

void QueueLedger::UpdateShare(Account& account) {
  account.share = algo::DominantShare(account.allocated, account.deserved);
}

void QueueLedger::Place(QueueId queue, const ResourceVec& amount) {
  accounts_[queue].allocated += amount;
  UpdateShare(accounts_[queue]);
}

void QueueLedger::Remove(QueueId queue, const ResourceVec& amount) {
  accounts_[queue].allocated -= amount;
  UpdateShare(accounts_[queue]);
}

void QueueLedger::Enqueue(QueueId queue, const ResourceVec& amount) {
  accounts_[queue].inqueue += amount;
}

}  // namespace bth::plugins::proportion
