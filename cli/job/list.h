// `vcctl job list` and `vjobs` without a name: a table of batch jobs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/types/json.h"
#include "cli/command/command.h"
#include "cli/job/flags.h"
#include "cli/listing/listing.h"
#include "cli/print/terminal.h"
#include "cli/print/times.h"

namespace bth::cli {

// Empty members let every job pass.
struct JobFilter {
  std::string queue;
  std::string scheduler;
  std::string name_part;
};
bool Passes(const types::Json& job, const JobFilter& filter);

// Widths follow `measured`, of which `shown` is a part.
struct JobTable {
  const std::vector<types::Json>& measured;
  const JobFilter& shown;
  bool with_namespace = false;
  absl::TimeZone zone;
  Terminal terminal = {};
  TimeStyle times = {};  // kUsual: the day.
};
std::string TextOf(const JobTable& table);

struct ListJobsFlags {
  ClusterFlags cluster;
  std::string ns = "default";
  JobFilter filter;
  ListingFlags listing;  // vcctl only
  bool all_namespaces = false;
};
absl::StatusOr<std::vector<types::Json>> ReadJobs(Cluster& cluster, const ListJobsFlags& flags);

// Those that are spelled the same in both programs.
void AddListFlags(ListJobsFlags* target, FlagSet* flags);

Command ListJobsCommand();

}  // namespace bth::cli
