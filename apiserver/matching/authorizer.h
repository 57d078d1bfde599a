// `authorizer` of expressions: asks what a user may do. This server knows no roles, so the answer
// is what rest/authenticate.h says; selectors of fields and labels are read and change nothing.
#pragma once

#include <string>

#include "apiserver/matching/target.h"
#include "cel/environment.h"
#include "cel/values/value.h"

namespace bth::apiserver {

// The variables authorizer and authorizer.requestResource with their functions.
void AddAuthorizer(cel::Environment& environment);

// The core outlives the values.
cel::Value AuthorizerOf(const Core& core, const User& user);
cel::Value RequestResourceOf(const Core& core, const Target& target, const ResourceType& as);

}  // namespace bth::apiserver
