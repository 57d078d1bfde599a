#include "plugins/tdm/window.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"

namespace bth::plugins::tdm {
namespace {

constexpr int kDayMinutes = 24 * 60;

bool IsDigits(absl::string_view text, size_t least, size_t most) {
  if (text.size() < least || text.size() > most) return false;
  for (char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

std::optional<int> ParseMoment(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() != 2 || !IsDigits(parts[0], 1, 2) || !IsDigits(parts[1], 2, 2)) {
    return std::nullopt;
  }
  int hours = 0;
  int minutes = 0;
  if (!absl::SimpleAtoi(parts[0], &hours) || !absl::SimpleAtoi(parts[1], &minutes)) {
    return std::nullopt;
  }
  if (hours > 23 || minutes > 59) return std::nullopt;
  return hours * 60 + minutes;
}

}  // namespace

std::optional<Window> Window::Parse(std::string_view text) {
  const std::vector<absl::string_view> parts = SplitText(StripAsciiWhitespace(text), '-');
  if (parts.size() != 2) return std::nullopt;
  const std::optional<int> begin = ParseMoment(parts[0]);
  const std::optional<int> end = ParseMoment(parts[1]);
  if (!begin || !end) return std::nullopt;
  return Window{.begin_minutes = *begin, .end_minutes = *end};
}

bool Window::Contains(absl::Time now, absl::TimeZone zone) const {
  const absl::CivilSecond local = absl::ToCivilSecond(now, zone);
  const int second = (local.hour() * 60 + local.minute()) * 60 + local.second();
  const int begin = begin_minutes * 60;
  const int end = end_minutes * 60;
  if (begin < end) return begin <= second && second <= end;
  return begin <= second || second <= end;
}

absl::Duration Window::length() const {
  const int minutes = end_minutes - begin_minutes;
  return absl::Minutes(minutes > 0 ? minutes : minutes + kDayMinutes);
}

}  // namespace bth::plugins::tdm
