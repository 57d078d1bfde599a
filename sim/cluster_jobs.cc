// What the controllers make of batch jobs: pod groups and pods.
#include <utility>

#include "absl/strings/str_format.h"
#include "api/types/codec.h"
#include "base/status.h"
#include "base/strings.h"
#include "controllers/job/depends_on.h"
#include "controllers/job/job_check.h"
#include "controllers/job/job_defaults.h"
#include "controllers/job/names.h"
#include "controllers/job/pod_builder.h"
#include "controllers/job/pod_group_builder.h"
#include "controllers/job_plugins/job_plugin.h"
#include "sim/cluster.h"

namespace bth::sim {
namespace {

using types::BatchJob;
using types::BatchTask;
using types::JobPhase;
using types::Pod;

// Ended, or about to.
bool IsOver(const BatchJob& job) {
  for (const JobPhase phase :
       {JobPhase::kCompleting, JobPhase::kTerminating, JobPhase::kAborting, JobPhase::kAborted,
        JobPhase::kCompleted, JobPhase::kTerminated, JobPhase::kFailed}) {
    if (job.status.state.phase == phase) return true;
  }
  return job.meta.deletion_time.has_value();
}

// Keys are made when an object is written, and nothing is written here.
const controllers::JobPluginTools& NoTools() {
  static const controllers::JobPluginTools& kTools = *new controllers::JobPluginTools{
      [] { return absl::FailedPreconditionError("no keys are made here"); }};
  return kTools;
}

bool IsUp(const Pod& pod) {
  return pod.status.phase == "Running" || pod.status.phase == "Succeeded";
}

}  // namespace

// As server and controllers fill it in. Claims that the controller would make are left out: their
// names are not known before.
void Cluster::Complete(absl::Time now, BatchJob* job) {
  if (job->meta.uid.empty()) {
    job->meta.uid = absl::StrFormat("00000000-0000-4000-8000-%012d", ++uids_given_);
  }
  if (job->meta.creation_time == absl::UnixEpoch()) job->meta.creation_time = now;
  const auto& names = responsibility_.scheduler_names;
  controllers::FillInDefaults(names.empty() ? std::string_view() : *names.begin(), &job->spec);
  std::erase_if(job->spec.volumes,
                [](const types::BatchVolume& volume) { return volume.claim_name.empty(); });
}

absl::Status Cluster::FlushJobs(absl::Time now) {
  for (const auto& [key, origin] : jobs_.fresh) {
    BatchJob& job = jobs_.objects.at(key);
    Complete(now, &job);
    const absl::Status made = IsOver(job) ? absl::OkStatus() : ExpandJob(job);
    if (!made.ok()) return Annotate(made, StrCat(origin, ": Job ", key));
  }
  jobs_.fresh.clear();
  return absl::OkStatus();
}

absl::Status Cluster::ExpandJob(const BatchJob& job) {
  BTH_RETURN_IF_ERROR(Annotate(controllers::CheckJob(job.spec), "spec"));
  const auto value_of = [this](const std::string& name) {
    const auto known = priorities_.objects.find(name);
    return known == priorities_.objects.end() ? 0 : known->second.value;
  };
  BTH_ASSIGN_OR_RETURN(types::PodGroup group, controllers::BuildPodGroup(job, value_of));
  group.meta.creation_time = job.meta.creation_time;
  const std::string key = group.meta.Key();
  if (groups_.objects.try_emplace(key, std::move(group)).second) {
    groups_.fresh[key] = jobs_.fresh.at(job.meta.Key());
  }
  auto plugins = controllers::MakeJobPlugins(job.spec, NoTools());
  if (!plugins.ok()) return Annotate(plugins.status(), "spec.plugins");
  const auto is_ready = [this, &job](const std::string& name) { return IsTaskReady(job, name); };
  for (const BatchTask& task : job.spec.tasks) {
    if (task.depends_on && !controllers::DependencyIsMet(task, is_ready)) continue;
    for (int32_t index = 0; index < task.replicas; ++index) {
      BTH_RETURN_IF_ERROR(MakePodOf(job, task, index, *plugins));
    }
  }
  return absl::OkStatus();
}

absl::Status Cluster::MakePodOf(const BatchJob& job, const BatchTask& task, int32_t index,
                                const controllers::JobPlugins& plugins) {
  const std::string name = controllers::PodName(job.meta.name, task.name, index);
  const std::string key = StrCat(job.meta.ns, "/", name);
  if (pods_.objects.contains(key)) return absl::OkStatus();
  controllers::PodDraft draft = controllers::BuildPod(job, task, index, /*is_forwarded=*/false);
  for (const auto& plugin : plugins.plugins) {
    BTH_RETURN_IF_ERROR(Annotate(plugin->OnPodCreate(job, draft), "spec.plugins"));
  }
  absl::StatusOr<Pod> pod = types::Decode<Pod>(draft.object());
  if (!pod.ok()) return Annotate(pod.status(), StrCat("pod ", name));
  pod->meta.creation_time = job.meta.creation_time;
  pods_.objects[key] = *std::move(pod);
  pods_.fresh[key] = jobs_.fresh.at(job.meta.Key());
  return absl::OkStatus();
}

bool Cluster::IsTaskReady(const BatchJob& job, const std::string& name) const {
  for (const BatchTask& task : job.spec.tasks) {
    if (task.name != name) continue;
    int32_t up = 0;
    for (int32_t index = 0; index < task.replicas; ++index) {
      const auto pod = pods_.objects.find(
          StrCat(job.meta.ns, "/", controllers::PodName(job.meta.name, name, index)));
      if (pod != pods_.objects.end() && IsUp(pod->second)) ++up;
    }
    return up >= task.min_available.value_or(0);
  }
  return false;
}

}  // namespace bth::sim
