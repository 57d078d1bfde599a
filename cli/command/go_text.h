// Values of flags as Go's programs read them, with Go's words for what is wrong: scripts and people
// know those. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bth::cli {

// The character between single quotes, with Go's escapes.
std::string GoQuoted(char letter);

// `base` 0: by the prefix (0x, 0o, 0b, 0), and with underscores between digits. `bits`: 32 or 64.
absl::StatusOr<int64_t> ParseGoInt(std::string_view text, int base, int bits);

// 1, t, T, true, TRUE, True and their opposites.
absl::StatusOr<bool> ParseGoBool(std::string_view text);

// "1h30m", "5s", "300ms".
absl::StatusOr<absl::Duration> ParseGoDuration(std::string_view text);

}  // namespace bth::cli
