// Jobs: PodGroups, and the pods that name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/clock.h"
#include "base/ids.h"
#include "cache/cluster/amount_book.h"
#include "cache/cluster/draft.h"
#include "cache/cluster/foreign_pods.h"
#include "cache/cluster/group_parts.h"
#include "cache/cluster/job_record.h"
#include "cache/cluster/priority_book.h"
#include "cache/cluster/queue_book.h"
#include "cache/cluster/slots.h"
#include "cache/cluster/sorted_ids.h"
#include "cache/cluster/vocabulary.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Owns the rows of jobs, sub-jobs and roles, which tasks are in them (`job`, `sub_job` and `role`
// of a task's row), and the lists of jobs that a snapshot shows. A job lives while its PodGroup or
// a pod that names it does. Thread: I/O. Cost of each call: the object's own size; of Publish: the
// jobs that changed.
class JobTable {
 public:
  using PodOf = absl::FunctionRef<PodIdentity(model::TaskId)>;

  // All of them outlive the table.
  JobTable(const Clock& clock, Draft& draft, const Vocabulary& vocabulary, const QueueBook& queues)
      : clock_(clock), draft_(draft), vocabulary_(vocabulary), queues_(queues) {}

  // kResourceExhausted when a sum could overflow with the object: then it is not to be put.
  absl::Status CanCount(const CompiledPodGroup& group) const;
  // Takes what the PodGroup shows; true when it differs in nothing else from the one known.
  bool TakeShown(CompiledPodGroup& group);
  void Put(CompiledPodGroup group, PodOf pod_of);
  // It is known.
  void Remove(const std::string& key, PodOf pod_of);
  // Without them, jobs have no priority.
  void PutPriorityClass(const std::string& name, int32_t value, bool global_default);
  void RemovePriorityClass(const std::string& name);
  // After a queue came or went, or resources got or lost a dimension.
  void WriteRows();

  // The pod, whose row is there, belongs to the job that it names, if any.
  void Enter(model::TaskId id, const CompiledPod& pod);
  void Leave(model::TaskId id, bool ours);
  // What the job counts, or a task of it, changed. Invalid: nothing.
  void Touch(model::JobId job);
  // A waiting pod of another scheduler names the job.
  bool KnowsForeign(const std::string& pod, const std::string& job) const {
    return foreign_.Knows(pod, job);
  }
  void AddForeign(const std::string& pod, const std::string& job);
  void RemoveForeign(const std::string& pod);

  // The phase counts from now on. The job has a PodGroup.
  void SetPhase(model::JobId job, model::PodGroupPhase phase);
  // Keeps a job out of cycles for so long, whoever sets the clock meanwhile. A later call replaces
  // an earlier one.
  void BackOff(model::JobId job, absl::Duration pause);
  bool IsBackingOff(model::JobId job) const;
  absl::Duration UntilBackoffEnds() const;  // InfiniteDuration: none backs off.

  model::JobId Find(const std::string& key) const;  // Invalid: there is none.
  const JobRecord& RecordOf(model::JobId job) const { return records_[job]; }
  // Null: there is no such object. Until the next change.
  const CompiledPodGroup* Known(const std::string& key) const;
  const absl::flat_hash_map<std::string, model::JobId>& ids() const { return ids_; }
  // The PodGroup is ours to enqueue and to write: a pod of it is ours, or it has none.
  bool Owns(model::JobId job) const { return Owns(records_[job]); }
  size_t pod_groups() const { return ids_.size() - without_group_.size(); }

  // A pod of ours that no PodGroup claims came, went or shows something else.
  void NoteIfUnclaimed(model::TaskId id, bool ours);
  bool TakeUnclaimedChanged() { return std::exchange(unclaimed_changed_, false); }
  // Pods of jobs with no PodGroup, and ours that name none: empty then.
  void VisitUnclaimed(absl::FunctionRef<void(model::TaskId, const std::string& group)> visit) const;

  void Publish();
  // After a snapshot was published.
  void Recycle();

  // For tests: what does not hold of the rows. Cost: all of them, and all tasks.
  absl::Status Check() const;

 private:
  model::JobId SlotOf(const std::string& key);
  bool Owns(const JobRecord& record) const;
  std::vector<model::TaskId>::const_iterator PlaceOf(model::TaskId id,
                                                     const JobRecord& record) const;
  void Regroup(model::JobId job, PodOf pod_of);
  void WriteRow(model::JobId job);
  void WriteMinimums(model::JobId job, model::JobRow* row);
  void DropIfEmpty(model::JobId job);
  void EndBackoffs();
  void WriteLists(model::JobId job);
  bool HasWork(model::JobId job) const;
  bool ShowsOtherCounts(model::JobId job) const;

  const Clock& clock_;
  Draft& draft_;
  const Vocabulary& vocabulary_;
  const QueueBook& queues_;
  absl::flat_hash_map<std::string, model::JobId> ids_;
  IdVector<model::JobId, JobRecord> records_;
  Slots<model::JobId> slots_;
  GroupParts parts_;
  PriorityBook priorities_;
  ForeignPods foreign_;
  AmountBook amounts_{kAmountSumMax};  // Minimum resources of groups that are not over.
  absl::flat_hash_set<model::JobId> dirty_;
  SortedIds<model::JobId> all_;            // With a PodGroup and a queue.
  SortedIds<model::JobId> active_;         // Of these, the ones with something to do.
  SortedIds<model::JobId> without_queue_;  // With work, and a queue that does not exist.
  SortedIds<model::JobId> resting_;        // With work, but backing off.
  SortedIds<model::JobId> untold_;         // Of these, the ones that show other counts.
  absl::flat_hash_set<model::JobId> backing_off_;
  absl::flat_hash_set<model::JobId> without_group_;  // Known by their pods only.
  absl::flat_hash_set<model::TaskId> without_job_;   // Ours, with no group annotation.
  bool unclaimed_changed_ = false;                   // About a pod of one of the two.
};

}  // namespace bth::cache
