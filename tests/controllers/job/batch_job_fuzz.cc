// Batch jobs that nobody has admitted: nothing of what the Job controller makes of them crashes,
// and what it would create is named once and complete after one pass.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "api/types/codec.h"
#include "base/check.h"
#include "controllers/job/job_check.h"
#include "controllers/job/keys.h"
#include "controllers/job/kill_plan.h"
#include "controllers/job/phases.h"
#include "controllers/job/pod_builder.h"
#include "controllers/job/pod_group_builder.h"
#include "controllers/job/policy.h"
#include "controllers/job/sync_plan.h"

namespace {

using bth::controllers::BuildPod;
using bth::controllers::JobBook;
using bth::controllers::TotalReplicas;
using bth::types::BatchJob;

constexpr size_t kPodsMax = 200;

// Pods are built of any job, even of one that is refused.
void FuzzPods(const BatchJob& job) {
  for (const bth::types::BatchTask& task : job.spec.tasks) {
    for (const int32_t index : {0, 7, INT32_MAX}) {
      const auto pod = BuildPod(job, task, index, index == 7);
      BTH_CHECK(!pod.name().empty());
      BTH_CHECK(!pod.Label(bth::controllers::kTaskSpecKey).empty());
      BTH_CHECK(bth::types::Json::Parse(pod.object().Dump()).ok());
    }
  }
}

void FuzzDecisions(const BatchJob& job) {
  using namespace bth::types;
  for (int e = 0; e <= static_cast<int>(BusEvent::kOther); ++e) {
    bth::controllers::JobRequest request;
    request.event = static_cast<BusEvent>(e);
    request.exit_code = e;
    request.task = job.spec.tasks.empty() ? "" : job.spec.tasks[0].name;
    const auto answer = EvaluatePolicies(job, job.status.version, request);
    BatchJobStatus status = job.status;
    const auto step = bth::controllers::StepFor(status.state.phase.value(), answer.action.value());
    Decide(step, job.spec, &status);
  }
}

// After one pass there is nothing left to create.
void FuzzPlan(const BatchJob& job) {
  // The server names every object.
  if (job.meta.name.empty() || !bth::controllers::CheckJob(job.spec).ok()) return;
  if (TotalReplicas(job.spec) > static_cast<int64_t>(kPodsMax)) return;
  JobBook book;
  BTH_CHECK(book.Add(std::make_shared<const BatchJob>(job)).ok());
  const std::string key = job.meta.ns + "/" + job.meta.name;
  std::set<std::string> names;
  for (int pass = 0; pass < 2; ++pass) {
    const auto view = book.Get(key);
    BTH_CHECK(view.ok());
    const auto plan = PlanSync(*view);
    BTH_CHECK(plan.deletes.empty());
    for (const auto& create : plan.creates) {
      const auto draft =
          BuildPod(job, job.spec.tasks[create.task], create.index, /*is_forwarded=*/false);
      auto pod = bth::types::Decode<bth::types::Pod>(draft.object());
      if (!pod.ok()) return;  // The server would refuse it.
      BTH_CHECK(names.insert(pod->meta.name).second);
      BTH_CHECK(pass == 0);
      pod->status.phase = "Succeeded";
      pod->meta.uid = pod->meta.name;
      BTH_CHECK(book.AddPod(std::make_shared<const bth::types::Pod>(*std::move(pod))).ok());
    }
    if (plan.creates.size() < static_cast<size_t>(TotalReplicas(job.spec)) && pass == 0) return;
  }
  const auto kill = PlanKill(*book.Get(key), {}, false);
  BTH_CHECK(kill.victims.size() == names.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto job =
      bth::types::Decode<BatchJob>(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!job.ok() || job->spec.tasks.size() > kPodsMax) return 0;
  FuzzPods(*job);
  FuzzDecisions(*job);
  FuzzPlan(*job);
  const auto group = bth::controllers::BuildPodGroup(
      *job, [](const std::string& name) { return int32_t(name.size()); });
  if (group.ok()) BTH_CHECK(!group->meta.name.empty());
  return 0;
}
