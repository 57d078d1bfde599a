// What a client sent, made an object of its kind.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/rest/request.h"

namespace bth::apiserver {

// Custom resources: unknown fields are dropped and defaults filled in by the schema of the
// request's version. Built-in kinds: fields are checked when the request asks for it. What is
// unknown is refused, told in `warnings`, or ignored, by the request's fieldValidation.
// Errors: 400, and of patches 422.
absl::Status CoerceBody(const ApiRequest& request, Json& object,
                        std::vector<std::string>& warnings);

}  // namespace bth::apiserver
