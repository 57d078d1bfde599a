// Defaults and rules of policies and bindings, in the words of Kubernetes.
#pragma once

#include "apiserver/matching/check_terms.h"

namespace bth::apiserver {

void DefaultPolicy(Json& policy);
void DefaultBinding(Json& binding);

// All broken rules. Expressions that `old` (or null) had are not looked at again.
rules::FieldErrors CheckPolicy(const Json& policy, const Json* old, bool mutating);
rules::FieldErrors CheckBinding(const Json& binding, bool mutating);

}  // namespace bth::apiserver
