// What the jobs of each queue hold of devices, kept from session to session.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "algo/device_amounts.h"
#include "algo/job_changes.h"
#include "algo/queue_tree.h"
#include "api/model/snapshot.h"
#include "base/ids.h"

namespace bth::framework {

class Session;

// Devices by class, as claims ask for them, and shares of virtual GPUs as they were given. A claim
// that several pods of a queue use counts once in it, and once in each queue above. Lives as long
// as its policy. Thread: scheduling. Cost: nothing where there are no devices; else the jobs that
// changed, and those that the session touched.
class QueueDevices {
 public:
  // Catches up with the session's snapshot.
  void Advance(const Session& session);
  // By queue, children included: names and amounts in thousandths that take the place of those in
  // `asked`, which is what pods ask for. `session` must be the one of the last Advance.
  using Amounts = std::vector<std::pair<std::string, int64_t>>;
  std::map<model::QueueId, Amounts> Allocated(
      const Session& session, const IdVector<model::QueueId, model::ResourceVec>& asked);

 private:
  using ClaimAmounts = std::shared_ptr<const algo::DeviceAmounts>;
  struct OfJob {
    model::QueueId queue;
    std::vector<std::pair<std::string, ClaimAmounts>> claims;  // By key, each once.
    bool has_shares = false;
    int64_t memory = 0;  // Beyond what its pods ask for, in thousandths; may be less.
    int64_t cores = 0;
    bool unresolved = false;  // Some claim is not known yet.

    bool empty() const { return claims.empty() && !has_shares; }
  };
  struct OfQueue {
    absl::flat_hash_map<std::string, int32_t> users;  // By claim.
    algo::DeviceAmounts classes;
    int32_t jobs_with_shares = 0;
    int64_t memory = 0;
    int64_t cores = 0;
  };

  // `now`: as the session has it; else as it opened.
  OfJob Read(const Session& session, model::JobId job, bool now);
  void Reread(const Session& session, model::JobId job);
  void Count(const OfJob& job, int sign);
  model::QueueId Above(model::QueueId queue) const;

  std::shared_ptr<const model::DeviceSettings> settings_;
  std::shared_ptr<const model::DeviceClaimsView> view_;
  bool reads_ = false;
  algo::JobChanges changes_;
  algo::QueueTree tree_;
  absl::flat_hash_map<model::JobId, OfJob> jobs_;  // Those that hold any.
  absl::flat_hash_set<model::JobId> unresolved_;
  absl::flat_hash_map<model::QueueId, OfQueue> queues_;
};

}  // namespace bth::framework
