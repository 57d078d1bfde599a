#include "controllers/job/job_book.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/status.h"
#include "base/strings.h"
#include "controllers/core/object_store.h"
#include "controllers/core/version.h"
#include "controllers/job/keys.h"

namespace bth::controllers {
namespace {

using types::BatchTask;
using types::Pod;

constexpr int32_t kContainerRetries = 3;  // What maxRetry 0 stands for.

absl::Status Missing(std::string_view key) {
  return absl::NotFoundError(StrCat("failed to find job <", key, ">"));
}

std::string KeyOf(const types::BatchJob& job) {
  return StoreKey(job.meta.ns, job.meta.name);
}

int64_t Restarts(const Pod& pod) {
  int64_t sum = 0;
  for (const auto& status : pod.status.init_container_statuses) sum += status.restart_count;
  for (const auto& status : pod.status.container_statuses) sum += status.restart_count;
  return sum;
}

std::string OwnerUid(const Pod& pod) {
  const types::OwnerReference* owner = BatchJobOwner(pod.meta);
  return owner == nullptr ? std::string() : owner->uid;
}

}  // namespace

const types::OwnerReference* BatchJobOwner(const types::ObjectMeta& meta) {
  const types::OwnerReference* owner = meta.Controller();
  if (owner == nullptr || owner->kind != "Job") return nullptr;
  return owner->api_version == "batch.volcano.sh/v1alpha1" ? owner : nullptr;
}

bool IsMarkedOutOfSync(const Pod& pod) {
  return pod.meta.Annotation(kOutOfSyncKey) == "true";
}

absl::StatusOr<PodPlace> PlaceOf(const Pod& pod) {
  PodPlace place;
  place.job = std::string(pod.meta.Annotation(kJobNameKey));
  if (place.job.empty()) {
    return absl::InvalidArgumentError(
        StrCat("failed to find job name of pod <", pod.meta.Key(), ">"));
  }
  place.task = std::string(pod.meta.Annotation(kTaskSpecKey));
  if (place.task.empty()) {
    return absl::InvalidArgumentError(
        StrCat("failed to find taskName of pod <", pod.meta.Key(), ">"));
  }
  if (!SimpleAtoi(pod.meta.Annotation(kJobVersionKey), &place.version)) {
    return absl::InvalidArgumentError(
        StrCat("failed to find jobVersion of pod <", pod.meta.Key(), ">"));
  }
  return place;
}

const BatchTask* FindTask(const types::BatchJobSpec& spec, std::string_view name) {
  for (const BatchTask& task : spec.tasks) {
    if (task.name == name) return &task;
  }
  return nullptr;
}

const JobView::Pods& JobView::PodsOf(std::string_view task) const {
  static const Pods* const kNone = new Pods();
  const auto found = tasks.find(std::string(task));
  return found == tasks.end() ? *kNone : *found->second;
}

PodPointer JobView::FindPod(std::string_view task, std::string_view name) const {
  const Pods& pods = PodsOf(task);
  const auto found = pods.find(std::string(name));
  return found == pods.end() ? nullptr : found->second;
}

bool JobView::IsTerminating(const Pod& pod) const {
  if (pod.meta.deletion_time.has_value()) return true;
  return !leaving.empty() && leaving.contains(pod.meta.uid);  // Mostly empty: spares the hash.
}

const JobBook::Entry* JobBook::Find(std::string_view key) const {
  const auto found = entries_.find(ToAbsl(key));
  return found == entries_.end() ? nullptr : &found->second;
}
JobBook::Entry* JobBook::Find(std::string_view key) {
  return const_cast<Entry*>(std::as_const(*this).Find(key));
}

void JobBook::Tidy(const std::string& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (found->second.job == nullptr && found->second.tasks.empty()) entries_.erase(found);
}

absl::Status JobBook::Add(JobPointer job) {
  const std::string key = KeyOf(*job);
  Entry& entry = entries_[key];
  if (entry.job != nullptr) {
    return absl::AlreadyExistsError(StrCat("duplicated jobInfo <", key, ">"));
  }
  entry.version = job->status.version;
  entry.job = std::move(job);
  return absl::OkStatus();
}

absl::Status JobBook::Update(JobPointer job) {
  const std::string key = KeyOf(*job);
  Entry* entry = Find(key);
  if (entry == nullptr || entry->job == nullptr) return Missing(key);
  const std::string& known = entry->job->meta.resource_version;
  if (IsNewerVersion(known, job->meta.resource_version)) {
    return absl::AbortedError(StrCat("job <", key, "> has too old resource version: ",
                                     job->meta.resource_version, " (", known, ")"));
  }
  if (entry->job->meta.uid != job->meta.uid) entry->version = 0;
  entry->version = std::max(entry->version, job->status.version);
  entry->job = std::move(job);
  return absl::OkStatus();
}

absl::Status JobBook::Delete(std::string_view key) {
  Entry* entry = Find(key);
  if (entry == nullptr || entry->job == nullptr) return Missing(key);
  entry->job = nullptr;
  entry->version = 0;
  entry->deleted_group.clear();
  Tidy(std::string(key));
  return absl::OkStatus();
}

const JobBook::TaskPods* JobBook::Find(const Entry& entry, const TaskKey& task) {
  const auto found = entry.tasks.find(task);
  return found == entry.tasks.end() ? nullptr : &found->second;
}

void JobBook::TaskPods::Count(const Pod& pod, int sign) {
  // What it did says nothing of the pods that come after it.
  if (pod.meta.deletion_time.has_value() || IsMarkedOutOfSync(pod)) return;
  const std::string& phase = pod.status.phase;
  if (phase == "Succeeded") succeeded += sign;
  if (phase == "Running" || phase == "Pending") restarts += sign * Restarts(pod);
}

JobView::Pods& JobBook::TaskPods::Own() {
  if (pods == nullptr) {
    pods = std::make_shared<JobView::Pods>();
  } else if (pods.use_count() > 1) {
    pods = std::make_shared<JobView::Pods>(*pods);
  }
  return *pods;
}

absl::Status JobBook::AddPod(PodPointer pod) {
  BTH_ASSIGN_OR_RETURN(const PodPlace place, PlaceOf(*pod));
  Entry& entry = entries_[StoreKey(pod->meta.ns, place.job)];
  TaskPods& task = entry.tasks[{OwnerUid(*pod), place.task}];
  const bool is_new = task.Own().emplace(pod->meta.name, pod).second;
  if (!is_new) return absl::AlreadyExistsError("duplicated pod");
  task.Count(*pod, 1);
  return absl::OkStatus();
}

absl::Status JobBook::UpdatePod(PodPointer pod) {
  BTH_ASSIGN_OR_RETURN(const PodPlace place, PlaceOf(*pod));
  auto& tasks = entries_[StoreKey(pod->meta.ns, place.job)].tasks;
  const auto task = tasks.find({OwnerUid(*pod), place.task});
  if (task == tasks.end()) {
    Tidy(StoreKey(pod->meta.ns, place.job));
    return absl::NotFoundError(StrCat("can not find task ", place.task, " in cache"));
  }
  JobView::Pods& pods = task->second.Own();
  const auto found = pods.find(pod->meta.name);
  if (found == pods.end()) {
    return absl::NotFoundError(StrCat("can not find pod <", pod->meta.Key(), "> in cache"));
  }
  task->second.Count(*found->second, -1);
  task->second.Count(*pod, 1);
  found->second = std::move(pod);
  return absl::OkStatus();
}

void JobBook::DeletePod(const Pod& pod) {
  const absl::StatusOr<PodPlace> place = PlaceOf(pod);
  if (!place.ok()) return;
  const std::string key = StoreKey(pod.meta.ns, place->job);
  Entry* entry = Find(key);
  if (entry == nullptr) return;
  entry->leaving.erase(pod.meta.uid);
  const auto task = entry->tasks.find({OwnerUid(pod), place->task});
  if (task == entry->tasks.end()) return;
  JobView::Pods& pods = task->second.Own();
  if (const auto found = pods.find(pod.meta.name); found != pods.end()) {
    task->second.Count(*found->second, -1);
    pods.erase(found);
  }
  if (pods.empty()) entry->tasks.erase(task);
  Tidy(key);
}

bool JobBook::HasPod(const Pod& pod) const {
  const absl::StatusOr<PodPlace> place = PlaceOf(pod);
  if (!place.ok()) return false;
  const Entry* entry = Find(StoreKey(pod.meta.ns, place->job));
  if (entry == nullptr) return false;
  const TaskPods* task = Find(*entry, {OwnerUid(pod), place->task});
  return task != nullptr && task->pods->contains(pod.meta.name);
}

absl::StatusOr<JobView> JobBook::Get(std::string_view key) const {
  const Entry* entry = Find(key);
  if (entry == nullptr) return Missing(key);
  if (entry->job == nullptr) {
    return absl::UnavailableError(StrCat("job <", key, "> is not ready"));
  }
  JobView view;
  view.job = entry->job;
  view.version = entry->version;
  view.leaving = entry->leaving;
  const std::string& uid = entry->job->meta.uid;
  for (auto it = entry->tasks.lower_bound({uid, ""});
       it != entry->tasks.end() && it->first.first == uid; ++it) {
    view.tasks.emplace(it->first.second, it->second.pods);
  }
  return view;
}

JobPointer JobBook::FindJob(std::string_view key) const {
  const Entry* entry = Find(key);
  return entry == nullptr ? nullptr : entry->job;
}

int32_t JobBook::VersionOf(std::string_view key) const {
  const Entry* entry = Find(key);
  return entry == nullptr ? 0 : entry->version;
}

size_t JobBook::PodsOf(std::string_view key) const {
  const Entry* entry = Find(key);
  if (entry == nullptr) return 0;
  size_t count = 0;
  for (const auto& [key_of_task, task] : entry->tasks) count += task.pods->size();
  return count;
}

bool JobBook::HasCurrentPods(std::string_view key) const {
  const Entry* entry = Find(key);
  if (entry == nullptr || entry->job == nullptr) return false;
  for (const auto& [key_of_task, task] : entry->tasks) {
    if (key_of_task.first != entry->job->meta.uid) continue;
    for (const auto& [name, pod] : *task.pods) {
      const absl::StatusOr<PodPlace> place = PlaceOf(*pod);
      if (place.ok() && place->version >= entry->version) return true;
    }
  }
  return false;
}

bool JobBook::TaskCompleted(std::string_view key, std::string_view task) const {
  const Entry* entry = Find(key);
  if (entry == nullptr || entry->job == nullptr) return false;
  const BatchTask* spec = FindTask(entry->job->spec, task);
  const TaskPods* pods = Find(*entry, {entry->job->meta.uid, std::string(task)});
  if (spec == nullptr || spec->replicas <= 0 || pods == nullptr) return false;
  return pods->succeeded >= spec->replicas;
}

bool JobBook::TaskFailed(std::string_view key, std::string_view task) const {
  const Entry* entry = Find(key);
  if (entry == nullptr || entry->job == nullptr) return false;
  const BatchTask* spec = FindTask(entry->job->spec, task);
  const TaskPods* pods = Find(*entry, {entry->job->meta.uid, std::string(task)});
  if (spec == nullptr || spec->replicas == 0 || spec->max_retry == -1) return false;
  if (pods == nullptr) return false;
  return pods->restarts >= (spec->max_retry == 0 ? kContainerRetries : spec->max_retry);
}

void JobBook::RaiseVersion(std::string_view key) {
  Entry* entry = Find(key);
  if (entry != nullptr && entry->version < std::numeric_limits<int32_t>::max()) ++entry->version;
}

void JobBook::NoteDeleted(const Pod& pod) {
  const absl::StatusOr<PodPlace> place = PlaceOf(pod);
  Entry* entry = place.ok() ? Find(StoreKey(pod.meta.ns, place->job)) : nullptr;
  if (entry == nullptr) return;
  // Pods that the watch has already told of as gone are not kept.
  const TaskPods* task = Find(*entry, {OwnerUid(pod), place->task});
  if (task == nullptr) return;
  const auto known = task->pods->find(pod.meta.name);
  if (known != task->pods->end() && known->second->meta.uid == pod.meta.uid) {
    entry->leaving.insert(pod.meta.uid);
  }
}

void JobBook::NoteDeletedGroup(std::string_view key, std::string uid) {
  if (Entry* entry = Find(key)) entry->deleted_group = std::move(uid);
}

bool JobBook::IsDeletedGroup(std::string_view key, std::string_view uid) const {
  const Entry* entry = Find(key);
  return entry != nullptr && entry->deleted_group == uid;
}

}  // namespace bth::controllers
