#include "framework/unschedulable/unschedulable_jobs.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "algo/queue_claims.h"
#include "api/model/device_claims.h"
#include "framework/nodes/node_picker.h"
#include "framework/nodes/static_fit.h"
#include "framework/report/figures.h"
#include "framework/topology/topology.h"
#include "framework/unschedulable/grown_domains.h"

namespace bth::framework {
namespace {

using model::HyperNodeId;
using model::JobId;
using model::NodeId;
using model::QueueId;
using model::TaskId;

// Nothing but what the jobs say of themselves differs between the two columns.
template <typename Column>
bool SameRows(const Column& now, const Column& before) {
  return now.size() == before.size() && now.NextDifferentChunk(before, 0) == now.chunk_count();
}

bool SomebodyWaits(const Session& session, const std::vector<JobId>& active) {
  return std::any_of(active.begin(), active.end(), [&session](JobId job) {
    return session.counts(job).count(model::TaskStatus::kPending) > 0;
  });
}

bool IsStrict(const Session& session, QueueId queue) {
  return session.queue(queue).KeepsStrictOrder();
}

// Others of a queue that keeps strict order may have to wait for it.
bool MayTakeTurn(const Session& session, JobId job) {
  const model::JobCounts& counts = session.counts(job);
  return session.IsPendingPhase(job) || counts.count(model::TaskStatus::kPending) > 0 ||
         counts.count(model::TaskStatus::kPipelined) > 0;
}

}  // namespace

const JobAnswer* UnschedulableJobs::AnswerOf(JobId job) const {
  if (!job.valid() || !kept_.Contains(job) || kept_[job] == 0) return nullptr;
  return &records_.at(job).answer;
}

void UnschedulableJobs::Open(Session& session) {
  if (!MayKeep(session)) {
    Clear();
  } else if (!records_.empty()) {
    queues_.Open(session);
    const bool any_use = Has(rules_.sources, AnswerSource::kNodeUse);
    const NodeRoomWatch::Changes changes = nodes_.Compare(session.base(), any_use);
    if (doubtful_) {
      for (JobId job : Helpable()) Activate(session, job);
    }
    ActivateChanged(session);
    ActivateByQueueRoom(session);
    ActivateByNodes(session, changes);
    ActivateBySize(session, changes.other);
    ActivateByDevices(session);
    ActivateForEvictions(session, changes);
    ActivateStrictQueues(session);
    ActivateByChoice(session);
  }
  last_ = nullptr;  // Until the session closes.
  session.SetActiveJobs(Active(*session.base().active_jobs),
                        Active(*session.base().jobs_without_queue));
}

// The last session and this snapshot differ by what the snapshot says changed, and by nothing that
// concerns every job.
bool UnschedulableJobs::MayKeep(const Session& session) const {
  if (Has(rules_.sources, AnswerSource::kAnything) || last_ == nullptr) return false;
  const model::Snapshot& base = session.base();
  if (base.changed_jobs == nullptr || base.generation != last_->generation + 1) return false;
  if (base.dims != last_->dims || base.loads != last_->loads || base.total != last_->total) {
    return false;
  }
  if (base.nodes_by_name != last_->nodes_by_name || base.hyper_nodes != last_->hyper_nodes) {
    return false;
  }
  if (base.queues_by_name != last_->queues_by_name || !SameRows(base.queues, last_->queues)) {
    return false;
  }
  if (Has(rules_.sources, AnswerSource::kQuotas) && base.quotas != last_->quotas) return false;
  return true;
}

bool UnschedulableJobs::IsDisturbed(const Session& session,
                                    const NodeRoomWatch::Changes& changes) const {
  const model::Snapshot& base = session.base();
  if (rules_.follows_clock || !SameRows(base.budgets, last_->budgets)) return true;
  const bool holds_room =
      std::any_of(base.changed_jobs->begin(), base.changed_jobs->end(), [&base](JobId job) {
        return base.usage.jobs.Contains(job) && base.usage.jobs[job].Count(model::kOnNodeGroup) > 0;
      });
  return holds_room || changes.any;
}

void UnschedulableJobs::ActivateForEvictions(Session& session,
                                             const NodeRoomWatch::Changes& changes) {
  if (!rules_.evicts || records_.empty()) return;
  const std::vector<JobId> active = Active(*session.base().active_jobs);
  if (!IsDisturbed(session, changes) && !SomebodyWaits(session, active) &&
      !queues_.AnyShareChanged()) {
    return;
  }
  const bool any = victim_waiters_.AnyVictim(session, active, /*when_more_is_placed=*/true);
  for (JobId job : any ? Helpable() : victim_waiters_.restless()) Activate(session, job);
}

std::vector<JobId> UnschedulableJobs::Helpable() const {
  std::vector<JobId> jobs;
  for (const auto& [job, record] : records_) {
    if (!record.refusal.beyond_any_node) jobs.push_back(job);
  }
  return jobs;
}

void UnschedulableJobs::ActivateChanged(const Session& session) {
  for (JobId job : *session.base().changed_jobs) {
    if (const auto turn = turns_.find(job); turn != turns_.end()) ActivateWhole(turn->second);
    Activate(session, job);
  }
}

void UnschedulableJobs::ActivateByQueueRoom(const Session& session) {
  std::vector<JobId> served;
  for (const auto& [queue, jobs] : by_queue_room_) {
    const QueueRoomWatch::Change change = queues_.ChangeOf(queue);
    if (!change.share_changed && !change.admission_grew) continue;
    for (JobId job : jobs) {
      if (MayBeServed(session, job, records_.at(job), change)) served.push_back(job);
    }
  }
  for (JobId job : served) Activate(session, job);
}

bool UnschedulableJobs::MayBeServed(const Session& session, JobId job, const Record& record,
                                    const QueueRoomWatch::Change& change) const {
  const Refusal& refusal = record.refusal;
  if (refusal.for_admission) {
    const auto lacks = algo::LacksOfMinimum({session.base(), session.usage(), job});
    return change.admission_grew && queues_.Admits(record.queue, lacks);
  }
  if (refusal.by_choice_of_tasks && change.share_changed) return true;
  if (!change.share_grew) return false;
  const auto fits = [&](TaskId task) {
    return queues_.Serves(record.queue, session.request(task));
  };
  return refusal.queue_overused ||
         std::any_of(refusal.beyond_share.begin(), refusal.beyond_share.end(), fits);
}

void UnschedulableJobs::ActivateByNodes(Session& session, const NodeRoomWatch::Changes& changes) {
  std::vector<JobId> served;
  if (changes.any) {
    for (JobId job : by_choice_) {
      if (records_.at(job).refusal.by_choice_of_nodes) served.push_back(job);
    }
  }
  std::vector<JobId> claimants;
  const NodeJudge& judge = session.picker().judge();
  for (const auto& [kind, jobs] : by_kind_) {
    const auto& kinds = records_.at(*jobs.begin()).refusal.kinds;
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&kind = kind](const auto& known) {
      return known.first == kind;
    });
    const bool taken = std::any_of(
        changes.grown.begin(), changes.grown.end(),
        [&, task = same->second](NodeId node) { return judge.MayTakeKindOf(task, node); });
    if (!taken) continue;
    for (JobId job : jobs) {
      const Refusal& refusal = records_.at(job).refusal;
      const bool one_search = !refusal.asks.empty() && !refusal.of_many_kinds;
      (one_search ? claimants : served).push_back(job);
    }
  }
  ServeClaimants(session, std::move(claimants), changes.grown, &served);
  for (JobId job : served) Activate(session, job);
  if (!by_domain_lack_.empty()) ActivateByDomains(session, changes.grown);
}

// A node that is another one now, or one that may be used, may be large enough for whom none was.
void UnschedulableJobs::ActivateBySize(const Session& session, const std::vector<NodeId>& other) {
  if (other.empty()) return;
  absl::flat_hash_map<model::ShapeId, bool> known;
  const auto fits = [&](const auto& kind) {
    const model::ShapeId shape = session.task(kind.second).shape;
    const auto [at, is_new] = known.try_emplace(shape, false);
    if (is_new) at->second = FitsSomeEmptyNode(session, shape, other);
    return at->second;
  };
  std::vector<JobId> served;
  for (JobId job : beyond_any_node_) {
    const auto& kinds = records_.at(job).refusal.kinds;
    if (std::any_of(kinds.begin(), kinds.end(), fits)) served.push_back(job);
  }
  for (JobId job : served) Activate(session, job);
}

// Claims are the tasks' own: one stands for those that ask for the same, if that is known. In the
// jobs' order: searches for devices use up what there is for all of a session.
void UnschedulableJobs::ServeClaimants(Session& session, std::vector<JobId> jobs,
                                       const std::vector<NodeId>& grown,
                                       std::vector<JobId>* served) const {
  std::sort(jobs.begin(), jobs.end());
  const NodeJudge& judge = session.picker().judge();
  absl::flat_hash_map<TaskKind, std::vector<NodeId>> open;  // To all of the kind.
  std::map<std::pair<TaskKind, std::vector<const model::DeviceAskId*>>, bool> taken;
  for (JobId job : jobs) {
    const Refusal& refusal = records_.at(job).refusal;
    const auto& [kind, task] = refusal.kinds.front();
    const auto [nodes, is_new_kind] = open.try_emplace(kind);
    if (is_new_kind) {
      std::copy_if(grown.begin(), grown.end(), std::back_inserter(nodes->second),
                   [&, one = task](NodeId node) { return judge.MayTakeKindOf(one, node); });
    }
    std::vector<const model::DeviceAskId*> asks;
    for (const auto& ask : refusal.asks) asks.push_back(ask.get());
    const auto [known, is_new] = taken.try_emplace({kind, std::move(asks)}, false);
    if (is_new) {
      known->second =
          std::any_of(nodes->second.begin(), nodes->second.end(),
                      [&, one = task](NodeId node) { return judge.HasDevicesFor(one, node); });
    }
    if (known->second) served->push_back(job);
  }
}

// Some HyperNode lacks nothing that is known, of a node that grew and takes a pod; or it lacked
// room of all its nodes together, be it where no pod goes.
void UnschedulableJobs::ActivateByDomains(Session& session, const std::vector<NodeId>& grown) {
  const model::HyperNodeTree& tree = session.topology().tree();
  const NodeJudge& judge = session.picker().judge();
  GrownDomains domains(session, nodes_.usage(), grown);
  std::vector<JobId> served;
  for (const auto& [lack, jobs] : by_domain_lack_) {
    const auto& kinds = records_.at(*jobs.begin()).refusal.kinds;
    const auto helps = [&, &lack = lack](NodeId node) {
      const bool taken = std::any_of(kinds.begin(), kinds.end(), [&](const auto& kind) {
        return judge.MayTakeKindOf(kind.second, node);
      });
      if (!taken) return false;
      const auto of = tree.Of(node);
      return std::any_of(of.begin(), of.end(),
                         [&](HyperNodeId id) { return MayHold(session, lack, id); });
    };
    if (std::any_of(grown.begin(), grown.end(), helps) || domains.Help(lack)) {
      served.insert(served.end(), jobs.begin(), jobs.end());
    }
  }
  for (JobId job : served) Activate(session, job);
}

void UnschedulableJobs::ActivateByDevices(const Session& session) {
  const model::DeviceClaimsView* now = session.base().device_claims.get();
  const model::DeviceClaimsView* before = last_->device_claims.get();
  if (now == before || (by_devices_.empty() && by_claim_.empty())) return;
  const bool follows =
      now != nullptr && before != nullptr && now->generation == before->generation + 1;
  std::vector<JobId> served;
  if (!follows || now->offers_more) served.assign(by_devices_.begin(), by_devices_.end());
  const auto serve = [&served](const Jobs& users) {
    served.insert(served.end(), users.begin(), users.end());
  };
  if (follows) {
    for (const std::string& claim : now->changed_claims) {
      if (const auto users = by_claim_.find(claim); users != by_claim_.end()) serve(users->second);
    }
  } else {
    for (const auto& [claim, users] : by_claim_) serve(users);
  }
  for (JobId job : served) Activate(session, job);
}

// Who is placed before them in this session changes what they choose from.
void UnschedulableJobs::ActivateByChoice(const Session& session) {
  if (by_choice_.empty() || !SomebodyWaits(session, Active(*session.base().active_jobs))) return;
  const std::vector<JobId> jobs(by_choice_.begin(), by_choice_.end());
  for (JobId job : jobs) Activate(session, job);
}

// Where somebody waits whom nobody refused yet, it may be the turn of others.
void UnschedulableJobs::ActivateStrictQueues(const Session& session) {
  absl::flat_hash_set<QueueId> begun;
  for (JobId job : *session.base().active_jobs) {
    if (kept_.Contains(job) && kept_[job] != 0) continue;
    const QueueId queue = session.job(job).queue;
    if (!IsStrict(session, queue) || !by_queue_.contains(queue)) continue;
    if (MayTakeTurn(session, job)) begun.insert(queue);
  }
  for (QueueId queue : begun) ActivateWhole(queue);
}

std::vector<JobId> UnschedulableJobs::Active(const std::vector<JobId>& jobs) const {
  if (records_.empty()) return jobs;
  std::vector<JobId> active;
  for (JobId job : jobs) {
    if (!kept_.Contains(job) || kept_[job] == 0) active.push_back(job);
  }
  return active;
}

void UnschedulableJobs::ActivateHelpable(Session& session) {
  Rejoin(session, Helpable());
}

void UnschedulableJobs::Rejoin(Session& session, const std::vector<JobId>& jobs) {
  if (jobs.empty()) return;
  for (JobId job : jobs) {
    for (JobId one : LookedAtWith(session, job)) {
      session.notes().Restore(one, records_.at(one).answer);
      Remove(one);
    }
  }
  session.SetActiveJobs(Active(*session.base().active_jobs),
                        Active(*session.base().jobs_without_queue));
}

void UnschedulableJobs::PrepareEviction(Session& session) {
  if (records_.empty()) return;
  const std::vector<JobId>& active = session.active_jobs();
  if (!SomebodyWaits(session, active) && session.placements().version() == 0) return;
  const bool any = victim_waiters_.AnyVictim(session, active, /*when_more_is_placed=*/false);
  Rejoin(session, any ? Helpable() : victim_waiters_.restless());
}

void UnschedulableJobs::Close(Session& session) {
  last_ = session.context().snapshot;
  doubtful_ = session.placements().room_grew();
  nodes_.Remember(session);
  queues_.Remember(session);
  if (Has(rules_.sources, AnswerSource::kAnything)) return;
  const bool quotas_doubtful =
      Has(rules_.sources, AnswerSource::kQuotas) && session.votes().admitted();
  turns_.clear();
  const auto take_in = [&](JobId job) {
    const QueueId queue = session.job(job).queue;
    std::optional<Refusal> refusal =
        session.WorkOn(job, [&] { return RefusalOf(session, job, rules_, queues_); });
    if (!refusal || (refusal->for_admission && quotas_doubtful) ||
        (refusal->by_choice() && session.placements().version() != 0)) {
      if (queue.valid() && IsStrict(session, queue) && MayTakeTurn(session, job)) {
        turns_.emplace(job, queue);
      }
      return;
    }
    if (rules_.evicts && !refusal->beyond_any_node) {
      victim_waiters_.Add(session, job, /*restless=*/!refusal->stands_without_victims);
    }
    // What was said at the admission, or for want of a queue, says nothing of pods.
    const ConditionReport* said = session.notes().FindCondition(job, "Unschedulable");
    Add(job,
        {.answer = session.notes().AnswerOf(job),
         .refusal = *std::move(refusal),
         .queue = queue,
         .unschedulable = queue.valid() && said != nullptr && said->reason != kNotEnqueuedReason,
         .at_gate = AtGate(session, job)});
  };
  for (JobId job : session.active_jobs()) take_in(job);
  for (JobId job : session.jobs_without_queue()) take_in(job);
}

void UnschedulableJobs::Add(JobId job, Record record) {
  kept_.EnsureContains(job);
  kept_[job] = 1;
  unschedulable_ += static_cast<int64_t>(record.unschedulable);
  gate_counts_.Add(record.at_gate);
  if (record.queue.valid()) {
    by_queue_[record.queue].insert(job);
    if (record.refusal.waits_for_queue()) by_queue_room_[record.queue].insert(job);
  }
  if (record.refusal.domain_lack) {
    by_domain_lack_[*record.refusal.domain_lack].insert(job);
  } else if (!record.refusal.by_gang) {
    for (const auto& [kind, task] : record.refusal.kinds) by_kind_[kind].insert(job);
  }
  if (record.refusal.by_choice()) by_choice_.insert(job);
  if (record.refusal.beyond_any_node) beyond_any_node_.insert(job);
  if (record.refusal.by_devices) by_devices_.insert(job);
  for (const std::string& claim : record.refusal.claims) by_claim_[claim].insert(job);
  records_.insert_or_assign(job, std::move(record));
}

std::vector<JobId> UnschedulableJobs::KeptOf(QueueId queue) const {
  const auto at = by_queue_.find(queue);
  if (at == by_queue_.end()) return {};
  return {at->second.begin(), at->second.end()};
}

std::vector<JobId> UnschedulableJobs::LookedAtWith(const Session& session, JobId job) const {
  const auto known = records_.find(job);
  if (known == records_.end()) return {};
  const QueueId queue = known->second.queue;
  if (!queue.valid() || !IsStrict(session, queue)) return {job};
  return KeptOf(queue);
}

void UnschedulableJobs::Activate(const Session& session, JobId job) {
  for (JobId one : LookedAtWith(session, job)) Remove(one);
}

void UnschedulableJobs::Remove(JobId job) {
  const auto known = records_.find(job);
  if (known == records_.end()) return;
  const Record& record = known->second;
  const auto leave = [job](auto& index, const auto& key) {
    const auto at = index.find(key);
    if (at == index.end()) return;  // It was named twice.
    at->second.erase(job);
    if (at->second.empty()) index.erase(at);
  };
  unschedulable_ -= static_cast<int64_t>(record.unschedulable);
  gate_counts_.Remove(record.at_gate);
  if (record.queue.valid()) {
    leave(by_queue_, record.queue);
    leave(by_queue_room_, record.queue);
  }
  if (record.refusal.domain_lack) {
    leave(by_domain_lack_, *record.refusal.domain_lack);
  } else if (!record.refusal.by_gang) {
    for (const auto& [kind, task] : record.refusal.kinds) leave(by_kind_, kind);
  }
  for (const std::string& claim : record.refusal.claims) leave(by_claim_, claim);
  by_devices_.erase(job);
  by_choice_.erase(job);
  beyond_any_node_.erase(job);
  victim_waiters_.Remove(job);
  kept_[job] = 0;
  records_.erase(known);
}

void UnschedulableJobs::ActivateWhole(QueueId queue) {
  for (JobId job : KeptOf(queue)) Remove(job);
}

void UnschedulableJobs::Clear() {
  records_.clear();
  by_queue_.clear();
  by_queue_room_.clear();
  by_kind_.clear();
  by_domain_lack_.clear();
  by_choice_.clear();
  beyond_any_node_.clear();
  by_devices_.clear();
  by_claim_.clear();
  turns_.clear();
  victim_waiters_.Clear();
  unschedulable_ = 0;
  gate_counts_ = GateCounts();
  kept_.assign(kept_.size(), 0);
}

}  // namespace bth::framework
