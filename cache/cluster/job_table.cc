#include "cache/cluster/job_table.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "algo/gang_rules.h"
#include "base/defect.h"
#include "base/status.h"
#include "base/strings.h"
#include "cache/intake/object_key.h"

namespace bth::cache {

using model::JobId;
using model::PodGroupPhase;
using model::RoleId;
using model::SubJobId;
using model::TaskId;
using model::TaskStatus;

namespace {

// Empty lists are all the same one: most jobs have neither roles with a minimum nor policies.
template <typename T>
std::shared_ptr<const std::vector<T>> OrNone(std::shared_ptr<std::vector<T>> list) {
  static const auto kNone = std::make_shared<const std::vector<T>>();
  return list->empty() ? kNone : std::move(list);
}

// True when the objects differ in nothing but what they show.
bool SameGroupSpec(const CompiledPodGroup& a, const CompiledPodGroup& b) {
  const PodGroupSpec& spec = a;
  return *a.facts == *b.facts && spec == b;
}

// What sums may hold of a group's minimum: of those that are over, which may stay for long,
// nothing.
const NamedAmounts& MinimumInSums(const CompiledPodGroup& group) {
  static const NamedAmounts kNone;
  return group.shown.is_over() ? kNone : group.min_resources;
}

// By a quarter: records are wide, and half of their column would lie idle else.
void GrowRecords(JobId id, IdVector<JobId, JobRecord>* records) {
  if (records->Contains(id)) return;
  IdVector<JobId, JobRecord> more(id.index() + 1 + id.index() / 4);
  std::move(records->begin(), records->end(), more.begin());
  *records = std::move(more);
}

}  // namespace

absl::Status JobTable::CanCount(const CompiledPodGroup& group) const {
  const CompiledPodGroup* known = Known(group.facts->Key());
  const NamedAmounts* before = known == nullptr ? nullptr : &MinimumInSums(*known);
  return Annotate(amounts_.Check(MinimumInSums(group), before), "minResources");
}

JobId JobTable::Find(const std::string& key) const {
  const auto known = ids_.find(key);
  return known == ids_.end() ? JobId() : known->second;
}

const CompiledPodGroup* JobTable::Known(const std::string& key) const {
  const JobId id = Find(key);
  return id.valid() && records_[id].group ? &*records_[id].group : nullptr;
}

JobId JobTable::SlotOf(const std::string& key) {
  auto [it, fresh] = ids_.try_emplace(key);
  if (!fresh) return it->second;
  const JobId id = slots_.Take();
  it->second = id;
  GrowRecords(id, &records_);
  records_[id] = JobRecord();
  records_[id].key = key;
  model::Snapshot& now = draft_.now;
  now.jobs.EnsureContains(id);
  now.usage.jobs.EnsureContains(id);
  now.usage.jobs.Mutable(id) = model::JobCounts();
  parts_.DefaultSubJob(id, records_[id], &now);
  without_group_.insert(id);
  WriteRow(id);
  return id;
}

void JobTable::Touch(JobId job) {
  if (job.valid() && dirty_.insert(job).second) draft_.changed_jobs.push_back(job);
}

// Mostly our own write coming back.
bool JobTable::TakeShown(CompiledPodGroup& group) {
  const JobId id = Find(group.facts->Key());
  if (!id.valid() || !records_[id].group) return false;
  CompiledPodGroup& known = *records_[id].group;
  if (!SameGroupSpec(known, group)) return false;
  const PodGroupPhase phase = group.shown.phase;
  model::Usage& usage = draft_.now.usage;
  if (phase != known.shown.phase && phase != usage.jobs[id].phase) {
    usage.jobs.Mutable(id).phase = phase;
    draft_.changed = true;
  }
  if (known.shown.is_over() != group.shown.is_over()) {
    amounts_.Remove(MinimumInSums(known));
    amounts_.Add(MinimumInSums(group));
  }
  known.shown = std::move(group.shown);
  // What was true when it was decided on, but not any more when it was written.
  if (HasWork(id) && ShowsOtherCounts(id)) draft_.statuses_changed = true;
  Touch(id);
  return true;
}

void JobTable::Put(CompiledPodGroup group, PodOf pod_of) {
  draft_.changed = true;
  const JobId id = SlotOf(group.facts->Key());
  JobRecord& job = records_[id];
  const bool same_object = job.group && job.group->facts->uid == group.facts->uid;
  const bool regroup = !job.group || job.group->sub_groups != group.sub_groups ||
                       HasUnnamedRole(*job.group) != HasUnnamedRole(group);
  const bool shows_the_same = same_object && job.group->shown.phase == group.shown.phase;
  if (!same_object) job.backoff_until = -absl::InfiniteDuration();
  if (job.group) amounts_.Remove(MinimumInSums(*job.group));
  amounts_.Add(MinimumInSums(group));
  model::Usage& usage = draft_.now.usage;
  if (!shows_the_same || group.shown.is_over()) usage.jobs.Mutable(id).phase = group.shown.phase;
  job.group = std::move(group);
  without_group_.erase(id);
  if (regroup) Regroup(id, pod_of);
  WriteRow(id);
}

void JobTable::Remove(const std::string& key, PodOf pod_of) {
  const JobId id = Find(key);
  draft_.changed = true;
  std::optional<CompiledPodGroup>& group = records_[id].group;
  if (group) amounts_.Remove(MinimumInSums(*group));
  group.reset();
  without_group_.insert(id);
  unclaimed_changed_ = true;
  draft_.now.usage.jobs.Mutable(id).phase = PodGroupPhase::kNone;
  Regroup(id, pod_of);
  WriteRow(id);
  DropIfEmpty(id);
}

void JobTable::PutPriorityClass(const std::string& name, int32_t value, bool global_default) {
  draft_.changed = true;
  priorities_.Put(name, value, global_default);
  WriteRows();
}

void JobTable::RemovePriorityClass(const std::string& name) {
  if (!priorities_.Remove(name)) return;
  draft_.changed = true;
  WriteRows();
}

void JobTable::Enter(TaskId id, const CompiledPod& pod) {
  if (pod.job_key.empty()) {
    if (pod.ours) without_job_.insert(id);
    return;
  }
  const JobId job = SlotOf(pod.job_key);
  JobRecord& record = records_[job];
  record.tasks.insert(PlaceOf(id, record), id);
  record.lists_dirty = true;
  record.ours += static_cast<int32_t>(pod.ours);
  model::Snapshot& now = draft_.now;
  model::TaskRow& row = now.tasks.Mutable(id);
  row.job = job;
  row.sub_job = parts_.SubJobFor(job, record, pod, &now);
  row.role = parts_.EnterRole(job, record, pod.names.role, &now);
  parts_.CountPriority(row.sub_job, row.priority, +1, &now);
  Touch(job);
}

// Where the task stands, or should, among its job's.
std::vector<TaskId>::const_iterator JobTable::PlaceOf(TaskId id, const JobRecord& record) const {
  const auto before = [this](TaskId a, TaskId b) {
    const model::TaskNames& left = *draft_.now.tasks[a].names;
    const model::TaskNames& right = *draft_.now.tasks[b].names;
    if (left.created_us != right.created_us) return left.created_us < right.created_us;
    return left.uid != right.uid ? left.uid < right.uid : left.name < right.name;
  };
  return std::lower_bound(record.tasks.begin(), record.tasks.end(), id, before);
}

void JobTable::Leave(TaskId id, bool ours) {
  model::Snapshot& now = draft_.now;
  const JobId job = now.tasks[id].job;
  if (!job.valid()) {
    without_job_.erase(id);
    return;
  }
  JobRecord& record = records_[job];
  const auto place = PlaceOf(id, record);
  BTH_REQUIRE(place != record.tasks.end() && *place == id);
  record.tasks.erase(place);
  record.ours -= static_cast<int32_t>(ours);
  // What was another scheduler's may be ours to enqueue.
  draft_.changed |= !ours && Owns(record);
  const SubJobId sub_job = now.tasks[id].sub_job;
  parts_.CountPriority(sub_job, now.tasks[id].priority, -1, &now);
  parts_.DropIfEmpty(sub_job, record, &now);
  parts_.LeaveRole(now.tasks[id].role, record, &now);
  record.lists_dirty = true;
  Touch(job);
  if (record.group && record.tasks.empty()) {
    if (record.group->single_pod) {
      record.group.reset();
    } else {
      // A PodGroup that another scheduler's pods held is ours again, and waits.
      draft_.changed = true;
    }
  }
  DropIfEmpty(job);
}

// Puts every task of the job where the PodGroup's policies now say.
void JobTable::Regroup(JobId job, PodOf pod_of) {
  JobRecord& record = records_[job];
  model::Snapshot& now = draft_.now;
  for (TaskId task : record.tasks) {
    const model::TaskRow& row = now.tasks[task];
    now.usage.Count(row, now.shapes[row.shape], now.usage.tasks[task], -1);
  }
  parts_.Clear(record, &now);
  parts_.DefaultSubJob(job, record, &now);
  const bool by_labels = record.group && !record.group->sub_groups.empty();
  for (TaskId task : record.tasks) {
    model::TaskRow& row = draft_.ChangeTask(task);
    const PodIdentity pod = by_labels ? pod_of(task) : PodIdentity();
    row.sub_job = parts_.SubJobFor(job, record, pod, &now);
    row.role = parts_.EnterRole(job, record, row.names->role, &now);
    parts_.CountPriority(row.sub_job, row.priority, +1, &now);
    now.usage.Count(row, now.shapes[row.shape], now.usage.tasks[task], +1);
  }
  record.lists_dirty = true;
}

void JobTable::WriteRows() {
  for (const auto& [key, job] : ids_) WriteRow(job);
}

// Minimums by role and by policy, in the row and in the parts.
void JobTable::WriteMinimums(JobId job, model::JobRow* row) {
  JobRecord& record = records_[job];
  const CompiledPodGroup& group = *record.group;
  model::Snapshot& now = draft_.now;
  auto groups = std::make_shared<std::vector<std::pair<std::string, int32_t>>>();
  for (const auto& [name, minimum] : group.role_minimums) row->role_minimum_sum += minimum;
  for (const SubGroup& sub : group.sub_groups) groups->emplace_back(sub.name, sub.min_sub_groups);
  if (record.default_sub_job.valid()) {
    now.sub_jobs.Mutable(record.default_sub_job).min_available =
        group.sub_groups.empty() ? group.min_member : 1;
  }
  row->group_minimums = OrNone(std::move(groups));
  row->roles = OrNone(parts_.NamedRoles(job, record, &now));
}

void JobTable::WriteRow(JobId job) {
  JobRecord& record = records_[job];
  model::Snapshot& now = draft_.now;
  model::JobRow row;
  row.tasks = now.jobs[job].tasks;
  row.sub_jobs = now.jobs[job].sub_jobs;
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
    row.priority = group.single_pod ? group.urgency : priorities_.ValueOf(group.priority_class);
    WriteMinimums(job, &row);
  } else {
    auto [ns, name] = SplitKey(record.key);
    row.facts = std::make_shared<const model::JobFacts>(
        model::JobFacts{.ns = std::move(ns), .name = std::move(name)});
    row.group_minimums = OrNone(std::make_shared<std::vector<std::pair<std::string, int32_t>>>());
    row.roles = OrNone(std::make_shared<std::vector<RoleId>>());
  }
  const model::JobFacts* known = now.jobs[job].facts.get();
  if (known != nullptr &&
      (known->created_us != row.facts->created_us || known->uid != row.facts->uid)) {
    all_.Move(job);
    active_.Move(job);
    without_queue_.Move(job);
    resting_.Move(job);
  }
  now.jobs.Mutable(job) = row;
  record.lists_dirty = true;
  Touch(job);
  ++draft_.rows_rewritten;
}

void JobTable::DropIfEmpty(JobId job) {
  JobRecord& record = records_[job];
  if (record.group || !record.tasks.empty()) return;
  parts_.Clear(record, &draft_.now);
  ids_.erase(record.key);
  without_group_.erase(job);
  record = JobRecord();
  draft_.now.jobs.Mutable(job) = model::JobRow();
  draft_.now.usage.jobs.Mutable(job) = model::JobCounts();
  slots_.Free(job);
  Touch(job);
}

bool JobTable::Owns(const JobRecord& record) const {
  if (record.ours > 0) return true;
  return record.tasks.empty() && !foreign_.SomeOf(record.key);
}

void JobTable::AddForeign(const std::string& pod, const std::string& job) {
  foreign_.Add(pod, job);
  Touch(Find(job));
}

void JobTable::RemoveForeign(const std::string& pod) {
  const std::string left = foreign_.Remove(pod);
  if (left.empty()) return;
  // The PodGroup may be ours again.
  if (const JobId job = Find(left); job.valid()) {
    Touch(job);
    draft_.changed = true;
  }
}

void JobTable::SetPhase(JobId job, PodGroupPhase phase) {
  model::Usage& usage = draft_.now.usage;
  if (usage.jobs[job].phase == phase) return;
  // Sums may hold large amounts again when the object says so: then CanCount was asked.
  const CompiledPodGroup& group = *records_[job].group;
  if (group.shown.is_over() && amounts_.CountsSome(group.min_resources)) return;
  usage.jobs.Mutable(job).phase = phase;
  draft_.changed = true;
  Touch(job);
}

void JobTable::BackOff(JobId job, absl::Duration pause) {
  records_[job].backoff_until = clock_.Monotonic() + pause;
  backing_off_.insert(job);
  Touch(job);
}

bool JobTable::IsBackingOff(JobId job) const {
  return records_[job].backoff_until > clock_.Monotonic();
}

absl::Duration JobTable::UntilBackoffEnds() const {
  absl::Duration earliest = absl::InfiniteDuration();
  for (JobId job : backing_off_) earliest = std::min(earliest, records_[job].backoff_until);
  return earliest - clock_.Monotonic();
}

void JobTable::EndBackoffs() {
  const absl::Duration now = clock_.Monotonic();
  for (auto it = backing_off_.begin(); it != backing_off_.end();) {
    const JobId job = *it;
    if (records_[job].backoff_until <= now) {
      Touch(job);
      backing_off_.erase(it++);
    } else {
      ++it;
    }
  }
}

void JobTable::NoteIfUnclaimed(TaskId id, bool ours) {
  if (!ours) return;
  const JobId job = draft_.now.tasks[id].job;
  unclaimed_changed_ |= !job.valid() || without_group_.contains(job);
}

void JobTable::VisitUnclaimed(
    absl::FunctionRef<void(TaskId, const std::string& group)> visit) const {
  for (TaskId task : without_job_) visit(task, "");
  for (JobId job : without_group_) {
    if (draft_.now.usage.jobs[job].count(TaskStatus::kPending) == 0) continue;
    for (TaskId task : records_[job].tasks) visit(task, records_[job].key);
  }
}

// For the cycle: a place to look for, or something to say of its group.
bool JobTable::HasWork(JobId job) const {
  const JobRecord& record = records_[job];
  const model::JobRow& row = draft_.now.jobs[job];
  if (row.facts == nullptr || !row.has_pod_group || !Owns(record)) return false;
  const model::JobCounts& counts = draft_.now.usage.jobs[job];
  if (counts.count(TaskStatus::kPending) > 0) return true;
  if (record.group->single_pod) return false;  // No object shows how it stands.
  if (counts.total() > 0 && counts.ready() < row.min_available) return true;
  if (counts.phase == PodGroupPhase::kNone || counts.phase == PodGroupPhase::kPending) return true;
  return algo::DerivePhase(counts, row.min_available, false) != counts.phase ||
         ShowsOtherCounts(job);
}

bool JobTable::ShowsOtherCounts(JobId job) const {
  const ShownPodGroup& shown = records_[job].group->shown;
  const model::JobCounts& counts = draft_.now.usage.jobs[job];
  return counts.count(TaskStatus::kRunning) != shown.running ||
         counts.count(TaskStatus::kSucceeded) != shown.succeeded ||
         counts.count(TaskStatus::kFailed) != shown.failed;
}

void JobTable::WriteLists(JobId job) {
  JobRecord& record = records_[job];
  model::Snapshot& now = draft_.now;
  if (!record.lists_dirty || now.jobs[job].facts == nullptr) return;
  model::JobRow& row = now.jobs.Mutable(job);
  row.tasks = std::make_shared<const std::vector<TaskId>>(record.tasks);
  auto sub_jobs = std::make_shared<std::vector<SubJobId>>();
  if (record.default_sub_job.valid()) sub_jobs->push_back(record.default_sub_job);
  for (const auto& [key, id] : record.sub_jobs) sub_jobs->push_back(id);
  std::sort(sub_jobs->begin(), sub_jobs->end(), [&now](SubJobId a, SubJobId b) {
    return now.sub_jobs[a].facts->key < now.sub_jobs[b].facts->key;
  });
  row.sub_jobs = std::move(sub_jobs);
  record.lists_dirty = false;
}

void JobTable::Publish() {
  EndBackoffs();
  model::Snapshot& now = draft_.now;
  for (JobId job : dirty_) {
    WriteLists(job);
    const model::JobRow& row = now.jobs[job];
    const bool has_group = row.facts != nullptr && row.has_pod_group;
    all_.Set(job, has_group && row.queue.valid());
    const bool has_work = HasWork(job);
    without_queue_.Set(job, has_work && !row.queue.valid());
    const bool is_schedulable = has_work && row.queue.valid();
    const bool rests = is_schedulable && IsBackingOff(job);
    active_.Set(job, is_schedulable && !rests);
    resting_.Set(job, rests);
    untold_.Set(job, rests && !records_[job].group->single_pod && ShowsOtherCounts(job));
  }
  dirty_.clear();
  const auto by_age = [&now](JobId a, JobId b) {
    const model::JobFacts& left = *now.jobs[a].facts;
    const model::JobFacts& right = *now.jobs[b].facts;
    if (left.created_us != right.created_us) return left.created_us < right.created_us;
    if (left.uid != right.uid) return left.uid < right.uid;
    return left.ns != right.ns ? left.ns < right.ns : left.name < right.name;
  };
  now.all_jobs = all_.Publish(by_age);
  now.active_jobs = active_.Publish(by_age);
  now.jobs_without_queue = without_queue_.Publish(by_age);
  now.backing_off_jobs = resting_.Publish(by_age);
  now.untold_backoff_jobs = untold_.Publish(by_age);
}

void JobTable::Recycle() {
  slots_.Recycle();
  parts_.Recycle();
}

absl::Status JobTable::Check() const {
  const model::Snapshot& now = draft_.now;
  size_t tasks = 0;
  for (const auto& [key, id] : ids_) {
    const JobRecord& record = records_[id];
    const auto wrong = [&k = key](const char* what) {
      return absl::InternalError(StrCat("job ", k, ": ", what));
    };
    if (record.key != key) return wrong("its row is another's");
    if (!record.group && record.tasks.empty()) return wrong("a row that nobody needs");
    if (record.group.has_value() == without_group_.contains(id))
      return wrong("whether it has a PodGroup is told in two ways");
    if (record.group.has_value() != now.jobs[id].has_pod_group)
      return wrong("row and object differ");
    if (now.usage.jobs[id].total() != static_cast<int32_t>(record.tasks.size()))
      return wrong("counts other tasks than it has");
    for (TaskId task : record.tasks) {
      if (now.tasks[task].job != id) return wrong("has a task of another job");
      if (const auto place = PlaceOf(task, record); place == record.tasks.end() || *place != task) {
        return wrong("tasks are out of order");
      }
    }
    tasks += record.tasks.size();
  }
  for (TaskId id : now.tasks.ids()) {
    const model::TaskRow& row = now.tasks[id];
    if (row.job.valid()) --tasks;
    if (without_job_.contains(id) && (row.names == nullptr || row.job.valid()))
      return absl::InternalError("jobs: a pod is said to name none, and is gone or names one");
  }
  if (tasks != 0) return absl::InternalError("jobs: they and the tasks disagree");
  return absl::OkStatus();
}

}  // namespace bth::cache
