// `vcctl job delete` and `vcancel`: one batch job, or with flags of ours all that are meant.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "cli/command/command.h"
#include "cli/job/flags.h"

namespace bth::cli {

// `doing`: "delete" or "cancel".
absl::Status DeleteJob(Session& session, const JobFlags& flags, std::string_view doing);

struct DeleteJobsFlags {
  JobFlags job;
  Selectors selectors;
  bool all = false;
  bool all_namespaces = false;
  bool yes = false;  // Is not asked.
};

// Asks at a terminal before it deletes more than one.
absl::Status DeleteJobs(Session& session, const DeleteJobsFlags& flags);

Command DeleteJobCommand();

}  // namespace bth::cli
