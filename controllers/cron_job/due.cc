#include "controllers/cron_job/due.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"

namespace bth::controllers {
namespace {

using types::CronJob;

constexpr int64_t kMany = 100;
// Clocks of API servers and controllers differ a little.
constexpr absl::Duration kSlack = absl::Milliseconds(100);

// Of the names of its jobs.
std::string PrefixOf(const CronJob& cron) {
  return StrCat(cron.meta.name, "-");
}

// Since 1970.
int64_t MinuteOf(absl::Time scheduled) {
  return absl::ToUnixSeconds(scheduled) / 60;
}

absl::StatusOr<absl::Time> NextOf(const CronJob& job, const types::CronSchedule& schedule,
                                  absl::Time after) {
  const std::optional<absl::Time> next = schedule.Next(after);
  if (next.has_value()) return *next;
  return absl::InvalidArgumentError(
      StrCat("schedule \"", job.spec.schedule, "\" is never due within five years"));
}

}  // namespace

absl::StatusOr<Due> MostRecentRun(const CronJob& job, const types::CronSchedule& schedule,
                                  absl::Time now, bool with_deadline) {
  Due due;
  due.earliest = job.status.last_schedule_time.value_or(job.meta.creation_time);
  if (with_deadline && job.spec.starting_deadline_seconds.has_value()) {
    due.earliest = std::max(due.earliest, now - absl::Seconds(*job.spec.starting_deadline_seconds));
  }
  BTH_ASSIGN_OR_RETURN(const absl::Time first, NextOf(job, schedule, due.earliest));
  if (now < first) return due;
  BTH_ASSIGN_OR_RETURN(const absl::Time second, NextOf(job, schedule, first));
  if (now < second) {
    due.last = first;
    return due;
  }
  const int64_t period = absl::ToInt64Seconds(second - first + absl::Milliseconds(500));
  if (period < 1) {
    return absl::InvalidArgumentError(
        "time difference between two schedules is less than 1 second");
  }
  const int64_t missed = absl::ToInt64Seconds(now - first) / period + 1;
  due.last = schedule.Last(due.earliest, now);
  due.missed = missed > kMany ? Due::Missed::kMany
               : missed > 0   ? Due::Missed::kFew
                              : Due::Missed::kNone;
  return due;
}

absl::Duration DelayUntilNext(const CronJob& job, const types::CronSchedule& schedule,
                              absl::Time now) {
  const absl::StatusOr<Due> due = MostRecentRun(job, schedule, now, false);
  absl::Time base = now;
  if (due.ok() && due->last.has_value()) {
    base = *due->last;
  } else if (due.ok() && due->missed == Due::Missed::kNone) {
    base = due->earliest;
  }
  return schedule.Next(base).value_or(now) + kSlack - now;
}

std::string NameOfRun(const CronJob& cron, absl::Time scheduled) {
  return StrCat(PrefixOf(cron), MinuteOf(scheduled));
}

std::optional<absl::Time> RunOf(const CronJob& cron, std::string_view job_name) {
  const std::string prefix = PrefixOf(cron);
  int64_t minute = 0;
  if (!job_name.starts_with(prefix) || !SimpleAtoi(job_name.substr(prefix.size()), &minute)) {
    return std::nullopt;
  }
  return absl::UnixEpoch() + absl::Minutes(minute);
}

bool TellsOfRun(const CronJob& cron, std::string_view job_name) {
  const std::optional<absl::Time> run = RunOf(cron, job_name);
  if (!run.has_value()) return true;
  const std::optional<absl::Time> last = cron.status.last_schedule_time;
  return last.has_value() && MinuteOf(*run) <= MinuteOf(*last);
}

}  // namespace bth::controllers
