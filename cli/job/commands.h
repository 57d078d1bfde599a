// `vcctl job`: the group, and the leaves that need no more than a name.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "cli/command/command.h"
#include "cli/job/flags.h"

namespace bth::cli {

Command JobCommand();

// `doing`: "suspend", for the message that the name is missing.
absl::Status CommandJob(Session& session, const JobFlags& flags, std::string_view action,
                        std::string_view doing);

}  // namespace bth::cli
