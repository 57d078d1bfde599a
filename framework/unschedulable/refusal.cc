#include "framework/unschedulable/refusal.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/model/device_claims.h"
#include "base/strings.h"
#include "framework/nodes/global_scan.h"
#include "framework/nodes/node_picker.h"
#include "framework/nodes/static_fit.h"
#include "framework/topology/bounds.h"
#include "framework/topology/topology.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::TaskId;
using model::TaskStatus;

bool GotNothing(const Session& session, JobId job) {
  const model::JobCounts& before = session.base().usage.jobs[job];
  const model::JobCounts& now = session.counts(job);
  return before.phase == now.phase && before.by_status == now.by_status;
}

bool IsSearchCutShort(const Session& session, JobId job) {
  const std::vector<VictimSearch>& searches = session.notes().VictimSearchesOf(job);
  return std::any_of(searches.begin(), searches.end(),
                     [](const VictimSearch& search) { return search.cut_short; });
}

bool GoesByDevices(const Session& session, TaskId task) {
  const auto& filters = session.hooks().global_filter;
  return std::any_of(filters.begin(), filters.end(), [task](const auto& entry) {
    return Has(entry.fn.follows, AnswerSource::kDevices) && entry.fn.concerns(task);
  });
}

// The device claims of a job's tasks, one after the other.
class ClaimsOfJob {
 public:
  using Asks = std::vector<std::shared_ptr<const model::DeviceAskId>>;

  ClaimsOfJob(const Session& session, Refusal* refusal) : session_(session), refusal_(*refusal) {}

  void Add(TaskId task) {
    refusal_.by_devices = true;
    Asks asks;
    const model::TaskRow& row = session_.task(task);
    const model::DeviceClaimsView* view = session_.base().device_claims.get();
    if (row.device_claims != nullptr) {
      for (const model::DeviceClaimUse& use : row.device_claims->uses) {
        const std::string key = StrCat(row.names->ns, "/", use.claim);
        const model::DeviceClaimFacts* claim =
            view == nullptr || use.claim.empty() ? nullptr : view->claims.Find(key);
        const bool is_fresh = claim != nullptr && claim->allocation == nullptr;
        differ_ |= !is_fresh || !seen_.insert(claim).second;
        asks.push_back(is_fresh ? claim->ask : nullptr);
        refusal_.claims.push_back(key);
      }
    }
    if (tasks_++ == 0) {
      first_ = std::move(asks);
    } else {
      differ_ |= asks != first_;
    }
  }
  // A node does not take as many whichever comes first.
  bool differ() const { return tasks_ > 1 && differ_; }
  // Of each of them; empty: they differ, or somebody's are not known.
  Asks asks() const {
    const bool is_known =
        !differ_ && std::find(first_.begin(), first_.end(), nullptr) == first_.end();
    return is_known ? first_ : Asks();
  }

 private:
  const Session& session_;
  Refusal& refusal_;
  int tasks_ = 0;
  bool differ_ = false;
  Asks first_;
  absl::flat_hash_set<const model::DeviceClaimFacts*> seen_;
};

// What they ask for counts when the job is admitted.
std::vector<std::string> ClaimsOf(const Session& session, JobId job) {
  std::vector<std::string> keys;
  for (TaskId task : *session.job(job).tasks) {
    const model::TaskRow& row = session.task(task);
    if (row.device_claims == nullptr) continue;
    for (const model::DeviceClaimUse& use : row.device_claims->uses) {
      if (!use.claim.empty()) keys.push_back(StrCat(row.names->ns, "/", use.claim));
    }
  }
  return keys;
}

enum class OfJob { kAllTasks, kBestEffort };

// Adds what nodes refused. False: some task's answer follows more than that.
bool AddKinds(Session& session, JobId job, OfJob which, Refusal* refusal) {
  bool tried = false;
  // After one task of a role found no node, those after it are not tried; one that its queue may
  // not have does not count.
  absl::flat_hash_map<model::RoleId, TaskKind> kind_of_role;
  bool mixed_role = false;
  ClaimsOfJob claims(session, refusal);
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status != TaskStatus::kPending) continue;
    const model::TaskRow& row = session.task(task);
    if (row.nominated_node.valid() || row.own_gate_only || row.keeps_room) return false;
    if (row.gated) continue;
    if (which == OfJob::kBestEffort && !session.shape(row.shape).best_effort) continue;
    tried |= session.notes().PlanOf(task) != nullptr;
    const TaskKind kind = session.picker().KindOf(task);
    if (row.role.valid())
      mixed_role |= kind_of_role.try_emplace(row.role, kind).first->second != kind;
    if (GoesByDevices(session, task)) claims.Add(task);
    // Each for itself: such filters tell tasks of one kind apart, by their labels for example.
    if (!FollowsOnly(session, task, kNodeByNode)) return false;
    const auto is_same = [&kind](const auto& known) { return known.first == kind; };
    if (std::none_of(refusal->kinds.begin(), refusal->kinds.end(), is_same)) {
      refusal->kinds.emplace_back(kind, task);
    }
  }
  refusal->of_many_kinds = refusal->kinds.size() > 1 || claims.differ();
  refusal->asks = claims.asks();
  // Of tasks that are all alike, a node takes as many whichever comes first.
  refusal->by_choice_of_nodes =
      tried && (refusal->of_many_kinds || session.job(job).has_sub_group_policy);
  refusal->by_choice_of_tasks =
      mixed_role || (refusal->of_many_kinds && (tried || session.votes().refused_by_share(job)));
  return true;
}

bool IsBeyondAnyNode(const Session& session, const Refusal& refusal) {
  return !refusal.kinds.empty() &&
         std::none_of(refusal.kinds.begin(), refusal.kinds.end(), [&session](const auto& kind) {
           return FitsSomeEmptyNode(session, session.task(kind.second).shape);
         });
}

// All that waits of the job has gates of others.
bool IsGated(const Session& session, JobId job) {
  const std::vector<TaskId>& tasks = *session.job(job).tasks;
  return std::all_of(tasks.begin(), tasks.end(), [&session](TaskId task) {
    if (session.state(task).status != TaskStatus::kPending) return true;
    return session.task(task).gated && !session.task(task).own_gate_only;
  });
}

// All that waits is alike, so that it does not matter what is tried first and where.
bool IsAllAlike(const Session& session, JobId job, const Refusal& refusal) {
  return refusal.kinds.size() == 1 && !refusal.of_many_kinds &&
         !session.job(job).has_sub_group_policy;
}

// What a gang of different pods waits for.
struct Shortage {
  std::vector<std::pair<TaskKind, TaskId>> on_nodes;
  std::vector<TaskId> in_share;
};

// The kinds of which nodes, or the queue, take fewer than wait, were they alone, if even with as
// many of each the gang stays below its minimum. Then it waits for one of these, whichever are
// tried first and wherever they go; so does a job that gang has no say in, all of whose waiting
// pods are of such kinds. Nothing: that could matter.
std::optional<Shortage> ShortageOf(Session& session, JobId job, const Refusal& refusal,
                                   const QueueRoomWatch& queues) {
  const model::JobRow& row = session.job(job);
  if (!refusal.of_many_kinds || refusal.by_devices || row.has_sub_group_policy) return {};
  if (!row.queue.valid()) return {};
  absl::flat_hash_map<TaskKind, int64_t> waiting;
  auto most = static_cast<int64_t>(row.tasks->size());
  for (TaskId task : *row.tasks) {
    if (session.state(task).status == TaskStatus::kPending)
      ++waiting[session.picker().KindOf(task)];
  }
  Shortage out;
  for (const auto& [kind, task] : refusal.kinds) {
    if (session.shape(kind.first).best_effort) continue;  // They need no room.
    const int64_t wanted = waiting.at(kind);
    const int64_t by_share = queues.SlotsUpTo(row.queue, session.request(task), wanted);
    const int64_t by_nodes = session.picker().SlotsUpTo(task, wanted);
    if (by_share < wanted) out.in_share.push_back(task);
    if (by_nodes < wanted) out.on_nodes.emplace_back(kind, task);
    most -= wanted - std::min(by_share, by_nodes);
  }
  if (most >= row.min_available) return {};
  return out;
}

// Nothing: what it lacks is not that plain. Of pods that are alike a HyperNode takes as many
// whichever comes first. Of others it might take more if they were tried in another order, or
// elsewhere; then it may not have room enough for them, were each kind alone.
std::optional<DomainLack> DomainLackOf(const Session& session, JobId job, const Refusal& refusal) {
  const Topology& topology = session.topology();
  const DomainLack* found = session.notes().DomainLackOf(job);
  const std::optional<int32_t> bound = topology.BoundOf(job);
  if (found == nullptr || !bound || refusal.by_devices || refusal.kinds.empty() ||
      session.job(job).has_sub_group_policy) {
    return std::nullopt;
  }
  DomainLack lack = *found;
  lack.queue = refusal.kinds.front().first.second;
  lack.tier = *bound;
  // By a name that no HyperNode has: nothing but other HyperNodes helps.
  if (lack.tier == kNoTier) return lack;
  if (topology.AllocatedIn(job).valid()) {
    const std::vector<model::HyperNodeId> highest = topology.HighestFor(job);
    if (highest.size() != 1) return std::nullopt;
    lack.within = highest.front();
  }
  if (IsAllAlike(session, job, refusal)) return lack;
  for (size_t i = 0; i < topology.tree().rows.size(); ++i) {
    if (MayHold(session, lack, model::HyperNodeId::FromIndex(i))) return std::nullopt;
  }
  return lack;
}

// Preemption does not ask whether the queue is overused, but may not give more than the share.
bool StandsWhileOverused(Session& session, JobId job, const AnswerRules& rules) {
  if (!rules.preempts()) return true;
  Refusal tried;
  return session.votes().refused_by_share(job) &&
         AddKinds(session, job, OfJob::kAllTasks, &tried) && IsAllAlike(session, job, tried);
}

// What asks for nothing goes where nodes take it, whatever becomes of the rest. False as AddKinds.
bool AddBestEffort(Session& session, JobId job, Refusal* refusal) {
  return session.counts(job).pending_best_effort == 0 ||
         AddKinds(session, job, OfJob::kBestEffort, refusal);
}

}  // namespace

std::optional<Refusal> RefusalOf(Session& session, JobId job, const AnswerRules& rules,
                                 const QueueRoomWatch& queues) {
  if (!GotNothing(session, job) || IsSearchCutShort(session, job)) return std::nullopt;
  Refusal refusal;
  const JobFit* hold = session.notes().HoldOf(job);
  switch (hold == nullptr ? Gate::kNone : hold->gate) {
    case Gate::kNoQueue:
    case Gate::kGangInvalid:
      refusal.stands_without_victims = true;
      return refusal;
    case Gate::kQueueClosed:
    case Gate::kQueueTurn:
      if (!AddBestEffort(session, job, &refusal)) return std::nullopt;
      return refusal;
    case Gate::kNotEnqueued:
      refusal.for_admission = true;
      refusal.claims = ClaimsOf(session, job);
      refusal.stands_without_victims = session.IsPendingPhase(job);
      return refusal;
    case Gate::kQueueOverused:
      if (!AddBestEffort(session, job, &refusal)) return std::nullopt;
      refusal.queue_overused = true;
      refusal.stands_without_victims = StandsWhileOverused(session, job, rules);
      return refusal;
    case Gate::kQuota:
    case Gate::kNone:
    case Gate::kFilters:
    case Gate::kTopology:
      break;
    default:
      return std::nullopt;
  }
  const bool waits = session.counts(job).count(TaskStatus::kPending) > 0;
  if (!waits || session.IsPendingPhase(job)) return std::nullopt;
  const bool tried = hold != nullptr || session.notes().HasFit(job);
  if (!tried) {
    if (!IsGated(session, job)) return std::nullopt;
    refusal.stands_without_victims = true;
    return refusal;
  }
  if (!AddKinds(session, job, OfJob::kAllTasks, &refusal)) return std::nullopt;
  refusal.stands_without_victims = IsAllAlike(session, job, refusal);
  refusal.by_gang = session.topology().IsBound(job);
  if (refusal.by_gang) {
    refusal.domain_lack = DomainLackOf(session, job, refusal);
    // Without one other places might do with any change, and evicting actions try others than were
    // tried.
    refusal.by_choice_of_nodes = !refusal.domain_lack;
    refusal.stands_without_victims = refusal.domain_lack.has_value();
    if (refusal.domain_lack && !session.votes().refused_by_share(job)) {
      refusal.by_choice_of_tasks = false;
    }
  }
  std::optional<Shortage> shortage;
  if (!refusal.by_gang) shortage = ShortageOf(session, job, refusal, queues);
  if (shortage) {
    refusal.kinds = std::move(shortage->on_nodes);
    refusal.beyond_share = std::move(shortage->in_share);
    refusal.by_choice_of_nodes = false;
    refusal.by_choice_of_tasks = false;
    refusal.stands_without_victims = true;
  } else if (session.votes().refused_by_share(job)) {
    for (const auto& [kind, task] : refusal.kinds) refusal.beyond_share.push_back(task);
    const bool by_nodes = refusal.by_choice_of_nodes || refusal.domain_lack;
    if (!session.notes().HasFit(job) && !by_nodes) refusal.kinds.clear();
  }
  refusal.beyond_any_node = rules.evicts && IsBeyondAnyNode(session, refusal);
  return refusal;
}

}  // namespace bth::framework
