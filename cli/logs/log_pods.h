// Which containers' logs are meant, and in which order. Pure functions of what was read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::cli {

// Empty members let everything pass.
struct LogChoice {
  std::string task;
  std::optional<int64_t> index;  // Within the task.
  std::string pod;
  std::string container;
};

// A container of a pod of the job.
struct LogPlace {
  std::string pod;
  std::string uid;
  std::string container;
  int64_t restarts = 0;
  bool has_run = false;          // There is something to read.
  bool is_over = false;          // The pod has ended.
  std::string other_containers;  // "a, b" when one of several was taken without having been named.
};

// In the order in which the job has its tasks, then by index, then by name. `job` is null when it
// is gone and only its pods are left. The container is the one that is named, else the one that the
// pod names in kubectl.kubernetes.io/default-container, else the first.
// Errors (kInvalidArgument): the job has no such task.
absl::StatusOr<std::vector<LogPlace>> LogPlaces(const types::Json* job,
                                                const std::vector<types::Json>& pods,
                                                const LogChoice& choice);

// "task worker, index 3": for the message that there is none. Empty: all are meant.
std::string ChoiceText(const LogChoice& choice);

}  // namespace bth::cli
