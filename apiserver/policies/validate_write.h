// What validating policies say about a write.
#pragma once

#include "apiserver/policies/policy_book.h"

namespace bth::apiserver {

// Asks all of them; the first that denies, by names of policy and binding, decides. Errors: its
// refusal.
absl::Status ValidateByPolicies(const PolicyBook& book, WriteContext& write);

}  // namespace bth::apiserver
