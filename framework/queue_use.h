// What the jobs of each queue hold, kept from session to session.
#pragma once

#include "algo/job_changes.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::framework {

class Session;

// Follows snapshots by what changed between them; what a session changes comes on top. Lives as
// long as its policy. Thread: scheduling.
class QueueUse {
 public:
  // Catches up with the session's snapshot. Cost: jobs changed since the last call.
  void Advance(const Session& session);
  // Allocated amounts by queue, children apart, as the session has them now. Cost: the queues and
  // the jobs that the session touched. `session` must be the one of the last Advance.
  IdVector<model::QueueId, model::ResourceVec> Allocated(const Session& session) const;

 private:
  algo::JobChanges changes_;
  IdVector<model::QueueId, model::ResourceVec> at_open_;
};

}  // namespace bth::framework
