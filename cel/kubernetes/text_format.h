// string.format(): %s %d %f %e %b %o %x %X %% and precisions.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cel/values/value.h"

namespace bth::cel {

// Errors: kInvalidArgument, in the words of the language's own implementation. More arguments than
// `format` asks for are let be.
absl::StatusOr<std::string> FormatText(std::string_view format, const ListView& args);

}  // namespace bth::cel
