// One look at a CronJob: what its jobs have become, and whether the next one is due.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/batch_job.h"
#include "api/types/cron_job.h"
#include "api/types/cron_schedule.h"
#include "controllers/core/controller.h"
#include "controllers/core/events.h"
#include "controllers/core/lanes.h"
#include "controllers/core/remake_pauses.h"

namespace bth::controllers {

// The schedule, read in spec.timeZone unless the text names a zone itself.
absl::StatusOr<types::CronSchedule> ScheduleOf(const types::CronJob& cron);

// What is told of a schedule that ScheduleOf refused.
std::string WhyUnparseable(const types::CronJob& cron, const absl::Status& why);

// Lifetime: one run. Thread: the executor's.
class CronPass final {
 public:
  using JobPtr = ObjectStore<types::BatchJob>::Pointer;

  CronPass(const ControllerContext& context, ObjectStore<types::BatchJob>& jobs,
           RemakePauses& remakes, types::CronJob cron);

  // Deletes and creates jobs. The outcome says when to look again; `cron` has the new status.
  net::Awaitable<LaneHooks::Outcome> Run();
  const types::CronJob& cron() const { return cron_; }

 private:
  net::Awaitable<absl::Status> TakeInFinished();
  net::Awaitable<void> TrimHistory(std::vector<JobPtr> finished, std::optional<int32_t> limit);
  net::Awaitable<absl::Status> TakeInOrphans();
  void DropStale();
  absl::StatusOr<types::CronSchedule> ReadSchedule();
  net::Awaitable<absl::Status> RunIfDue(types::CronSchedule schedule);
  // True: that run, or a later one, was begun, and the status tells of it now.
  bool TakeInRuns(absl::Time scheduled);
  // Jobs that are not over, listed as active or not: a former process may have ended before it
  // wrote one down. The job called `name` is not among the latter.
  std::vector<types::ObjectReference> RunningBeside(std::string_view name) const;
  // For the job called `name`. False: another one is running, and this one is left out.
  net::Awaitable<absl::StatusOr<bool>> MakeRoom(std::string name);
  net::Awaitable<absl::Status> CreateJob(absl::Time scheduled);
  // The job of that time that is there already; null when it is not ours.
  net::Awaitable<absl::StatusOr<JobPtr>> TakeExisting(std::string name);
  net::Awaitable<absl::Status> DeleteJob(std::string name, std::string uid);

  bool IsActive(std::string_view uid) const;
  void RemoveActive(std::string_view uid);
  std::string JobBody(absl::Time scheduled) const;
  void Warn(std::string reason, std::string message) {
    controllers::Warn(context_.events, cron_, std::move(reason), std::move(message));
  }
  void Tell(std::string reason, std::string message) {
    controllers::Tell(context_.events, cron_, std::move(reason), std::move(message));
  }

  const ControllerContext& context_;
  ObjectStore<types::BatchJob>& jobs_;
  RemakePauses& remakes_;
  types::CronJob cron_;
  absl::Duration pause_;  // Before the job that is due may be made anew.
  std::vector<JobPtr> owned_;
};

}  // namespace bth::controllers
