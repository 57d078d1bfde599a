// Defaults must be what they stand for: valid values of their field.
#pragma once

#include <string>
#include <vector>

#include "apiserver/rest/errors.h"

namespace bth::apiserver {

// Checks the default of the node `schema`; `field` is where the default stands.
void CheckDefault(const Json& schema, const std::string& field, std::vector<Cause>& causes);

// Broken rules of one definition that are told.
constexpr size_t kSchemaCausesMax = 256;

}  // namespace bth::apiserver
