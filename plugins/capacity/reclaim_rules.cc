#include "plugins/capacity/reclaim_rules.h"

#include <algorithm>

#include "algo/resource_algebra.h"
#include "plugins/job_queue.h"

namespace bth::plugins::capacity {

using model::DimMask;
using model::QueueId;
using model::ResourceVec;
using model::TaskId;

ReclaimRules::ReclaimRules(const framework::Session& session, const QueueLedger& ledger,
                           int64_t levels)
    : session_(session), ledger_(ledger), levels_(ledger.hierarchy() ? levels : 0) {
  running_.resize(session.base().queues.size());
  is_running_.resize(session.base().queues.size(), 0);
}

QueueId ReclaimRules::AncestorBelowRoot(QueueId queue, int64_t level) const {
  const QueueId ancestor = ledger_.tree().Above(queue, static_cast<int32_t>(level));
  return ancestor == ledger_.tree().root() ? QueueId() : ancestor;
}

bool ReclaimRules::MayDemand(QueueId queue, const ResourceVec& asked) const {
  const DimMask dims = algo::AskedDims(asked);
  const ResourceVec future = ledger_[queue].allocated + asked;
  if (algo::DimsOver(future, ledger_.quota(queue).real_capability.v, dims) != 0) return false;
  if (algo::DimsWithin(future, ledger_.quota(queue).deserved.v, dims) != 0) return true;
  for (int64_t level = 1; level <= levels_; ++level) {
    const QueueId ancestor = AncestorBelowRoot(queue, level);
    if (!ancestor.valid()) break;
    const ResourceVec held = ledger_[ancestor].allocated + asked;
    if (algo::DimsWithin(held, ledger_.quota(ancestor).deserved.v, dims) != 0) return true;
  }
  return false;
}

ResourceVec& ReclaimRules::Running(QueueId queue) {
  if (is_running_[queue] == 0) {
    is_running_[queue] = 1;
    running_[queue] = ledger_[queue].allocated;
    running_queues_.push_back(queue);
  }
  return running_[queue];
}

void ReclaimRules::Forget() {
  for (QueueId queue : running_queues_) is_running_[queue] = 0;
  running_queues_.clear();
}

bool ReclaimRules::KeepsGuarantee(const Party& victim) {
  const ResourceVec left = Running(victim.queue) - victim.request;
  return ledger_.quota(victim.queue).guarantee.v.AllAtMost(left);
}

// In some dimension that the victim holds and the queue's deserved amount names.
bool ReclaimRules::IsBeyondDeserved(QueueId queue, const ResourceVec& request) {
  const model::ResourceSet& deserved = ledger_.quota(queue).deserved;
  return algo::DimsOver(Running(queue), deserved.v, algo::RelevantDims(request, deserved)) != 0;
}

bool ReclaimRules::LeafGives(const Party& reclaimer, const Party& victim) {
  const ResourceVec& deserved = ledger_.quota(victim.queue).deserved.v;
  if ((victim.request.Positive() & deserved.Positive()) != 0) {
    return IsBeyondDeserved(victim.queue, victim.request);
  }
  // What nobody deserves goes at once, but not from one such queue to another of the same branch.
  const bool deserves_none =
      (reclaimer.request.Positive() & ledger_.quota(reclaimer.queue).deserved.v.Positive()) == 0;
  return !(levels_ > 0 && deserves_none && ShareAncestor(reclaimer.queue, victim.queue));
}

bool ReclaimRules::ShareAncestor(QueueId left, QueueId right) const {
  for (int64_t i = 1; i <= levels_; ++i) {
    const QueueId ancestor = AncestorBelowRoot(left, i);
    if (!ancestor.valid()) return false;
    for (int64_t j = 1; j <= levels_; ++j) {
      const QueueId other = AncestorBelowRoot(right, j);
      if (!other.valid()) break;
      if (other == ancestor) return true;
    }
  }
  return false;
}

bool ReclaimRules::AncestorsGive(const Party& reclaimer, const Party& victim) {
  examined_.clear();
  for (int64_t level = 1; level <= levels_; ++level) {
    const QueueId ancestor = AncestorBelowRoot(victim.queue, level);
    if (!ancestor.valid()) break;
    if (AncestorBelowRoot(reclaimer.queue, level) == ancestor) continue;
    examined_.push_back(ancestor);
    const ResourceVec& deserved = ledger_.quota(ancestor).deserved.v;
    if ((victim.request.Positive() & deserved.Positive()) == 0) continue;
    if (!IsBeyondDeserved(ancestor, victim.request)) return false;
  }
  return true;
}

std::vector<TaskId> ReclaimRules::Victims(TaskId reclaimer, absl::Span<const TaskId> candidates) {
  const Party evictor{QueueOf(session_, reclaimer), session_.request(reclaimer)};
  const DimMask wanted = algo::AskedDims(evictor.request);
  std::vector<TaskId> victims;
  for (TaskId candidate : candidates) {
    const Party victim{QueueOf(session_, candidate), session_.request(candidate)};
    if (!IsGiver(victim.queue) || (algo::AskedDims(victim.request) & wanted) == 0) continue;
    if (!KeepsGuarantee(victim) || !LeafGives(evictor, victim)) continue;
    if (!AncestorsGive(evictor, victim)) continue;
    Running(victim.queue) -= victim.request;
    for (QueueId ancestor : examined_) Running(ancestor) -= victim.request;
    victims.push_back(candidate);
  }
  Forget();
  return victims;
}

// By what the queue itself deserves. Whoever asks for nothing of that may go at any time.
bool ReclaimRules::MayGive(const framework::QueueHolding& holding) const {
  if (!IsGiver(holding.queue)) return false;
  if (!ledger_.TakesJobs(holding.queue)) return true;
  const model::ResourceSet& deserved = ledger_.quota(holding.queue).deserved;
  if ((holding.asked & deserved.v.Positive()) == 0) return true;
  const ResourceVec held = ledger_[holding.queue].allocated + holding.more;
  return algo::DimsOver(held, deserved.v, algo::RelevantDims(framework::EndlessRoom(), deserved)) !=
         0;
}

std::vector<TaskId> ReclaimRules::VictimsForAnybody(absl::Span<const TaskId> candidates) {
  std::vector<TaskId> victims;
  for (TaskId candidate : candidates) {
    const Party victim{QueueOf(session_, candidate), session_.request(candidate)};
    if (!IsGiver(victim.queue) || !KeepsGuarantee(victim)) continue;
    const ResourceVec& deserved = ledger_.quota(victim.queue).deserved.v;
    const bool at_once = (victim.request.Positive() & deserved.Positive()) == 0;
    if (!at_once && !IsBeyondDeserved(victim.queue, victim.request)) continue;
    Running(victim.queue) -= victim.request;
    victims.push_back(candidate);
  }
  Forget();
  return victims;
}

}  // namespace bth::plugins::capacity
