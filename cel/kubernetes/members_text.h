// How string.format prints lists, maps and what is in them.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cel/values/value.h"

namespace bth::cel {

// [1, "a", 2.500000], {"k":1}: entries of maps in the order of their keys' texts. Errors: a value
// of a kind that has no text, or more to print than the run's work allows.
absl::StatusOr<std::string> MembersText(const Value& value);

}  // namespace bth::cel
