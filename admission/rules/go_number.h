// Numbers in texts as Go's strconv.ParseFloat reads them, with its words. Pure, any thread.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"

namespace bth::admission {

// Decimal ("1", ".5e3"), hexadecimal ("0x1p-2"), "inf", "infinity" and "nan" in any case, with a
// sign. Errors are `strconv.ParseFloat: parsing "x": invalid syntax` (or `value out of range`).
absl::StatusOr<double> ParseGoFloat(std::string_view text);

}  // namespace bth::admission
