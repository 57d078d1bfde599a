// The types of the fields of built-in kinds.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "api/types/json.h"

namespace bth::apiserver {

// kInvalidArgument for the first field of `object`, in its own order, that has another type than
// its built-in kind gives it; null fits everywhere. OK for kinds whose messages are not known, and
// for fields that these do not have. Amounts and times are checked where they are read.
absl::Status CheckFieldTypes(std::string_view group, std::string_view kind,
                             const types::Json& object);

}  // namespace bth::apiserver
