// What mutating policies make of a write.
#pragma once

#include "apiserver/policies/policy_book.h"

namespace bth::apiserver {

// One round over all of them, by names of policy and binding. Errors: one failed and that counts.
absl::Status MutateByPolicies(const PolicyBook& book, WriteContext& write, Ledger& ledger);

}  // namespace bth::apiserver
