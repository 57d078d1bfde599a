#include "controllers/job/pod_group_writer.h"

#include <string>
#include <utility>

#include "api/types/fragment.h"
#include "base/strings.h"
#include "client/patch.h"
#include "controllers/core/ownership.h"
#include "controllers/core/status_patch.h"
#include "controllers/core/writes.h"
#include "controllers/job/names.h"
#include "controllers/job/pod_group_builder.h"

namespace bth::controllers {
namespace {

using types::PodGroup;
using types::PodGroupSpec;
using GroupPointer = ObjectStore<PodGroup>::Pointer;

SyncError GroupError(absl::Status status, bool waits) {
  return SyncErrorOf(std::move(status), "PodGroupError", "Failed to create PodGroup", waits);
}

net::Awaitable<absl::Status> UpdateGroup(JobDesk& desk, GroupPointer group, PodGroupSpec spec) {
  client::MergePatch patch;
  patch.Set({"spec"}, MergeDiff(types::FragmentToJson(group->spec), types::FragmentToJson(spec)));
  patch.RequireUid(group->meta.uid);
  client::Patch body = patch.Build();
  const Known<PodGroup> now =
      co_await PatchAndLearn(desk.context.api, desk.groups, *group, std::move(body));
  co_return now.status();
}

net::Awaitable<SyncError> CreateGroup(JobDesk& desk, JobPointer job) {
  absl::StatusOr<PodGroup> group = BuildPodGroup(*job, desk.Priorities());
  if (!group.ok()) co_return GroupError(group.status(), true);
  const std::string key = StoreKey(group->meta.ns, group->meta.name);
  const std::string child = ChildKey<PodGroup>(job->meta.uid, group->meta.name);
  if (desk.IsToWait(*job, child)) co_return SyncError();
  std::string body = types::Encode(*group);
  const Known<PodGroup> made =
      co_await CreateAndLearn(desk.context.api, desk.groups, group->meta.ns, std::move(body));
  if (made.ok()) {
    desk.remakes.NoteMade(child);
    co_return SyncError();
  }
  if (!absl::IsAlreadyExists(made.status())) co_return GroupError(made.status(), false);
  // Ours, and the watch has not told yet; or our last one, which is on its way out; or foreign. In
  // each case the next news of it wakes the job.
  desk.waits.Wait(JobKey(*job), AwaitedGroup(key));
  const GroupPointer known = desk.groups.FindKey(key);
  if (known == nullptr || IsControlledBy(known->meta, job->meta.uid)) co_return SyncError();
  co_return GroupError(absl::AlreadyExistsError(StrCat(
                           "podgroup ", key,
                           " exists and does not belong to the job: delete it to let the job run")),
                       true);
}

}  // namespace

net::Awaitable<SyncError> EnsureGroup(JobDesk& desk, JobPointer job) {
  const GroupPointer group = desk.FindGroup(*job);
  if (group == nullptr) {
    SyncError error = co_await CreateGroup(desk, job);
    co_return std::move(error);
  }
  absl::StatusOr<PodGroupSpec> spec = UpdatedPodGroup(group->spec, *job, desk.Priorities());
  if (!spec.ok()) co_return GroupError(spec.status(), true);
  if (*spec == group->spec) co_return SyncError();
  absl::Status status = co_await UpdateGroup(desk, group, *std::move(spec));
  if (!status.ok()) co_return GroupError(std::move(status), false);
  co_return SyncError();
}

net::Awaitable<absl::Status> DeleteGroup(JobDesk& desk, JobPointer job) {
  const GroupPointer group = desk.FindGroup(*job);
  if (group == nullptr) co_return absl::OkStatus();
  absl::Status deleted = co_await DeleteObject(desk.context.api, *group);
  // Aborted: another one has its name by now.
  if (!deleted.ok() && !absl::IsAborted(deleted)) co_return std::move(deleted);
  desk.book.NoteDeletedGroup(JobKey(*job), group->meta.uid);
  desk.remakes.Forget(ChildKey<PodGroup>(job->meta.uid, group->meta.name));
  co_return absl::OkStatus();
}

}  // namespace bth::controllers
