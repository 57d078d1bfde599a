// What the claims of all queues hold of the devices of each class, each with the queues below it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/device_claims.h"
#include "api/model/device_quota.h"
#include "framework/session/session.h"
#include "plugins/capacity/queue_ledger.h"

namespace bth::plugins::capacity {

// Only queues whose capability names device classes have an account. A claim that several pods use
// counts once in each. Lives for one session. Thread: scheduling. Cost: nothing where no queue has
// such a capability; else the tasks, once.
class DeviceLedger {
 public:
  // `ledger` outlives it. `parts`: amounts of what devices have count too, not only devices.
  DeviceLedger(const framework::Session& session, const QueueLedger& ledger, bool parts);

  bool empty() const { return accounts_.empty(); }

  struct Shortage {
    model::QueueId queue;  // Of the task, or one above.
    std::string name;      // "deviceclass/gpu.example.com"
  };
  // Nothing: the queue, and each above it, may hold what the task's claims add.
  std::optional<Shortage> ShortOf(model::QueueId queue, model::TaskId task) const;

  void Place(model::QueueId queue, model::TaskId task) { Move(queue, task, 1); }
  void Remove(model::QueueId queue, model::TaskId task) { Move(queue, task, -1); }

 private:
  using Amounts = std::map<std::string, model::ClassAmounts, std::less<>>;  // By class.
  struct Account {
    const model::DeviceQuota* quota = nullptr;
    Amounts held;
    absl::flat_hash_map<const model::DeviceClaimFacts*, int32_t> users;
  };

  std::vector<const model::DeviceClaimFacts*> ClaimsOf(model::TaskId task) const;
  // What the claim asks for; alternatives and "all devices" are no amounts.
  Amounts AskedBy(const model::DeviceClaimFacts& claim) const;
  std::optional<std::string> ShortIn(const Account& account, const Amounts& more) const;
  void Move(model::QueueId queue, model::TaskId task, int sign);

  const framework::Session& session_;
  const QueueLedger& ledger_;
  const bool parts_;
  absl::flat_hash_map<model::QueueId, Account> accounts_;
};

}  // namespace bth::plugins::capacity
