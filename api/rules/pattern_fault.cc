#include "api/rules/pattern_fault.h"

#include <string_view>

#include "base/strings.h"
#include "re2/re2.h"

namespace bth::rules {
namespace {

std::string_view GoWordsOf(re2::RE2::ErrorCode code) {
  using re2::RE2;
  switch (code) {
    case RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case RE2::ErrorBadCharClass:
      return "invalid character class";
    case RE2::ErrorBadCharRange:
      return "invalid character class range";
    case RE2::ErrorMissingBracket:
      return "missing closing ]";
    case RE2::ErrorMissingParen:
      return "missing closing )";
    case RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case RE2::ErrorPatternTooLarge:
      return "expression too large";
    case RE2::NoError:
    case RE2::ErrorInternal:
      break;
  }
  return "regexp/syntax: internal error";
}

// The part of the pattern that Go would show: what stands unclosed or is too large, it shows whole.
std::string_view ShownOfPattern(const re2::RE2& compiled) {
  switch (compiled.error_code()) {
    case re2::RE2::ErrorMissingParen:
    case re2::RE2::ErrorUnexpectedParen:
    case re2::RE2::ErrorPatternTooLarge:
      return compiled.pattern();
    case re2::RE2::ErrorTrailingBackslash:
      return "";  // Behind a backslash at the end there is nothing to show.
    default:
      return compiled.error_arg();
  }
}

}  // namespace

std::string PatternFault(const re2::RE2& pattern) {
  return StrCat("error parsing regexp: ", GoWordsOf(pattern.error_code()), ": `",
                ShownOfPattern(pattern), "`");
}

}  // namespace bth::rules
