#include "plugins/capacity/queue_ledger.h"

namespace bth::plugins::capacity {

using model::QueueId;
using model::ResourceVec;

void QueueLedger::Open(const model::Snapshot& base, bool hierarchy) {
  sums_.Follow(base);
  FollowQueues(base, hierarchy);
  OpenAccounts(base);
  reserved_.clear();
}

void QueueLedger::FollowQueues(const model::Snapshot& base, bool hierarchy) {
  const bool queues_changed = tree_.Follow(base);
  if (!queues_changed && total_ == base.total && dims_ == base.dims && hierarchy_ == hierarchy) {
    return;
  }
  hierarchy_ = hierarchy;
  total_ = base.total;
  dims_ = base.dims;
  quotas_ = hierarchy ? algo::TreeQuotas(base, tree_) : algo::FlatQuotas(base);
  findings_.clear();
  if (hierarchy) findings_ = algo::FindTreeFaults(base, tree_);
}

void QueueLedger::OpenAccounts(const model::Snapshot& base) {
  accounts_.assign(base.queues.size(), Account());
  const auto add = [](const Account& from, Account* to) {
    to->jobs += from.jobs;
    to->request += from.request;
    to->elastic += from.elastic;
    to->allocated += from.allocated;
    to->inqueue += from.inqueue;
  };
  for (QueueId id : *base.queues_by_name) {
    const algo::QueueSums& sums = sums_[id];
    if (sums.jobs == 0) continue;
    Account& account = accounts_[id];
    account.jobs = sums.jobs;
    account.request = sums.request;
    account.elastic = sums.elastic;
    account.allocated = sums.allocated;
    account.inqueue = sums.inqueue;
  }
  if (hierarchy_) {
    const std::vector<QueueId>& queues = tree_.top_down();
    for (auto queue = queues.rbegin(); queue != queues.rend(); ++queue) {
      const QueueId parent = ParentOf(*queue);
      if (parent.valid()) add(accounts_[*queue], &accounts_[parent]);
    }
  }
  for (QueueId id : *base.queues_by_name) {
    Account& account = accounts_[id];
    account.inqueue_at_open = account.inqueue;
    account.share = algo::QuotaShare(quotas_[id], account.allocated);
  }
}

void QueueLedger::Place(QueueId queue, const ResourceVec& amount) {
  Upwards(queue, [&](QueueId id, Account& account) {
    account.allocated += amount;
    account.share = algo::QuotaShare(quotas_[id], account.allocated);
  });
}

void QueueLedger::Remove(QueueId queue, const ResourceVec& amount) {
  Upwards(queue, [&](QueueId id, Account& account) {
    account.allocated -= amount;
    account.share = algo::QuotaShare(quotas_[id], account.allocated);
  });
}

void QueueLedger::Enqueue(QueueId queue, const ResourceVec& amount) {
  Upwards(queue, [&](QueueId, Account& account) {
    account.inqueue = algo::SaturatingSum(account.inqueue, amount);
  });
}

void QueueLedger::Reserve(QueueId queue, model::TaskId task, const ResourceVec& amount) {
  if (!reserved_.insert(task).second) return;
  Upwards(queue, [&](QueueId, Account& account) { account.reserved += amount; });
}

void QueueLedger::Release(QueueId queue, model::TaskId task, const ResourceVec& amount) {
  if (reserved_.erase(task) == 0) return;
  Upwards(queue, [&](QueueId, Account& account) { account.reserved -= amount; });
}

}  // namespace bth::plugins::capacity
