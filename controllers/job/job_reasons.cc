#include "controllers/job/job_reasons.h"

#include <vector>

#include "base/strings.h"

namespace bth::controllers {
namespace {

using types::BusEvent;
using types::ContainerStatus;
using types::Pod;

constexpr size_t kPodsShown = 3;

// The first of them that ended with an error; empty: none did.
std::string EndOf(const std::vector<ContainerStatus>& containers, const char* kind) {
  for (const ContainerStatus& container : containers) {
    const auto& end = container.state.terminated;
    if (!end.has_value() || end->exit_code == 0) continue;
    const std::string reason = end->reason.empty() ? "" : StrCat(" (", end->reason, ")");
    return StrCat(kind, " ", container.name, " ended with exit code ", end->exit_code, reason);
  }
  return "";
}

std::string EndOf(const Pod& pod) {
  std::string text = EndOf(pod.status.init_container_statuses, "init container");
  if (text.empty()) text = EndOf(pod.status.container_statuses, "container");
  // What the kubelet says of the whole pod: Evicted, DeadlineExceeded …
  if (pod.status.reason.empty()) return text;
  return StrCat(pod.status.reason, text.empty() ? "" : ", ", text);
}

std::string WhatHappened(const types::BatchJob& job, const JobRequest& request, const Pod* pod) {
  switch (request.event) {
    case BusEvent::kPodFailed:
      if (pod != nullptr) return FailedPodText(*pod);
      return StrCat("pod ", request.pod, " failed with exit code ", request.exit_code);
    case BusEvent::kPodEvicted:
      return StrCat("pod ", request.pod, " was deleted or evicted");
    case BusEvent::kPodPending:
      return StrCat("pod ", request.pod, " is pending");
    case BusEvent::kTaskCompleted:
      return StrCat("all pods of task ", request.task, " have succeeded");
    case BusEvent::kTaskFailed: {
      const types::BatchTask* task = FindTask(job.spec, request.task);
      return StrCat("the containers of task ", request.task,
                    " were restarted as often as its maxRetry allows",
                    task == nullptr ? "" : StrCat(" (", task->max_retry, ")"));
    }
    case BusEvent::kJobUnknown:
      return "the pod group is Unknown: some of its pods run, and fewer than its minimum";
    default:
      return std::string(types::WordText(request.event));
  }
}

}  // namespace

std::string FailedPodText(const Pod& pod) {
  const std::string how = EndOf(pod);
  return StrCat("pod ", pod.meta.name, " failed", how.empty() ? "" : ": ", how);
}

std::string FailedPodsText(const JobView& job) {
  std::string text;
  size_t failed = 0;
  for (const auto& [task, pods] : job.tasks) {
    for (const auto& [name, pod] : *pods) {
      if (pod->status.phase != "Failed" || job.IsTerminating(*pod)) continue;
      if (failed++ >= kPodsShown) continue;
      StrAppend(&text, text.empty() ? "" : "; ", FailedPodText(*pod));
    }
  }
  if (failed > kPodsShown) StrAppend(&text, "; and ", failed - kPodsShown, " more");
  return text;
}

std::string BecauseText(const types::BatchJob& job, const JobRequest& request,
                        const PolicyAnswer& answer, const Pod* pod) {
  if (!answer.policy.has_value()) return "";
  std::string text = "by spec.";
  if (answer.task.has_value()) StrAppend(&text, "tasks[", *answer.task, "].");
  StrAppend(&text, "policies[", *answer.policy, "]: ", WhatHappened(job, request, pod));
  return text;
}

}  // namespace bth::controllers
