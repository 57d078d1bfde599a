// How the files of this folder declare functions, and what their calls cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cel/environment.h"

namespace bth::cel {

// Saturating.
uint64_t AddCost(uint64_t a, uint64_t b);
uint64_t MultiplyCost(uint64_t a, uint64_t b);
// Rounded up.
uint64_t ScaleCost(uint64_t size, double factor);

// Cost of looking at one code point, byte or member.
inline constexpr double kTraversalFactor = 0.1;
// Cost of one code point of a pattern: about four make one expression of it.
inline constexpr double kPatternFactor = 0.25;

struct CallCost {
  RunCost run;
  EstimateCost estimate;
};
CallCost CostOfArgument(size_t index);  // Traverses one argument.
CallCost CostOfShorter();               // Compares two.
CallCost CostOfBoth();                  // Joins two; the result is as long as both.
CallCost CostOfSearch();                // Looks for the second in the first.
CallCost CostOfPattern();               // Matches the first with the second.

using Parameters = std::vector<TypePtr>;

Overload GlobalOverload(std::string id, Parameters parameters, TypePtr result, Implementation run);
Overload MemberOverload(std::string id, Parameters parameters, TypePtr result, Implementation run);
Overload WithCost(Overload overload, CallCost cost);

// The function's overloads do not collide: a defect of ours if they do.
void Declare(Environment& environment, std::string name, std::vector<Overload> overloads);

}  // namespace bth::cel
