#include "controllers/job/job_desk.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "controllers/core/ownership.h"
#include "controllers/job/names.h"

namespace bth::controllers {
namespace {

constexpr size_t kErrorsShown = 5;

}  // namespace

JobDesk::JobDesk(const ControllerContext& controllers, JobPluginTools plugin_tools,
                 MakePlugins make)
    : context(controllers),
      jobs(context.watches.Of<types::BatchJob>()),
      pods(context.watches.Of<types::Pod>()),
      groups(context.watches.Of<types::PodGroup>()),
      queues(context.watches.Of<types::Queue>()),
      claims(context.watches.Of<types::PersistentVolumeClaim>()),
      tools(std::move(plugin_tools)),
      make_plugins(std::move(make)),
      remakes(context.executor()) {
  if (context.options.gates.priority_class) classes = &context.watches.Of<types::PriorityClass>();
}

PriorityOf JobDesk::Priorities() const {
  return [this](const std::string& name) {
    if (classes == nullptr) return 0;
    const auto found = classes->Find("", name);
    return found == nullptr ? 0 : found->value;
  };
}

ObjectStore<types::PodGroup>::Pointer JobDesk::FindGroup(const types::BatchJob& job) const {
  for (const std::string& name : {PodGroupName(job), job.meta.name}) {
    auto group = groups.Find(job.meta.ns, name);
    if (group == nullptr || !IsControlledBy(group->meta, job.meta.uid)) continue;
    if (group->meta.deletion_time.has_value()) continue;
    if (!book.IsDeletedGroup(JobKey(job), group->meta.uid)) return group;
  }
  return nullptr;
}

bool JobDesk::IsPresent(const types::BatchJob& job) const {
  const JobPointer now = book.FindJob(JobKey(job));
  return now != nullptr && now->meta.uid == job.meta.uid;
}

bool JobDesk::IsAlive(const types::BatchJob& job) const {
  const JobPointer now = book.FindJob(JobKey(job));
  return now != nullptr && now->meta.uid == job.meta.uid && !now->meta.deletion_time.has_value();
}

void JobDesk::LookAgain(const types::BatchJob& job, absl::Duration after) {
  const auto [at, is_new] = look_after.try_emplace(JobKey(job), after);
  at->second = std::min(at->second, after);
}

bool JobDesk::IsToWait(const types::BatchJob& job, const std::string& child) {
  const absl::Duration left = remakes.Left(child);
  if (left == absl::ZeroDuration()) return false;
  LookAgain(job, left);
  return true;
}

void JobDesk::Forget(const types::BatchJob& job) {
  waits.Forget(JobKey(job));
  aimed.DropJob(JobKey(job));
  counts_differ_since.erase(job.meta.uid);
  look_after.erase(JobKey(job));
  refreshed.erase(job.meta.uid);
  said_of_group.erase(job.meta.uid);
}

SyncError MakeSyncError(absl::Status status, std::string reason, std::string message, bool waits) {
  SyncError error;
  error.status = std::move(status);
  error.reason = std::move(reason);
  error.message = std::move(message);
  error.waits = waits;
  return error;
}

SyncError SyncErrorOf(absl::Status status, std::string reason, std::string_view what, bool waits) {
  std::string message = StrCat(what, ", err: ", status.message());
  return MakeSyncError(std::move(status), std::move(reason), std::move(message), waits);
}

std::string ErrorList(const std::vector<absl::Status>& errors) {
  std::string text = "[";
  for (size_t i = 0; i < errors.size() && i < kErrorsShown; ++i) {
    StrAppend(&text, i == 0 ? "" : " ", errors[i].message());
  }
  if (errors.size() > kErrorsShown) {
    StrAppend(&text, " and ", errors.size() - kErrorsShown, " more");
  }
  return text + "]";
}

}  // namespace bth::controllers
