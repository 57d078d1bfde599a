// What the plugin of queue shares counts for a queue, for people.
#pragma once

#include "algo/queue_job_sums.h"
#include "algo/queue_quotas.h"
#include "framework/session/session.h"

namespace bth::framework {

struct QueueAccount {
  model::ResourceVec deserved;
  model::ResourceVec inqueue;  // Kept for admitted jobs beside what they hold, at the opening.
  model::ResourceVec elastic;  // Held by jobs beyond their minimums, at the opening.
};

// Works the accounts out anew, for pages that somebody asks for: linear in jobs. Of the queues'
// own jobs, without those below. Outlived by the session.
class QueueAccounts {
 public:
  explicit QueueAccounts(const Session& session);

  // Neither proportion nor capacity is in the policy: nobody counts.
  bool none() const { return plugin_ == Plugin::kNone; }
  // `held`: what the queue's jobs hold now.
  QueueAccount Of(model::QueueId queue, const model::ResourceVec& held) const;

 private:
  enum class Plugin : uint8_t { kNone, kProportion, kCapacity };

  const Session& session_;
  Plugin plugin_ = Plugin::kNone;
  algo::QueueJobSums sums_;
  algo::QueueQuotas quotas_;  // Of capacity.
};

}  // namespace bth::framework
