// Searches that need not be repeated.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actions/eviction/candidates.h"
#include "actions/eviction/tally.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "framework/session/session.h"

namespace bth::actions::eviction {

// A failed search speaks for another task while nothing in the session has changed, when that task
// may be put on the same nodes, asks for as much or more, looks the same to plugins that judge
// evictors (queue and priorities, and what the job holds: no less than the first one's), and has
// no fewer pods to spare from. Where a plugin weighs jobs by all that they ask for, it speaks only
// for tasks of the same shape, of the same job or of one that holds nothing either and asks for the
// same in all. Lives for one run. Thread: scheduling.
class KnownFailures {
 public:
  enum class SpeakFor : uint8_t {
    kMore,   // As above.
    kEqual,  // Of these only for tasks of the same shape: the search did not come to its end.
  };

  explicit KnownFailures(SpeakFor whom = SpeakFor::kMore) : whom_(whom) {}

  // The failure that speaks for `ask`, or null.
  const Tally* Find(const framework::Session& session, const Ask& ask) const;
  void Add(const framework::Session& session, const Ask& ask, Tally tally);

 private:
  static constexpr size_t kKeysMax = 4096;
  static constexpr size_t kFailuresMax = 16;  // Per key.

  struct Key {
    Reach reach = Reach::kOtherJobs;
    bool task_preemptable = false;
    bool job_preemptable = false;
    int32_t task_priority = 0;
    int32_t job_priority = 0;
    model::QueueId queue;
    model::JobId own;  // Only where victims are of the same job.
    model::ConstraintsId constraints;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H state, const Key& key) {
      return H::combine(std::move(state), key.reach, key.task_preemptable, key.job_preemptable,
                        key.task_priority, key.job_priority, key.queue, key.own, key.constraints);
    }
  };
  struct Failure {
    uint64_t version = 0;
    model::JobId job;
    bool held_nothing = false;
    model::ShapeId shape;
    model::ResourceVec request;
    Tally tally;
  };

  static Key KeyOf(const framework::Session& session, const Ask& ask);
  // Plugins that are asked may answer otherwise for a job that asks for more in all.
  bool WeighsJobs(const framework::Session& session, Reach reach) const;
  // As far as jobs go, the failure speaks for tasks of this one.
  static bool SpeaksForJob(const framework::Session& session, const Failure& failure,
                           model::JobId job, bool weighs_jobs);
  // As far as requests go, the failure speaks for such a task.
  bool Covers(const Failure& failure, model::ShapeId shape,
              const model::ResourceVec& request) const {
    return whom_ == SpeakFor::kEqual ? failure.shape == shape : failure.request.AllAtMost(request);
  }

  SpeakFor whom_;
  absl::flat_hash_map<Key, std::vector<Failure>> failures_;
};

}  // namespace bth::actions::eviction
