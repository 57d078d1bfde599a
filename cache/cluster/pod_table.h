// Pods: tasks, shapes, and the sums they count in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/ids.h"
#include "cache/cluster/amount_book.h"
#include "cache/cluster/budget_book.h"
#include "cache/cluster/default_spreads.h"
#include "cache/cluster/device_book.h"
#include "cache/cluster/draft.h"
#include "cache/cluster/job_table.h"
#include "cache/cluster/leaving_pods.h"
#include "cache/cluster/mirror_views.h"
#include "cache/cluster/mount_book.h"
#include "cache/cluster/node_table.h"
#include "cache/cluster/pod_index.h"
#include "cache/cluster/pod_label_book.h"
#include "cache/cluster/pod_record.h"
#include "cache/cluster/shape_book.h"
#include "cache/cluster/slots.h"
#include "cache/cluster/vocabulary.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Owns the tasks' rows, their states and what these sum up to. A pod that comes, moves or goes is
// told to the tables of jobs and nodes and to the books from here, and from nowhere else. Thread:
// I/O. Cost of each call: the object's own size.
class PodTable {
 public:
  // Where pods count beside their own rows; all of it outlives the table.
  struct Places {
    NodeTable& nodes;
    JobTable& jobs;
    PodLabelBook& pod_labels;
    MountBook& mounts;
    DeviceBook& devices;
    BudgetBook& budgets;
    DefaultSpreads& spreads;
  };
  PodTable(const Clock& clock, Draft& draft, Vocabulary& vocabulary, Places places)
      : clock_(clock), draft_(draft), vocabulary_(vocabulary), to_(places) {}

  // Invalid: there is none; or none with this UID.
  model::TaskId Find(std::string_view key) const { return index_.Find(key); }
  model::TaskId Find(std::string_view key, std::string_view uid) const;
  PodIdentity IdentityOf(model::TaskId id) const;
  const PodRecord& RecordOf(model::TaskId id) const { return records_[id]; }
  size_t size() const { return index_.size(); }
  const ShapeBook& shapes() const { return shapes_; }

  // kResourceExhausted when a sum could overflow with the object: then it is not to be put.
  absl::Status CanCount(const CompiledPod& pod) const;
  // What the pod asks for; dimensions are to be settled between this and Add.
  void Announce(const CompiledPod& pod);
  // No pod of that name is there.
  model::TaskId Add(const CompiledPod& pod);
  // By the object that was put last.
  PodTraits TraitsOf(model::TaskId id) const;
  // True when only the pod's state can differ: the task keeps its id, shape, job and default
  // spread. A pod does not lose its node.
  bool SameSpec(model::TaskId id, const CompiledPod& pod) const;
  // A pod of the same spec. `shows`: its state is what the object shows, and else stays as it is.
  void Update(model::TaskId id, const CompiledPod& pod, bool shows);
  void Drop(model::TaskId id);

  void SetState(model::TaskId id, const model::TaskState& state);
  // Back to what the last object said.
  void ShowObject(model::TaskId id);
  // The pod counts as nominated for that node. Empty: nowhere.
  void Nominate(model::TaskId id, std::string_view node);

  // Of the resources that have got or lost a dimension: who asks for them. All sums lose these
  // tasks, and get them back counted in the new dimensions. Cost: a look at every pod.
  std::vector<model::TaskId> Asking(const std::vector<std::string>& resources) const;
  std::vector<std::shared_ptr<const PodShape>> TakeOut(const std::vector<model::TaskId>& tasks);
  void PutBack(const std::vector<model::TaskId>& tasks,
               const std::vector<std::shared_ptr<const PodShape>>& shapes);

  // When the next pod that leaves is given up; InfiniteFuture: none leaves.
  absl::Time NextGivenUp() const { return leaving_.NextEnd(); }
  void GiveUpLeaving();
  // Which budgets select which pods, how those that wait are spread, and by which labels pods
  // count, as far as that changed.
  void Publish();
  // After a snapshot was published.
  void Recycle();

  // Pending pods with our scheduler name that no PodGroup claims, by key, at most `max`.
  std::vector<GrouplessPod> Unclaimed(size_t max) const;
  // What is left with such pods, by their keys. `claims` null: there are none.
  std::vector<LeftWithPod> LeftWithUnclaimed(const model::DeviceClaimsView* claims) const;

  // For tests: what does not hold of the rows; adds up what they mention. Cost: all of them.
  absl::Status Check(IdVector<model::NodeId, int32_t>* mentions) const;

 private:
  bool IsOursToPlace(model::TaskId id) const;
  model::TaskRow RowOf(const CompiledPod& pod, model::ShapeId shape);
  void SetObjectNode(model::TaskId id, std::string_view node);
  void RefreshExtras(model::TaskId id, const CompiledPod& pod);
  model::TaskState Observed(model::TaskId id) const;
  int64_t EndOf(const PodRecord& known, const CompiledPod& pod) const;
  void NoteState(const model::TaskState& state);
  void NoteDemand(model::TaskId id, model::TaskStatus status);
  void NoteLeaving(model::TaskId id);
  // The task counts in `state` where others look for it, or does so no more.
  void Track(model::TaskId id, const model::TaskState& state, bool on);
  void Count(model::TaskId id, int sign);
  void Reselect();
  void Relabel();

  const Clock& clock_;
  Draft& draft_;
  Vocabulary& vocabulary_;
  const Places to_;
  PodIndex index_;
  IdVector<model::TaskId, PodRecord> records_;
  Slots<model::TaskId> slots_;
  ShapeBook shapes_;
  LeavingPods leaving_;
  AmountBook amounts_{kAmountMax};  // Requests.
};

}  // namespace bth::cache
