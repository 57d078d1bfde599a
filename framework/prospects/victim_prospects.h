// Whether anybody could be evicted for a job, before any node is looked at.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "framework/hooks/hooks.h"
#include "framework/prospects/grant_bounds.h"

namespace bth::framework {

class Session;

// For whom victims are sought.
struct VictimSeeker {
  VictimKind kind = VictimKind::kPreempt;
  model::QueueId queue;
  int32_t priority = 0;  // Of its job.
  model::JobId job;      // Invalid: any that holds nothing.
};

// Whom the action would ask about, wherever they stand, who protects them, and whom it would pass
// over by rules of its own. Pods of jobs that take part, by the first rule that spares them.
struct Protection {
  int64_t candidates = 0;
  bool any_vote = false;  // Some plugin has a say.
  int64_t marked = 0;     // As not preemptable.
  int64_t own_job = 0;
  int64_t own_queue = 0;
  int64_t other_queues = 0;
  int64_t not_reclaimable = 0;
  int64_t not_lower = 0;
  int64_t opting_out = 0;
  int64_t not_running = 0;
  std::vector<std::pair<std::string_view, int64_t>> by_plugin;  // In the order of the hooks.
};

// Tells who has no prospect of victims: every tier that votes on them has a plugin that grants
// nobody in reach (GrantBounds). What it does not rule out may still be refused. Jobs that hold
// room are counted by queue and by what bounds say of them, from session to session by what
// changed. Lives with its policy. Thread: scheduling. Cost: what changed since the last question;
// a question that follows a change, the queues.
class VictimProspects {
 public:
  // Starts a session, which is frozen. Sessions that nobody opens here are opened by the first
  // question.
  void Open(const Session& session);
  // Takes up what the session did, so that the next one goes on from there.
  void Close(const Session& session);

  // False: as things stand, nobody of other jobs is granted to the seeker.
  bool Any(const Session& session, const VictimSeeker& seeker);
  // False: preemption is granted none of the job's own tasks for one with this priority.
  bool AnyOfOwn(const Session& session, model::JobId job, int32_t task_priority);
  // How many the seeker's action could ask about, and who protects them.
  Protection ProtectionFrom(const Session& session, const VictimSeeker& seeker);
  // The job has pods that could be asked about, whatever plugins say.
  bool Holds(const Session& session, model::JobId job);

  // What may be placed before anybody is evicted: more in these queues, and tasks of these jobs.
  struct Growth {
    absl::flat_hash_map<model::QueueId, model::ResourceVec> queues;
    std::vector<model::JobId> jobs;
  };
  // Answers as if any part of it had been placed; an empty one: as things stand.
  void Expect(Growth growth);

 private:
  using Vetoes = std::array<uint32_t, kVictimKinds>;  // Bits of bounds, by kind.
  static constexpr size_t kBoundsMax = 32;            // Bits; more are not asked.

  // What is alike of jobs, for whoever looks for victims.
  struct Traits {
    int32_t priority = 0;
    bool opts_out = false;
    model::DimMask asked = 0;
    Vetoes vetoes{};
    friend bool operator==(const Traits&, const Traits&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const Traits& traits) {
      return H::combine(std::move(state), traits.priority, traits.opts_out, traits.asked,
                        traits.vetoes);
    }
  };
  struct Holding {
    uint32_t traits = 0;
    int64_t jobs = 0;
    int64_t placed = 0;  // Pods that preemption may ask about.
    int64_t running = 0;
    int64_t marked = 0;
    Vetoes of_queue{};  // As of the last outlook.
  };
  // Of one job.
  struct Held {
    model::QueueId queue;
    uint32_t traits = 0;
    int64_t placed = 0;
    int64_t running = 0;
    int64_t marked = 0;  // Not preemptable.
    bool counts() const { return placed + marked > 0; }
  };
  struct Tier {
    int number = 0;
    uint32_t bounds = 0;  // Bits of its plugins' bounds.
    friend bool operator==(const Tier&, const Tier&) = default;
  };
  struct Rules {
    std::vector<Tier> tiers;  // With a vote.
    uint32_t only_lower = 0;  // Bits.
    std::vector<std::string_view> plugins;
    friend bool operator==(const Rules&, const Rules&) = default;
  };
  // Of one queue, for one kind.
  struct Outlook {
    // The lowest priority of a job that may be granted to higher ones.
    int32_t lowest = std::numeric_limits<int32_t>::max();
    bool to_all = false;  // Some job may be granted to any.
  };

  static Rules RulesOf(const Session& session, VictimKind kind);
  void Follow(const Session& session);
  void Recount(const Session& session, model::JobId job);
  void RecountAll(const Session& session);
  // Adds the job's holding to its queue's, or takes it off.
  void Count(const Held& held, int64_t sign);
  uint32_t TraitsOf(const Session& session, model::JobId job, model::DimMask asked);
  // Brings the outlook of the kind up to date.
  void Look(const Session& session, VictimKind kind);
  void LookAt(VictimKind kind, const Traits& traits, uint32_t vetoes, Outlook* out) const;
  bool Passes(VictimKind kind, uint32_t vetoes) const;
  bool AnyIn(const VictimSeeker& seeker, model::QueueId queue) const;
  // Files `pods` under the rule that spares them, or as candidates: then true.
  bool Sort(const Session& session, const VictimSeeker& seeker, const Held& pods,
            Protection* out) const;
  // Calls `body` for each queue that the seeker's action looks into, until it returns true.
  template <typename Body>
  bool AnyQueue(const Session& session, const VictimSeeker& seeker, const Body& body) const;
  const Rules& rules(VictimKind kind) const { return rules_[static_cast<size_t>(kind)]; }

  std::array<Rules, kVictimKinds> rules_;
  uint64_t generation_ = 0;  // Of the snapshot it is in step with.
  bool in_step_ = false;     // With the session before, to its end.
  bool opened_ = false;
  std::shared_ptr<const std::vector<model::QueueId>> queues_by_name_;
  size_t followed_ = 0;                      // Changes of the session that were taken up.
  std::vector<model::JobId> touched_;        // By the session.
  std::array<bool, kVictimKinds> looked_{};  // The outlook is of now.
  Growth growth_;

  IdVector<model::JobId, Held> held_;
  std::vector<Traits> traits_;
  absl::flat_hash_map<Traits, uint32_t> traits_index_;
  IdVector<model::QueueId, std::vector<Holding>> queues_;
  std::array<IdVector<model::QueueId, Outlook>, kVictimKinds> outlook_;
};

}  // namespace bth::framework
