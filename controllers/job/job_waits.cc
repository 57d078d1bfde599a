#include "controllers/job/job_waits.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "controllers/job/phases.h"

namespace bth::controllers {
namespace {

using types::BatchJobSpec;
using types::BatchTask;
using types::Pod;

const types::Condition* RefusalOf(const Pod& pod) {
  const types::Condition* said = types::FindCondition(pod.status.conditions, "PodScheduled");
  return said != nullptr && said->status == "False" ? said : nullptr;
}

bool IsPending(const Pod& pod) {
  return pod.status.phase.empty() || pod.status.phase == "Pending";
}

// Some scheduler has looked at it. (Of pods with gates the server itself says that they wait.)
bool IsAnswered(const Pod& pod) {
  if (!pod.spec.node_name.empty() || !IsPending(pod)) return true;
  const types::Condition* said = RefusalOf(pod);
  return said != nullptr && said->reason != "SchedulingGated";
}

// Since when its pods, or the job, wait for a first answer; nothing: there was one.
std::optional<absl::Time> UnansweredSince(const BatchTask& task, const WaitFacts& facts) {
  const JobView& view = *facts.view;
  absl::Time since = absl::InfiniteFuture();
  for (const auto& [name, pod] : view.PodsOf(task.name)) {
    if (IsAnswered(*pod)) return std::nullopt;
    since = std::min(since, pod->meta.creation_time);
  }
  if (since < absl::InfiniteFuture()) return since;
  // Whoever admits groups may be the one that will place the pods.
  if (facts.group != nullptr && !facts.group->status.conditions.empty()) return std::nullopt;
  return view.job->meta.creation_time;
}

std::string UnknownSchedulerText(const BatchJobSpec& spec, const BatchTask& task,
                                 const std::vector<std::string>& names) {
  const std::string& own = task.pod_template.view.spec.scheduler_name;
  const std::string place = own.empty()
                                ? "spec.schedulerName"
                                : StrCat("the template of task ", task.name, ": schedulerName");
  const std::string& asked = own.empty() ? spec.scheduler_name : own;
  return StrCat(place, " is ", asked, ", and the controllers know of ", absl::StrJoin(names, ", "),
                " (--scheduler-name): unless a scheduler ", asked,
                " is at work, the pods wait for ever; delete the job and create it with ",
                names.front());
}

bool IsKnown(const std::string& scheduler, const std::vector<std::string>& names) {
  return scheduler.empty() || std::find(names.begin(), names.end(), scheduler) != names.end();
}

std::string WithoutDigits(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) out += c;
  }
  return out;
}

}  // namespace

UnservedNote UnservedTask(const BatchJobSpec& spec, const std::vector<std::string>& names,
                          const WaitFacts& facts) {
  UnservedNote note;
  if (names.empty() || facts.view == nullptr) return note;
  for (const BatchTask& task : spec.tasks) {
    const std::string& own = task.pod_template.view.spec.scheduler_name;
    if (IsKnown(own.empty() ? spec.scheduler_name : own, names)) continue;
    std::string text = UnknownSchedulerText(spec, task, names);
    const bool was_said = facts.said.find(text) != std::string_view::npos;
    const std::optional<absl::Time> since = UnansweredSince(task, facts);
    if (!since.has_value()) continue;
    const absl::Duration left = *since + kAnswerWithin - facts.now;
    if (was_said || left <= absl::ZeroDuration()) return {std::move(text), std::nullopt};
    note.look_again = std::min(left, note.look_again.value_or(left));
  }
  return note;
}

std::string WaitingPodsText(const BatchJobSpec& spec, const WaitFacts& facts) {
  if (facts.view == nullptr) return "";
  int64_t waiting = 0;
  const Pod* first = nullptr;
  for (const auto& [task, pods] : facts.view->tasks) {
    for (const auto& [name, pod] : *pods) {
      if (!IsPending(*pod) || RefusalOf(*pod) == nullptr) continue;
      if (facts.view->IsTerminating(*pod)) continue;
      if (first == nullptr) first = pod.get();
      ++waiting;
    }
  }
  if (first == nullptr) return "";
  const std::string head = StrCat(waiting, " of ", TotalReplicas(spec), " pods wait for a node: ");
  const std::string why = StrCat("pod ", first->meta.name, ": ", RefusalOf(*first)->message);
  const size_t at = facts.said.find(head);
  if (at != std::string_view::npos) {
    const std::string_view known = facts.said.substr(at + head.size());
    if (WithoutDigits(known) == WithoutDigits(why)) return StrCat(head, known);
  }
  return head + why;
}

}  // namespace bth::controllers
