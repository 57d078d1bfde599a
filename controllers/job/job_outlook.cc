#include "controllers/job/job_outlook.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "base/strings.h"
#include "controllers/job/depends_on.h"
#include "controllers/job/job_reasons.h"
#include "controllers/job/names.h"
#include "controllers/job/phases.h"

namespace bth::controllers {
namespace {

using types::BatchJobSpec;
using types::BatchTask;
using types::BusAction;
using types::LifecyclePolicy;

bool IsEndless(const BatchTask& task) {
  const std::string& restart = task.pod_template.view.spec.restart_policy;
  return task.replicas > 0 && restart != "Never" && restart != "OnFailure";
}

bool EndsJob(const std::vector<LifecyclePolicy>& policies) {
  return std::any_of(policies.begin(), policies.end(), [](const LifecyclePolicy& policy) {
    return policy.action == BusAction::kAbortJob || policy.action == BusAction::kCompleteJob ||
           policy.action == BusAction::kTerminateJob;
  });
}

// So many of its pods have failed that those that are left are too few for its minimum.
struct Shortfall {
  bool is_final = false;
  std::string text;
};

Shortfall ShortfallOf(const JobView& job, const std::string& name) {
  const BatchTask* task = FindTask(job.job->spec, name);
  if (task == nullptr || !task->min_available.has_value()) return {};
  int32_t failed = 0;
  const types::Pod* first = nullptr;
  for (const auto& [pod_name, pod] : job.PodsOf(name)) {
    if (pod->status.phase != "Failed" || job.IsTerminating(*pod)) continue;
    if (failed++ == 0) first = pod.get();
  }
  if (first == nullptr || int64_t{task->replicas} - failed >= *task->min_available) return {};
  return {true, StrCat("task ", name, ", which needs ", *task->min_available, " ready pods, and ",
                       failed, " of its ", task->replicas, " failed: ", FailedPodText(*first))};
}

// Some of its replicas do not exist.
bool LacksPods(const JobView& job, const BatchTask& task) {
  int32_t there = 0;
  for (const auto& [name, pod] : job.PodsOf(task.name)) {
    if (IsReplica(name, job.job->meta.name, task.name, task.replicas)) ++there;
  }
  return there < task.replicas;
}

}  // namespace

std::string NeverCompletesText(const BatchJobSpec& spec) {
  const BatchTask* endless = nullptr;
  int64_t others = 0;
  if (EndsJob(spec.policies)) return "";
  for (const BatchTask& task : spec.tasks) {
    if (EndsJob(task.policies)) return "";
    if (!IsEndless(task)) {
      others += std::max(task.replicas, 0);
    } else if (endless == nullptr) {
      endless = &task;
    }
  }
  if (endless == nullptr || (spec.min_success.has_value() && others >= *spec.min_success)) {
    return "";
  }
  return StrCat("task ", endless->name,
                ": restartPolicy is Always (the default), so its pods never end and the job "
                "is never Completed: add a policy that ends the job, or delete it and create "
                "it anew with Never or OnFailure in the template");
}

std::string GangOutOfReachText(const BatchJobSpec& spec) {
  bool some_wait = false;
  const BatchTask* needed = nullptr;  // One that waits, and has a minimum of its own.
  int64_t at_once = 0;
  // A minimum of none is there before there are pods.
  const auto ready = [&spec](const std::string& name) {
    const BatchTask* task = FindTask(spec, name);
    return task != nullptr && task->min_available.value_or(0) <= 0;
  };
  for (const BatchTask& task : spec.tasks) {
    if (DependencyIsMet(task, ready)) {
      at_once += std::max(task.replicas, 0);
    } else {
      some_wait = true;
      const bool has_minimum = task.min_available.value_or(task.replicas) > 0;
      if (needed == nullptr && has_minimum) needed = &task;
    }
  }
  if (!some_wait) return "";
  if (spec.min_available <= at_once) {
    // A gang that asks for the minimums of all tasks has to have each of them.
    const int64_t minimums = TotalMinimum(spec);
    if (needed == nullptr || spec.min_available < minimums) return "";
    return StrCat("minAvailable is ", spec.min_available,
                  ", which asks for the minimum of each task, and the pods of task ", needed->name,
                  " are made only when the gang has its place: set minAvailable to at most ",
                  minimums - 1);
  }
  return StrCat("minAvailable is ", spec.min_available, ", and only the ", at_once,
                " pods of tasks without dependsOn are made before the gang has its place: "
                "set minAvailable to at most ",
                at_once, ", or leave it out");
}

std::string DependencyFailedText(const JobView& job) {
  std::map<std::string, Shortfall> known;  // Tasks that others depend on: each is looked at once.
  const auto is_final = [&](const std::string& name) {
    const auto [at, is_new] = known.try_emplace(name);
    if (is_new) at->second = ShortfallOf(job, name);
    return at->second.is_final;
  };
  for (const BatchTask& task : job.job->spec.tasks) {
    if (!DependsOnTasks(task) || !LacksPods(job, task)) continue;
    const auto& names = task.depends_on->names;
    // One of several is enough: all of them must have gone wrong.
    const bool any = names.size() > 1 && task.depends_on->iteration == "any";
    const auto found = std::find_if(names.begin(), names.end(), is_final);
    if (found == names.end()) continue;
    if (any && !std::all_of(names.begin(), names.end(), is_final)) continue;
    const bool has_some = !job.PodsOf(task.name).empty();
    return StrCat("task ", task.name, has_some ? " lacks pods and" : "", " waits for ",
                  known.at(*found).text,
                  "; restart or end the job, or mend that and create it anew");
  }
  return "";
}

}  // namespace bth::controllers
