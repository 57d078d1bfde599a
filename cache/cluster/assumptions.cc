#include "cache/cluster/assumptions.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"

namespace bth::cache {

using model::NodeId;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

namespace {

constexpr absl::Duration kFirstPause = absl::Seconds(10);
constexpr absl::Duration kLongestPause = absl::Minutes(5);

absl::Status PodGone(std::string_view key) {
  return absl::NotFoundError(StrCat("pod ", key, " is gone"));
}

}  // namespace

void Assumptions::Set(TaskId id, uint8_t bit, bool holds) {
  if (!holds && Of(id) == 0) return;
  held_.EnsureContains(id);
  uint8_t& held = held_[id];
  held = static_cast<uint8_t>(holds ? held | bit : held & ~bit);
}

// A pending pod, and a node that is there.
absl::StatusOr<Assumptions::Offer> Assumptions::PendingFor(std::string_view key,
                                                           std::string_view uid,
                                                           std::string_view node) const {
  const TaskId id = tables_.pods.Find(key, uid);
  if (!id.valid()) return PodGone(key);
  if (draft_.now.usage.tasks[id].status != TaskStatus::kPending) {
    return absl::FailedPreconditionError(StrCat("pod ", key, " is not pending any more"));
  }
  const NodeId target = tables_.nodes.FindReady(node);
  if (!target.valid()) {
    return absl::FailedPreconditionError(StrCat("node ", node, " is gone"));
  }
  return Offer{.task = id, .node = target};
}

absl::Status Assumptions::Bind(std::string_view key, std::string_view uid, std::string_view node,
                               const model::DevicePlan* devices) {
  BTH_ASSIGN_OR_RETURN(const Offer offer, PendingFor(key, uid, node));
  const model::Snapshot& now = draft_.now;
  const model::ResourceVec& request = now.shapes[now.tasks[offer.task].shape].request;
  const int missing = request.FirstMissing(now.usage.idle[offer.node]);
  if (missing >= 0) {
    return absl::FailedPreconditionError(StrCat("node ", node, " has no room any more for pod ",
                                                key, ": ",
                                                std::string(vocabulary_.dims().name(missing))));
  }
  // The cycle that decided this has counted it already, but for those that were tried before it.
  const bool changed = draft_.changed;
  if (devices != nullptr) {
    BTH_RETURN_IF_ERROR(Annotate(tables_.devices.Give(offer.task, offer.node, devices->held),
                                 StrCat("node ", node, " for pod ", key)));
  }
  Set(offer.task, kPlacement, true);
  tables_.pods.SetState(offer.task, {.status = TaskStatus::kBinding, .node = offer.node});
  draft_.changed = changed || tables_.pod_labels.has_seekers();
  draft_.statuses_changed = true;
  return absl::OkStatus();
}

absl::flat_hash_set<absl::string_view> Assumptions::NodesBeingBoundTo() const {
  absl::flat_hash_set<absl::string_view> nodes;
  for (TaskId id : IdRange<TaskId>(0, held_.size())) {
    if (!HasPlacement(id)) continue;
    const TaskState& state = draft_.now.usage.tasks[id];
    if (state.status == TaskStatus::kBinding)
      nodes.insert(ToAbsl(tables_.nodes.NameOf(state.node)));
  }
  return nodes;
}

absl::Status Assumptions::Evict(std::string_view key, std::string_view uid) {
  const TaskId id = tables_.pods.Find(key, uid);
  if (!id.valid()) return PodGone(key);
  const TaskState state = draft_.now.usage.tasks[id];
  if (!model::InGroup(state.status, model::kPreemptableGroup)) {
    return absl::FailedPreconditionError(StrCat("pod ", key, " is not running any more"));
  }
  Set(id, kPlacement, true);
  tables_.pods.SetState(id, {.status = TaskStatus::kReleasing, .node = state.node});
  return absl::OkStatus();
}

void Assumptions::Forget(std::string_view key, std::string_view uid) {
  const TaskId id = tables_.pods.Find(key, uid);
  if (!id.valid() || !HasPlacement(id)) return;
  Set(id, kPlacement, false);
  tables_.devices.Release(id);
  tables_.pods.ShowObject(id);
}

absl::Status Assumptions::Nominate(std::string_view key, std::string_view uid,
                                   std::string_view node) {
  BTH_ASSIGN_OR_RETURN(const Offer offer, PendingFor(key, uid, node));
  const PodRecord& record = tables_.pods.RecordOf(offer.task);
  Set(offer.task, kNomination, record.News(PodNews::kNominatedNode) != node);
  tables_.pods.Nominate(offer.task, node);
  return absl::OkStatus();
}

void Assumptions::ForgetNomination(std::string_view key, std::string_view uid) {
  const TaskId id = tables_.pods.Find(key, uid);
  if (!id.valid() || !HasNomination(id)) return;
  Set(id, kNomination, false);
  tables_.pods.Nominate(id, tables_.pods.RecordOf(id).News(PodNews::kNominatedNode));
  draft_.changed = true;
}

bool Assumptions::LiftGate(std::string_view key, std::string_view uid) {
  const TaskId id = tables_.pods.Find(key, uid);
  if (!id.valid() || !draft_.now.tasks[id].own_gate_only) return false;
  draft_.ChangeTask(id).gate_lifted = true;
  return true;
}

// A later cycle may try again.
void Assumptions::ForgetGate(std::string_view key, std::string_view uid) {
  const TaskId id = tables_.pods.Find(key, uid);
  if (!id.valid() || !draft_.now.tasks[id].gate_lifted) return;
  draft_.ChangeTask(id).gate_lifted = false;
  draft_.changed = true;
}

absl::Duration Assumptions::Spare(const std::string& key, std::string_view uid) {
  const TaskId id = tables_.pods.Find(key, uid);
  if (!id.valid()) return absl::ZeroDuration();
  SparedPod& spared = spared_[key];
  if (spared.uid != uid) spared = {.uid = std::string(uid)};
  spared.pause = std::clamp(2 * spared.pause, kFirstPause, kLongestPause);
  spared.until = clock_.Monotonic() + spared.pause;
  spared.over = false;
  if (draft_.now.tasks[id].preemptable) draft_.ChangeTask(id).preemptable = false;
  draft_.changed = true;
  return spared.pause;
}

void Assumptions::EndSpares() {
  const absl::Duration now = clock_.Monotonic();
  for (auto it = spared_.begin(); it != spared_.end();) {
    SparedPod& spared = it->second;
    const TaskId id = tables_.pods.Find(it->first, spared.uid);
    const bool there = id.valid();
    if (there && !spared.over && spared.until <= now) {
      spared.over = true;
      const bool preemptable = tables_.pods.RecordOf(id).preemptable;
      if (draft_.now.tasks[id].preemptable != preemptable) {
        draft_.ChangeTask(id).preemptable = preemptable;
        draft_.changed = true;
      }
    }
    if (!there || spared.until + spared.pause <= now) {
      spared_.erase(it++);
    } else {
      ++it;
    }
  }
}

absl::Duration Assumptions::UntilSpareEnds() const {
  absl::Duration earliest = absl::InfiniteDuration();
  for (const auto& [key, pod] : spared_) {
    if (!pod.over) earliest = std::min(earliest, pod.until);
  }
  return earliest - clock_.Monotonic();
}

Assumptions::Open Assumptions::OpenAfter(TaskId id, const CompiledPod& pod) const {
  Open open;
  if (Of(id) == 0 || draft_.now.tasks[id].names->uid != pod.names.uid) return open;
  const bool waits = pod.node_name.empty() && pod.status == TaskStatus::kPending;
  if (HasPlacement(id)) {
    const TaskStatus status = draft_.now.usage.tasks[id].status;
    open.placement =
        (status == TaskStatus::kBinding && waits) ||
        (status == TaskStatus::kReleasing && model::InGroup(pod.status, model::kPreemptableGroup));
  }
  open.nomination = HasNomination(id) && waits &&
                    tables_.pods.RecordOf(id).News(PodNews::kNominatedNode) == pod.nominated_node;
  return open;
}

void Assumptions::Keep(TaskId id, Open open) {
  if (!open.placement) Set(id, kPlacement, false);
  if (open.nomination || !HasNomination(id)) return;
  Set(id, kNomination, false);
  tables_.pods.Nominate(id, tables_.pods.RecordOf(id).News(PodNews::kNominatedNode));
}

Assumptions::Saved Assumptions::Save(TaskId id, Open open) const {
  Saved saved{.open = open};
  if (open.placement) {
    saved.state = draft_.now.usage.tasks[id];
    saved.node = tables_.nodes.NameOf(saved.state.node);
    saved.open.placement = !saved.node.empty();  // What is nowhere holds no room.
    saved.devices = tables_.devices.GivenTo(id);
  }
  if (open.nomination) {
    saved.assumed_nomination = tables_.nodes.NameOf(draft_.now.tasks[id].nominated_node);
  }
  return saved;
}

void Assumptions::Drop(TaskId id) {
  Set(id, kPlacement | kNomination, false);
}

void Assumptions::Enter(TaskId id, const Saved& saved) {
  if (!spared_.empty()) {
    const model::TaskRow& row = draft_.now.tasks[id];
    const auto spared = spared_.find(row.names->Key());
    const bool holds = spared != spared_.end() && spared->second.uid == row.names->uid &&
                       spared->second.until > clock_.Monotonic();
    if (holds && row.preemptable) draft_.ChangeTask(id).preemptable = false;
  }
  if (saved.open.nomination) {
    Set(id, kNomination, true);
    tables_.pods.Nominate(id, saved.assumed_nomination);
  }
  if (saved.open.placement) {
    Set(id, kPlacement, true);
    // Its row may have gone with the pod's.
    TaskState state = saved.state;
    state.node = tables_.nodes.Mention(saved.node);
    if (saved.devices != nullptr) tables_.devices.Keep(id, state.node, saved.devices);
    tables_.pods.SetState(id, state);
    tables_.nodes.Unmention(state.node);
  }
}

absl::Status Assumptions::Check() const {
  const model::Snapshot& now = draft_.now;
  for (TaskId id : now.tasks.ids()) {
    const model::TaskRow& row = now.tasks[id];
    if (Of(id) == 0) continue;
    if (row.names == nullptr) return absl::InternalError("assumptions: of a pod that is gone");
    const TaskStatus status = now.usage.tasks[id].status;
    const auto wrong = [&row](const char* what) {
      return absl::InternalError(StrCat("pod ", row.names->Key(), ": ", what));
    };
    if (HasPlacement(id) && status != TaskStatus::kBinding && status != TaskStatus::kReleasing &&
        status != TaskStatus::kUnknown) {
      return wrong("is assumed to be bound or evicted, and is neither");
    }
    if (HasNomination(id) && !row.nominated_node.valid())
      return wrong("has an assumed nomination, and is nominated nowhere");
  }
  return absl::OkStatus();
}

}  // namespace bth::cache
