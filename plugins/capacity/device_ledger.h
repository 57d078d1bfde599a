// What the claims of all queues hold of the devices of each class, each with the queues below it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "algo/device_amounts.h"
#include "api/model/device_claims.h"
#include "api/model/device_quota.h"
#include "framework/session/session.h"
#include "plugins/capacity/queue_ledger.h"

namespace bth::plugins::capacity {

// Only queues whose capability names device classes have an account. A claim that several pods use
// counts once in each. What admitted jobs still lack of their minimum is kept for them, against
// other admissions. Lives for one session. Thread: scheduling. Cost: nothing where no queue has
// such a capability; else the tasks, once.
class DeviceLedger {
 public:
  // `ledger` outlives it. `parts`: amounts of what devices have count too, not only devices.
  DeviceLedger(const framework::Session& session, const QueueLedger& ledger, bool parts);

  bool empty() const { return accounts_.empty(); }

  struct Shortage {
    model::QueueId queue;  // Of the task or job, or one above.
    std::string name;      // "deviceclass/gpu.example.com"
  };
  // Nothing: the queue, and each above it, may hold what the task's claims add.
  std::optional<Shortage> ShortOf(model::QueueId queue, model::TaskId task) const;
  // The same of what the minimum of a job that waits for admission takes, beside what is held and
  // kept.
  std::optional<Shortage> ShortForAdmission(model::JobId job) const;
  // The queue, or one above, limits devices, and the job asks for some.
  bool Concerns(model::JobId job) const;
  // Another one when something changed of what the queue, or one above, may hold or admit.
  uint64_t DigestOf(model::QueueId queue) const;

  void Place(model::QueueId queue, model::TaskId task) { Move(queue, task, 1); }
  void Remove(model::QueueId queue, model::TaskId task) { Move(queue, task, -1); }
  // Its minimum is kept for the job from now on.
  void Enqueue(model::JobId job);

  struct Account {
    const model::DeviceQuota* quota = nullptr;
    algo::DeviceAmounts held;
    algo::DeviceAmounts inqueue;
    absl::flat_hash_map<const model::DeviceClaimFacts*, int32_t> users;
    absl::flat_hash_set<const model::DeviceClaimFacts*> kept;  // Those that `inqueue` has.
    // Which claims these are: sums of digests of their keys.
    uint64_t users_sum = 0;
    uint64_t kept_sum = 0;
    bool Has(const model::DeviceClaimFacts* claim) const {
      return users.contains(claim) || kept.contains(claim);
    }
  };
  // Null: the queue does not limit devices.
  const Account* Find(model::QueueId queue) const;

 private:
  std::vector<const model::DeviceClaimFacts*> ClaimsOf(model::TaskId task) const;
  // What the minimum of the job asks for: of each role with a minimum so many tasks, else of the
  // first by name. A claim of several counts once. `waiting`: only what has no place yet.
  struct Minimum {
    std::vector<const model::DeviceClaimFacts*> claims;
    algo::DeviceAmounts unmade;  // Of claims that come with pods that are not made yet.
  };
  Minimum MinimumOf(model::JobId job, bool waiting) const;
  // Beside what the account has of its claims.
  algo::DeviceAmounts NewTo(const Account& account, const Minimum& minimum) const;
  void Move(model::QueueId queue, model::TaskId task, int sign);

  const framework::Session& session_;
  const QueueLedger& ledger_;
  const bool parts_;
  absl::flat_hash_map<model::QueueId, Account> accounts_;
};

}  // namespace bth::plugins::capacity
