// How the libraries write down their functions and what calls cost.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cel/environment.h"
#include "cel/types/type.h"
#include "cel/values/value.h"

namespace bth::cel {

using Arguments = std::span<const Value>;
using ArgSizes = std::span<const SizeRange>;

// What a code point costs to go over, and a character of a regular expression to be matched.
inline constexpr double kTextFactor = 0.1;
inline constexpr double kRegexFactor = 0.25;

// What a call costs when it runs, and what is thought of it before.
struct Price {
  RunCost run;
  EstimateCost estimate;
};

// size * factor, rounded up; the most there is for sizes that are not bounded.
uint64_t ScaledCost(uint64_t size, double factor);
CostRange ScaledCost(const SizeRange& size, double factor);
uint64_t CostSum(uint64_t a, uint64_t b);
uint64_t CostProduct(uint64_t a, uint64_t b);
CostRange CostSum(const CostRange& a, const CostRange& b);
CostRange CostProduct(const CostRange& a, const CostRange& b);

// What going through all of a value costs: a text by its bytes, anything else that is no
// container 1. Each value it looks at is a step of the run's work.
uint64_t WalkCost(const Value& value);

Price Nominal();
// Of going over the first argument, a text. The result is as long as it, or its size is not known.
Price TextPrice(double factor, bool keeps_size = false);

Overload GlobalCall(std::string id, std::vector<TypePtr> parameters, TypePtr result,
                    Implementation run, Price price = {});
// The first parameter is the target.
Overload MemberCall(std::string id, std::vector<TypePtr> parameters, TypePtr result,
                    Implementation run, Price price = {});

// The text of a failed status as an error of the language.
Value ErrorOf(const absl::Status& status);
Value NoSuchOverload();
template <typename T, typename Make>
Value ValueOr(const absl::StatusOr<T>& result, const Make& make) {
  return result.ok() ? make(*result) : ErrorOf(result.status());
}
Value TextOr(absl::StatusOr<std::string> text);
Value TextList(std::vector<std::string> texts);

// Adds the functions of a library, stops at the first error.
absl::Status AddAll(Environment& environment, std::vector<Function> functions);
// A type that expressions may name (net.IP).
void NameType(Environment& environment, const TypePtr& type);

}  // namespace bth::cel
