// What a schema must be like before a definition with it is accepted.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/rest/errors.h"

namespace bth::apiserver {

// Whether every keyword has a value of its type. Errors (kInvalidArgument): the first that has
// not, in the words of the API's decoder.
absl::Status CheckKeywords(const Json& schema);

// Broken rules of an openAPIV3Schema that stands at `field`. Requires CheckKeywords.
std::vector<Cause> CheckStructural(const Json& schema, const std::string& field);

// Things a user should know though they are no errors: formats that nobody checks.
std::vector<std::string> SchemaWarnings(const Json& schema);

}  // namespace bth::apiserver
