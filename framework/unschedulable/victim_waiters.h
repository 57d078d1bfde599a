// Refused jobs for which actions that evict might find somebody.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/model/ids.h"
#include "framework/session/session.h"
#include "framework/unschedulable/answer_rules.h"

namespace bth::framework {

// Kept by what tells seekers of victims apart, so that one question answers for very many of them.
// Thread: scheduling. Cost of a question: the queues and priorities that wait, the waiting jobs
// that hold room, and the active ones.
class VictimWaiters {
 public:
  explicit VictimWaiters(const AnswerRules& rules) : rules_(rules) {}

  // `restless`: its refusal does not stand without victims either (Refusal).
  void Add(Session& session, model::JobId job, bool restless);
  void Remove(model::JobId job);
  void Clear();

  // Somebody could be evicted for one of them or of `active`: as things stand, or, with
  // `when_more_is_placed`, however much of what is looked at in this session is placed first.
  bool AnyVictim(Session& session, const std::vector<model::JobId>& active,
                 bool when_more_is_placed) const;
  std::vector<model::JobId> restless() const { return {restless_.begin(), restless_.end()}; }

 private:
  using Jobs = absl::flat_hash_set<model::JobId>;
  using Rank = std::pair<model::QueueId, int32_t>;  // With the job's priority.
  static Rank RankOf(const Session& session, model::JobId job) {
    return {session.job(job).queue, session.job(job).priority};
  }
  bool AnyVictimFor(Session& session, const Rank& rank, model::JobId holder) const;

  const AnswerRules rules_;
  // Who holds nothing is told apart by queue and priority alone.
  absl::flat_hash_map<Rank, int64_t> ranks_;  // With the number of jobs.
  absl::flat_hash_map<model::JobId, Rank> rank_of_;
  Jobs holders_;  // Some of its pods could be evicted, for it or for others.
  Jobs restless_;
};

}  // namespace bth::framework
