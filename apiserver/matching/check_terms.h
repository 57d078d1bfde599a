// The rules that webhook configurations and policies share, in the words of Kubernetes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/rules/field_error.h"
#include "apiserver/matching/expressions.h"
#include "apiserver/rest/errors.h"

namespace bth::apiserver {

// Fills in scope "*" where a rule of `rules` says none.
void DefaultRules(Json& rules);
// matchPolicy and both selectors, of webhooks and of matchConstraints.
void DefaultMatchTerms(Json& terms);

// A value that must be one of `allowed` (sorted, as messages show them) if it is there at all.
void CheckChoice(const Json& value, std::string_view field,
                 const std::vector<std::string_view>& allowed, rules::FieldErrors& errors);
// Operations and the rule itself.
void CheckRule(const Json& rule, const std::string& field, rules::FieldErrors& errors);
void CheckLabelSelector(const Json& selector, const std::string& field, rules::FieldErrors& errors);

// How an expression of the present text is judged: nothing, or what is wrong with it. Those that
// an object had before are not looked at again, so that a younger server can keep older objects.
using CheckExpression = std::function<absl::Status(std::string_view source)>;
void CheckConditions(const Json& conditions, const std::string& field, const CheckExpression& check,
                     rules::FieldErrors& errors);

constexpr size_t kConditionsMax = 64;
// Rules, webhooks, variables and the like of one object: what the API leaves open.
constexpr size_t kItemsMax = 1000;

}  // namespace bth::apiserver
