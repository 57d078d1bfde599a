#include "cel/kubernetes/semver.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "absl/strings/ascii.h"
#include "base/status.h"
#include "base/strings.h"
#include "cel/values/text_forms.h"

namespace bth::cel {
namespace {

absl::Status BadVersion(std::string_view why) {
  return absl::InvalidArgumentError(ToAbsl(why));
}

bool IsVersionDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool IsVersionWord(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '-' || absl::ascii_isalnum(static_cast<unsigned char>(c));
  });
}

bool HasLeadingZero(std::string_view text) {
  return text.size() > 1 && text[0] == '0';
}

absl::StatusOr<uint64_t> ReadVersionNumber(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return BadVersion(
      StrCat("strconv.ParseUint: parsing ", QuotedText(text), ": ",
             error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
}

// `name` with a capital ("Major") or without, as the messages have it.
absl::StatusOr<uint64_t> ReadVersionElement(std::string_view text, std::string_view name) {
  if (!IsVersionDigits(text)) {
    return BadVersion(StrCat("Invalid character(s) found in ", AsciiStrToLower(name), " number ",
                             QuotedText(text)));
  }
  if (HasLeadingZero(text)) {
    return BadVersion(StrCat(name, " number must not contain leading zeroes ", QuotedText(text)));
  }
  return ReadVersionNumber(text);
}

int VersionOrder(uint64_t a, uint64_t b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Takes what follows the first `mark` away from `text`; whether there was one.
bool TakeVersionTail(std::string_view* text, char mark, std::string_view* tail) {
  const size_t at = text->find(mark);
  if (at == text->npos) return false;
  *tail = text->substr(at + 1);
  *text = text->substr(0, at);
  return true;
}

// Without zeros before other digits. What does not begin with a digit then gets a zero, as part of
// a message that names it.
std::string WithoutZeros(std::string_view part) {
  if (part.size() < 2) return std::string(part);
  const size_t first = part.find_first_not_of('0');
  part = first == part.npos ? std::string_view() : part.substr(first);
  const bool digit = !part.empty() && part[0] >= '0' && part[0] <= '9';
  return StrCat(digit ? "" : "0", part);
}

absl::Status CheckBuild(std::string_view build) {
  for (absl::string_view part : SplitText(build, '.')) {
    if (part.empty()) return BadVersion("Build meta data is empty");
    if (!IsVersionWord(ToStd(part))) {
      return BadVersion(
          StrCat("Invalid character(s) found in build meta data ", QuotedText(ToStd(part))));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Semver::Part> Semver::ParsePart(std::string_view text) {
  if (text.empty()) return BadVersion("Prerelease is empty");
  Part part;
  part.text = text;
  if (IsVersionDigits(text)) {
    if (HasLeadingZero(text)) {
      return BadVersion(
          StrCat("Numeric PreRelease version must not contain leading zeroes ", QuotedText(text)));
    }
    part.is_number = true;
    BTH_ASSIGN_OR_RETURN(part.number, ReadVersionNumber(text));
  } else if (!IsVersionWord(text)) {
    return BadVersion(StrCat("Invalid character(s) found in prerelease ", QuotedText(text)));
  }
  return part;
}

absl::StatusOr<Semver> Semver::Parse(std::string_view text) {
  if (text.empty()) return BadVersion("Version string empty");
  const size_t first = text.find('.');
  const size_t second = first == text.npos ? first : text.find('.', first + 1);
  if (second == text.npos) return BadVersion("No Major.Minor.Patch elements found");
  Semver version;
  BTH_ASSIGN_OR_RETURN(version.major_, ReadVersionElement(text.substr(0, first), "Major"));
  BTH_ASSIGN_OR_RETURN(version.minor_,
                       ReadVersionElement(text.substr(first + 1, second - first - 1), "Minor"));
  std::string_view patch = text.substr(second + 1), build, before_release;
  const bool has_build = TakeVersionTail(&patch, '+', &build);
  const bool is_before = TakeVersionTail(&patch, '-', &before_release);
  BTH_ASSIGN_OR_RETURN(version.patch_, ReadVersionElement(patch, "Patch"));
  if (is_before) {
    for (absl::string_view part : SplitText(before_release, '.')) {
      BTH_ASSIGN_OR_RETURN(Part parsed, ParsePart(ToStd(part)));
      version.before_release_.push_back(std::move(parsed));
    }
  }
  if (has_build) {
    BTH_RETURN_IF_ERROR(CheckBuild(build));
    version.build_ = build;
  }
  return version;
}

absl::StatusOr<Semver> Semver::ParseLoosely(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  // Only three numbers may carry more; a shorter version is completed as a whole.
  std::array<std::string_view, 3> parts;
  size_t count = 0;
  while (count < 3) {
    const size_t dot = count < 2 ? text.find('.') : text.npos;
    parts[count++] = text.substr(0, dot);
    if (dot == text.npos) break;
    text.remove_prefix(dot + 1);
  }
  if (count < 3 && parts[count - 1].find_first_of("+-") != std::string_view::npos) {
    return BadVersion("short version cannot contain PreRelease/Build meta data");
  }
  std::string whole;
  for (size_t i = 0; i < 3; ++i) {
    StrAppend(&whole, i == 0 ? "" : ".", i < count ? WithoutZeros(parts[i]) : "0");
  }
  return Parse(whole);
}

int Semver::ComparePart(const Part& a, const Part& b) {
  if (a.is_number && b.is_number) return VersionOrder(a.number, b.number);
  if (a.is_number != b.is_number) return a.is_number ? -1 : 1;
  const int order = a.text.compare(b.text);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

int Semver::Compare(const Semver& other) const {
  for (const int order : {VersionOrder(major_, other.major_), VersionOrder(minor_, other.minor_),
                          VersionOrder(patch_, other.patch_)}) {
    if (order != 0) return order;
  }
  const std::vector<Part>& mine = before_release_;
  const std::vector<Part>& others = other.before_release_;
  // What comes before a release is less than it.
  if (mine.empty() || others.empty()) return VersionOrder(mine.empty(), others.empty());
  for (size_t i = 0; i < std::min(mine.size(), others.size()); ++i) {
    if (const int order = ComparePart(mine[i], others[i]); order != 0) return order;
  }
  return VersionOrder(mine.size(), others.size());
}

std::string Semver::ToString() const {
  std::string out = StrCat(major_, ".", minor_, ".", patch_);
  for (size_t i = 0; i < before_release_.size(); ++i) {
    StrAppend(&out, i == 0 ? "-" : ".", before_release_[i].text);
  }
  if (!build_.empty()) StrAppend(&out, "+", build_);
  return out;
}

}  // namespace bth::cel
