#include "conf/reload.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace bth::conf {
namespace {

constexpr const char* kNoFallback = " and default configuration fallback is disabled";

Policy BuiltInPolicy(const ReloadRequest& request) {
  return request.agent ? AgentPolicy() : DefaultPolicy();
}

// What happens when there is no usable file: `error` tells why.
absl::StatusOr<ReloadDecision> Refuse(const ReloadRequest& request, absl::Status error) {
  ReloadDecision decision;
  decision.error = std::move(error);
  if (request.previous != nullptr) {
    decision.outcome = ReloadOutcome::kKept;
    decision.message = StrCat(decision.error.message(), "; the previous policy stays");
    return decision;
  }
  if (request.disable_default_scheduler_config) return decision.error;
  decision.outcome = ReloadOutcome::kDefaultUsed;
  decision.policy = BuiltInPolicy(request);
  decision.message = StrCat(decision.error.message(), "; the built-in policy is used");
  return decision;
}

ReloadDecision WithoutPath(const ReloadRequest& request) {
  ReloadDecision decision;
  decision.policy = BuiltInPolicy(request);
  decision.outcome = ReloadOutcome::kDefaultUsed;
  decision.message = "no --scheduler-conf given; the built-in policy is used";
  if (request.previous != nullptr && *request.previous == *decision.policy) {
    decision.outcome = ReloadOutcome::kUnchanged;
    decision.policy.reset();
  }
  return decision;
}

}  // namespace

absl::StatusOr<ReloadDecision> DecideReload(const ReloadRequest& request, const KnownNames& known) {
  const bool fatal = request.previous == nullptr && request.disable_default_scheduler_config;
  if (request.path.empty()) {
    if (!fatal) return WithoutPath(request);
    return absl::InvalidArgumentError(StrCat("No --scheduler-conf path provided", kNoFallback));
  }
  const std::string quoted_path = StrCat("'", request.path, "'");
  if (!request.text.ok()) {
    const std::string what =
        fatal ? StrCat("Failed to read scheduler config", kNoFallback, ": ", quoted_path)
              : StrCat("Failed to read the Scheduler config in ", quoted_path,
                       request.previous == nullptr ? "" : ", using previous configuration");
    return Refuse(request, Annotate(request.text.status(), what));
  }
  absl::StatusOr<LoadedPolicy> loaded = ParsePolicy(*request.text, known, request.limits);
  if (!loaded.ok()) {
    const std::string what =
        fatal ? StrCat("Invalid scheduler configuration", kNoFallback, ": ", quoted_path)
              : StrCat("Scheduler config ", quoted_path, " is invalid");
    return Refuse(request, Annotate(loaded.status(), what));
  }
  ReloadDecision decision;
  decision.findings = std::move(loaded->findings);
  if (request.previous != nullptr && *request.previous == loaded->policy) {
    decision.outcome = ReloadOutcome::kUnchanged;
    decision.message = StrCat(quoted_path, " says what is in force already");
    return decision;
  }
  decision.outcome = ReloadOutcome::kLoaded;
  decision.policy = std::move(loaded->policy);
  decision.message = StrCat("policy loaded from ", quoted_path);
  return decision;
}

}  // namespace bth::conf
