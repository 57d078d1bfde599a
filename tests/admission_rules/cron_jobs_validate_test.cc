#include <string>

#include "tests/admission_rules/review_bed.h"
#include "tests/support/catch.h"

namespace bth::admission {
namespace {

std::string Cron(std::string_view name, std::string_view spec, std::string operation = "CREATE") {
  return test::Told(
      test::Ask({.path = "/cronjobs/validate",
                 .operation = std::move(operation),
                 .object = StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{)", spec, "}}")},
                test::PlainKnown()));
}

TEST_CASE("cron jobs validate: schedules", "[admission_rules][cron_jobs]") {
  struct Case {
    std::string schedule, told;
  };
  const std::string wrong = "schedule is not a valid cron expression";
  const std::string zone =
      "schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field";
  const Case c = GENERATE_COPY(values<Case>({
      {"* * * * *", "allowed"},
      {"@every 1m", "allowed"},
      {"@hourly", "allowed"},
      {"0 0 ? * MON-fri", "allowed"},
      {"5/20 1-4,7 1,15 jan *", "allowed"},
      {"", "schedule is required, but got empty"},
      {"TZ=UTC 0 20 * * *", zone},
      {"CRON_TZ=UTC 0 20 * * *", zone},
      {"error schedule", wrong},
      {"* * * *", wrong},
      {"* * * * * *", wrong},
      {"60 * * * *", wrong},
      {"* * * * 7", wrong},
      {"*/0 * * * *", wrong},
      {"@every", wrong},
      {"@reboot", wrong},
      {std::string(5000, '*'), wrong},
  }));
  CAPTURE(c.schedule);
  CHECK(Cron("my-cronjob", StrCat(R"("schedule":")", c.schedule, "\"")) == c.told);
  CHECK(Cron("my-cronjob", StrCat(R"("schedule":")", c.schedule, "\""), "UPDATE") == c.told);
}

TEST_CASE("cron jobs validate: zones", "[admission_rules][cron_jobs]") {
  struct Case {
    std::string zone, told;
  };
  const Case c = GENERATE(values<Case>({
      {"Pacific/Honolulu", "allowed"},
      {"UTC", "allowed"},
      {"Etc/GMT+1", "allowed"},
      {"", "timeZone must be nil or non-empty string, got empty string"},
      {"Asia/./Shanghai", "unknown timeZone"},
      {"America/-NewYork", "unknown timeZone invalid timeZone"},
      {"New York", "unknown timeZone invalid timeZone"},
      {"UTC!", "unknown timeZone invalid timeZone"},
      {"a b/c d", "unknown timeZone unknown timeZone invalid timeZone"},
      {"America/ThisIsFarTooLong", "unknown timeZone invalid timeZone"},
      {"../UTC", "unknown timeZone invalid timeZone"},
      {"/UTC", "unknown timeZone invalid timeZone"},
      {"Local", "timeZone can't be Local, and must be defined in https://www.iana.org/time-zones"},
      {"lOcAl", "timeZone can't be Local, and must be defined in https://www.iana.org/time-zones"},
      {"Amerrica/New_York", "invalid timeZone"},
      {"America", "invalid timeZone"},
  }));
  CAPTURE(c.zone);
  CHECK(Cron("c", StrCat(R"("schedule":"*/5 * * * *","timeZone":")", c.zone, "\"")) == c.told);
}

TEST_CASE("cron jobs validate: names, and findings together", "[admission_rules][cron_jobs]") {
  const std::string fine = R"("schedule":"* * * * *")";
  const std::string too_long =
      "cronJob name must be no more than 52 characters to accommodate job name suffix (max 63 "
      "total)";
  CHECK(Cron(std::string(52, 'a'), fine) == "allowed");
  CHECK(Cron(std::string(53, 'a'), fine) == too_long);
  CHECK(Cron(std::string(65, 'a'), fine) == too_long);
  CHECK(
      Cron("-UPPERCASE", fine) ==
      "invalid cronJob name \"-UPPERCASE\": name part must consist of alphanumeric characters, "
      "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
      "'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
  CHECK(Cron(std::string(53, 'a'), R"("schedule":"error schedule")") ==
        "schedule is not a valid cron expression; " + too_long);
  CHECK(Cron("c", R"("schedule":"","timeZone":"")") ==
        "schedule is required, but got empty timeZone must be nil or non-empty string, got empty "
        "string");
  CHECK(Cron("c", "", "DELETE") == "expect operation to be 'CREATE' or 'UPDATE'");
}

TEST_CASE("cron jobs validate: a zone of many wrong parts is told of shortly",
          "[admission_rules][cron_jobs]") {
  const std::string told =
      Cron("c", StrCat(R"("schedule":"* * * * *","timeZone":")", std::string(100'000, '/'), "\""));
  CHECK(told.size() < 1'000);
  CHECK(told.starts_with("unknown timeZone unknown timeZone"));
}

}  // namespace
}  // namespace bth::admission
