// PodGroups: jobs with their sub-jobs and roles.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "algo/gang_rules.h"
#include "base/defect.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/object_key.h"

namespace bth::cache {

using model::JobId;
using model::RoleId;
using model::SubJobId;
using model::TaskId;

JobId Mirror::JobOf(const std::string& key) {
  auto [it, fresh] = jobs_.try_emplace(key);
  if (!fresh) return it->second;
  const JobId id = job_slots_.Take();
  it->second = id;
  job_records_.EnsureContains(id);
  job_records_[id] = JobRecord();
  job_records_[id].key = key;
  now_.jobs.EnsureContains(id);
  now_.usage.jobs.EnsureContains(id);
  now_.usage.jobs.Mutable(id) = model::JobCounts();
  parts_.DefaultSubJob(id, job_records_[id], &now_);
  without_group_.insert(id);
  WriteJobRow(id);
  return id;
}

namespace {

// Empty lists are all the same one: most jobs have neither roles with a minimum nor policies.
template <typename T>
std::shared_ptr<const std::vector<T>> OrNone(std::shared_ptr<std::vector<T>> list) {
  static const auto kNone = std::make_shared<const std::vector<T>>();
  return list->empty() ? kNone : std::move(list);
}

// True when the objects differ in nothing but what they show.
bool SameGroupSpec(const CompiledPodGroup& a, const CompiledPodGroup& b) {
  return a.facts->uid == b.facts->uid && a.facts->created_us == b.facts->created_us &&
         a.facts->waiting_ms == b.facts->waiting_ms &&
         a.facts->budget_min_available == b.facts->budget_min_available &&
         a.facts->budget_max_unavailable == b.facts->budget_max_unavailable &&
         a.facts->revocable_zone == b.facts->revocable_zone &&
         a.facts->quota_request == b.facts->quota_request && a.queue == b.queue &&
         a.priority_class == b.priority_class && a.min_member == b.min_member &&
         a.role_minimums == b.role_minimums && a.has_min_resources == b.has_min_resources &&
         a.min_resources == b.min_resources && a.preemptable == b.preemptable &&
         a.opts_out == b.opts_out && a.has_network_topology == b.has_network_topology &&
         a.sub_groups == b.sub_groups;
}

}  // namespace

void Mirror::PutPodGroup(CompiledPodGroup group) {
  group.facts->queue = group.queue.empty() ? options_.default_queue : group.queue;
  const JobId id = JobOf(group.facts->Key());
  JobRecord& job = job_records_[id];
  if (job.group && SameGroupSpec(*job.group, group)) {
    // Mostly our own write coming back.
    if (group.shown.phase != job.group->shown.phase &&
        group.shown.phase != now_.usage.jobs[id].phase) {
      now_.usage.jobs.Mutable(id).phase = group.shown.phase;
      changed_ = true;
    }
    job.group->shown = std::move(group.shown);
    Touch(id);
    return;
  }
  changed_ = true;
  DimensionBook& dimensions = vocabulary_.dimensions();
  dimensions.Ask(group.min_resources, +1);
  if (job.group) dimensions.Ask(job.group->min_resources, -1);
  SettleDimensions();
  const bool regroup = !job.group || job.group->sub_groups != group.sub_groups ||
                       HasUnnamedRole(*job.group) != HasUnnamedRole(group);
  const bool shows_the_same = job.group && job.group->facts->uid == group.facts->uid &&
                              job.group->shown.phase == group.shown.phase;
  const model::PodGroupPhase phase = shows_the_same ? now_.usage.jobs[id].phase : group.shown.phase;
  if (!job.group || job.group->facts->uid != group.facts->uid)
    job.held_until = absl::InfinitePast();
  if (job.group) amounts_.groups.Remove(job.group->min_resources);
  amounts_.groups.Add(group.min_resources);
  job.group = std::move(group);
  without_group_.erase(id);
  now_.usage.jobs.Mutable(id).phase = phase;
  if (regroup) Regroup(id);
  WriteJobRow(id);
}

void Mirror::RemovePodGroup(const std::string& key) {
  auto known = jobs_.find(key);
  if (known == jobs_.end()) return;
  changed_ = true;
  const JobId id = known->second;
  std::optional<CompiledPodGroup>& group = job_records_[id].group;
  if (group) {
    amounts_.groups.Remove(group->min_resources);
    vocabulary_.dimensions().Ask(group->min_resources, -1);
  }
  group.reset();
  without_group_.insert(id);
  groupless_changed_ = true;
  now_.usage.jobs.Mutable(id).phase = model::PodGroupPhase::kNone;
  Regroup(id);
  WriteJobRow(id);
  DropJobIfEmpty(id);
}

void Mirror::EnterJob(TaskId id, JobId job, const PodIdentity& pod) {
  pod_records_[id].job = job;
  JobRecord& record = job_records_[job];
  record.tasks.insert(PlaceInJob(id, record), id);
  record.lists_dirty = true;
  model::TaskRow& row = ChangeRow(id);
  record.ours += static_cast<int32_t>(pod_records_[id].ours);
  row.job = job;
  row.sub_job = parts_.SubJobFor(job, record, pod, &now_);
  row.role = parts_.RoleFor(job, record, pod.names.role, &now_);
  parts_.CountPriority(row.sub_job, row.priority, +1, &now_);
  Touch(job);
}

// Where the task stands, or should, among its job's.
std::vector<TaskId>::const_iterator Mirror::PlaceInJob(TaskId id, const JobRecord& record) const {
  const auto before = [this](TaskId a, TaskId b) {
    const model::TaskNames& left = *now_.tasks[a].names;
    const model::TaskNames& right = *now_.tasks[b].names;
    if (left.created_us != right.created_us) return left.created_us < right.created_us;
    return left.uid != right.uid ? left.uid < right.uid : left.name < right.name;
  };
  return std::lower_bound(record.tasks.begin(), record.tasks.end(), id, before);
}

void Mirror::LeaveJob(TaskId id, JobId job) {
  JobRecord& record = job_records_[job];
  const auto place = PlaceInJob(id, record);
  BTH_REQUIRE(place != record.tasks.end() && *place == id);
  record.tasks.erase(place);
  const bool ours = pod_records_[id].ours;
  record.ours -= static_cast<int32_t>(ours);
  changed_ |= !ours && Owns(record);  // What was another scheduler's may be ours to enqueue.
  const SubJobId sub_job = now_.tasks[id].sub_job;
  parts_.CountPriority(sub_job, now_.tasks[id].priority, -1, &now_);
  parts_.DropIfEmpty(sub_job, record, &now_);
  record.lists_dirty = true;
  Touch(job);
  // A PodGroup that another scheduler's pods held is ours again, and waits.
  if (record.group && record.tasks.empty()) changed_ = true;
  DropJobIfEmpty(job);
}

// Puts every task of the job where the PodGroup's policies now say.
void Mirror::Regroup(JobId job) {
  JobRecord& record = job_records_[job];
  for (TaskId task : record.tasks) {
    now_.usage.Count(now_.tasks[task], now_.shapes[pod_records_[task].shape],
                     now_.usage.tasks[task], -1);
  }
  parts_.Clear(record, &now_);
  parts_.DefaultSubJob(job, record, &now_);
  const bool by_labels = record.group && !record.group->sub_groups.empty();
  for (TaskId task : record.tasks) {
    model::TaskRow& row = ChangeRow(task);
    const PodIdentity pod = by_labels ? IdentityOf(task) : PodIdentity();
    row.sub_job = parts_.SubJobFor(job, record, pod, &now_);
    row.role = parts_.RoleFor(job, record, row.names->role, &now_);
    parts_.CountPriority(row.sub_job, row.priority, +1, &now_);
    now_.usage.Count(row, now_.shapes[pod_records_[task].shape], now_.usage.tasks[task], +1);
  }
  record.lists_dirty = true;
}

void Mirror::WriteJobRow(JobId job) {
  JobRecord& record = job_records_[job];
  model::JobRow row;
  row.tasks = now_.jobs[job].tasks;
  row.sub_jobs = now_.jobs[job].sub_jobs;
  auto groups = std::make_shared<std::vector<std::pair<std::string, int32_t>>>();
  auto roles = std::make_shared<std::vector<RoleId>>();
  if (record.group) {
    const CompiledPodGroup& group = *record.group;
    row.facts = group.facts;
    row.has_pod_group = true;
    row.min_available = group.min_member;
    row.preemptable = group.preemptable;
    row.opts_out = group.opts_out;
    row.has_min_resources = group.has_min_resources;
    row.min_resources = vocabulary_.Set(group.min_resources);
    row.has_sub_group_policy = !group.sub_groups.empty();
    row.has_network_topology = group.has_network_topology;
    row.queue = queues_.Find(group.facts->queue);
    for (const auto& [name, minimum] : group.role_minimums) {
      row.role_minimum_sum += minimum;
      const RoleId role = parts_.RoleFor(job, record, name, &now_);
      now_.roles.Mutable(role).min_available = minimum;
      roles->push_back(role);
    }
    for (const SubGroup& sub : group.sub_groups) groups->emplace_back(sub.name, sub.min_sub_groups);
    for (const auto& [name, role] : record.roles) {
      const auto named = [&n = name](const auto& minimum) { return minimum.first == n; };
      if (std::none_of(group.role_minimums.begin(), group.role_minimums.end(), named)) {
        now_.roles.Mutable(role).min_available = 0;
      }
    }
    if (auto it = record.sub_jobs.find(record.key); it != record.sub_jobs.end()) {
      now_.sub_jobs.Mutable(it->second).min_available =
          group.sub_groups.empty() ? group.min_member : 1;
    }
    auto priority = priority_classes_.find(group.priority_class);
    if (priority != priority_classes_.end()) {
      row.priority = priority->second.value;
    } else {
      row.priority = default_priority_;
    }
  } else {
    auto [ns, name] = SplitKey(record.key);
    row.facts = std::make_shared<const model::JobFacts>(
        model::JobFacts{.ns = std::move(ns), .name = std::move(name)});
  }
  row.group_minimums = OrNone(std::move(groups));
  row.roles = OrNone(std::move(roles));
  const model::JobFacts* known = now_.jobs[job].facts.get();
  if (known != nullptr &&
      (known->created_us != row.facts->created_us || known->uid != row.facts->uid)) {
    all_.Move(job);
    active_.Move(job);
    without_queue_.Move(job);
  }
  now_.jobs.Mutable(job) = row;
  record.lists_dirty = true;
  Touch(job);
  ++rows_rewritten_;
}

void Mirror::DropJobIfEmpty(JobId job) {
  JobRecord& record = job_records_[job];
  if (record.group || !record.tasks.empty()) return;
  parts_.Clear(record, &now_);
  jobs_.erase(record.key);
  without_group_.erase(job);
  record = JobRecord();
  now_.jobs.Mutable(job) = model::JobRow();
  now_.usage.jobs.Mutable(job) = model::JobCounts();
  job_slots_.Free(job);
  Touch(job);
}

void Mirror::PutPriorityClass(const std::string& name, int32_t value, bool global_default) {
  priority_classes_[name] = {.value = value, .global_default = global_default};
  RefreshPriorities();
}

void Mirror::RemovePriorityClass(const std::string& name) {
  if (priority_classes_.erase(name) > 0) RefreshPriorities();
}

void Mirror::RefreshPriorities() {
  changed_ = true;
  // Of several defaults the lowest counts, as the API server decides for pods.
  default_priority_ = 0;
  bool found = false;
  for (const auto& [name, entry] : priority_classes_) {
    if (!entry.global_default || (found && entry.value >= default_priority_)) continue;
    default_priority_ = entry.value;
    found = true;
  }
  for (const auto& [key, job] : jobs_) WriteJobRow(job);
}

bool Mirror::Owns(const JobRecord& record) const {
  if (record.ours > 0) return true;
  return record.tasks.empty() &&
         (foreign_waiting_.empty() || !foreign_waiting_.contains(record.key));
}

bool Mirror::OwnsGroup(const std::string& pod_group_key) const {
  auto known = jobs_.find(pod_group_key);
  return known != jobs_.end() && Owns(job_records_[known->second]);
}

void Mirror::NoteForeignPod(const std::string& key, const std::string& job_key) {
  auto noted = foreign_pods_.find(key);
  if (noted != foreign_pods_.end() && noted->second == job_key) return;
  RemovePod(key);
  if (job_key.empty()) return;
  foreign_pods_[key] = job_key;
  ++foreign_waiting_[job_key];
  if (auto job = jobs_.find(job_key); job != jobs_.end()) Touch(job->second);
}

void Mirror::ForgetForeignPod(const std::string& key) {
  auto noted = foreign_pods_.find(key);
  if (noted == foreign_pods_.end()) return;
  auto waiting = foreign_waiting_.find(noted->second);
  if (--waiting->second == 0) {
    // The PodGroup may be ours again.
    if (auto job = jobs_.find(noted->second); job != jobs_.end()) {
      Touch(job->second);
      changed_ = true;
    }
    foreign_waiting_.erase(waiting);
  }
  foreign_pods_.erase(noted);
}

std::optional<GangView> Mirror::Gang(const std::string& pod_group_key) const {
  auto known = jobs_.find(pod_group_key);
  if (known == jobs_.end() || !job_records_[known->second].group) return std::nullopt;
  const model::JobRow& row = now_.jobs[known->second];
  const model::JobCounts& counts = now_.usage.jobs[known->second];
  return GangView{.uid = row.facts->uid,
                  .ready = counts.ready(),
                  .pending = counts.count(model::TaskStatus::kPending),
                  .min_available = row.min_available,
                  .whole = algo::GangStands({now_, now_.usage, known->second})};
}

void Mirror::AssumePhase(const std::string& pod_group_key, model::PodGroupPhase phase) {
  auto known = jobs_.find(pod_group_key);
  if (known == jobs_.end() || !job_records_[known->second].group) return;
  if (now_.usage.jobs[known->second].phase == phase) return;
  now_.usage.jobs.Mutable(known->second).phase = phase;
  changed_ = true;
  Touch(known->second);
}

void Mirror::HoldJob(const std::string& key, absl::Time until) {
  auto known = jobs_.find(key);
  if (known == jobs_.end()) return;
  job_records_[known->second].held_until = until;
  held_.insert(known->second);
  Touch(known->second);
}

absl::Time Mirror::NextHoldEnd() const {
  absl::Time earliest = absl::InfiniteFuture();
  for (JobId job : held_) earliest = std::min(earliest, job_records_[job].held_until);
  for (const auto& [key, pod] : spared_) {
    if (!pod.over) earliest = std::min(earliest, pod.until);
  }
  const bool any_waits = now_.active_jobs != nullptr && !now_.active_jobs->empty();
  if (any_waits && !leaving_.empty()) {
    earliest = std::min(earliest, absl::FromUnixMicros(leaving_.begin()->first));
  }
  return earliest;
}

const ShownPodGroup* Mirror::ShownOf(const std::string& pod_group_key) const {
  auto known = jobs_.find(pod_group_key);
  if (known == jobs_.end() || !job_records_[known->second].group) return nullptr;
  return &job_records_[known->second].group->shown;
}

}  // namespace bth::cache
