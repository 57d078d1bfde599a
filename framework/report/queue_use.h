// What the jobs of each queue hold, kept from session to session.
#pragma once

#include "algo/job_changes.h"
#include "algo/queue_faults.h"
#include "algo/queue_tree.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "framework/report/queue_devices.h"

namespace bth::framework {

class Session;

// Follows snapshots by what changed between them; what a session changes comes on top. Lives as
// long as its policy. Thread: scheduling.
class QueueUse {
 public:
  // Catches up with the session's snapshot. Cost: jobs changed since the last call.
  void Advance(const Session& session);
  // Allocated amounts by queue, children included, as the session has them now. Who placed a pod
  // does not matter. Cost: the queues and the jobs that the session touched. `session` must be the
  // one of the last Advance.
  IdVector<model::QueueId, model::ResourceVec> Allocated(const Session& session) const;
  // Beside them, what they hold of devices.
  QueueDevices& devices() { return devices_; }
  // What is wrong with single queues, whatever the policy.
  const std::vector<algo::QueueFinding>& findings() const { return findings_; }

 private:
  algo::JobChanges changes_;
  algo::QueueTree tree_;
  std::vector<algo::QueueFinding> findings_;
  IdVector<model::QueueId, model::ResourceVec> at_open_;
  QueueDevices devices_;
};

}  // namespace bth::framework
