// What a job waits for is spread over several objects: this reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "cli/job/flags.h"

namespace bth::cli {

// Of one batch job, or of a PodGroup without one. Plain value.
struct JobFacts {
  std::string ns;
  std::string name;
  std::optional<types::Json> job;    // None: the name is that of a PodGroup.
  std::optional<types::Json> group;  // Its PodGroup.
  bool group_missing = false;        // The server has none; else it could not be read.
  std::vector<types::Json> pods;
  std::string queue_name;
  std::optional<types::Json> queue;
  bool queue_missing = false;
  std::vector<types::Json> neighbours;  // The other PodGroups of the queue.
  // What the scheduler's last cycle says of it; none: it was not asked, or there was no answer.
  std::optional<types::Json> page;
  // What could not be read, and why: "queues.scheduling.volcano.sh "q" not found".
  std::vector<std::string> unread;
};

// Fails when neither a job nor a PodGroup has the name; whatever else cannot be read is told in
// `unread`, since users may often see no more than their own namespace.
absl::StatusOr<JobFacts> ReadJobFacts(Cluster& cluster, const JobFlags& flags);

}  // namespace bth::cli
