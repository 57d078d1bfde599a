// Pods: tasks, shapes, and the sums they count in.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cache/cluster/mirror.h"

namespace bth::cache {

using model::JobId;
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

}  // namespace

Mirror::Mirror(const Clock& clock, MirrorOptions options)
    : clock_(&clock), options_(std::move(options)) {}

void Mirror::StartOver() {
  Mirror fresh(*clock_, options_);
  fresh.vocabulary_ = std::move(vocabulary_);
  fresh.vocabulary_.dimensions().StartOver();
  // A gap tells whoever follows the changes of snapshots that there were others.
  fresh.now_.generation = now_.generation + 1;
  fresh.now_.loads = now_.loads;
  fresh.rows_rewritten_ = rows_rewritten_;
  fresh.changed_ = true;
  *this = std::move(fresh);
}

TaskId Mirror::Find(const std::string& key, std::string_view uid) const {
  const TaskId id = pods_.Find(key);
  return id.valid() && now_.tasks[id].names->uid == uid ? id : TaskId();
}

PodIdentity Mirror::IdentityOf(TaskId id) const {
  PodIdentity pod{.names = *now_.tasks[id].names};
  UnpackSelected(pod_records_[id].selected_by, &pod);
  return pod;
}

void Mirror::PutPod(CompiledPod pod) {
  const std::string key = pod.names.Key();
  ForgetForeignPod(key);
  TaskState under_way;
  std::string node;  // Set when our decision is still under way.
  std::string promised_node;
  if (const TaskId known = pods_.Find(key); known.valid()) {
    if (UpdateInPlace(known, pod)) return;
    if (UnderWay(known, pod)) {
      under_way = now_.usage.tasks[known];
      node = node_records_[under_way.node].name;
    }
    if (IsStillPromised(known, pod)) {
      promised_node = pod_records_[known].News(PodNews::kPromisedNode);
    }
    DropTask(known);
  }
  const TaskId id = task_slots_.Take();
  pod_records_.EnsureContains(id);
  AddTask(id, pod);
  if (!promised_node.empty()) {
    Nominate(id, promised_node);
    pod_records_[id].Promise(promised_node);
  }
  if (node.empty()) return;
  pod_records_[id].assumed = true;
  SetState(id, {.status = under_way.status, .evicts = under_way.evicts, .node = NodeOf(node)});
}

// What we decided is on its way: an object that does not show it yet says nothing new about it.
bool Mirror::UnderWay(TaskId id, const CompiledPod& pod) const {
  if (!pod_records_[id].assumed || now_.tasks[id].names->uid != pod.names.uid) return false;
  switch (now_.usage.tasks[id].status) {
    case TaskStatus::kBinding:
      return pod.node_name.empty() && pod.status == TaskStatus::kPending;
    case TaskStatus::kReleasing:
      return model::InGroup(pod.status, model::kPreemptableGroup);
    default:
      return false;
  }
}

// The object does not show yet what became of the promise.
bool Mirror::IsStillPromised(TaskId id, const CompiledPod& pod) const {
  const PodRecord& record = pod_records_[id];
  return !record.News(PodNews::kPromisedNode).empty() &&
         now_.tasks[id].names->uid == pod.names.uid &&
         record.News(PodNews::kNominatedNode) == pod.nominated_node && pod.node_name.empty() &&
         pod.status == TaskStatus::kPending;
}

// True when only the pod's state can differ: the task keeps its id, shape, job and default spread.
bool Mirror::SameSpec(TaskId id, const CompiledPod& pod) const {
  const PodRecord& record = pod_records_[id];
  const model::TaskRow& row = now_.tasks[id];
  const PodShape& shape = *shapes_.Known(record.shape);
  const bool lost_node = record.node.valid() && pod.node_name.empty();
  const bool same_job =
      record.job.valid() ? job_records_[record.job].key == pod.job_key : pod.job_key.empty();
  return !lost_node && same_job && row.names->uid == pod.names.uid &&
         row.names->created_us == pod.names.created_us && row.names->role == pod.names.role &&
         record.News(PodNews::kNominatedNode) == pod.nominated_node &&
         row.priority == pod.priority && record.ours == pod.ours &&
         record.preemptable == pod.preemptable && row.gated == pod.gated &&
         row.own_gate_only == pod.own_gate_only && row.keeps_room == pod.keeps_room &&
         row.never_preempts == pod.never_preempts && row.critical == pod.critical &&
         shape.requests == pod.requests && shape.nonzero.cpu_milli == pod.nonzero.cpu_milli &&
         shape.nonzero.memory_bytes == pod.nonzero.memory_bytes &&
         shape.constraints_key == pod.constraints_key && record.selected_by == PackSelected(pod);
}

bool Mirror::UpdateInPlace(TaskId id, const CompiledPod& pod) {
  if (!SameSpec(id, pod)) return false;
  PodRecord& record = pod_records_[id];
  const bool under_way = UnderWay(id, pod);
  const bool promised = IsStillPromised(id, pod);
  const bool broken = !promised && !record.News(PodNews::kPromisedNode).empty();
  record.SetNews(pod, promised ? record.News(PodNews::kPromisedNode) : std::string_view());
  if (broken) Nominate(id, pod.nominated_node);
  if (now_.tasks[id].protected_until_us != pod.protected_until_us) {
    ChangeRow(id).protected_until_us = pod.protected_until_us;
    NoteRoom();
  }
  if (!pod.node_name.empty() && !record.node.valid()) selectors_.Leave(id, pod.names.ns);
  SetObjectNode(id, pod.node_name);
  record.status = pod.status;
  record.ends_us = pod.ends_us;
  RefreshExtras(id, pod);
  NoteIfGroupless(id);
  if (under_way) return true;
  record.assumed = false;
  const TaskState observed = ObservedState(id);
  if (observed != now_.usage.tasks[id]) SetState(id, observed);
  NoteLeaving(id);
  return true;
}

// Where the object says that the pod is. Empty: nowhere.
void Mirror::SetObjectNode(TaskId id, const std::string& node) {
  const NodeId before = pod_records_[id].node;
  const NodeId after = node.empty() ? NodeId() : NodeOf(node);
  if (after == before) return;
  pod_records_[id].node = after;
  Mention(after, +1);
  Mention(before, -1);
  if (before.valid()) DropNodeIfEmpty(before);
}

void Mirror::RemovePod(const std::string& key) {
  ForgetForeignPod(key);
  if (const TaskId known = pods_.Find(key); known.valid()) DropTask(known);
}

void Mirror::AddTask(TaskId id, const CompiledPod& pod) {
  PodRecord& record = pod_records_[id];
  record = PodRecord();
  record.status = pod.status;
  record.preemptable = pod.preemptable;
  record.ours = pod.ours;
  record.ends_us = pod.ends_us;
  record.selected_by = PackSelected(pod);
  record.SetNews(pod, "");
  amounts_.pods.Add(pod.requests);
  NoteDemand(id, pod.status, pod.requests);
  SettleDimensions();
  record.shape = shapes_.Acquire(pod, pod.ours, vocabulary_, &now_);
  now_.tasks.EnsureContains(id);
  now_.usage.tasks.EnsureContains(id);
  model::TaskRow row;
  row.names = std::make_shared<const model::TaskNames>(pod.names);
  row.shape = record.shape;
  row.priority = pod.priority;
  const auto spared = spared_.find(pod.names.Key());
  row.preemptable =
      pod.preemptable && (spared == spared_.end() || spared->second.uid != pod.names.uid ||
                          spared->second.until <= clock_->Now());
  row.gated = pod.gated;
  row.own_gate_only = pod.own_gate_only;
  row.keeps_room = pod.keeps_room;
  row.never_preempts = pod.never_preempts;
  row.critical = pod.critical;
  row.protected_until_us = pod.protected_until_us;
  row.budgets = budgets_.Selecting(pod);
  if (pod.constraints->peers != nullptr) {
    peers_.AskFor(*pod.constraints->peers, vocabulary_.symbols());
  }
  if (!pod.nominated_node.empty()) row.nominated_node = NodeOf(pod.nominated_node);
  ChangeRow(id) = row;
  pods_.Insert(*row.names, id);
  EnterDefaultSpread(id, pod);
  now_.tasks.Mutable(id).labels = peers_.Acquire(pod, vocabulary_.symbols(), &now_);
  RefreshExtras(id, pod);
  if (!pod.job_key.empty()) {
    EnterJob(id, JobOf(pod.job_key), pod);
  } else if (pod.ours) {
    without_job_.insert(id);
  }
  NoteIfGroupless(id);
  SetObjectNode(id, pod.node_name);
  const TaskState state = ObservedState(id);
  NoteState(state);
  now_.usage.tasks.Mutable(id) = state;
  now_.usage.Count(now_.tasks[id], now_.shapes[record.shape], state, +1);
  TrackOnNode(id, state, true);
  TrackPeers(id, state, true);
  NoteLeaving(id);
  Mention(state.node, +1);
  Mention(row.nominated_node, +1);
  ++rows_rewritten_;
}

void Mirror::DropTask(TaskId id) {
  PodRecord& record = pod_records_[id];
  const std::shared_ptr<const model::TaskNames> names = now_.tasks[id].names;
  const std::shared_ptr<const PodShape> shape = shapes_.Known(record.shape);
  const TaskState state = now_.usage.tasks[id];
  NoteState(state);
  TrackOnNode(id, state, false);
  TrackPeers(id, state, false);
  now_.usage.Count(now_.tasks[id], now_.shapes[record.shape], state, -1);
  if (record.job.valid()) LeaveJob(id, record.job);
  without_job_.erase(id);
  selectors_.Leave(id, names->ns);
  DropDefaultSpread(id);
  if (shape->constraints->peers != nullptr) peers_.AskNoMore(*shape->constraints->peers);
  peers_.Release(now_.tasks[id].labels, &now_);
  const NodeId nominated = now_.tasks[id].nominated_node;
  pods_.Erase(*names);
  ChangeRow(id) = model::TaskRow();
  now_.usage.tasks.Mutable(id) = TaskState();
  NoteLeaving(id);
  if (record.asks) vocabulary_.dimensions().Ask(shape->requests, -1);
  shapes_.Release(record.shape, &now_);
  amounts_.pods.Remove(shape->requests);
  SetObjectNode(id, "");
  record = PodRecord();
  task_slots_.Free(id);
  Mention(state.node, -1);
  Mention(nominated, -1);
  if (state.node.valid()) DropNodeIfEmpty(state.node);
  if (nominated.valid() && nominated != state.node) DropNodeIfEmpty(nominated);
  ++rows_rewritten_;
}

// A task came to this state or left it.
void Mirror::NoteState(const TaskState& state) {
  if (state.status == TaskStatus::kPending) {
    changed_ = true;
  } else {
    NoteRoom();
  }
}

// Room was taken or left. Only jobs that wait care about it; those that came after the last
// snapshot have said so themselves.
void Mirror::NoteRoom() {
  const bool none_waits = now_.active_jobs != nullptr && now_.active_jobs->empty();
  (none_waits ? statuses_changed_ : changed_) = true;
}

void Mirror::SetState(TaskId id, const TaskState& state) {
  PodRecord& record = pod_records_[id];
  if (ConfirmsOnly(now_.usage.tasks[id], state)) {
    statuses_changed_ = true;
    now_.usage.Move(id, now_.tasks[id], now_.shapes[record.shape], state);
    if (record.job.valid()) Touch(record.job);
    ++rows_rewritten_;
    return;
  }
  NoteState(now_.usage.tasks[id]);
  NoteState(state);
  const NodeId before = now_.usage.tasks[id].node;
  TrackOnNode(id, now_.usage.tasks[id], false);
  TrackPeers(id, now_.usage.tasks[id], false);
  now_.usage.Move(id, now_.tasks[id], now_.shapes[record.shape], state);
  TrackOnNode(id, state, true);
  TrackPeers(id, state, true);
  Mention(state.node, +1);
  Mention(before, -1);
  NoteDemand(id, state.status, shapes_.Known(record.shape)->requests);
  if (before.valid() && before != state.node) DropNodeIfEmpty(before);
  if (record.job.valid()) Touch(record.job);
  ++rows_rewritten_;
}

void Mirror::TrackOnNode(TaskId id, const TaskState& state, bool on) {
  TrackVolumes(id, state, on);
  if (!state.node.valid() || !model::InGroup(state.status, model::kOnNodeGroup)) return;
  if (now_.constraints_of(now_.tasks[id].shape).ports.empty()) return;
  NodeRecord& node = node_records_[state.node];
  if (on) {
    node.with_ports.insert(id);
  } else {
    node.with_ports.erase(id);
  }
  RefreshPorts(state.node);
}

void Mirror::RefreshPorts(NodeId node) {
  std::vector<TaskId> tasks(node_records_[node].with_ports.begin(),
                            node_records_[node].with_ports.end());
  std::sort(tasks.begin(), tasks.end());
  std::shared_ptr<std::vector<model::HostPort>> ports;
  for (TaskId task : tasks) {
    if (ports == nullptr) ports = std::make_shared<std::vector<model::HostPort>>();
    const auto& held = now_.constraints_of(now_.tasks[task].shape).ports;
    ports->insert(ports->end(), held.begin(), held.end());
  }
  now_.nodes.Mutable(node).ports = std::move(ports);
}

absl::Status Mirror::AssumeBinding(const std::string& key, std::string_view uid,
                                   const std::string& node) {
  const TaskId id = Find(key, uid);
  if (!id.valid()) return absl::NotFoundError(absl::StrCat("pod ", key, " is gone"));
  if (now_.usage.tasks[id].status != TaskStatus::kPending) {
    return absl::FailedPreconditionError(absl::StrCat("pod ", key, " is not pending any more"));
  }
  auto target = nodes_.find(node);
  if (target == nodes_.end() || !now_.nodes[target->second].ready()) {
    return absl::FailedPreconditionError(absl::StrCat("node ", node, " is gone"));
  }
  const model::ResourceVec& request = now_.shapes[pod_records_[id].shape].request;
  const int missing = request.FirstMissing(now_.usage.idle[target->second]);
  if (missing >= 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("node ", node, " has no room any more for pod ", key, ": ",
                     std::string(vocabulary_.dims().name(missing))));
  }
  pod_records_[id].assumed = true;
  // The cycle that decided this has counted it already, but for those that were tried before it.
  const bool changed = changed_;
  SetState(id, {.status = TaskStatus::kBinding, .node = target->second});
  changed_ = changed || peers_.has_seekers();
  statuses_changed_ = true;
  return absl::OkStatus();
}

absl::Status Mirror::AssumeEviction(const std::string& key, std::string_view uid) {
  const TaskId id = Find(key, uid);
  if (!id.valid()) return absl::NotFoundError(absl::StrCat("pod ", key, " is gone"));
  const TaskState state = now_.usage.tasks[id];
  if (!model::InGroup(state.status, model::kPreemptableGroup)) {
    return absl::FailedPreconditionError(absl::StrCat("pod ", key, " is not running any more"));
  }
  pod_records_[id].assumed = true;
  SetState(id, {.status = TaskStatus::kReleasing, .node = state.node});
  return absl::OkStatus();
}

absl::Status Mirror::AssumeNomination(const std::string& key, std::string_view uid,
                                      const std::string& node) {
  const TaskId id = Find(key, uid);
  if (!id.valid()) return absl::NotFoundError(absl::StrCat("pod ", key, " is gone"));
  if (now_.usage.tasks[id].status != TaskStatus::kPending) {
    return absl::FailedPreconditionError(absl::StrCat("pod ", key, " is not pending any more"));
  }
  auto target = nodes_.find(node);
  if (target == nodes_.end() || !now_.nodes[target->second].ready()) {
    return absl::FailedPreconditionError(absl::StrCat("node ", node, " is gone"));
  }
  PodRecord& record = pod_records_[id];
  record.Promise(record.News(PodNews::kNominatedNode) == node ? std::string_view() : node);
  Nominate(id, node);
  return absl::OkStatus();
}

void Mirror::ForgetNomination(const std::string& key, std::string_view uid) {
  const TaskId id = Find(key, uid);
  if (!id.valid() || pod_records_[id].News(PodNews::kPromisedNode).empty()) return;
  pod_records_[id].Promise("");
  Nominate(id, pod_records_[id].News(PodNews::kNominatedNode));
  changed_ = true;
}

// Empty: nowhere.
void Mirror::Nominate(TaskId id, std::string_view node) {
  const NodeId before = now_.tasks[id].nominated_node;
  const NodeId after = node.empty() ? NodeId() : NodeOf(std::string(node));
  if (after == before) return;
  ChangeRow(id).nominated_node = after;
  Mention(after, +1);
  Mention(before, -1);
  if (before.valid()) DropNodeIfEmpty(before);
  ++rows_rewritten_;
}

void Mirror::ForgetAssumption(const std::string& key, std::string_view uid) {
  const TaskId id = Find(key, uid);
  if (!id.valid() || !pod_records_[id].assumed) return;
  pod_records_[id].assumed = false;
  SetState(id, ObservedState(id));
  NoteLeaving(id);
}

std::optional<PodView> Mirror::Pod(const std::string& key) const {
  const TaskId id = pods_.Find(key);
  if (!id.valid()) return std::nullopt;
  const PodRecord& record = pod_records_[id];
  const TaskState& state = now_.usage.tasks[id];
  std::string_view node;
  if (record.node.valid()) node = node_records_[record.node].name;
  std::string_view assumed_node;
  if (record.assumed && state.status == TaskStatus::kBinding && now_.nodes[state.node].facts) {
    assumed_node = now_.nodes[state.node].facts->name;
  }
  return PodView{.uid = now_.tasks[id].names->uid,
                 .status = state.status,
                 .assumed = record.assumed,
                 .node = node,
                 .reason = record.News(PodNews::kScheduledReason),
                 .message = record.News(PodNews::kScheduledMessage),
                 .nominated_node = record.News(PodNews::kNominatedNode),
                 .promised_node = record.News(PodNews::kPromisedNode),
                 .assumed_node = assumed_node};
}

void Mirror::NoteIfGroupless(TaskId id) {
  const JobId job = pod_records_[id].job;
  if (pod_records_[id].ours && (!job.valid() || without_group_.contains(job))) {
    groupless_changed_ = true;
  }
}

std::vector<GrouplessPod> Mirror::PodsWithoutGroup(size_t max) const {
  std::vector<GrouplessPod> out;
  const auto add = [&](TaskId task, const std::string& group) {
    if (!pod_records_[task].ours) return;
    if (now_.usage.tasks[task].status != TaskStatus::kPending) return;
    const model::TaskNames& names = *now_.tasks[task].names;
    out.push_back({.key = names.Key(), .uid = names.uid, .group = group});
  };
  for (TaskId task : without_job_) add(task, "");
  for (JobId job : without_group_) {
    if (now_.usage.jobs[job].count(TaskStatus::kPending) == 0) continue;
    for (TaskId task : job_records_[job].tasks) add(task, job_records_[job].key);
  }
  std::sort(out.begin(), out.end(),
            [](const GrouplessPod& a, const GrouplessPod& b) { return a.key < b.key; });
  if (out.size() > max) out.resize(max);
  return out;
}

}  // namespace bth::cache
