// Parts of objects as values of expressions, by what their schema declares.
#pragma once

#include "api/types/json.h"
#include "apiserver/schema/declared_types.h"
#include "cel/values/value.h"

namespace bth::apiserver {

// The views in it refer to `json` and `type`, which must outlive it. Objects answer to the escaped
// names of their properties. Errors (within the value): a text that is not of its format.
cel::Value RuleValue(const Json& json, const DeclaredType& type);

}  // namespace bth::apiserver
