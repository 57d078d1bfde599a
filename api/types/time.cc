#include "api/types/time.h"

#include "absl/strings/str_cat.h"
#include "base/strings.h"

namespace bth::types {
namespace {

// The shape NNNN-NN-NNTNN:NN:NN[.N+](Z|+NN:NN|-NN:NN), which Abseil's parser reads more loosely.
bool HasTimeShape(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd";
  const auto fits = [](std::string_view part, std::string_view shape) {
    if (part.size() != shape.size()) return false;
    for (size_t i = 0; i < part.size(); ++i) {
      const bool digit = part[i] >= '0' && part[i] <= '9';
      if (shape[i] == 'd' ? !digit : part[i] != shape[i]) return false;
    }
    return true;
  };
  if (text.size() > 64 || !fits(text.substr(0, kShape.size()), kShape)) return false;
  text.remove_prefix(kShape.size());
  if (!text.empty() && text[0] == '.') {
    const size_t end = text.find_first_not_of("0123456789", 1);
    if (end == std::string_view::npos || end == 1) return false;
    text.remove_prefix(end);
  }
  return text == "Z" || fits(text, "+dd:dd") || fits(text, "-dd:dd");
}

}  // namespace

absl::StatusOr<absl::Time> ParseTimestamp(std::string_view text) {
  absl::Time time;
  std::string error;
  if (!HasTimeShape(text) || !absl::ParseTime(absl::RFC3339_full, ToAbsl(text), &time, &error)) {
    return absl::InvalidArgumentError(absl::StrCat("time \"", ToAbsl(text.substr(0, 64)),
                                                   "\": expected RFC 3339 such as "
                                                   "2026-01-02T03:04:05Z"));
  }
  return time;
}

std::string FormatTimestamp(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

std::string FormatMicroTimestamp(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

}  // namespace bth::types
