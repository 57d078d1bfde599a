// `vcctl job view` and `vjobs -n`: all that is known of one batch job, and its events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/types/json.h"
#include "cli/job/flags.h"
#include "cli/print/times.h"

namespace bth::cli {

enum class ViewParts { kAll, kWithoutConditions };

// The layout is Volcano's to the blank: people cut it with awk. Only the phase has a colour.
std::string JobDescription(const types::Json& job, ViewParts parts, const TimeStyle& times,
                           bool colour = false);

// Events whose names begin with that of the job and a dot, in the given order.
std::string EventsDescription(const std::vector<types::Json>& events, std::string_view job_name,
                              const TimeStyle& times);

absl::Status ViewJob(Session& session, const JobFlags& flags, ViewParts parts);

}  // namespace bth::cli
