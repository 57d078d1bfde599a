#include "controllers/job/job_notes.h"

#include <map>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "controllers/job/job_outlook.h"
#include "controllers/job/job_reasons.h"

namespace bth::controllers {
namespace {

using types::BatchJobSpec;
using types::BatchTask;
using types::JobPhase;

constexpr size_t kEditsShown = 5;
constexpr const char* kRetryLimitReached = "RetryLimitReached";

void Add(std::string_view reason, const std::string& message, JobNote* note) {
  if (message.empty()) return;
  if (note->reason.empty()) note->reason = reason;
  StrAppend(&note->message, note->message.empty() ? "" : "; ", message);
}

// What a job that has failed by its counters fell short of.
std::string NeededText(const BatchJobSpec& spec, const types::BatchJobStatus& status) {
  if (const BatchTask* task = TaskThatFellShort(spec, status)) {
    return StrCat("minAvailable of task ", task->name, " is ", *task->min_available);
  }
  if (spec.min_success.has_value()) return StrCat("minSuccess is ", *spec.min_success);
  return StrCat("minAvailable is ", spec.min_available);
}

// What was changed, place by place.
class Edits {
 public:
  void Add(bool is_changed, const std::string& place, std::string_view what) {
    if (!is_changed) return;
    if (texts_.size() < kEditsShown) {
      texts_.push_back(StrCat(place, " ", what));
    } else {
      ++more_;
    }
  }
  std::optional<std::string> Text() const {
    if (texts_.empty()) return std::nullopt;
    std::string text = StrCat(
        "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under "
        "spec` and `PriorityClassName`: ",
        absl::StrJoin(texts_, "; "));
    if (more_ > 0) StrAppend(&text, "; and ", more_, " more");
    return text;
  }

 private:
  std::vector<std::string> texts_;
  size_t more_ = 0;
};

constexpr std::string_view kOfPods =
    "was changed: pods that exist keep what they had, those made from now on follow it";
constexpr std::string_view kOfGroup =
    "was changed: the pod group keeps what it had until the job is restarted";

// The names of claims are written by the controller itself.
bool HaveOtherVolumes(const BatchJobSpec& a, const BatchJobSpec& b) {
  if (a.volumes.size() != b.volumes.size()) return true;
  for (size_t i = 0; i < a.volumes.size(); ++i) {
    const types::BatchVolume& one = a.volumes[i];
    const types::BatchVolume& other = b.volumes[i];
    if (one.mount_path != other.mount_path || !(one.claim == other.claim)) return true;
    if (!one.claim_name.empty() && one.claim_name != other.claim_name) return true;
  }
  return false;
}

}  // namespace

JobNote NoteOf(const BatchJobSpec& spec, JobPhase phase, const NoteFacts& facts) {
  JobNote note;
  if (types::IsFinished(phase)) return note;
  if (!facts.kept_queue.empty()) {
    Add("QueueNotChanged",
        StrCat("spec.queue was changed to ", spec.queue, ", and the job stays in queue ",
               facts.kept_queue, " until it is restarted: change it back, or restart the job"),
        &note);
  }
  const bool is_active = phase == JobPhase::kPending || phase == JobPhase::kRunning;
  if (is_active) {
    UnservedNote unserved = UnservedTask(spec, facts.scheduler_names, facts.waits);
    Add("UnknownScheduler", unserved.text, &note);
    note.look_again = unserved.look_again;
  }
  for (const std::string& complaint : facts.plugin_complaints) {
    Add("PluginArgument", complaint, &note);
  }
  if (phase == JobPhase::kPending) Add("GangOutOfReach", GangOutOfReachText(spec), &note);
  if (phase == JobPhase::kRunning) Add("NeverCompletes", NeverCompletesText(spec), &note);
  if (facts.waits.view != nullptr && is_active) {
    Add("DependencyFailed", DependencyFailedText(*facts.waits.view), &note);
  }
  if (phase == JobPhase::kRunning) Add(kPodsWaiting, WaitingPodsText(spec, facts.waits), &note);
  return note;
}

JobNote EndNote(const JobView& job, const types::BatchJobStatus& status, const JobStep& step) {
  if (status.state.phase != JobPhase::kFailed) return {};
  const BatchJobSpec& spec = job.job->spec;
  const std::string failed = FailedPodsText(job);
  if (step.decision == Decision::kRestart) {
    return {kRetryLimitReached,
            StrCat("retry limit reached: ", status.retry_count,
                   " restarts were begun, and maxRetry is ", RetriesMax(spec), ": ",
                   failed.empty() ? "see the events ExecuteAction for what restarted it" : failed,
                   "; mend that, then delete the job and create it anew")};
  }
  if (step.decision != Decision::kProgress) return {};
  return {status.failed > 0 ? "PodsFailed" : "TooFewSucceeded",
          StrCat(status.failed, " of ", TotalReplicas(spec), " pods failed, ", status.succeeded,
                 " succeeded, and ", NeededText(spec, status), failed.empty() ? "" : ": ", failed)};
}

JobNote GivenUpNote(int failures, std::string_view failure) {
  return {kRetryLimitReached, StrCat("retry limit reached: given up after ", failures,
                                     " attempts (--max-requeue-num), the last one: ", failure,
                                     "; mend that, then delete the job and create it anew")};
}

std::optional<std::string> EditWithoutEffect(const BatchJobSpec& before, const BatchJobSpec& after,
                                             const JobView* view) {
  Edits edits;
  const bool has_pods = view == nullptr || !view->tasks.empty();
  std::map<std::string_view, const BatchTask*> tasks;
  for (const BatchTask& task : after.tasks) tasks.emplace(task.name, &task);
  for (const BatchTask& task : before.tasks) {
    if (view != nullptr && view->PodsOf(task.name).empty()) continue;
    const std::string place = StrCat("task ", task.name);
    const auto now = tasks.find(task.name);
    edits.Add(now == tasks.end(), place, "was removed or renamed: its pods are left alone");
    if (now == tasks.end()) continue;
    const bool is_other = !(now->second->pod_template.raw == task.pod_template.raw);
    edits.Add(is_other, StrCat(place, ": template"), kOfPods);
  }
  edits.Add(has_pods && before.scheduler_name != after.scheduler_name, "schedulerName", kOfPods);
  edits.Add(has_pods && HaveOtherVolumes(before, after), "volumes", kOfPods);
  edits.Add(has_pods && !(before.plugins == after.plugins), "plugins", kOfPods);
  edits.Add(!(before.network_topology == after.network_topology), "networkTopology", kOfGroup);
  return edits.Text();
}

}  // namespace bth::controllers
