#include "controllers/job/policy.h"

#include <optional>
#include <span>
#include <vector>

#include "base/strings.h"
#include "base/suggest.h"
#include "controllers/job/job_book.h"

namespace bth::controllers {
namespace {

using types::BusAction;
using types::BusEvent;
using types::LifecyclePolicy;

bool IsTrigger(const types::Word<BusEvent>& trigger, BusEvent event) {
  return trigger == event || trigger == BusEvent::kAny;
}

bool Answers(const LifecyclePolicy& policy, const JobRequest& request) {
  bool triggered = false;
  if (request.event != BusEvent::kNone) {
    triggered = !policy.event.empty() && IsTrigger(policy.event, request.event);
    for (const auto& trigger : policy.events) {
      triggered = triggered || (!trigger.empty() && IsTrigger(trigger, request.event));
    }
  }
  // Every pod is pending at first: without a timeout that is no reason to act.
  if (request.event == BusEvent::kPodPending && !policy.timeout.has_value()) triggered = false;
  // News that is not of a failed pod carries the exit code 0.
  return triggered || (request.exit_code != 0 && policy.exit_code == request.exit_code);
}

std::optional<PolicyAnswer> FirstMatch(const std::vector<LifecyclePolicy>& policies,
                                       const JobRequest& request) {
  for (size_t i = 0; i < policies.size(); ++i) {
    if (!Answers(policies[i], request)) continue;
    PolicyAnswer answer;
    answer.action = policies[i].action;
    answer.delay = policies[i].timeout.value_or(absl::ZeroDuration());
    answer.policy = i;
    return answer;
  }
  return std::nullopt;
}

}  // namespace

PolicyAnswer EvaluatePolicies(const types::BatchJob& job, int32_t job_version,
                              const JobRequest& request) {
  if (!request.action.empty()) {
    PolicyAnswer asked;
    asked.action = request.action;
    return asked;
  }
  if (types::IsInternal(request.event)) return {};
  if (!request.job_uid.empty() && request.job_uid != job.meta.uid) return {};
  if (request.job_version < job_version) return {};
  if (const types::BatchTask* task = FindTask(job.spec, request.task);
      task != nullptr && !request.task.empty()) {
    if (auto answer = FirstMatch(task->policies, request)) {
      answer->task = static_cast<size_t>(task - job.spec.tasks.data());
      return *std::move(answer);
    }
  }
  if (auto answer = FirstMatch(job.spec.policies, request)) return *std::move(answer);
  return {};
}

std::string WhyNoAction(const types::Word<BusAction>& action) {
  const bool of_queues = action == BusAction::kSyncQueue || action == BusAction::kOpenQueue ||
                         action == BusAction::kCloseQueue;
  if (!of_queues && action.value() != BusAction::kOther) return "";
  const std::span<const std::string_view> known = types::PolicyActions();
  const std::vector<std::string_view> names(known.begin(), known.end());
  return StrCat("jobs have no action \"", action.text(), "\"", DidYouMean(action.text(), names),
                "; there are ", ListOf(names));
}

ActionLevel LevelOf(BusAction action) {
  switch (action) {
    case BusAction::kRestartTask:
      return ActionLevel::kTask;
    case BusAction::kRestartPod:
      return ActionLevel::kPod;
    case BusAction::kRestartPartition:
      return ActionLevel::kPartition;
    default:
      return types::IsInternal(action) ? ActionLevel::kInternal : ActionLevel::kJob;
  }
}

}  // namespace bth::controllers
