// What x-kubernetes-validations must be like before a definition with them is accepted.
#pragma once

#include <string>
#include <vector>

#include "apiserver/rest/errors.h"
#include "apiserver/schema/structural.h"

namespace bth::apiserver {

// The form of the rules of the one node `schema` at `field`, without what is below it.
void CheckRuleForm(const Json& schema, const std::string& field, std::vector<Cause>& causes);

// Whether the rules of a whole schema can be compiled, and what they may cost. Requires that
// nothing else is wrong with the schema.
std::vector<Cause> CheckRules(const Json& schema, const std::string& field);

// Kubernetes' limits of estimated cost: of one rule, and of all in a schema.
constexpr uint64_t kRuleCostMax = 10'000'000;
constexpr uint64_t kSchemaCostMax = 100'000'000;

}  // namespace bth::apiserver
