#include "sim/trace/lines.h"

#include <cmath>
#include <istream>

#include "base/status.h"
#include "base/strings.h"

namespace bth::trace {
namespace {

// Of numbers that anything here could mean.
constexpr double kNumberMax = 1e15;

std::string Shown(std::string_view text) {
  constexpr size_t kShownMax = 40;
  std::string out;
  for (const char c : text.substr(0, kShownMax)) out.push_back(c >= ' ' && c <= '~' ? c : '?');
  return text.size() > kShownMax ? out + "..." : out;
}

}  // namespace

absl::StatusOr<bool> LineReader::Next(std::string_view* line) {
  in_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  if (in_.bad()) return absl::InvalidArgumentError(StrCat(file_, ": cannot be read"));
  const auto bytes = static_cast<size_t>(in_.gcount());
  if (in_.eof() && bytes == 0) return false;
  ++number_;
  if (in_.fail()) {
    return Refuse(StrCat("the line is longer than ", kLineBytesMax, " bytes; is this a trace?"));
  }
  // The end of the line was read, if there was one.
  *line = std::string_view(buffer_.data(), in_.eof() ? bytes : bytes - 1);
  if (line->ends_with('\r')) line->remove_suffix(1);
  return true;
}

absl::Status LineReader::Here(const absl::Status& status) const {
  return Annotate(status, StrCat(file_, ":", number_));
}

absl::Status LineReader::Refuse(std::string_view what) const {
  return Here(absl::InvalidArgumentError(ToAbsl(what)));
}

absl::StatusOr<int64_t> ParseSeconds(std::string_view what, std::string_view text) {
  double value = 0;
  if (!SimpleAtod(text, &value) || !std::isfinite(value)) {
    return absl::InvalidArgumentError(
        StrCat(what, ": \"", Shown(text), "\" is no number of seconds"));
  }
  if (std::abs(value) > kNumberMax) {
    return absl::InvalidArgumentError(StrCat(what, ": ", Shown(text), " is far too large"));
  }
  return std::llround(value);
}

absl::StatusOr<int64_t> ParseCount(std::string_view what, std::string_view text) {
  int64_t value = 0;
  if (!SimpleAtoi(text, &value)) {
    return absl::InvalidArgumentError(StrCat(what, ": \"", Shown(text), "\" is no whole number"));
  }
  return value;
}

}  // namespace bth::trace
