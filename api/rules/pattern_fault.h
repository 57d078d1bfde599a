// Why a regular expression cannot be used, in the words of Go's regexp package. Pure, any thread.
#pragma once

#include <string>

namespace re2 {
class RE2;
}

namespace bth::rules {

// "error parsing regexp: missing closing ): `a(b`". Requires that `pattern` is not ok().
std::string PatternFault(const re2::RE2& pattern);

}  // namespace bth::rules
