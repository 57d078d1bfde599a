// Which run of a CronJob is due, and when to look again. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/types/cron_job.h"
#include "api/types/cron_schedule.h"

namespace bth::controllers {

struct Due {
  enum class Missed : uint8_t { kNone, kFew, kMany };  // Many: more than a hundred.
  absl::Time earliest;                                 // From when on runs count.
  std::optional<absl::Time> last;                      // The latest run that is not after now.
  Missed missed = Missed::kNone;
};

// `with_deadline`: runs older than spec.startingDeadlineSeconds do not count.
// kInvalidArgument when the schedule has no further times.
absl::StatusOr<Due> MostRecentRun(const types::CronJob& job, const types::CronSchedule& schedule,
                                  absl::Time now, bool with_deadline);

// How long until the next run, and a tenth of a second.
absl::Duration DelayUntilNext(const types::CronJob& job, const types::CronSchedule& schedule,
                              absl::Time now);

// Of its job: one name for each run, whoever creates it.
std::string NameOfRun(const types::CronJob& cron, absl::Time scheduled);

// The other way round: to the minute. Nothing: the job is called otherwise, as a run of it never
// is.
std::optional<absl::Time> RunOf(const types::CronJob& cron, std::string_view job_name);

// The status of the CronJob tells of the run that the job is of. True also for jobs that are of
// none.
bool TellsOfRun(const types::CronJob& cron, std::string_view job_name);

}  // namespace bth::controllers
