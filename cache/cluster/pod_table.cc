#include "cache/cluster/pod_table.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "cache/cluster/left_claims.h"

namespace bth::cache {

using model::NodeId;
using model::ShapeId;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

namespace {

// The pod uses the same room as before, further on its way: nothing new to decide.
bool ConfirmsOnly(const TaskState& from, const TaskState& to) {
  return from.node == to.node && model::InGroup(from.status, model::kAllocatedGroup) &&
         model::InGroup(to.status, model::kAllocatedGroup);
}

// A pod of ours asks for its resources until it has ended. Others use what their nodes have of
// them, which counts as far as somebody asks.
bool Asks(bool ours, TaskStatus status) {
  return ours && status != TaskStatus::kSucceeded && status != TaskStatus::kFailed;
}

bool SameText(const std::shared_ptr<const std::string>& a,
              const std::shared_ptr<const std::string>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

TaskId PodTable::Find(std::string_view key, std::string_view uid) const {
  const TaskId id = index_.Find(key);
  return id.valid() && draft_.now.tasks[id].names->uid == uid ? id : TaskId();
}

PodIdentity PodTable::IdentityOf(TaskId id) const {
  PodIdentity pod{.names = *draft_.now.tasks[id].names};
  UnpackSelected(records_[id].selected_by, &pod);
  return pod;
}

absl::Status PodTable::CanCount(const CompiledPod& pod) const {
  const TaskId known = index_.Find(pod.names.Key());
  const NamedAmounts* before = nullptr;
  if (known.valid()) before = &shapes_.Known(draft_.now.tasks[known].shape)->requests;
  return Annotate(amounts_.Check(pod.requests, before), "requests");
}

void PodTable::Announce(const CompiledPod& pod) {
  if (Asks(pod.ours, pod.status)) vocabulary_.dimensions().Ask(pod.requests, +1);
}

model::TaskRow PodTable::RowOf(const CompiledPod& pod, ShapeId shape) {
  model::TaskRow row;
  static_cast<model::TaskTraits&>(row) = static_cast<const model::TaskTraits&>(pod);
  row.names = std::make_shared<const model::TaskNames>(pod.names);
  row.shape = shape;
  row.device_claims = pod.device_claims;
  row.protected_until_us = pod.protected_until_us;
  row.budgets = to_.budgets.Selecting(pod);
  if (!pod.nominated_node.empty()) row.nominated_node = to_.nodes.Mention(pod.nominated_node);
  return row;
}

TaskId PodTable::Add(const CompiledPod& pod) {
  model::Snapshot& now = draft_.now;
  const TaskId id = slots_.Take();
  records_.EnsureContains(id);
  PodRecord& record = records_[id];
  record = PodRecord();
  record.status = pod.status;
  record.preemptable = pod.preemptable;
  record.ours = pod.ours;
  record.asks = Asks(pod.ours, pod.status);
  record.ends_us = pod.ends_us;
  record.selected_by = PackSelected(pod);
  record.SetNews(pod);
  amounts_.Add(pod.requests);
  const ShapeId shape = shapes_.Acquire(pod, pod.ours, vocabulary_, &now);
  now.tasks.EnsureContains(id);
  now.usage.tasks.EnsureContains(id);
  if (pod.constraints->peer_terms != nullptr) {
    to_.pod_labels.AskFor(*pod.constraints->peer_terms, vocabulary_.symbols());
  }
  now.tasks.Mutable(id) = RowOf(pod, shape);
  index_.Insert(*now.tasks[id].names, id);
  to_.spreads.Enter(id, pod);
  now.tasks.Mutable(id).labels = to_.pod_labels.Acquire(pod, vocabulary_.symbols(), &now);
  RefreshExtras(id, pod);
  to_.jobs.Enter(id, pod);
  to_.jobs.NoteIfUnclaimed(id, pod.ours);
  SetObjectNode(id, pod.node_name);
  to_.devices.Show(id, pod.devices, !pod.node_name.empty());
  const TaskState state = Observed(id);
  NoteState(state);
  now.usage.tasks.Mutable(id) = state;
  Count(id, +1);
  Track(id, state, true);
  NoteLeaving(id);
  to_.nodes.Mention(state.node);
  ++draft_.rows_rewritten;
  return id;
}

PodTraits PodTable::TraitsOf(TaskId id) const {
  const PodRecord& record = records_[id];
  const model::TaskRow& row = draft_.now.tasks[id];
  const PodShape& shape = *shapes_.Known(row.shape);
  auto task = static_cast<const model::TaskTraits&>(row);
  task.preemptable = record.preemptable;
  return {.uid = row.names->uid,
          .created_us = row.names->created_us,
          .role = row.names->role,
          .job = row.job.valid() ? std::string_view(to_.jobs.RecordOf(row.job).key) : "",
          .nominated_node = record.News(PodNews::kNominatedNode),
          .ours = record.ours,
          .task = task,
          .requests = shape.requests,
          .nonzero = shape.nonzero,
          .constraints_key = shape.constraints_key,
          .device_claims = {row.device_claims.get()},
          .selected_by = record.selected_by.bytes()};
}

bool PodTable::SameSpec(TaskId id, const CompiledPod& pod) const {
  const bool lost_node = records_[id].node.valid() && pod.node_name.empty();
  const PackedTexts selected_by = PackSelected(pod);
  return !lost_node && TraitsOf(id) == PodTraits::Of(pod, selected_by);
}

// By our own clock: that of the API server may be behind it by more than anybody has patience, and
// who has only just begun to leave would be late. What leaves when it is first seen of all may do
// so for long.
int64_t PodTable::EndOf(const PodRecord& known, const CompiledPod& pod) const {
  if (pod.ends_us == 0) return 0;
  const int64_t end_us = std::max(pod.ends_us, absl::ToUnixMicros(clock_.Now()) + pod.grace_us);
  return known.ends_us == 0 ? end_us : std::min(known.ends_us, end_us);
}

void PodTable::Update(TaskId id, const CompiledPod& pod, bool shows) {
  PodRecord& record = records_[id];
  record.SetNews(pod);
  if (draft_.now.tasks[id].protected_until_us != pod.protected_until_us) {
    draft_.ChangeTask(id).protected_until_us = pod.protected_until_us;
    draft_.NoteRoom();
  }
  if (!pod.node_name.empty() && !record.node.valid()) to_.spreads.Settle(id, pod.names.ns);
  SetObjectNode(id, pod.node_name);
  record.status = pod.status;
  record.ends_us = EndOf(record, pod);
  RefreshExtras(id, pod);
  to_.devices.Show(id, pod.devices, !pod.node_name.empty());
  to_.jobs.NoteIfUnclaimed(id, record.ours);
  if (shows) ShowObject(id);
}

void PodTable::Drop(TaskId id) {
  model::Snapshot& now = draft_.now;
  PodRecord& record = records_[id];
  const std::shared_ptr<const model::TaskNames> names = now.tasks[id].names;
  const ShapeId shape_id = now.tasks[id].shape;
  const std::shared_ptr<const PodShape> shape = shapes_.Known(shape_id);
  const NodeId nominated = now.tasks[id].nominated_node;
  const TaskState state = now.usage.tasks[id];
  NoteState(state);
  Track(id, state, false);
  Count(id, -1);
  to_.devices.Drop(id);
  to_.jobs.Leave(id, record.ours);
  to_.spreads.Leave(id, names->ns);
  if (shape->constraints->peer_terms != nullptr)
    to_.pod_labels.AskNoMore(*shape->constraints->peer_terms);
  to_.pod_labels.Release(now.tasks[id].labels, &now);
  index_.Erase(*names);
  draft_.ChangeTask(id) = model::TaskRow();
  now.usage.tasks.Mutable(id) = TaskState();
  leaving_.Set(id, 0);
  if (record.asks) vocabulary_.dimensions().Ask(shape->requests, -1);
  shapes_.Release(shape_id, &now);
  amounts_.Remove(shape->requests);
  to_.nodes.Unmention(record.node);
  record = PodRecord();
  slots_.Free(id);
  to_.nodes.Unmention(state.node);
  to_.nodes.Unmention(nominated);
  ++draft_.rows_rewritten;
}

// Where the object says that the pod is. Empty: nowhere.
void PodTable::SetObjectNode(TaskId id, std::string_view node) {
  PodRecord& record = records_[id];
  if (to_.nodes.NameOf(record.node) == node) return;
  const NodeId before = record.node;
  record.node = node.empty() ? NodeId() : to_.nodes.Mention(node);
  to_.nodes.Unmention(before);
}

// What plugins read beside resources and constraints.
void PodTable::RefreshExtras(TaskId id, const CompiledPod& pod) {
  const model::TaskRow& row = draft_.now.tasks[id];
  if (row.started_us == pod.started_us && row.pod_priority == pod.pod_priority &&
      SameText(row.document, pod.document)) {
    return;
  }
  model::TaskRow& changed = draft_.ChangeTask(id);
  changed.started_us = pod.started_us;
  changed.pod_priority = pod.pod_priority;
  changed.document = pod.document;
}

// One that should have been gone long ago keeps what it holds, and nobody knows until when.
TaskState PodTable::Observed(TaskId id) const {
  const PodRecord& pod = records_[id];
  TaskState state{.status = pod.status, .node = pod.node};
  const int64_t given_up_us = LeavingPods::GivenUpAt(pod.ends_us);
  if (state.status == TaskStatus::kReleasing && given_up_us != 0 &&
      given_up_us <= absl::ToUnixMicros(clock_.Now())) {
    state.status = TaskStatus::kUnknown;
  }
  return state;
}

// After the task's state or its object changed.
void PodTable::NoteLeaving(TaskId id) {
  const bool leaves = draft_.now.usage.tasks[id].status == TaskStatus::kReleasing;
  leaving_.Set(id, leaves ? LeavingPods::GivenUpAt(records_[id].ends_us) : 0);
}

void PodTable::GiveUpLeaving() {
  const absl::Time now = clock_.Now();
  for (TaskId id = leaving_.TakeDue(now); id.valid(); id = leaving_.TakeDue(now)) {
    SetState(id, {.status = TaskStatus::kUnknown, .node = draft_.now.usage.tasks[id].node});
  }
}

// A task came to this state or left it.
void PodTable::NoteState(const TaskState& state) {
  if (state.status == TaskStatus::kPending) {
    draft_.changed = true;
  } else {
    draft_.NoteRoom();
  }
}

void PodTable::NoteDemand(TaskId id, TaskStatus status) {
  PodRecord& record = records_[id];
  const bool asks = Asks(record.ours, status);
  if (asks == record.asks) return;
  record.asks = asks;
  const ShapeId shape = draft_.now.tasks[id].shape;
  vocabulary_.dimensions().Ask(shapes_.Known(shape)->requests, asks ? 1 : -1);
}

void PodTable::Track(TaskId id, const TaskState& state, bool on) {
  model::Snapshot& now = draft_.now;
  to_.mounts.Track(id, state, records_[id].ours, on, now);
  to_.devices.Track(id, state, on);
  if (state.node.valid() && model::InGroup(state.status, model::kOnNodeGroup) &&
      !now.constraints_of(now.tasks[id].shape).ports.empty()) {
    to_.nodes.TrackPorts(state.node, id, on);
  }
  to_.pod_labels.Track(id, state, on, &now);
}

void PodTable::Count(TaskId id, int sign) {
  model::Snapshot& now = draft_.now;
  const model::TaskRow& row = now.tasks[id];
  now.usage.Count(row, now.shapes[row.shape], now.usage.tasks[id], sign);
}

void PodTable::SetState(TaskId id, const TaskState& state) {
  model::Snapshot& now = draft_.now;
  const model::TaskRow& row = now.tasks[id];
  const TaskState before = now.usage.tasks[id];
  const bool confirms = ConfirmsOnly(before, state);
  if (confirms) {
    draft_.statuses_changed = true;
  } else {
    NoteState(before);
    NoteState(state);
    Track(id, before, false);
  }
  now.usage.Move(id, row, now.shapes[row.shape], state);
  if (!confirms) {
    Track(id, state, true);
    to_.nodes.Mention(state.node);
    to_.nodes.Unmention(before.node);
    NoteDemand(id, state.status);
  }
  to_.jobs.Touch(row.job);
  ++draft_.rows_rewritten;
}

void PodTable::ShowObject(TaskId id) {
  const TaskState observed = Observed(id);
  if (observed != draft_.now.usage.tasks[id]) SetState(id, observed);
  NoteLeaving(id);
}

void PodTable::Nominate(TaskId id, std::string_view node) {
  const NodeId before = draft_.now.tasks[id].nominated_node;
  if (to_.nodes.NameOf(before) == node) return;
  const NodeId after = node.empty() ? NodeId() : to_.nodes.Mention(node);
  draft_.ChangeTask(id).nominated_node = after;
  to_.nodes.Unmention(before);
  ++draft_.rows_rewritten;
}

std::vector<TaskId> PodTable::Asking(const std::vector<std::string>& resources) const {
  const IdVector<ShapeId, uint8_t> asking = shapes_.Asking(resources);
  std::vector<TaskId> tasks;
  const bool some_ask =
      std::any_of(asking.begin(), asking.end(), [](uint8_t asks) { return asks != 0; });
  if (!some_ask) return tasks;
  for (TaskId id : draft_.now.tasks.ids()) {
    const model::TaskRow& row = draft_.now.tasks[id];
    if (row.names != nullptr && asking[row.shape] != 0) tasks.push_back(id);
  }
  return tasks;
}

std::vector<std::shared_ptr<const PodShape>> PodTable::TakeOut(const std::vector<TaskId>& tasks) {
  std::vector<std::shared_ptr<const PodShape>> shapes;  // They go with their last pod.
  model::Snapshot& now = draft_.now;
  for (TaskId id : tasks) {
    const ShapeId shape = now.tasks[id].shape;
    shapes.push_back(shapes_.Known(shape));
    to_.pod_labels.Track(id, now.usage.tasks[id], false, &now);
    Count(id, -1);
    shapes_.Release(shape, &now);
  }
  return shapes;
}

void PodTable::PutBack(const std::vector<TaskId>& tasks,
                       const std::vector<std::shared_ptr<const PodShape>>& shapes) {
  model::Snapshot& now = draft_.now;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TaskId id = tasks[i];
    draft_.ChangeTask(id).shape = shapes_.Acquire(*shapes[i], records_[id].ours, vocabulary_, &now);
    Count(id, +1);
    to_.pod_labels.Track(id, now.usage.tasks[id], true, &now);
    to_.jobs.Touch(now.tasks[id].job);
    ++draft_.rows_rewritten;
  }
}

// Selectors seldom change: then one walk over all pods serves every namespace where one did.
void PodTable::Reselect() {
  const absl::flat_hash_set<std::string> reselected = to_.budgets.TakeReselected();
  if (reselected.empty()) return;
  for (const TaskId id : draft_.now.tasks.ids()) {
    const model::TaskNames* names = draft_.now.tasks[id].names.get();
    if (names == nullptr || !reselected.contains(names->ns)) continue;
    draft_.ChangeTask(id).budgets = to_.budgets.Selecting(IdentityOf(id));
    ++draft_.rows_rewritten;
  }
}

// Labels count that did not count before. Cost: a look at every pod; keys to ask about are few, and
// stay a while.
void PodTable::Relabel() {
  if (!to_.pod_labels.has_fresh_keys()) return;
  model::Snapshot& now = draft_.now;
  for (TaskId id : now.tasks.ids()) {
    if (now.tasks[id].names == nullptr) continue;
    PodIdentity pod;
    UnpackSelected(records_[id].selected_by, &pod);
    if (!to_.pod_labels.HasFreshKey(pod, vocabulary_.symbols())) continue;
    pod.names = *now.tasks[id].names;
    const model::LabelsId before = now.tasks[id].labels;
    const model::LabelsId after = to_.pod_labels.Acquire(pod, vocabulary_.symbols(), &now);
    if (after != before) {
      to_.pod_labels.Track(id, now.usage.tasks[id], false, &now);
      draft_.ChangeTask(id).labels = after;
      to_.pod_labels.Track(id, now.usage.tasks[id], true, &now);
    }
    to_.pod_labels.Release(before, &now);
  }
  to_.pod_labels.ForgetFreshKeys();
}

void PodTable::Publish() {
  Reselect();
  to_.spreads.Publish([this](TaskId id) { return IdentityOf(id); });
  Relabel();
}

void PodTable::Recycle() {
  slots_.Recycle();
  shapes_.Recycle();
}

bool PodTable::IsOursToPlace(TaskId id) const {
  return records_[id].ours && draft_.now.usage.tasks[id].status == TaskStatus::kPending;
}

std::vector<LeftWithPod> PodTable::LeftWithUnclaimed(const model::DeviceClaimsView* claims) const {
  std::vector<LeftWithPod> out;
  if (claims == nullptr) return out;
  to_.jobs.VisitUnclaimed([&](TaskId task, const std::string&) {
    if (!IsOursToPlace(task)) return;
    const model::TaskRow& pod = draft_.now.tasks[task];
    std::shared_ptr<const model::ClaimPlan> left = LeftClaims(*claims, pod);
    if (left != nullptr) out.push_back({pod.names, std::move(left)});
  });
  std::sort(out.begin(), out.end(),
            [](const LeftWithPod& a, const LeftWithPod& b) { return a.pod->Key() < b.pod->Key(); });
  return out;
}

std::vector<GrouplessPod> PodTable::Unclaimed(size_t max) const {
  std::vector<GrouplessPod> out;
  to_.jobs.VisitUnclaimed([&](TaskId task, const std::string& group) {
    if (!IsOursToPlace(task)) return;
    const model::TaskNames& names = *draft_.now.tasks[task].names;
    out.push_back({.key = names.Key(), .uid = names.uid, .group = group});
  });
  std::sort(out.begin(), out.end(),
            [](const GrouplessPod& a, const GrouplessPod& b) { return a.key < b.key; });
  if (out.size() > max) out.resize(max);
  return out;
}

absl::Status PodTable::Check(IdVector<NodeId, int32_t>* mentions) const {
  const model::Snapshot& now = draft_.now;
  const auto mention = [mentions](NodeId node) {
    if (!node.valid()) return;
    mentions->EnsureContains(node);
    ++(*mentions)[node];
  };
  size_t rows = 0;
  for (TaskId id : now.tasks.ids()) {
    const model::TaskRow& row = now.tasks[id];
    const TaskState& state = now.usage.tasks[id];
    mention(records_[id].node);
    mention(state.node);
    mention(row.nominated_node);
    if (row.names == nullptr) {
      if (state != TaskState() || records_[id].node.valid())
        return absl::InternalError("pods: a free slot has a state");
      continue;
    }
    ++rows;
    if (index_.Find(row.names->Key()) != id)
      return absl::InternalError(StrCat("pod ", row.names->Key(), ": not found by its name"));
  }
  if (rows != index_.size()) return absl::InternalError("pods: more names than rows");
  return absl::OkStatus();
}

}  // namespace bth::cache
