#include "controllers/job/job_events.h"

#include <string>
#include <string_view>

#include "controllers/core/object_store.h"
#include "controllers/core/pods.h"
#include "controllers/job/keys.h"

namespace bth::controllers {
namespace {

using types::BusEvent;
using types::Pod;
using types::PodGroup;

std::optional<JobRequest> AboutPod(const Pod& pod, BusEvent event) {
  const types::OwnerReference* owner = BatchJobOwner(pod.meta);
  if (owner == nullptr) return std::nullopt;
  absl::StatusOr<PodPlace> place = PlaceOf(pod);
  if (!place.ok()) return std::nullopt;
  JobRequest request;
  request.ns = pod.meta.ns;
  request.job = std::move(place->job);
  request.job_uid = owner->uid;
  request.task = std::move(place->task);
  request.pod = pod.meta.name;
  request.pod_uid = pod.meta.uid;
  request.partition = std::string(pod.meta.Label(kPartitionIdKey));
  request.event = IsMarkedOutOfSync(pod) ? BusEvent::kOutOfSync : event;
  request.job_version = place->version;
  return request;
}

int32_t ExitCodeOf(const Pod& pod) {
  if (pod.status.container_statuses.empty()) return 0;
  const auto& terminated = pod.status.container_statuses[0].state.terminated;
  return terminated.has_value() ? terminated->exit_code : 0;
}

JobRequest AboutGroup(const PodGroup& group, BusEvent event) {
  JobRequest request;
  request.ns = group.meta.ns;
  const types::OwnerReference* owner = BatchJobOwner(group.meta);
  request.job = owner == nullptr ? group.meta.name : owner->name;
  if (owner != nullptr) request.job_uid = owner->uid;
  request.event = event;
  return request;
}

bool IsUnschedulable(const PodGroup& group) {
  const types::Condition* condition =
      types::FindCondition(group.status.conditions, "Unschedulable");
  return condition != nullptr && condition->status == "True";
}

}  // namespace

JobRequest RequestOfNewJob(const types::BatchJob& job) {
  JobRequest request;
  request.ns = job.meta.ns;
  request.job = job.meta.name;
  request.event = BusEvent::kOutOfSync;
  return request;
}

std::optional<JobRequest> RequestOfJob(const types::BatchJob& before,
                                       const types::BatchJob& after) {
  // Somebody wrote that it is invalid: while it could not be read. That may be mended by now.
  const bool was_unreadable =
      after.status.state.reason == kInvalidJob && before.status.state.reason != kInvalidJob;
  if (before.spec == after.spec && before.status.state.phase == after.status.state.phase &&
      !was_unreadable) {
    return std::nullopt;
  }
  return RequestOfNewJob(after);
}

std::optional<JobRequest> RequestOfNewPod(const Pod& pod) {
  return AboutPod(pod, BusEvent::kPodPending);
}

std::optional<JobRequest> RequestOfPod(const Pod& before, const Pod& after, const JobBook& book) {
  std::optional<JobRequest> request = AboutPod(after, BusEvent::kOutOfSync);
  if (!request.has_value() || IsMarkedOutOfSync(after)) return request;
  const std::string key = JobKey(*request);
  const std::string& phase = after.status.phase;
  const bool entered = before.status.phase != phase;
  if (phase == "Failed") {
    if (!entered) return request;
    request->event = BusEvent::kPodFailed;
    request->exit_code = ExitCodeOf(after);
  } else if (phase == "Succeeded") {
    if (entered && book.TaskCompleted(key, request->task)) {
      request->event = BusEvent::kTaskCompleted;
    }
  } else if (phase == "Running" || phase == "Pending") {
    if (entered) {
      request->event = phase == "Running" ? BusEvent::kPodRunning : BusEvent::kPodPending;
    } else if (book.TaskFailed(key, request->task)) {
      request->event = BusEvent::kTaskFailed;
    }
  }
  return request;
}

std::optional<JobRequest> RequestOfEndedPod(const Pod& pod, const JobBook& book) {
  if (!IsFinished(pod)) return std::nullopt;
  return RequestOfPod(Pod(), pod, book);
}

std::optional<JobRequest> RequestOfGonePod(const Pod& pod, bool known) {
  return AboutPod(pod, known ? BusEvent::kPodEvicted : BusEvent::kOutOfSync);
}

std::optional<JobRequest> RequestOfGroup(const PodGroup& before, const PodGroup& after,
                                         const JobBook& book) {
  // Why it is not admitted may be another reason by now, and the job tells it; of one that is, that
  // it has no place, or no more. (In what words may change often.)
  const bool waits = after.status.phase.empty() || after.status.phase == "Pending";
  const bool is_news = before.status.phase != after.status.phase ||
                       (waits && before.status.conditions != after.status.conditions) ||
                       (!IsUnschedulable(before) && IsUnschedulable(after));
  if (!is_news) return std::nullopt;
  const bool is_unknown = after.status.phase == "Unknown";
  // Such a group says nothing of the pods of a job.
  if (is_unknown && BatchJobOwner(after.meta) == nullptr) return std::nullopt;
  JobRequest request = AboutGroup(after, is_unknown ? BusEvent::kJobUnknown : BusEvent::kNone);
  // The group of the present incarnation speaks for it; one that we deleted does not.
  const std::string key = JobKey(request);
  if (!book.IsDeletedGroup(key, after.meta.uid)) request.job_version = book.VersionOf(key);
  return request;
}

JobRequest RequestOfGoneGroup(const PodGroup& group) {
  return AboutGroup(group, BusEvent::kOutOfSync);
}

}  // namespace bth::controllers
