// The job cache: which pods belong to which batch job, and what of a job is known before the server
// knows it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/types/batch_job.h"
#include "api/types/pod.h"

namespace bth::controllers {

using JobPointer = std::shared_ptr<const types::BatchJob>;
using PodPointer = std::shared_ptr<const types::Pod>;

// What a pod says of its place in a job.
struct PodPlace {
  std::string job;
  std::string task;
  int32_t version = 0;
};
// kInvalidArgument when an annotation is missing or malformed.
absl::StatusOr<PodPlace> PlaceOf(const types::Pod& pod);
bool IsMarkedOutOfSync(const types::Pod& pod);
// Name and uid of the batch job that controls it; null: none does.
const types::OwnerReference* BatchJobOwner(const types::ObjectMeta& meta);

// A job with its own pods at one moment. Pods of an earlier job of the same name are left out.
struct JobView {
  using Pods = std::map<std::string, PodPointer>;  // By name.

  JobPointer job;
  int32_t version = 0;  // At least job->status.version: grows before the server is told.
  // By annotation volcano.sh/task-spec; shared with the book until that changes.
  std::map<std::string, std::shared_ptr<const Pods>> tasks;
  absl::flat_hash_set<std::string> leaving;  // Uids of pods that we deleted.

  const Pods& PodsOf(std::string_view task) const;
  // Null when unknown.
  PodPointer FindPod(std::string_view task, std::string_view name) const;
  bool IsTerminating(const types::Pod& pod) const;
};

// Thread: the executor's.
class JobBook final {
 public:
  // kAlreadyExists "duplicated jobInfo <key>".
  absl::Status Add(JobPointer job);
  // kNotFound "failed to find job <key>"; kAborted when an older version is given.
  absl::Status Update(JobPointer job);
  absl::Status Delete(std::string_view key);

  // kAlreadyExists "duplicated pod"; kInvalidArgument when it does not say where it belongs. Pods
  // may come before their job.
  absl::Status AddPod(PodPointer pod);
  absl::Status UpdatePod(PodPointer pod);
  void DeletePod(const types::Pod& pod);
  bool HasPod(const types::Pod& pod) const;

  // kNotFound "failed to find job <key>", kUnavailable "job <key> is not ready" while only pods of
  // it are known.
  absl::StatusOr<JobView> Get(std::string_view key) const;
  JobPointer FindJob(std::string_view key) const;
  // 0 for an unknown job.
  int32_t VersionOf(std::string_view key) const;
  size_t PodsOf(std::string_view key) const;
  // The present incarnation of the job has a pod.
  bool HasCurrentPods(std::string_view key) const;

  // Pods that are being deleted, or marked out of sync, count for neither.
  // All pods of the task have succeeded.
  bool TaskCompleted(std::string_view key, std::string_view task) const;
  // The containers of the task's pods have restarted too often.
  bool TaskFailed(std::string_view key, std::string_view task) const;

  // From now on events of pods made before count as those of an earlier incarnation. Forgotten with
  // the job.
  void RaiseVersion(std::string_view key);
  // The server has been asked to delete it.
  void NoteDeleted(const types::Pod& pod);
  void NoteDeletedGroup(std::string_view key, std::string uid);
  bool IsDeletedGroup(std::string_view key, std::string_view uid) const;

  size_t size() const { return entries_.size(); }

 private:
  using TaskKey = std::pair<std::string, std::string>;  // Uid of the owner, task.
  // Sums are kept, because each news of a pod asks for them. Of the pods that stay.
  struct TaskPods {
    std::shared_ptr<JobView::Pods> pods;
    int64_t restarts = 0;  // Of the containers of pods that are pending or running.
    int32_t succeeded = 0;

    void Count(const types::Pod& pod, int sign);
    JobView::Pods& Own();  // Not shared with any view.
  };
  struct Entry {
    JobPointer job;  // Null: only pods are known.
    int32_t version = 0;
    std::map<TaskKey, TaskPods> tasks;
    absl::flat_hash_set<std::string> leaving;
    std::string deleted_group;  // Uid of the latest PodGroup that we deleted.
  };

  const Entry* Find(std::string_view key) const;
  Entry* Find(std::string_view key);
  void Tidy(const std::string& key);
  // Null when there are none.
  static const TaskPods* Find(const Entry& entry, const TaskKey& task);

  absl::flat_hash_map<std::string, Entry> entries_;  // By "namespace/name".
};

// The task of that name, or null.
const types::BatchTask* FindTask(const types::BatchJobSpec& spec, std::string_view name);

}  // namespace bth::controllers
