#include "cel/kubernetes/format_clauses.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "cel/kubernetes/code_points.h"

namespace bth::cel {
namespace {

constexpr int kUsualPrecision = 6;

absl::Status ClauseFault(std::string_view why) {
  return absl::InvalidArgumentError(StrCat("could not parse formatting clause: ", why));
}

// The .N before a verb, which it takes away.
absl::StatusOr<int> TakePrecision(std::string_view* rest) {
  static constexpr char kDoing[] = "error while parsing precision: ";
  if (!rest->starts_with('.')) return kUsualPrecision;
  const size_t end = rest->find_first_not_of("0123456789", 1);
  if (end == rest->npos) {
    return ClauseFault(StrCat(kDoing, "could not find end of precision specifier"));
  }
  const std::string_view digits = rest->substr(1, end - 1);
  rest->remove_prefix(end);
  int precision = 0;
  if (digits.empty()) {
    return ClauseFault(StrCat(kDoing,
                              "error while converting precision to integer: "
                              "strconv.Atoi: parsing \"\": invalid syntax"));
  }
  if (!SimpleAtoi(digits, &precision) || precision > kPrecisionMax) {
    return ClauseFault(StrCat(kDoing, digits, " is more than ", kPrecisionMax));
  }
  return precision;
}

}  // namespace

std::string_view ClauseRule(char verb) {
  switch (verb) {
    case 'd':
      return "decimal clause can only be used on integers";
    case 'f':
      return "fixed-point clause can only be used on doubles";
    case 'e':
      return "scientific clause can only be used on doubles";
    case 'b':
      return "only integers and bools can be formatted as binary";
    case 'o':
      return "octal clause can only be used on integers";
    case 'x':
    case 'X':
      return "only integers, byte buffers, and strings can be formatted as hex";
    default:
      return "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
             "types, durations, and timestamps";
  }
}

bool FormatReader::ToClause(std::string* text) {
  while (!rest_.empty()) {
    const size_t percent = std::min(rest_.find('%'), rest_.size());
    text->append(rest_.substr(0, percent));
    rest_.remove_prefix(percent);
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);
    if (!rest_.starts_with('%')) return true;
    text->push_back('%');
    rest_.remove_prefix(1);
  }
  return false;
}

absl::StatusOr<FormatClause> FormatReader::Read(size_t arguments) {
  if (rest_.empty()) return absl::InvalidArgumentError("unexpected end of string");
  if (clauses_ >= arguments) {
    return absl::InvalidArgumentError(StrCat("index ", clauses_, " out of range"));
  }
  FormatClause clause{.argument = clauses_++};
  BTH_ASSIGN_OR_RETURN(clause.precision, TakePrecision(&rest_));
  const char32_t verb = TakeCodePoint(&rest_);
  if (verb >= 0x80 || !StrContains("sdfeboxX", std::string(1, static_cast<char>(verb)))) {
    std::string text;
    AppendCodePoint(verb, &text);
    return ClauseFault(StrCat("unrecognized formatting clause \"", text, "\""));
  }
  clause.verb = static_cast<char>(verb);
  return clause;
}

}  // namespace bth::cel
