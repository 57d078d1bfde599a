#include "controllers/job/aimed_pods.h"

#include <utility>

#include "controllers/job/kill_plan.h"

namespace bth::controllers {

void AimedPods::Note(const std::string& job_key, const KillPlan& plan) {
  absl::flat_hash_set<std::string>& uids = jobs_[job_key].latest;
  for (const PodPointer& pod : plan.victims) uids.insert(pod->meta.uid);
  for (const PodPointer& pod : plan.leaving) uids.insert(pod->meta.uid);
}

bool AimedPods::Answer(const std::string& job_key, const JobRequest& request,
                       types::BusAction action) const {
  if (request.is_due || request.begun_at.has_value() || request.pod_uid.empty()) return false;
  if (TargetOf(request, action).kind == KillTarget::Kind::kJob) return false;
  const auto job = jobs_.find(job_key);
  return job != jobs_.end() && (job->second.latest.contains(request.pod_uid) ||
                                job->second.before.contains(request.pod_uid));
}

void AimedPods::EndPass(const std::string& job_key) {
  const auto job = jobs_.find(job_key);
  if (job == jobs_.end()) return;
  job->second.before = std::exchange(job->second.latest, {});
  if (job->second.before.empty()) jobs_.erase(job);
}

void AimedPods::DropJob(const std::string& job_key) {
  jobs_.erase(job_key);
}

}  // namespace bth::controllers
