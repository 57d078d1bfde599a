// The environment in which Kubernetes evaluates expressions: the standard functions and its
// libraries.
#pragma once

#include <memory>

#include "cel/environment.h"

namespace bth::cel {

// Strings, lists, sets, format, quantity, semver, IP, CIDR, URL,
// regex, optional types and two-variable comprehensions. Shared; extend a copy.
std::shared_ptr<const Environment> KubernetesEnvironment();

// Kubernetes' limits, in units of cost.
inline constexpr uint64_t kPerCallLimit = 1'000'000;    // One expression of a policy or rule.
inline constexpr uint64_t kRuntimeBudget = 10'000'000;  // All rules of one object.
inline constexpr uint64_t kMatchConditionsBudget =
    2'500'000;  // All matchConditions of one webhook.

}  // namespace bth::cel
