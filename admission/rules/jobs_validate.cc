// /jobs/validate
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "admission/rules/job_queue.h"
#include "admission/rules/job_template.h"
#include "admission/rules/job_update.h"
#include "admission/rules/job_volumes.h"
#include "admission/rules/lifecycle_policies.h"
#include "admission/rules/mpi_arguments.h"
#include "admission/rules/rules.h"
#include "admission/rules/task_graph.h"
#include "admission/rules/task_partition.h"
#include "admission/rules/typed_object.h"
#include "api/rules/names.h"
#include "api/types/batch_job.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

using types::BatchJob;
using types::BatchTask;

constexpr std::string_view kPlugins[] = {"env", "hcclrank", "mpi", "pytorch",
                                         "ray", "ssh",      "svc", "tensorflow"};

// Further tasks of a job of which so much is wrong already are not looked at.
constexpr size_t kFindingBytesMax = size_t{64} << 10;

// All that is wrong with a job, one text after the other without anything between them.
class JobFindings final {
 public:
  void Add(std::string_view reason, std::string_view text) {
    if (text.empty()) return;
    if (text_.empty()) reason_ = reason;
    text_.append(text);
  }
  bool full() const { return text_.size() >= kFindingBytesMax; }

  Verdict verdict() const {
    if (text_.empty()) return Verdict::Allow();
    return Verdict::Refuse(reason_, std::string(StripAsciiWhitespace(text_)));
  }

 private:
  std::string_view reason_;  // Of the first.
  std::string text_;
};

std::string Bracketed(const std::vector<std::string>& messages) {
  return StrCat("[", absl::StrJoin(messages, " "), "]");
}

std::string CheckPodName(std::string_view job, std::string_view task, size_t index) {
  const std::string pod = StrCat(job, "-", task, "-", index);
  const std::vector<std::string> faults = rules::CheckQualifiedName(pod);
  if (faults.empty()) return "";
  return StrCat("create pod with name ", pod, " validate failed ", Bracketed(faults), ";");
}

// The template of a task, to be filled in: where it stands in a document that is spare, else a copy
// in `own`.
Json& DraftOf(const Request& request, size_t index, Json* own) {
  if (request.spare != nullptr) {
    Json::Array& tasks = request.spare->MutableAt({"spec", "tasks"}).MutableItems();
    if (index < tasks.size()) return tasks[index]["template"];
  }
  if (request.object != nullptr) *own = request.object->At({"spec", "tasks"})[index]["template"];
  return *own;
}

// What of the tasks' pods counts for the job as a whole. `ns` is the namespace of the pods.
int64_t CheckTasks(const BatchJob& job, const Request& request, std::string_view ns,
                   const Settings& settings, JobFindings* findings) {
  int64_t replicas = 0;
  std::set<std::string_view> names;
  for (size_t i = 0; i < job.spec.tasks.size() && !findings->full(); ++i) {
    const BatchTask& task = job.spec.tasks[i];
    if (task.min_available.has_value() && *task.min_available > task.replicas) {
      findings->Add("task_min_available",
                    StrCat(" 'minAvailable' is greater than 'replicas' in task: ", task.name,
                           ", job: ", job.meta.name, ";"));
    }
    replicas += task.replicas;
    if (!names.insert(task.name).second) {
      findings->Add("task_name", StrCat(" duplicated task name ", task.name, ";"));
      break;
    }
    findings->Add("policies", PoliciesText(CheckPolicies(task.policies), "spec.tasks.policies"));
    findings->Add("pod_name", CheckPodName(job.meta.name, task.name, i));
    Json own;
    const WrittenTask written{task, DraftOf(request, i, &own)};
    findings->Add("template", CheckTaskTemplate(written, i, ns, settings));
    findings->Add("partition", PartitionPolicyText(task, job.meta.name));
  }
  return replicas;
}

std::string CheckPlugins(const BatchJob& job) {
  std::string text;
  for (const auto& [name, arguments] : job.spec.plugins) {
    if (std::find(std::begin(kPlugins), std::end(kPlugins), std::string_view(name)) !=
        std::end(kPlugins)) {
      continue;
    }
    StrAppend(&text, " unable to find job plugin: ", name, ";");
  }
  return text;
}

bool HasMpiMaster(const BatchJob& job) {
  for (const auto& [name, arguments] : job.spec.plugins) {
    if (std::string_view(name) != "mpi") continue;
    const std::string master = MpiMaster(arguments);
    return std::any_of(job.spec.tasks.begin(), job.spec.tasks.end(),
                       [&master](const BatchTask& task) { return task.name == master; });
  }
  return true;
}

Verdict CheckNewJob(const BatchJob& job, const Request& request, const Settings& settings,
                    const Known& known) {
  if (job.spec.tasks.empty()) return Verdict::Refuse("no_tasks", "No task specified in job spec");
  if (!HasMpiMaster(job)) {
    return Verdict::Refuse("mpi_master", "The specified mpi master task was not found");
  }
  JobFindings findings;
  findings.Add("network_topology", TierText(job.spec.network_topology));
  const std::string& ns = job.meta.ns.empty() ? request.ns : job.meta.ns;
  const int64_t replicas = CheckTasks(job, request, ns, settings, &findings);
  if (const auto faults = rules::CheckQualifiedName(job.meta.name); !faults.empty()) {
    findings.Add("job_name", StrCat("create job with name ", job.meta.name, " validate failed ",
                                    Bracketed(faults)));
  }
  if (replicas < job.spec.min_available) {
    findings.Add("min_available",
                 " job 'minAvailable' should not be greater than total replicas in tasks;");
  }
  findings.Add("policies", PoliciesText(CheckPolicies(job.spec.policies), "spec.policies"));
  findings.Add("plugin", CheckPlugins(job));
  findings.Add("volumes", CheckJobVolumes(job.spec.volumes));
  findings.Add("queue", CheckJobQueue(job.spec.queue, known));
  if (HasDependencies(job.spec.tasks) && !IsOrdered(job.spec.tasks)) {
    findings.Add("dependencies",
                 " job has dependencies between tasks, but doesn't form a directed acyclic "
                 "graph(DAG);");
  }
  return findings.verdict();
}

}  // namespace

Verdict ValidateJob(const Request& request, const Settings& settings, const Known& known) {
  if (request.operation != "CREATE" && request.operation != "UPDATE") {
    return Verdict::Refuse("operation", "expect operation to be 'CREATE' or 'UPDATE'");
  }
  const absl::StatusOr<BatchJob> job = ReadObject<BatchJob>(request);
  if (!job.ok()) return RefuseUnreadable(job.status());
  if (request.operation == "CREATE") return CheckNewJob(*job, request, settings, known);
  const absl::StatusOr<BatchJob> old_job = ReadOldObject<BatchJob>(request);
  if (!old_job.ok()) return RefuseUnreadable(old_job.status());
  return CheckJobUpdate(*old_job, *job, request);
}

}  // namespace bth::admission
