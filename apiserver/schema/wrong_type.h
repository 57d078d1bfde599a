// What is answered to a value of a type that its field does not have.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "api/types/json.h"

namespace bth::apiserver {

// kInvalidArgument in the words of the API's decoder. `field` begins with the type that holds it:
// "ObjectMeta.labels"; `wanted` is the type in the words of that decoder: "map[string]string".
absl::Status WrongType(std::string_view field, const types::Json& value, std::string_view wanted);

}  // namespace bth::apiserver
