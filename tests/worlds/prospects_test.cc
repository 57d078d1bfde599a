// Who is ruled out as a victim would not have been one. BTH_SEED and BTH_WORLDS as in the other
// properties.
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "algo/gang_rules.h"
#include "framework/prospects/victim_prospects.h"
#include "tests/support/catch.h"
#include "tests/worlds/evicting_policies.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/world_life.h"

namespace bth::test {
namespace {

using framework::EvictionContext;
using framework::Session;
using framework::VictimKind;
using framework::VictimProspects;
using framework::VictimSeeker;
using model::JobId;
using model::TaskId;
using model::TaskStatus;

constexpr VictimKind kKinds[] = {VictimKind::kPreempt, VictimKind::kReclaim,
                                 VictimKind::kGangPreempt, VictimKind::kGangReclaim};

VictimSeeker SeekerFor(const Session& session, VictimKind kind, JobId job) {
  return {.kind = kind,
          .queue = session.job(job).queue,
          .priority = session.job(job).priority,
          .job = job};
}

// What the actions ask about, told once more and plainly.
bool IsCandidate(const Session& session, const VictimSeeker& seeker, TaskId task) {
  const model::TaskRow& row = session.task(task);
  const model::TaskState& state = session.state(task);
  if (row.names == nullptr || !row.preemptable || !row.job.valid() || !state.node.valid() ||
      !algo::TakesPart(session.job(row.job)) || row.job == seeker.job) {
    return false;
  }
  const model::JobRow& job = session.job(row.job);
  const bool gangs =
      seeker.kind == VictimKind::kGangPreempt || seeker.kind == VictimKind::kGangReclaim;
  if (gangs && job.opts_out) return false;
  if (seeker.kind == VictimKind::kReclaim || seeker.kind == VictimKind::kGangReclaim) {
    return state.status == TaskStatus::kRunning && job.queue != seeker.queue &&
           session.queue(job.queue).reclaimable;
  }
  if (gangs && job.priority >= seeker.priority) return false;
  return model::InGroup(state.status, model::kPreemptableGroup) && job.queue == seeker.queue;
}

bool SomebodyIsGranted(const Session& session, const VictimSeeker& seeker, TaskId evictor,
                       const std::vector<TaskId>& candidates) {
  const framework::HookTable& hooks = session.hooks();
  switch (seeker.kind) {
    case VictimKind::kPreempt:
      return !hooks.preemptable(evictor, candidates, false).victims.empty();
    case VictimKind::kReclaim:
      return !hooks.reclaimable(evictor, candidates, false).victims.empty();
    default:
      break;
  }
  const EvictionContext context{.kind = seeker.kind == VictimKind::kGangPreempt
                                            ? EvictionContext::Kind::kGangPreempt
                                            : EvictionContext::Kind::kGangReclaim,
                                .job = seeker.job};
  return !hooks.unified_evictable(context, candidates, false).victims.empty();
}

struct Found {
  int64_t granted = 0;
  int64_t ruled_out = 0;
};

// Every waiting job by every action, on every node alone and on all together.
void CheckNobodyIsMissed(const Session& session, Found* found) {
  for (JobId job : *session.base().active_jobs) {
    for (TaskId evictor : *session.job(job).tasks) {
      if (session.state(evictor).status != TaskStatus::kPending) continue;
      for (VictimKind kind : kKinds) {
        const VictimSeeker seeker = SeekerFor(session, kind, job);
        const bool any = session.prospects().Any(session, seeker);
        std::map<model::NodeId, std::vector<TaskId>> by_node;
        std::vector<TaskId> all;
        for (TaskId task : session.base().tasks.ids()) {
          if (!IsCandidate(session, seeker, task)) continue;
          by_node[session.state(task).node].push_back(task);
          all.push_back(task);
        }
        by_node[model::NodeId()] = all;
        bool granted = false;
        for (const auto& [node, tasks] : by_node) {
          granted = granted || SomebodyIsGranted(session, seeker, evictor, tasks);
        }
        INFO(session.task(evictor).names->name << " kind " << static_cast<int>(kind));
        REQUIRE((any || !granted));
        const auto protection = session.prospects().ProtectionFrom(session, seeker);
        REQUIRE(protection.candidates == static_cast<int64_t>(all.size()));
        found->granted += static_cast<int64_t>(granted);
        found->ruled_out += static_cast<int64_t>(!any && !all.empty());
      }
      std::vector<TaskId> own;
      for (TaskId task : *session.job(job).tasks) {
        if (session.task(task).preemptable && session.state(task).node.valid() &&
            model::InGroup(session.state(task).status, model::kPreemptableGroup)) {
          own.push_back(task);
        }
      }
      const VictimSeeker seeker = SeekerFor(session, VictimKind::kPreempt, job);
      const int32_t priority = session.task(evictor).priority;
      REQUIRE((session.prospects().AnyOfOwn(session, job, priority) ||
               !SomebodyIsGranted(session, seeker, evictor, own)));
    }
  }
}

// What is kept from session to session answers as what is counted anew.
void CheckKept(const Session& session) {
  VictimProspects anew;
  for (JobId job : *session.base().active_jobs) {
    for (VictimKind kind : kKinds) {
      const VictimSeeker seeker = SeekerFor(session, kind, job);
      REQUIRE(session.prospects().Any(session, seeker) == anew.Any(session, seeker));
      const auto kept = session.prospects().ProtectionFrom(session, seeker);
      const auto counted = anew.ProtectionFrom(session, seeker);
      REQUIRE(kept.candidates == counted.candidates);
      REQUIRE(kept.by_plugin == counted.by_plugin);
    }
    REQUIRE(session.prospects().Holds(session, job) == anew.Holds(session, job));
  }
}

TEST_CASE("victim prospects: whom plugins grant was not ruled out", "[framework][property]") {
  Found found;
  ForEachWorld(400, [&](Rng& rng) {
    const std::string conf = RandomEvictingPolicy(rng, RandomEvictingActions(rng));
    INFO(conf);
    Life life(rng, /*ranks=*/true);
    Bed bed(life.Publish(), conf);
    for (int round = 0; round < 4; ++round) {
      INFO("round " << round);
      REQUIRE(bed.cycle().Open().ok());
      Session& session = bed.session();
      CheckKept(session);
      CheckNobodyIsMissed(session, &found);
      {
        framework::Statement statement(session, "test");
        ActAtRandom(session, statement, rng, 6);
        CheckKept(session);
        CheckNobodyIsMissed(session, &found);
      }
      CheckKept(session);
      session.prospects().Close(session);
      life.Change();
      bed.Reopen(life.Publish());
    }
  });
  CHECK((found.granted > 100 || FewSeeds()));
  CHECK((found.ruled_out > 100 || FewSeeds()));
}

TEST_CASE("victim prospects: who is ruled out beforehand changes no decision",
          "[framework][property]") {
  int64_t evictions = 0;
  ForEachWorld(600, [&](Rng& rng) {
    const std::string conf = RandomEvictingPolicy(rng, RandomEvictingActions(rng));
    INFO(conf);
    std::string slow = conf;
    slow.insert(slow.find("{name: binpack}"), "{name: boundless}, ");
    Life life(rng, /*ranks=*/true);
    PolicyBed rules_out(conf);
    PolicyBed asks(slow);
    for (int round = 0; round < 8; ++round) {
      INFO("round " << round);
      const auto snapshot = life.Publish();
      const CycleResult fast = rules_out.LookAtAll(snapshot);
      const CycleResult all = asks.LookAtAll(snapshot);
      REQUIRE(fast.binds == all.binds);
      REQUIRE(fast.evictions == all.evictions);
      REQUIRE(fast.phases == all.phases);
      evictions += static_cast<int64_t>(all.evictions.size());
      life.ComeAbout(all);
      life.Change();
    }
  });
  CHECK((evictions > 5 || FewSeeds()));
}

}  // namespace
}  // namespace bth::test
