// Which overload of a call takes the values that are there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/environment.h"
#include "cel/eval/plan.h"

namespace bth::cel {

Candidate MakeCandidate(const Overload& overload);
// The kinds that some overload takes first, as bits.
uint32_t FirstKinds(const Function& function);
// Null: none.
const Candidate* PickCandidate(const CallSite& call, std::span<const Value> args);
// The error of a call that no candidate takes.
Value NoCandidate(const CallSite& call, std::span<const Value> args);

// The names that `name` may stand for in the environment's container, innermost first; itself alone
// if it begins with a dot.
std::vector<std::string> NamesInContainers(const Environment& environment, std::string_view name);
const Function* FindInContainers(const Environment& environment, std::string_view name);

}  // namespace bth::cel
