// Whole numbers in texts as Go's strconv reads them, with its words. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bth::admission {

// One decimal number with a sign or without; nothing else, no blanks either.
struct GoInteger {
  int64_t value = 0;  // At the nearest limit when out of range.
  enum class Fault : uint8_t { kNone, kSyntax, kRange } fault = Fault::kNone;

  bool ok() const { return fault == Fault::kNone; }
  bool fits_int32() const { return ok() && value >= INT32_MIN && value <= INT32_MAX; }
};
GoInteger ReadGoInteger(std::string_view text);

// `strconv.Atoi: parsing "x": invalid syntax`
std::string AtoiText(std::string_view text, GoInteger::Fault fault);

}  // namespace bth::admission
