#include "controllers/cron_job/due.h"

#include <string>

#include "api/types/cron_schedule.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

absl::Time DueTimeIn(const std::string& text) {
  absl::Time time;
  std::string error;
  REQUIRE(absl::ParseTime(absl::RFC3339_full, text, &time, &error));
  return time;
}
std::string DueText(std::optional<absl::Time> time) {
  return time.has_value() ? absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", *time, absl::UTCTimeZone())
                          : "none";
}
types::CronSchedule Parsed(const std::string& text) {
  absl::StatusOr<types::CronSchedule> schedule =
      types::CronSchedule::Parse(text, absl::UTCTimeZone());
  INFO(schedule.status());
  REQUIRE(schedule.ok());
  return *std::move(schedule);
}

struct CronWorld {
  std::string schedule;
  std::string created;
  std::string last;  // Empty: never.
  int64_t deadline = -1;
};

types::CronJob CronOf(const CronWorld& world) {
  types::CronJob cron;
  cron.spec.schedule = world.schedule;
  cron.meta.creation_time = DueTimeIn(world.created);
  if (!world.last.empty()) cron.status.last_schedule_time = DueTimeIn(world.last);
  if (world.deadline >= 0) cron.spec.starting_deadline_seconds = world.deadline;
  return cron;
}

TEST_CASE("due: the latest run", "[controllers][cron_job]") {
  struct Case {
    CronWorld world;
    std::string now;
    bool deadline;
    std::string last;
    std::string missed;
  };
  const std::string t = "2016-05-19T10:00:00Z";
  const Case c = GENERATE_COPY(values<Case>({
      {{"0 * * * *", t, ""}, "2016-05-19T10:00:30Z", true, "none", "none"},
      {{"0 * * * *", t, ""}, "2016-05-19T11:01:00Z", true, "2016-05-19T11:00:00Z", "none"},
      {{"0 * * * *", t, ""}, "2016-05-19T15:01:00Z", true, "2016-05-19T15:00:00Z", "few"},
      {{"0 * * * *", t, ""}, "2016-06-19T15:01:00Z", true, "2016-06-19T15:00:00Z", "many"},
      {{"30 6-16/4 * * 1-5", t, "2016-05-19T10:30:00Z"},
       "2016-05-20T10:31:00Z",
       true,
       "2016-05-20T10:30:00Z",
       "few"},
      {{"30 6-16/4 * * 1-5", t, ""}, "2016-05-20T10:31:00Z", true, "2016-05-20T10:30:00Z", "few"},
      {{"@every 1h", t, "2016-05-19T10:01:00Z"},
       "2016-05-26T10:00:00Z",
       false,
       "2016-05-26T09:01:00Z",
       "many"},
      {{"30 10,11,12 * * 1-5", t, ""}, "2016-05-20T16:30:00Z", true, "2016-05-20T12:30:00Z", "few"},
      {{"0 * * * *", t, t}, "2016-05-19T10:00:30Z", true, "none", "none"},
      {{"*/5 * * * *", t, "2016-05-19T10:30:00Z"}, "2016-05-19T10:31:00Z", true, "none", "none"},
      {{"*/5 * * * *", t, "2016-05-19T10:30:00Z", 60},
       "2016-05-19T10:31:00Z",
       false,
       "none",
       "none"},
  }));
  CAPTURE(c.world.schedule, c.world.last, c.now);
  const absl::StatusOr<Due> due =
      MostRecentRun(CronOf(c.world), Parsed(c.world.schedule), DueTimeIn(c.now), c.deadline);
  REQUIRE(due.ok());
  CHECK(DueText(due->last) == c.last);
  const std::string missed = due->missed == Due::Missed::kMany  ? "many"
                             : due->missed == Due::Missed::kFew ? "few"
                                                                : "none";
  CHECK(missed == c.missed);
}

TEST_CASE("due: a deadline moves the earliest run", "[controllers][cron_job]") {
  const CronWorld world = {"*/5 * * * *", "2016-05-19T10:00:00Z", "2016-05-19T10:30:00Z", 60};
  const auto due =
      MostRecentRun(CronOf(world), Parsed(world.schedule), DueTimeIn("2016-05-19T10:32:00Z"), true);
  REQUIRE(due.ok());
  CHECK(DueText(due->earliest) == "2016-05-19T10:31:00Z");
}

TEST_CASE("due: a schedule that never comes is an error", "[controllers][cron_job]") {
  const CronWorld world = {"0 0 31 2 *", "2016-05-19T10:00:00Z", ""};
  CHECK_FALSE(
      MostRecentRun(CronOf(world), Parsed(world.schedule), DueTimeIn("2016-06-19T10:00:00Z"), true)
          .ok());
}

TEST_CASE("due: when to look again", "[controllers][cron_job]") {
  struct Case {
    CronWorld world;
    std::string now;
    absl::Duration delay;
  };
  const std::string t = "2016-05-19T10:00:00Z";  // A Thursday.
  const Case c = GENERATE_COPY(values<Case>({
      {{"30 6-16/4 * * 1-5", t, "2016-05-19T10:30:00Z"},
       "2016-05-20T10:31:00Z",
       absl::Hours(3) + absl::Minutes(59)},
      {{"30 10,11,12 * * 1-5", t, "2016-05-19T12:30:00Z"}, "2016-05-20T16:30:00Z", absl::Hours(66)},
      {{"*/5 * * * *", t, ""}, "2016-05-19T10:03:00Z", absl::Minutes(2)},
      {{"*/5 * * * *", t, ""}, "2016-05-19T10:05:00Z", absl::Minutes(5)},
      {{"@every 1h", t, ""}, "2016-05-19T10:05:00Z", absl::Minutes(55)},
      {{"0 12 * * 3", t, ""}, "2016-05-19T16:00:00Z", absl::Hours(5 * 24 + 20)},
  }));
  CAPTURE(c.world.schedule, c.now);
  CHECK(DelayUntilNext(CronOf(c.world), Parsed(c.world.schedule), DueTimeIn(c.now)) ==
        c.delay + absl::Milliseconds(100));
}

}  // namespace
}  // namespace bth::controllers
