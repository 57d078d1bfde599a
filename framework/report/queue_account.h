// What the plugin of queue shares counts for a queue, for people.
#pragma once

#include <optional>

#include "algo/queue_job_sums.h"
#include "framework/session/session.h"

namespace bth::framework {

struct QueueAccount {
  std::optional<model::ResourceVec> deserved;  // Nothing: it has no claim.
  model::ResourceVec inqueue;  // Kept for admitted jobs beside what they hold, at the opening.
  model::ResourceVec elastic;  // Held by jobs beyond their minimums, at the opening.
};

// Works the accounts out anew, for pages that somebody asks for: linear in jobs. Of the queues'
// own jobs, without those below. Outlived by the session.
class QueueAccounts {
 public:
  explicit QueueAccounts(const Session& session);

  // No plugin of the policy says what queues deserve.
  bool none() const { return session_.hooks().queue_deserved.empty(); }
  QueueAccount Of(model::QueueId queue) const;

 private:
  const Session& session_;
  algo::QueueJobSums sums_;
};

}  // namespace bth::framework
