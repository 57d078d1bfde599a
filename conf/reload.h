// What to do with a scheduler.conf that was just read: a pure decision.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "conf/load.h"

namespace bth::conf {

// What the caller knows. References and views live for the call.
struct ReloadRequest {
  const Policy* previous = nullptr;  // Null at start.
  std::string_view path;             // As given by --scheduler-conf; empty when not given.
  // The file's text, or why it could not be read. Unused when `path` is empty.
  absl::StatusOr<std::string> text = std::string();
  bool disable_default_scheduler_config = false;
  bool agent = false;  // The built-in policy is that of the agent scheduler.
  YamlLimits limits = {};
};

enum class ReloadOutcome {
  kLoaded,       // `policy` is the one of the file.
  kUnchanged,    // The file says what is in force already; nothing to swap.
  kDefaultUsed,  // No file, or at start a bad one: `policy` is the built-in one.
  kKept,         // A bad file while running: the previous policy stays.
};

struct ReloadDecision {
  ReloadOutcome outcome = ReloadOutcome::kKept;
  std::optional<Policy> policy;   // What to install; absent for kUnchanged and kKept.
  absl::Status error;             // Why the file was refused; OK otherwise.
  std::vector<Finding> findings;  // About the file that was accepted.
  std::string message;            // One line for log and event.

  bool accepted() const { return error.ok(); }
};

// Fails only at start and only with `disable_default_scheduler_config`: no path, an unreadable or
// an invalid file. While running, the previous policy is kept in every case: a typo must not end
// a scheduler that works.
absl::StatusOr<ReloadDecision> DecideReload(const ReloadRequest& request, const KnownNames& known);

}  // namespace bth::conf
