// The objects from which a policy takes its parameters.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/policies/policy.h"
#include "apiserver/rest/core.h"

namespace bth::apiserver {

// One run of the policy for each; null: a run without. By name. Errors, in the words of Kubernetes:
// they cannot be looked up, or there are none and there must be.
absl::StatusOr<std::vector<std::shared_ptr<const Json>>> ParamsOf(const Core& core,
                                                                  const Policy& policy,
                                                                  const PolicyBinding& binding,
                                                                  const Target& target);

}  // namespace bth::apiserver
