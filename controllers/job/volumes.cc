#include "controllers/job/volumes.h"

#include <string>
#include <utility>
#include <vector>

#include "api/types/fragment.h"
#include "base/strings.h"
#include "client/patch.h"
#include "controllers/core/ownership.h"
#include "controllers/core/writes.h"
#include "controllers/job/names.h"

namespace bth::controllers {
namespace {

using types::BatchJob;
using types::BatchVolume;
using types::Json;

struct NamedClaim {
  size_t volume;
  std::string name;
};

SyncError ClaimError(absl::Status status, bool waits) {
  return SyncErrorOf(std::move(status), "PVCError", "Failed to create PVC", waits);
}

std::string ClaimBody(const BatchJob& job, const BatchVolume& volume, const std::string& name) {
  Json meta = Json::MakeObject({{"name", name}, {"namespace", job.meta.ns}});
  meta.Set("ownerReferences", Json::MakeArray({types::FragmentToJson(ControllerReferenceTo(job))}));
  Json object = Json::MakeObject({{"apiVersion", "v1"}, {"kind", "PersistentVolumeClaim"}});
  object.Set("metadata", std::move(meta));
  object.Set("spec", volume.claim.raw);
  return object.Dump();
}

net::Awaitable<absl::Status> CreateClaim(JobDesk& desk, JobPointer job, NamedClaim named) {
  const auto known = desk.claims.Find(job->meta.ns, named.name);
  if (known != nullptr) co_return absl::OkStatus();  // Ours: other names were passed over.
  std::string body = ClaimBody(*job, job->spec.volumes[named.volume], named.name);
  const Known<types::PersistentVolumeClaim> made =
      co_await CreateAndLearn(desk.context.api, desk.claims, job->meta.ns, std::move(body));
  co_return made.status();
}

// The name follows from the job and the volume, so that a claim made right before a crash is found
// again. Claims of others are passed over.
std::string ClaimName(const JobDesk& desk, const BatchJob& job, size_t volume) {
  const auto is_taken = [&desk, &job](const std::string& name) {
    const auto known = desk.claims.Find(job.meta.ns, name);
    return known != nullptr && !IsControlledBy(known->meta, job.meta.uid);
  };
  return NameWithSuffix(StrCat(job.meta.name, "-pvc-"), StrCat(job.meta.uid, "/", volume),
                        is_taken);
}

net::Awaitable<absl::StatusOr<JobPointer>> WriteClaimNames(JobDesk& desk, JobPointer job,
                                                           std::vector<NamedClaim> named) {
  client::JsonPatch patch;
  patch.RequireResourceVersion(job->meta.resource_version);
  for (const NamedClaim& claim : named) {
    patch.Add({"spec", "volumes", StrCat(claim.volume), "volumeClaimName"}, claim.name);
  }
  client::Patch body = patch.Build();
  absl::StatusOr<JobPointer> now =
      co_await PatchAndLearn(desk.context.api, desk.jobs, *job, std::move(body));
  co_return std::move(now);
}

}  // namespace

net::Awaitable<VolumesOutcome> EnsureVolumes(JobDesk& desk, JobPointer job,
                                             types::LabelMap* controlled) {
  VolumesOutcome outcome;
  outcome.job = job;
  std::vector<NamedClaim> named;
  for (size_t i = 0; i < job->spec.volumes.size(); ++i) {
    const BatchVolume& volume = job->spec.volumes[i];
    std::string name = volume.claim_name;
    if (name.empty()) {
      name = ClaimName(desk, *job, i);
      named.push_back({i, name});
      if (volume.claim.present()) {
        absl::Status created = co_await CreateClaim(desk, job, named.back());
        if (!created.ok()) {
          outcome.error = ClaimError(std::move(created), false);
          co_return std::move(outcome);
        }
      }
    } else if (desk.claims.Find(job->meta.ns, name) == nullptr) {
      desk.waits.Wait(JobKey(*job), AwaitedClaim(StoreKey(job->meta.ns, name)));
      outcome.error = ClaimError(
          absl::NotFoundError(StrCat("pvc ", name,
                                     " is not found, the job will be in the Pending state "
                                     "until the PVC is created")),
          true);
      co_return std::move(outcome);
    }
    controlled->Set(StrCat("volume-pvc-", name), name);
  }
  if (named.empty()) co_return std::move(outcome);
  absl::StatusOr<JobPointer> written = co_await WriteClaimNames(desk, job, std::move(named));
  if (written.ok()) {
    outcome.job = *std::move(written);
  } else {
    outcome.error = ClaimError(written.status(), false);
  }
  co_return std::move(outcome);
}

}  // namespace bth::controllers
