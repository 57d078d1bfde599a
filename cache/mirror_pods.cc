// Pods: tasks, shapes, and the sums they count in.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cache/mirror.h"

namespace bth::cache {

using model::JobId;
using model::NodeId;
using model::ShapeId;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

namespace {

// True when only the pod's state can differ: the task keeps its id, shape, job and default spread.
bool SamePodSpec(const CompiledPod& a, const CompiledPod& b) {
  const bool lost_node = !a.node_name.empty() && b.node_name.empty();
  return !lost_node && a.names.uid == b.names.uid && a.names.created_us == b.names.created_us &&
         a.names.role == b.names.role && a.job_key == b.job_key &&
         a.nominated_node == b.nominated_node && a.priority == b.priority && a.ours == b.ours &&
         a.preemptable == b.preemptable && a.gated == b.gated &&
         a.own_gate_only == b.own_gate_only && a.keeps_room == b.keeps_room &&
         a.never_preempts == b.never_preempts && a.critical == b.critical &&
         a.requests == b.requests && a.nonzero.cpu_milli == b.nonzero.cpu_milli &&
         a.nonzero.memory_bytes == b.nonzero.memory_bytes &&
         a.constraints_key == b.constraints_key && a.labels == b.labels && a.owner == b.owner;
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

void Mirror::PutPod(CompiledPod pod) {
  const std::string key = pod.names.Key();
  ForgetForeignPod(key);
  TaskState under_way;
  std::string node;  // Set when our decision is still under way.
  std::string promised_node;
  auto known = pods_.find(key);
  if (known != pods_.end()) {
    if (UpdateInPlace(known->second, pod)) return;
    if (UnderWay(known->second, pod)) {
      under_way = now_.usage.tasks[known->second];
      node = node_records_[under_way.node].name;
    }
    if (IsStillPromised(known->second, pod)) {
      promised_node = pod_records_[known->second].promised_node;
    }
    DropTask(known->second);
  }
  const TaskId id = task_slots_.Take();
  pods_[key] = id;
  pod_records_.EnsureContains(id);
  pod_records_[id] = {.pod = std::move(pod), .job = JobId(), .shape = ShapeId()};
  amounts_.pods.Add(pod_records_[id].pod.requests);
  AddTask(id);
  if (!promised_node.empty()) {
    Nominate(id, promised_node);
    pod_records_[id].promised_node = std::move(promised_node);
  }
  if (node.empty()) return;
  pod_records_[id].assumed = true;
  SetState(id, {.status = under_way.status, .evicts = under_way.evicts, .node = NodeOf(node)});
}

// What we decided is on its way: an object that does not show it yet says nothing new about it.
bool Mirror::UnderWay(TaskId id, const CompiledPod& pod) const {
  const PodRecord& record = pod_records_[id];
  if (!record.assumed || record.pod.names.uid != pod.names.uid) return false;
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
  return !record.promised_node.empty() && record.pod.names.uid == pod.names.uid &&
         record.pod.nominated_node == pod.nominated_node && pod.node_name.empty() &&
         pod.status == TaskStatus::kPending;
}

bool Mirror::UpdateInPlace(TaskId id, CompiledPod& pod) {
  PodRecord& record = pod_records_[id];
  if (!SamePodSpec(record.pod, pod)) return false;
  const TaskState& state = now_.usage.tasks[id];
  const bool under_way = UnderWay(id, pod);
  if (!record.promised_node.empty() && !IsStillPromised(id, pod)) {
    record.promised_node.clear();
    Nominate(id, pod.nominated_node);
  }
  if (record.pod.protected_until_us != pod.protected_until_us) {
    ChangeRow(id).protected_until_us = pod.protected_until_us;
    NoteRoom();
  }
  if (!pod.node_name.empty() && record.pod.node_name.empty()) selectors_.Leave(id, record.pod);
  pod.constraints = record.pod.constraints;  // Shared with the shape.
  record.pod = std::move(pod);
  RefreshExtras(id);
  NoteIfGroupless(id);
  if (under_way) return true;
  record.assumed = false;
  const TaskState observed = ObservedState(record.pod);
  if (observed != state) SetState(id, observed);
  NoteLeaving(id);
  return true;
}

void Mirror::RemovePod(const std::string& key) {
  ForgetForeignPod(key);
  auto known = pods_.find(key);
  if (known == pods_.end()) return;
  DropTask(known->second);
}

void Mirror::AddTask(TaskId id) {
  PodRecord& record = pod_records_[id];
  CompiledPod& pod = record.pod;
  NoteDemand(id, pod.status);
  SettleDimensions();
  AcquireShape(id);
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
  if (SpreadsByDefault(pod)) {
    selectors_.Enter(id, pod);
    TakeDefaultSpread(id);
  }
  now_.tasks.Mutable(id).labels = peers_.Acquire(pod, vocabulary_.symbols(), &now_);
  RefreshExtras(id);
  if (!pod.job_key.empty()) {
    EnterJob(id, JobOf(pod.job_key));
  } else if (pod.ours) {
    without_job_.insert(id);
  }
  NoteIfGroupless(id);
  const TaskState state = ObservedState(pod);
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
  const TaskState state = now_.usage.tasks[id];
  NoteState(state);
  TrackOnNode(id, state, false);
  TrackPeers(id, state, false);
  now_.usage.Count(now_.tasks[id], now_.shapes[record.shape], state, -1);
  if (record.job.valid()) LeaveJob(id, record.job);
  without_job_.erase(id);
  selectors_.Leave(id, record.pod);
  DropDefaultSpread(id);
  if (record.pod.constraints->peers != nullptr) {
    peers_.AskNoMore(*record.pod.constraints->peers);
  }
  peers_.Release(now_.tasks[id].labels, &now_);
  const NodeId nominated = now_.tasks[id].nominated_node;
  ChangeRow(id) = model::TaskRow();
  now_.usage.tasks.Mutable(id) = TaskState();
  NoteLeaving(id);
  if (record.asks) vocabulary_.dimensions().Ask(record.pod.requests, -1);
  shapes_.Release(record.shape, &now_);
  pods_.erase(record.pod.names.Key());
  amounts_.pods.Remove(record.pod.requests);
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

// The pod uses the same room as before, further on its way: nothing new to decide.
bool Mirror::ConfirmsOnly(const TaskState& from, const TaskState& to) const {
  return from.node == to.node && model::InGroup(from.status, model::kAllocatedGroup) &&
         model::InGroup(to.status, model::kAllocatedGroup);
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
  NoteDemand(id, state.status);
  if (before.valid() && before != state.node) DropNodeIfEmpty(before);
  if (record.job.valid()) Touch(record.job);
  ++rows_rewritten_;
}

void Mirror::TrackOnNode(TaskId id, const TaskState& state, bool on) {
  TrackVolumes(id, state, on);
  if (!state.node.valid() || !model::InGroup(state.status, model::kOnNodeGroup)) return;
  if (pod_records_[id].pod.constraints->ports.empty()) return;
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
    const auto& held = pod_records_[task].pod.constraints->ports;
    ports->insert(ports->end(), held.begin(), held.end());
  }
  now_.nodes.Mutable(node).ports = std::move(ports);
}

// Pods that are alike share what they ask for.
void Mirror::AcquireShape(TaskId id) {
  PodRecord& record = pod_records_[id];
  record.shape = shapes_.Acquire(record.pod, vocabulary_, &now_);
  const auto& shared = now_.constraints[now_.shapes[record.shape].constraints];
  if (shared->unsupported == record.pod.constraints->unsupported) record.pod.constraints = shared;
}

absl::Status Mirror::AssumeBinding(const std::string& key, std::string_view uid,
                                   const std::string& node) {
  auto known = pods_.find(key);
  if (known == pods_.end() || pod_records_[known->second].pod.names.uid != uid) {
    return absl::NotFoundError(absl::StrCat("pod ", key, " is gone"));
  }
  const TaskId id = known->second;
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
  auto known = pods_.find(key);
  if (known == pods_.end() || pod_records_[known->second].pod.names.uid != uid) {
    return absl::NotFoundError(absl::StrCat("pod ", key, " is gone"));
  }
  const TaskState state = now_.usage.tasks[known->second];
  if (!model::InGroup(state.status, model::kPreemptableGroup)) {
    return absl::FailedPreconditionError(absl::StrCat("pod ", key, " is not running any more"));
  }
  pod_records_[known->second].assumed = true;
  SetState(known->second, {.status = TaskStatus::kReleasing, .node = state.node});
  return absl::OkStatus();
}

absl::Status Mirror::AssumeNomination(const std::string& key, std::string_view uid,
                                      const std::string& node) {
  auto known = pods_.find(key);
  if (known == pods_.end() || pod_records_[known->second].pod.names.uid != uid) {
    return absl::NotFoundError(absl::StrCat("pod ", key, " is gone"));
  }
  if (now_.usage.tasks[known->second].status != TaskStatus::kPending) {
    return absl::FailedPreconditionError(absl::StrCat("pod ", key, " is not pending any more"));
  }
  auto target = nodes_.find(node);
  if (target == nodes_.end() || !now_.nodes[target->second].ready()) {
    return absl::FailedPreconditionError(absl::StrCat("node ", node, " is gone"));
  }
  PodRecord& record = pod_records_[known->second];
  record.promised_node = record.pod.nominated_node == node ? std::string() : node;
  Nominate(known->second, node);
  return absl::OkStatus();
}

void Mirror::ForgetNomination(const std::string& key, std::string_view uid) {
  auto known = pods_.find(key);
  if (known == pods_.end()) return;
  PodRecord& record = pod_records_[known->second];
  if (record.pod.names.uid != uid || record.promised_node.empty()) return;
  record.promised_node.clear();
  Nominate(known->second, record.pod.nominated_node);
  changed_ = true;
}

// Empty: nowhere.
void Mirror::Nominate(TaskId id, const std::string& node) {
  const NodeId before = now_.tasks[id].nominated_node;
  const NodeId after = node.empty() ? NodeId() : NodeOf(node);
  if (after == before) return;
  ChangeRow(id).nominated_node = after;
  Mention(after, +1);
  Mention(before, -1);
  if (before.valid()) DropNodeIfEmpty(before);
  ++rows_rewritten_;
}

void Mirror::ForgetAssumption(const std::string& key, std::string_view uid) {
  auto known = pods_.find(key);
  if (known == pods_.end()) return;
  PodRecord& record = pod_records_[known->second];
  if (record.pod.names.uid != uid || !record.assumed) return;
  record.assumed = false;
  SetState(known->second, ObservedState(record.pod));
  NoteLeaving(known->second);
}

std::optional<PodView> Mirror::Pod(const std::string& key) const {
  auto known = pods_.find(key);
  if (known == pods_.end()) return std::nullopt;
  const PodRecord& record = pod_records_[known->second];
  const TaskState& state = now_.usage.tasks[known->second];
  std::string_view assumed_node;
  if (record.assumed && state.status == TaskStatus::kBinding && now_.nodes[state.node].facts) {
    assumed_node = now_.nodes[state.node].facts->name;
  }
  return PodView{.uid = record.pod.names.uid,
                 .status = state.status,
                 .assumed = record.assumed,
                 .node = record.pod.node_name,
                 .reason = record.pod.scheduled_reason,
                 .message = record.pod.scheduled_message,
                 .nominated_node = record.pod.nominated_node,
                 .promised_node = record.promised_node,
                 .assumed_node = assumed_node};
}

void Mirror::NoteIfGroupless(TaskId id) {
  const JobId job = pod_records_[id].job;
  if (pod_records_[id].pod.ours && (!job.valid() || without_group_.contains(job))) {
    groupless_changed_ = true;
  }
}

std::vector<GrouplessPod> Mirror::PodsWithoutGroup(size_t max) const {
  std::vector<GrouplessPod> out;
  const auto add = [&](TaskId task, const std::string& group) {
    const CompiledPod& pod = pod_records_[task].pod;
    if (!pod.ours || now_.usage.tasks[task].status != TaskStatus::kPending) return;
    out.push_back({.key = pod.names.Key(), .uid = pod.names.uid, .group = group});
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
