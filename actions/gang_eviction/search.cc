#include "actions/gang_eviction/search.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "actions/eviction/protection.h"
#include "actions/eviction/starving_jobs.h"
#include "actions/gang_eviction/domains.h"
#include "actions/gang_eviction/rivals.h"
#include "algo/gang_rules.h"
#include "base/strings.h"
#include "conf/policy.h"
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"

namespace bth::actions::gang_eviction {

using eviction::Plan;
using framework::Session;
using model::HyperNodeId;
using model::JobId;
using model::NodeId;
using model::ResourceVec;
using model::TaskId;
using model::TaskStatus;
using Placements = std::vector<VictimUnits::Placement>;

namespace {

// Room on the nodes, being left or free. A node that is overcommitted takes nothing from others.
ResourceVec RoomOn(const Session& session, absl::Span<const NodeId> nodes) {
  ResourceVec room;
  for (NodeId node : nodes) {
    const ResourceVec free = session.usage().FutureIdle(node);
    for (int d = 0; d < model::kDims; ++d) room[d] += std::max<int64_t>(free[d], 0);
  }
  return room;
}

std::vector<TaskId> TasksOf(const std::vector<Bundle>& bundles) {
  std::vector<TaskId> tasks;
  for (const Bundle& bundle : bundles) {
    tasks.insert(tasks.end(), bundle.tasks.begin(), bundle.tasks.end());
  }
  return tasks;
}

}  // namespace

Search::Search(Session& session, std::string_view action, Kind kind, const Options& options)
    : session_(session),
      action_(action),
      kind_(kind),
      options_(options),
      picker_(session.picker()),
      judge_(picker_.judge()) {}

const eviction::NodeTasks& Search::tasks() {
  if (tasks_ == nullptr) tasks_ = std::make_unique<eviction::NodeTasks>(session_);
  return *tasks_;
}

void Search::Note(JobId job, TaskId task, std::string why, bool dropped) {
  framework::VictimSearch search;
  search.action = std::string(action_);
  search.task = task;
  (dropped ? search.dropped : search.preset) = std::move(why);
  CountProtected(job, &search);
  session_.notes().NoteVictimSearch(job, std::move(search));
}

framework::VictimKind Search::victim_kind() const {
  return kind_ == Kind::kGangPreempt ? framework::VictimKind::kGangPreempt
                                     : framework::VictimKind::kGangReclaim;
}

framework::VictimSeeker Search::SeekerOf(JobId job) const {
  return {.kind = victim_kind(),
          .queue = session_.job(job).queue,
          .priority = session_.job(job).priority,
          .job = job};
}

// Each plugin alone, as if nobody else had an opinion.
void Search::CountProtected(JobId job, framework::VictimSearch* counts) const {
  absl::flat_hash_set<NodeId> nodes;
  for (TaskId task : asked_) nodes.insert(session_.state(task).node);
  if (hopeless_) return eviction::CountAllProtected(*hopeless_, counts);
  const auto asked = static_cast<int64_t>(asked_.size());
  counts->candidates = asked;
  counts->candidate_nodes = static_cast<int64_t>(nodes.size());
  if (kept_with_gangs_ > 0) counts->by_plugin[std::string(action_)] = kept_with_gangs_;
  rivals_.Render(session_, kind_ == Kind::kGangReclaim, &counts->lost_again);
  eviction::SparedCounts spared_pods = spared_;
  bool any_answer = asked_.empty();
  const auto hear = [&](std::string_view plugin, const framework::Verdict& verdict) {
    if (verdict.vote == framework::Vote::kAbstain) return;
    any_answer = true;
    const int64_t spared = asked - static_cast<int64_t>(verdict.victims.size());
    if (spared > 0) counts->by_plugin[std::string(plugin)] += spared;
  };
  if (!asked_.empty()) framework::AskEachVoter(session_, AskerFor(job), asked_, hear);
  if (!any_answer) spared_pods.Add(eviction::SparedBy::kNoConsent, asked);
  spared_pods.Render(&counts->passed_over);
}

std::vector<HyperNodeId> Search::DomainsFor(JobId job) const {
  const HyperNodeId root = session_.topology().tree().root();
  const framework::HyperNodeGradient gradient = framework::GradientFor(
      session_, {.job = job, .sub_job = {}, .inside = root, .for_eviction = true});
  return DomainsOf(gradient.rows, options_.domains_max, root, session_.topology().IsBound(job));
}

std::vector<NodeId> Search::NodesOf(HyperNodeId domain) const {
  const model::HyperNodeTree& tree = session_.topology().tree();
  if (domain == tree.root()) return session_.shard().nodes();
  std::vector<NodeId> nodes;
  for (model::NodeRange run : tree[domain].runs) {
    for (NodeId node : run) {
      if (!session_.shard().Refuses(node)) nodes.push_back(node);
    }
  }
  std::sort(nodes.begin(), nodes.end(), [this](NodeId a, NodeId b) {
    return session_.base().nodes[a].name_rank < session_.base().nodes[b].name_rank;
  });
  return nodes;
}

bool Search::MayAsk(JobId job, const std::vector<PendingPart>& parts, std::string* why) const {
  std::vector<TaskId> all;
  for (const PendingPart& part : parts) {
    all.insert(all.end(), part.tasks.begin(), part.tasks.end());
    all.insert(all.end(), part.best_effort.begin(), part.best_effort.end());
  }
  for (TaskId task : all) {
    if (session_.task(task).never_preempts) {
      *why = "not eligible to preempt other tasks due to preemptionPolicy is Never";
      return false;
    }
    if (judge_.HoldsOff(task) != framework::kFits) return false;
  }
  if (kind_ == Kind::kGangPreempt) return true;
  *why = eviction::WhyNoDemand(session_, session_.job(job).queue, all);
  return why->empty();
}

bool Search::AnyFitsEmptyNode(const std::vector<PendingPart>& parts) {
  return std::any_of(parts.begin(), parts.end(), [this](const PendingPart& part) {
    return std::any_of(part.tasks.begin(), part.tasks.end(),
                       [this](TaskId task) { return picker_.FitsSomeEmptyNode(task); });
  });
}

void Search::PlaceJob(JobId job) {
  const std::vector<PendingPart> parts = PendingPartsOf(session_, job);
  if (parts.empty()) return;
  const TaskId first = parts.front().tasks.front();
  asked_.clear();
  kept_with_gangs_ = 0;
  spared_ = {};
  rivals_ = {};
  hopeless_.reset();
  // No word but those of the nodes: the job is not looked at again when other pods change.
  if (!AnyFitsEmptyNode(parts)) return;
  std::string why;
  if (!MayAsk(job, parts, &why)) {
    if (!why.empty()) Note(job, first, std::move(why));
    return;
  }
  bool any_domain = false;
  bool any_victims = false;
  for (HyperNodeId id : DomainsFor(job)) {
    any_domain = true;
    const Domain domain{.id = id, .nodes = NodesOf(id)};
    const Ask ask{.job = job,
                  .parts = &parts,
                  .claim = {.kind = kind_, .job = job, .need = NeedOf(session_, parts)},
                  .domain = &domain};
    const Outcome outcome = TryDomain(ask);
    if (outcome == Outcome::kDone || outcome == Outcome::kRefused) return;
    any_victims = any_victims || outcome == Outcome::kNotEnough;
  }
  Note(job, first, WhyNone(parts, any_domain, any_victims));
}

std::string Search::WhyNone(const std::vector<PendingPart>& parts, bool any_domain,
                            bool any_victims) const {
  if (!any_domain) {
    return "the gang must stay inside a part of the cluster, and none is known to make room in";
  }
  if (asked_.empty() && (!hopeless_ || hopeless_->candidates == 0))
    return "there is nobody who could be evicted for the gang";
  if (!any_victims) return "";
  size_t tasks = 0;
  for (const PendingPart& part : parts) tasks += part.tasks.size();
  return StrCat("evicting all that may be evicted would not make room for ", tasks,
                " pods together");
}

Search::Outcome Search::TryDomain(const Ask& ask) {
  const auto may_take = [this](TaskId task, NodeId node) { return judge_.MayTake(task, node); };
  if (!session_.prospects().Any(session_, SeekerOf(ask.job))) {
    hopeless_ = session_.prospects().ProtectionFrom(session_, SeekerOf(ask.job));
    return Outcome::kNoVictims;
  }
  const auto refused = [&](std::string why) {
    Note(ask.job, ask.parts->front().tasks.front(), std::move(why), /*dropped=*/true);
    return Outcome::kRefused;
  };
  absl::flat_hash_set<JobId> spared;
  for (;;) {
    const Approval approval = Approve(ask, spared);
    if (approval.bundles.empty()) return Outcome::kNoVictims;
    if (approval.enough == 0) return Outcome::kNotEnough;
    const absl::Span<const Bundle> taken(approval.bundles.data(), approval.enough);
    std::optional<Placements> placements = PlacementsAfter(ask, taken);
    if (!placements) return Outcome::kNotEnough;
    VictimUnits units(session_, taken, *std::move(placements));
    Plan plan(session_, action_);
    if (!units.Apply(plan, may_take)) {
      return refused("its queue or a filter refuses some of the pods when all victims are gone");
    }
    units.Spare(plan, may_take);
    // Free room is allocate's to give.
    if (!plan.HasEvictions()) return refused("nobody has to go, so that it is left to allocate");
    const std::vector<JobId> rivals = Rivals(units, approval.choice.tier);
    if (rivals.empty()) {
      if (const absl::Status status = plan.Commit(); !status.ok()) {
        session_.notes().HoldAt(ask.job, framework::Gate::kBinding, "",
                                std::string(status.message()));
        return refused(std::string(status.message()));
      }
      return Outcome::kDone;
    }
    for (JobId rival : rivals) {
      rivals_.Add(rival, static_cast<int64_t>(units.VictimsOf(rival).size()));
    }
    spared.insert(rivals.begin(), rivals.end());
  }
}

eviction::SparedBy Search::WhySpared(const Ask& ask, JobId job) const {
  using eviction::SparedBy;
  const model::JobRow& victim = session_.job(job);
  const model::JobRow& own = session_.job(ask.job);
  if (job == ask.job) return SparedBy::kOwnJob;
  if (kind_ == Kind::kGangPreempt) {
    if (victim.queue != own.queue) return SparedBy::kOtherQueue;
    if (victim.priority >= own.priority) return SparedBy::kNotLower;
  } else {
    if (victim.queue == own.queue) return SparedBy::kOwnQueue;
    if (!session_.queue(victim.queue).reclaimable) return SparedBy::kUnreclaimable;
  }
  return victim.opts_out ? SparedBy::kOptsOut : SparedBy::kNone;
}

std::vector<Bundle> Search::CandidateBundles(const Ask& ask,
                                             const absl::flat_hash_set<JobId>& spared) {
  const uint32_t group = kind_ == Kind::kGangPreempt ? model::kPreemptableGroup
                                                     : model::StatusBit(TaskStatus::kRunning);
  const bool first_look = spared.empty();
  const auto count = [&](eviction::SparedBy rule, int64_t pods) {
    if (first_look) spared_.Add(rule, pods);
  };
  absl::flat_hash_map<JobId, eviction::SparedBy> rules;
  absl::flat_hash_map<JobId, size_t> index;
  std::vector<std::pair<JobId, std::vector<TaskId>>> by_job;
  for (NodeId node : ask.domain->nodes) {
    count(eviction::SparedBy::kMarked, tasks().KeptOn(node).marked);
    count(eviction::SparedBy::kOutside, tasks().KeptOn(node).outside);
    for (TaskId task : tasks().On(node)) {
      const model::TaskState& state = session_.state(task);
      const bool leaves =
          state.node != node || !model::InGroup(state.status, model::kPreemptableGroup);
      const JobId job = session_.task(task).job;
      const auto [known, fresh_job] = rules.try_emplace(job, eviction::SparedBy::kNone);
      if (fresh_job) known->second = WhySpared(ask, job);
      const eviction::SparedBy rule = leaves ? eviction::SparedBy::kLeaving
                                      : known->second != eviction::SparedBy::kNone ? known->second
                                      : !model::InGroup(state.status, group)
                                          ? eviction::SparedBy::kNotRunning
                                          : eviction::SparedBy::kNone;
      count(rule, 1);
      if (rule != eviction::SparedBy::kNone || spared.contains(job)) continue;
      const auto [at, fresh] = index.try_emplace(job, by_job.size());
      if (fresh) by_job.push_back({job, {}});
      by_job[at->second].second.push_back(task);
    }
  }
  std::vector<Bundle> bundles;
  for (auto& [job, local] : by_job) {
    for (Bundle& bundle : BundlesOf(session_, job, std::move(local))) {
      bundles.push_back(std::move(bundle));
    }
  }
  return bundles;
}

Search::Approval Search::Approve(const Ask& ask, const absl::flat_hash_set<JobId>& spared) {
  std::vector<Bundle> asked = CandidateBundles(ask, spared);
  SortBundles(session_, ask.claim, asked);
  Approval approval = ApprovalOf(ask, asked);
  if (spared.empty()) {
    asked_ = TasksOf(asked);
    kept_with_gangs_ = static_cast<int64_t>(approval.choice.victims.size()) -
                       static_cast<int64_t>(TasksOf(approval.bundles).size());
  }
  while (approval.enough == 0 && options_.allow_whole && LeaveOutVain(ask, approval, asked)) {
    approval = ApprovalOf(ask, asked);
  }
  return approval;
}

Search::Approval Search::ApprovalOf(const Ask& ask, std::vector<Bundle> asked) {
  Approval approval{.bundles = std::move(asked)};
  std::vector<Bundle>& bundles = approval.bundles;
  approval.choice = framework::GrantedVictims(session_, AskerFor(ask.job), TasksOf(bundles));
  KeepApproved(session_, approval.choice.victims, bundles);
  DropHalfGangs(session_, bundles);
  SortBundles(session_, ask.claim, bundles);
  if (!options_.allow_whole) {
    std::erase_if(bundles, [](const Bundle& bundle) { return bundle.whole; });
  }
  if (!bundles.empty()) approval.enough = ShortestPrefix(ask, bundles);
  return approval;
}

bool Search::LeaveOutVain(const Ask& ask, const Approval& approval,
                          std::vector<Bundle>& asked) const {
  absl::flat_hash_set<JobId> whole;
  for (const Bundle& bundle : approval.bundles) {
    if (bundle.whole) whole.insert(bundle.job);
  }
  const auto stays = [&whole](const Bundle& bundle) {
    return bundle.whole && !whole.contains(bundle.job);
  };
  const absl::flat_hash_set<TaskId> granted(approval.choice.victims.begin(),
                                            approval.choice.victims.end());
  const auto vain = std::find_if(asked.begin(), asked.end(), [&](const Bundle& bundle) {
    return stays(bundle) && std::any_of(bundle.tasks.begin(), bundle.tasks.end(),
                                        [&](TaskId task) { return granted.contains(task); });
  });
  if (vain == asked.end()) return false;
  const JobId first = vain->job;
  std::vector<TaskId> tasks = TasksOf(approval.bundles);
  const size_t approved = tasks.size();
  // A gang that goes takes its surplus along.
  absl::flat_hash_map<JobId, std::vector<TaskId>> lacking;
  const absl::flat_hash_set<TaskId> goes(tasks.begin(), tasks.end());
  for (const Bundle& bundle : asked) {
    if (whole.contains(bundle.job)) continue;
    std::copy_if(bundle.tasks.begin(), bundle.tasks.end(), std::back_inserter(lacking[bundle.job]),
                 [&goes](TaskId task) { return !goes.contains(task); });
  }
  std::erase_if(asked, [&](const Bundle& bundle) {
    if (!stays(bundle) || bundle.job == first) return stays(bundle);
    tasks.resize(approved);
    const std::vector<TaskId>& more = lacking[bundle.job];
    tasks.insert(tasks.end(), more.begin(), more.end());
    const auto beside = framework::GrantedVictims(session_, AskerFor(ask.job), tasks);
    return beside.victims.size() < tasks.size();
  });
  // Nor those of which some task may not go at all.
  DropHalfGangs(session_, asked);
  return true;
}

std::optional<Placements> Search::PlacementsAfter(const Ask& ask,
                                                  absl::Span<const Bundle> evicted) {
  framework::Statement statement(session_, action_);
  for (const Bundle& bundle : evicted) {
    for (TaskId task : bundle.tasks) statement.Evict(task, TaskId());
  }
  Placements placements;
  if (!PlaceParts(ask, statement, &placements)) return std::nullopt;
  return placements;
}

size_t Search::ShortestPrefix(const Ask& ask, const std::vector<Bundle>& bundles) {
  constexpr size_t kSingleSteps = 16;
  // Of sub-jobs the first may be enough.
  const bool parts = session_.job(ask.job).has_sub_group_policy;
  const ResourceVec least = parts ? NeedOf(session_, {ask.parts->front()}) : ask.claim.need;
  ResourceVec room = RoomOn(session_, ask.domain->nodes);
  size_t enough = 0;
  while (enough < bundles.size() && (enough == 0 || !least.FitsIn(room))) {
    room += bundles[enough++].local;
  }
  if (!least.FitsIn(room)) return 0;
  const auto succeeds_with = [&](size_t count) {
    return PlacementsAfter(ask, absl::MakeSpan(bundles).first(count)).has_value();
  };
  // One by one at first, then in steps that double; what was stepped over is searched by halves.
  size_t failed = enough - 1;
  size_t step = 1;
  for (size_t tries = 0;; ++tries) {
    const size_t count = std::min(failed + step, bundles.size());
    if (succeeds_with(count)) {
      size_t succeeds = count;
      while (succeeds - failed > 1) {
        const size_t middle = failed + (succeeds - failed) / 2;
        (succeeds_with(middle) ? succeeds : failed) = middle;
      }
      return succeeds;
    }
    if (count == bundles.size()) return 0;
    failed = count;
    if (tries >= kSingleSteps) step *= 2;
  }
}

bool Search::PlacePart(const Ask& ask, const PendingPart& part, framework::Statement& statement,
                       Placements* out) {
  const auto place = [&](TaskId task) {
    const NodeId node = picker_.BestAmong(task, [](NodeId) { return true; });
    if (!node.valid()) return false;
    statement.Pipeline(task, node, true);
    out->push_back({task, node});
    return true;
  };
  const auto stands = [&] {
    return session_.votes().SubJobReady(ask.job, part.sub_job) ||
           session_.votes().SubJobPipelined(ask.job, part.sub_job);
  };
  if (!std::all_of(part.tasks.begin(), part.tasks.end(), place)) return false;
  for (TaskId task : part.best_effort) {
    if (stands()) break;
    place(task);
  }
  return stands();
}

bool Search::PlacePartSomewhere(const Ask& ask, const PendingPart& part,
                                framework::Statement& statement, Placements* out) {
  const framework::HyperNodeGradient gradient = framework::GradientFor(
      session_,
      {.job = ask.job, .sub_job = part.sub_job, .inside = ask.domain->id, .for_eviction = true});
  for (const std::vector<HyperNodeId>& row : gradient.rows) {
    for (HyperNodeId id : row) {
      const framework::NodePicker::Inside confined(picker_, id);
      const framework::Statement::Mark mark = statement.Checkpoint();
      const size_t placed = out->size();
      if (PlacePart(ask, part, statement, out)) return true;
      statement.RollbackTo(mark);
      out->resize(placed);
    }
  }
  return false;
}

bool Search::PlaceParts(const Ask& ask, framework::Statement& statement, Placements* out) {
  const bool was_ready = session_.votes().JobReady(ask.job);
  for (const PendingPart& part : *ask.parts) {
    const framework::Statement::Mark mark = statement.Checkpoint();
    const size_t placed = out->size();
    if (!PlacePartSomewhere(ask, part, statement, out)) {
      // Without sub-groups the part is all there is; a sub-job that fails is left out if the gang
      // can do without it.
      if (!session_.job(ask.job).has_sub_group_policy) return false;
      statement.RollbackTo(mark);
      out->resize(placed);
      continue;
    }
    if (was_ready || session_.votes().JobPipelined(ask.job)) break;
  }
  return !out->empty() && session_.votes().JobPipelined(ask.job);
}

std::vector<JobId> Search::Rivals(const VictimUnits& units, int tier) {
  // Judged as if the winners ran already.
  framework::Statement what_if(session_, action_);
  const std::vector<TaskId> winners = units.winners();
  for (TaskId task : winners) {
    const NodeId node = session_.state(task).node;
    what_if.Unpipeline(task);
    what_if.Allocate(task, node);
  }
  std::vector<JobId> rivals;
  for (JobId job : units.jobs()) {
    if (CouldStrikeBack(session_, kind_, winners, units.VictimsOf(job), tier)) {
      rivals.push_back(job);
    }
  }
  return rivals;
}

}  // namespace bth::actions::gang_eviction
