#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/rules/names.h"
#include "api/types/cron_job.h"
#include "api/types/cron_schedule.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

// Ten digits and a dash follow it in the names of jobs, which have up to 63.
constexpr size_t kCronNameBytesMax = 52;
constexpr size_t kZonePartBytesMax = 14;
// Each wrong part of a zone's name is told of, up to here.
constexpr size_t kZoneFindingsMax = 16;

std::string ScheduleFault(const std::string& schedule) {
  if (schedule.empty()) return " schedule is required, but got empty";
  if (StrContains(schedule, "TZ")) {
    return " schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone "
           "field";
  }
  const bool is_schedule = types::CronSchedule::Parse(schedule, absl::UTCTimeZone()).ok();
  return is_schedule ? "" : "schedule is not a valid cron expression";
}

bool IsZonePart(std::string_view part) {
  if (part.empty() || part.size() > kZonePartBytesMax || part == "." || part == ".." ||
      part.front() == '-') {
    return false;
  }
  return std::all_of(part.begin(), part.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' ||
           c == '+';
  });
}

std::string ZoneFault(const std::string& zone) {
  if (zone.empty()) return " timeZone must be nil or non-empty string, got empty string";
  std::string fault;
  size_t findings = 0;
  for (const absl::string_view part : SplitText(zone, '/')) {
    if (IsZonePart(ToStd(part)) || findings == kZoneFindingsMax) continue;
    fault.append(" unknown timeZone");
    ++findings;
  }
  if (EqualsIgnoreCase(zone, "Local")) {
    fault.append(
        " timeZone can't be Local, and must be defined in https://www.iana.org/time-zones");
  } else if (!types::LoadZone(zone).ok()) {
    fault.append(" invalid timeZone");
  }
  return fault;
}

std::string CronNameFault(const std::string& name) {
  if (name.size() > kCronNameBytesMax) {
    return "cronJob name must be no more than 52 characters to accommodate job name suffix (max 63 "
           "total)";
  }
  const std::vector<std::string> faults = rules::CheckQualifiedName(name);
  if (faults.empty()) return {};
  return StrCat("invalid cronJob name \"", name, "\": ", absl::StrJoin(faults, "; "));
}

}  // namespace

Verdict ValidateCronJob(const Request& request, const Settings&, const Known&) {
  const absl::StatusOr<types::CronJob> cron_job = ReadObject<types::CronJob>(request);
  if (!cron_job.ok()) return RefuseUnreadable(cron_job.status());
  if (request.operation != "CREATE" && request.operation != "UPDATE") {
    return Verdict::Refuse("operation", "expect operation to be 'CREATE' or 'UPDATE'");
  }
  std::string spec = ScheduleFault(cron_job->spec.schedule);
  const std::string_view schedule_word = spec.empty() ? "" : "cron_schedule";
  if (cron_job->spec.time_zone.has_value()) spec.append(ZoneFault(*cron_job->spec.time_zone));
  const std::string_view spec_text = StripAsciiWhitespace(spec);
  const std::string name = CronNameFault(cron_job->meta.name);
  if (spec_text.empty() && name.empty()) return Verdict::Allow();
  const std::string_view word = !schedule_word.empty() ? schedule_word
                                : !spec_text.empty()   ? "cron_time_zone"
                                                       : "cron_name";
  return Verdict::Refuse(word,
                         StrCat(spec_text, spec_text.empty() || name.empty() ? "" : "; ", name));
}

}  // namespace bth::admission
