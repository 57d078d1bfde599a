// Values as Go's printing writes them: kubectl's output and errors are made of it.
//
// Pure functions, any thread. Objects are written with their keys sorted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"

namespace bth::cli {

// The shortest text that reads back the same, with an exponent below 1e-4 and from 1e+06 on.
std::string GoFloat(double value);

// What %v gives: `map[a:1 b:[x y]]`, `<nil>`, strings as they are.
std::string GoPrint(const types::Json& value);

// What %#v gives: `map[string]interface {}{"a":1}`. Cut with `…` after `bytes_max`.
std::string GoSyntax(const types::Json& value, size_t bytes_max);

// What %q gives.
std::string GoQuote(std::string_view text);

// What %#U gives: `U+0026 '&'`.
std::string GoRune(char32_t rune);

// Members in the order of their keys' bytes.
std::vector<const types::Json::Member*> SortedMembers(const types::Json& object);

}  // namespace bth::cli
