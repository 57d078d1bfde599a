// Whether two documents say the same to Kubernetes. Pure, any thread.
#pragma once

#include "api/types/json.h"

namespace bth::admission {

// Equal but for what makes no difference there: lists and maps may be empty or absent, fields that
// are no pointers may be zero or absent, amounts and durations are compared by value. What an empty
// object means (securityContext, emptyDir) or an explicit zero (hostUsers) stays a difference where
// Kubernetes tells it from an absent one. Cost: n log n.
bool SemanticallyEqual(const types::Json& a, const types::Json& b);

}  // namespace bth::admission
