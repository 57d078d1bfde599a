#include "framework/prospects/victim_prospects.h"

#include <algorithm>

#include "algo/gang_rules.h"
#include "framework/session/session.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::QueueId;
using model::TaskId;
using model::TaskStatus;

constexpr VictimKind kKinds[] = {VictimKind::kPreempt, VictimKind::kReclaim,
                                 VictimKind::kGangPreempt, VictimKind::kGangReclaim};

bool IsForGangs(VictimKind kind) {
  return kind == VictimKind::kGangPreempt || kind == VictimKind::kGangReclaim;
}

template <typename List>
std::vector<int> TiersOf(const List& list) {
  std::vector<int> tiers;
  for (const auto& entry : list) {
    if (tiers.empty() || tiers.back() != entry.origin.tier) tiers.push_back(entry.origin.tier);
  }
  return tiers;
}

// Calls `body` with the hooks that vote on victims of the kind.
template <typename Body>
auto WithVoters(const Session& session, VictimKind kind, const Body& body) {
  const HookTable& hooks = session.hooks();
  if (IsForGangs(kind)) return body(hooks.unified_evictable);
  return body(kind == VictimKind::kReclaim ? hooks.reclaimable : hooks.preemptable);
}

std::vector<int> VotingTiers(const Session& session, VictimKind kind) {
  return WithVoters(session, kind, [](const auto& hooks) { return TiersOf(hooks); });
}

// Calls `body` with the bit, the origin and the bounds of each voter that says something
// beforehand; those beyond the last bit are not asked.
template <typename Body>
void EachBound(const Session& session, VictimKind kind, const Body& body) {
  WithVoters(session, kind, [&body](const auto& hooks) {
    uint32_t bit = 1;
    for (const auto& entry : hooks) {
      if (entry.fn.bounds.empty()) continue;
      if (bit == 0) return;
      body(bit, entry.origin, entry.fn.bounds);
      bit <<= 1;
    }
  });
}

bool IsPlaced(const Session& session, TaskId task) {
  const model::TaskState& state = session.state(task);
  return model::InGroup(state.status, model::kPreemptableGroup) && state.node.valid();
}

}  // namespace

VictimProspects::Rules VictimProspects::RulesOf(const Session& session, VictimKind kind) {
  Rules rules;
  for (int tier : VotingTiers(session, kind)) rules.tiers.push_back({.number = tier});
  EachBound(session, kind,
            [&rules](uint32_t bit, const HookOrigin& origin, const GrantBounds& bounds) {
              for (Tier& tier : rules.tiers) {
                if (tier.number == origin.tier) tier.bounds |= bit;
              }
              if (bounds.only_lower) rules.only_lower |= bit;
              rules.plugins.push_back(origin.plugin);
            });
  return rules;
}

void VictimProspects::Open(const Session& session) {
  constexpr size_t kTraitsMax = 4096;  // Those that nobody has any more stay until then.
  const model::Snapshot& base = session.base();
  std::array<Rules, kVictimKinds> rules;
  for (VictimKind kind : kKinds) rules[static_cast<size_t>(kind)] = RulesOf(session, kind);
  const bool goes_on = in_step_ && rules == rules_ && base.changed_jobs != nullptr &&
                       base.generation == generation_ + 1 &&
                       base.queues_by_name == queues_by_name_ && traits_.size() <= kTraitsMax;
  rules_ = std::move(rules);
  generation_ = base.generation;
  queues_by_name_ = base.queues_by_name;
  opened_ = true;
  in_step_ = false;
  growth_ = {};
  looked_.fill(false);
  followed_ = session.placements().job_changes().size();
  if (!goes_on) {
    RecountAll(session);
  } else {
    for (JobId job : *base.changed_jobs) Recount(session, job);
    for (JobId job : touched_) Recount(session, job);
  }
  touched_.clear();
}

void VictimProspects::Close(const Session& session) {
  if (!opened_) return;
  Follow(session);
  opened_ = false;
  in_step_ = true;
}

void VictimProspects::Expect(Growth growth) {
  growth_ = std::move(growth);
  looked_.fill(false);
}

void VictimProspects::Follow(const Session& session) {
  if (!opened_) Open(session);
  const std::vector<JobId>& changes = session.placements().job_changes();
  if (followed_ == changes.size()) return;
  std::vector<JobId> jobs(changes.begin() + static_cast<std::ptrdiff_t>(followed_), changes.end());
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  for (JobId job : jobs) Recount(session, job);
  touched_.insert(touched_.end(), jobs.begin(), jobs.end());
  followed_ = changes.size();
  looked_.fill(false);
}

void VictimProspects::RecountAll(const Session& session) {
  held_.clear();
  traits_.clear();
  traits_index_.clear();
  queues_.clear();
  for (JobId job : *session.base().all_jobs) Recount(session, job);
}

uint32_t VictimProspects::TraitsOf(const Session& session, JobId job, model::DimMask asked) {
  Traits traits{
      .priority = session.job(job).priority, .opts_out = session.job(job).opts_out, .asked = asked};
  for (VictimKind kind : kKinds) {
    uint32_t& vetoes = traits.vetoes[static_cast<size_t>(kind)];
    EachBound(session, kind, [&](uint32_t bit, const HookOrigin&, const GrantBounds& bounds) {
      if (bounds.job != nullptr && !bounds.job(kind, job)) vetoes |= bit;
    });
  }
  const auto [known, fresh] =
      traits_index_.try_emplace(traits, static_cast<uint32_t>(traits_.size()));
  if (fresh) traits_.push_back(traits);
  return known->second;
}

void VictimProspects::Recount(const Session& session, JobId job) {
  held_.EnsureContains(job);
  Count(held_[job], -1);
  held_[job] = {};
  if (!session.base().jobs.Contains(job) || !algo::TakesPart(session.job(job))) return;
  if (session.counts(job).Count(model::kPreemptableGroup) == 0) return;
  Held held{.queue = session.job(job).queue};
  model::DimMask asked = ~model::DimMask{0};
  for (TaskId task : *session.job(job).tasks) {
    if (!IsPlaced(session, task)) continue;
    if (!session.task(task).preemptable) {
      ++held.marked;
      continue;
    }
    ++held.placed;
    held.running += static_cast<int64_t>(session.state(task).status == TaskStatus::kRunning);
    asked &= session.request(task).Positive();
  }
  if (!held.counts()) return;
  held.traits = TraitsOf(session, job, asked);
  Count(held, +1);
  held_[job] = held;
}

void VictimProspects::Count(const Held& held, int64_t sign) {
  if (!held.counts()) return;
  queues_.EnsureContains(held.queue);
  std::vector<Holding>& holdings = queues_[held.queue];
  auto at = std::find_if(holdings.begin(), holdings.end(),
                         [&held](const Holding& holding) { return holding.traits == held.traits; });
  if (at == holdings.end()) at = holdings.insert(at, Holding{.traits = held.traits});
  at->jobs += sign;
  at->marked += sign * held.marked;
  at->placed += sign * held.placed;
  at->running += sign * held.running;
  if (at->jobs == 0) holdings.erase(at);
}

bool VictimProspects::Passes(VictimKind kind, uint32_t vetoes) const {
  const std::vector<Tier>& tiers = rules(kind).tiers;
  return std::any_of(tiers.begin(), tiers.end(),
                     [vetoes](const Tier& tier) { return (tier.bounds & vetoes) == 0; });
}

void VictimProspects::LookAt(VictimKind kind, const Traits& traits, uint32_t vetoes,
                             Outlook* out) const {
  if (IsForGangs(kind) && traits.opts_out) return;
  if (Passes(kind, vetoes)) out->lowest = std::min(out->lowest, traits.priority);
  out->to_all |= Passes(kind, vetoes | rules(kind).only_lower);
}

void VictimProspects::Look(const Session& session, VictimKind kind) {
  const auto k = static_cast<size_t>(kind);
  if (std::exchange(looked_[k], true)) return;
  const auto queue_vetoes = [&](const QueueHolding& holding) {
    uint32_t vetoes = 0;
    EachBound(session, kind, [&](uint32_t bit, const HookOrigin&, const GrantBounds& bounds) {
      if (bounds.queue != nullptr && !bounds.queue(kind, holding)) vetoes |= bit;
    });
    return vetoes;
  };
  outlook_[k].assign(queues_.size(), Outlook());
  const auto more = [this](QueueId queue) {
    const auto known = growth_.queues.find(queue);
    return known == growth_.queues.end() ? model::ResourceVec() : known->second;
  };
  for (size_t i = 0; i < queues_.size(); ++i) {
    const QueueId queue = QueueId::FromIndex(i);
    for (Holding& holding : queues_[queue]) {
      const Traits& traits = traits_[holding.traits];
      holding.of_queue[k] =
          queue_vetoes({.queue = queue, .asked = traits.asked, .more = more(queue)});
      if ((IsReclaim(kind) ? holding.running : holding.placed) == 0) continue;
      LookAt(kind, traits, holding.of_queue[k] | traits.vetoes[k], &outlook_[k][queue]);
    }
  }
  for (JobId job : growth_.jobs) {
    const Held& held = held_[job];
    if (held.placed == 0) continue;
    const Traits& traits = traits_[held.traits];
    const uint32_t vetoes =
        queue_vetoes({.queue = held.queue, .asked = traits.asked, .more = more(held.queue)});
    LookAt(kind, traits, vetoes, &outlook_[k][held.queue]);
  }
}

template <typename Body>
bool VictimProspects::AnyQueue(const Session& session, const VictimSeeker& seeker,
                               const Body& body) const {
  if (!IsReclaim(seeker.kind)) return queues_.Contains(seeker.queue) && body(seeker.queue);
  for (size_t i = 0; i < queues_.size(); ++i) {
    const QueueId queue = QueueId::FromIndex(i);
    if (queues_[queue].empty() || queue == seeker.queue) continue;
    if (session.queue(queue).reclaimable && body(queue)) return true;
  }
  return false;
}

bool VictimProspects::AnyIn(const VictimSeeker& seeker, QueueId queue) const {
  const auto k = static_cast<size_t>(seeker.kind);
  const Outlook& outlook = outlook_[k][queue];
  if (outlook.lowest < seeker.priority) return true;
  if (!outlook.to_all || seeker.kind == VictimKind::kGangPreempt) return false;
  const bool holds = seeker.job.valid() && held_.Contains(seeker.job) &&
                     held_[seeker.job].placed > 0 && held_[seeker.job].queue == queue;
  if (!holds) return true;
  const Held& own = held_[seeker.job];
  const uint32_t only_lower = rules(seeker.kind).only_lower;
  const auto other_job = [&](const Holding& holding) {
    const int64_t placed = holding.placed - (holding.traits == own.traits ? own.placed : 0);
    if (placed == 0) return false;
    return Passes(seeker.kind,
                  traits_[holding.traits].vetoes[k] | holding.of_queue[k] | only_lower);
  };
  const auto other_grows = [&](JobId job) {
    return job != seeker.job && held_[job].placed > 0 && held_[job].queue == queue;
  };
  return std::any_of(queues_[queue].begin(), queues_[queue].end(), other_job) ||
         std::any_of(growth_.jobs.begin(), growth_.jobs.end(), other_grows);
}

bool VictimProspects::Any(const Session& session, const VictimSeeker& seeker) {
  Follow(session);
  if (rules(seeker.kind).tiers.empty()) return false;
  Look(session, seeker.kind);
  return AnyQueue(session, seeker, [&](QueueId queue) { return AnyIn(seeker, queue); });
}

bool VictimProspects::AnyOfOwn(const Session& session, JobId job, int32_t task_priority) {
  if (!Holds(session, job)) return false;
  const Rules& rules = this->rules(VictimKind::kPreempt);
  Look(session, VictimKind::kPreempt);
  const Held& own = held_[job];
  const auto grows = std::find(growth_.jobs.begin(), growth_.jobs.end(), job);
  uint32_t vetoes = 0;
  if (grows == growth_.jobs.end()) {
    for (const Holding& holding : queues_[own.queue]) {
      if (holding.traits == own.traits)
        vetoes = traits_[own.traits].vetoes[0] | holding.of_queue[0];
    }
  }
  if (Passes(VictimKind::kPreempt, vetoes | rules.only_lower)) return true;
  if (!Passes(VictimKind::kPreempt, vetoes)) return false;
  const std::vector<TaskId>& tasks = *session.job(job).tasks;
  return std::any_of(tasks.begin(), tasks.end(), [&](TaskId task) {
    return session.task(task).priority < task_priority && session.task(task).preemptable &&
           IsPlaced(session, task);
  });
}

bool VictimProspects::Holds(const Session& session, JobId job) {
  Follow(session);
  return held_.Contains(job) && held_[job].placed > 0;
}

bool VictimProspects::Sort(const Session& session, const VictimSeeker& seeker, const Held& pods,
                           Protection* out) const {
  const Traits& traits = traits_[pods.traits];
  const bool same_queue = pods.queue == seeker.queue;
  const auto spared = [&pods](int64_t* count) {
    *count += pods.placed;
    return false;
  };
  out->marked += pods.marked;
  if (IsReclaim(seeker.kind)) {
    if (same_queue) return spared(&out->own_queue);
    if (!session.queue(pods.queue).reclaimable) return spared(&out->not_reclaimable);
  } else {
    if (!same_queue) return spared(&out->other_queues);
    if (seeker.kind == VictimKind::kGangPreempt && traits.priority >= seeker.priority) {
      return spared(&out->not_lower);
    }
  }
  if (IsForGangs(seeker.kind) && traits.opts_out) return spared(&out->opting_out);
  if (IsReclaim(seeker.kind)) out->not_running += pods.placed - pods.running;
  out->candidates += IsReclaim(seeker.kind) ? pods.running : pods.placed;
  return true;
}

Protection VictimProspects::ProtectionFrom(const Session& session, const VictimSeeker& seeker) {
  Follow(session);
  Look(session, seeker.kind);
  const auto k = static_cast<size_t>(seeker.kind);
  const Rules& rules = rules_[k];
  Protection protection{.any_vote = !rules.tiers.empty()};
  const Held own = seeker.job.valid() && held_.Contains(seeker.job) ? held_[seeker.job] : Held();
  std::array<int64_t, kBoundsMax> spared{};
  for (size_t i = 0; i < queues_.size(); ++i) {
    const QueueId queue = QueueId::FromIndex(i);
    for (const Holding& holding : queues_[queue]) {
      Held pods{.queue = queue,
                .traits = holding.traits,
                .placed = holding.placed,
                .running = holding.running,
                .marked = holding.marked};
      if (own.counts() && own.queue == queue && own.traits == holding.traits) {
        pods.placed -= own.placed;
        pods.running -= own.running;
        (IsReclaim(seeker.kind) && !IsForGangs(seeker.kind) ? protection.own_queue
                                                            : protection.own_job) += own.placed;
      }
      const int64_t before = protection.candidates;
      if (!Sort(session, seeker, pods, &protection)) continue;
      uint32_t vetoes = traits_[holding.traits].vetoes[k] | holding.of_queue[k];
      if (traits_[holding.traits].priority >= seeker.priority) vetoes |= rules.only_lower;
      for (size_t bit = 0; bit < rules.plugins.size(); ++bit) {
        if ((vetoes >> bit & 1u) != 0) spared[bit] += protection.candidates - before;
      }
    }
  }
  for (size_t bit = 0; bit < rules.plugins.size(); ++bit) {
    if (spared[bit] > 0) protection.by_plugin.emplace_back(rules.plugins[bit], spared[bit]);
  }
  return protection;
}

}  // namespace bth::framework
