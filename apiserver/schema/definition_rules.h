// The rules of CustomResourceDefinitions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/rest/errors.h"

namespace bth::apiserver {

// Whether the schemas can be read at all. Errors (kInvalidArgument): see CheckKeywords.
absl::Status CheckDefinitionKeywords(const Json& definition);

// Broken rules of a definition whose left-out names are filled in; `old` is what it was, or null.
std::vector<Cause> CheckDefinition(const Json& definition, const Json* old);

// What the user should know though the definition is accepted.
std::vector<std::string> DefinitionWarnings(const Json& definition);

// Whether clients may already rely on the definition's names.
bool IsEstablished(const Json& definition);

}  // namespace bth::apiserver
