// Policies of jobs and tasks that can be meant. Used by the webhook and by the job controller.
// Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/batch_job.h"

namespace bth::admission {

enum class PolicyFault : uint8_t {
  kEventAndExitCode,
  kNoTrigger,
  kUnknownEvent,
  kUnknownAction,
  kRepeatedEvent,
  kZeroExitCode,
  kRepeatedExitCode,
  kNotAlone,  // `*` beside another event.
};

struct PolicyFinding {
  PolicyFault fault = PolicyFault::kNoTrigger;
  size_t index = 0;  // Of the policy in its list.
  std::string word;  // The event, action or exit code it is about; may be empty.
};

// What is wrong with one list of policies: at most the first violation, and `*` that is not alone.
std::vector<PolicyFinding> CheckPolicies(const std::vector<types::LifecyclePolicy>& policies);

// One finding in Volcano's words; `path` is that of the list ("spec.tasks.policies").
std::string PolicyText(const PolicyFinding& finding, std::string_view path);

// All findings as one text: "1 error occurred:\n\t* ...\n\n", then the events and actions that may
// be named, by name. Empty: no findings.
std::string PoliciesText(const std::vector<PolicyFinding>& findings, std::string_view path);

// The events that policies may wait for, in the order of the vocabulary.
std::vector<std::string_view> PolicyEvents();

}  // namespace bth::admission
