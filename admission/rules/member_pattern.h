// Patterns by which HyperNodes choose their members. Used by the webhook and by the controller.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "re2/re2.h"

namespace bth::admission {

// How much a compiled pattern may take; what needs more is refused as too large.
inline constexpr int64_t kPatternBytesMax = int64_t{1} << 20;

// kInvalidArgument in the words of Go's regexp package: "error parsing regexp: missing closing ):
// `a(b`". Cost: up to some milliseconds for a pattern that is close to the limit.
absl::StatusOr<std::unique_ptr<re2::RE2>> CompilePattern(std::string_view pattern);

}  // namespace bth::admission
