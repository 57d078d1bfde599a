// Which overload of a call takes the values that are there.
#pragma once

#include <cstdint>
#include <span>

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
// The error of a comprehension over what has no members.
Value NotIterable(const Value& range);
// The error of [?value] (null `key`) or {?key: value} where the value is no optional.
Value NotOptional(const Value* key, const Value& value);

}  // namespace bth::cel
