// What everything that acts on batch jobs works with.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/batch_job.h"
#include "api/types/pod_group.h"
#include "api/types/priority_class.h"
#include "api/types/queue.h"
#include "api/types/volume.h"
#include "controllers/core/controller.h"
#include "controllers/core/object_store.h"
#include "controllers/core/remake_pauses.h"
#include "controllers/job/aimed_pods.h"
#include "controllers/job/job_book.h"
#include "controllers/job/min_resources.h"
#include "controllers/job/wake_list.h"
#include "controllers/job_plugins/job_plugin.h"

namespace bth::controllers {

using MakePlugins =
    std::function<absl::StatusOr<JobPlugins>(const types::BatchJobSpec&, const JobPluginTools&)>;

// Why an operation did not get through.
struct SyncError {
  absl::Status status;  // OK: there is none.
  std::string reason;   // Of the event and of status.state.
  std::string message;  // Of the event.
  // Trying again would not help: something else must change first, and that wakes the job.
  bool waits = false;

  bool ok() const { return status.ok(); }
};

SyncError MakeSyncError(absl::Status status, std::string reason, std::string message, bool waits);
// Its message is "WHAT, err: " and that of the status.
SyncError SyncErrorOf(absl::Status status, std::string reason, std::string_view what, bool waits);

// Lifetime: as long as the controller. Thread: the executor's.
struct JobDesk {
  JobDesk(const ControllerContext& controllers, JobPluginTools plugin_tools, MakePlugins make);
  JobDesk(const JobDesk&) = delete;

  PriorityOf Priorities() const;
  // The group of the job, under its present or its former name; null when there is none, or only
  // one that was deleted already or belongs to somebody else.
  ObjectStore<types::PodGroup>::Pointer FindGroup(const types::BatchJob& job) const;
  // The job is still the same one.
  bool IsPresent(const types::BatchJob& job) const;
  // Likewise, and it is not being deleted.
  bool IsAlive(const types::BatchJob& job) const;

  // The job is to be looked at again after so long, even if nothing happens; the shortest counts.
  void LookAgain(const types::BatchJob& job, absl::Duration after);
  // `child` is not to be made yet (see RemakePauses): the job is looked at when it may be.
  bool IsToWait(const types::BatchJob& job, const std::string& child);
  // The job is gone.
  void Forget(const types::BatchJob& job);

  const ControllerContext context;
  ObjectStore<types::BatchJob>& jobs;
  ObjectStore<types::Pod>& pods;
  ObjectStore<types::PodGroup>& groups;
  ObjectStore<types::Queue>& queues;
  ObjectStore<types::PersistentVolumeClaim>& claims;
  ObjectStore<types::PriorityClass>* classes = nullptr;  // Null with the gate PriorityClass off.
  const JobPluginTools tools;
  const MakePlugins make_plugins;
  JobBook book;
  RemakePauses remakes;  // Of pods and groups.
  WakeList waits;
  AimedPods aimed;
  // By uid of the job: the metadata.generation that its plugins' objects agree with.
  absl::flat_hash_map<std::string, int64_t> refreshed;
  // By uid of the job, monotonic: since when its counts differ from what is written.
  absl::flat_hash_map<std::string, absl::Duration> counts_differ_since;
  // By "namespace/name" of the job: how soon to look at it again.
  absl::flat_hash_map<std::string, absl::Duration> look_after;
  // By uid of the job: what was last said of its group.
  absl::flat_hash_map<std::string, std::string> said_of_group;
};

inline std::string JobKey(const types::BatchJob& job) {
  return StoreKey(job.meta.ns, job.meta.name);
}

// Names in the WakeList.
inline std::string AwaitedPod(std::string_view key) {
  return std::string("pod ").append(key);
}
inline std::string AwaitedClaim(std::string_view key) {
  return std::string("claim ").append(key);
}
inline std::string AwaitedGroup(std::string_view key) {
  return std::string("group ").append(key);
}
inline std::string AwaitedQueue(std::string_view name) {
  return std::string("queue ").append(name);
}

// "[a b c]", at most the first few.
std::string ErrorList(const std::vector<absl::Status>& errors);

}  // namespace bth::controllers
