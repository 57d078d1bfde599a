// Defaults and rules of webhook configurations, in the words of Kubernetes.
#pragma once

#include <memory>

#include "apiserver/matching/check_terms.h"

namespace bth::apiserver {

void DefaultWebhooks(Json& configuration, bool mutating);

// `old` is what the configuration was, or null. Errors: all broken rules, in Kubernetes' order.
rules::FieldErrors CheckWebhooks(const Json& configuration, const Json* old, bool mutating,
                                 const std::shared_ptr<const cel::Environment>& environment);

}  // namespace bth::apiserver
