#include "admission/rules/member_pattern.h"

#include "base/strings.h"

namespace bth::admission {
namespace {

std::string_view GoWords(re2::RE2::ErrorCode code) {
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
std::string_view ShownPart(const re2::RE2& compiled) {
  switch (compiled.error_code()) {
    case re2::RE2::ErrorMissingParen:
    case re2::RE2::ErrorUnexpectedParen:
    case re2::RE2::ErrorPatternTooLarge:
      return compiled.pattern();
    default:
      return compiled.error_arg();
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<re2::RE2>> CompilePattern(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternBytesMax);
  auto compiled =
      std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (compiled->ok()) return compiled;
  const std::string_view words = GoWords(compiled->error_code());
  // Behind a backslash at the end there is nothing to show.
  const bool shows = compiled->error_code() != re2::RE2::ErrorTrailingBackslash;
  return absl::InvalidArgumentError(
      StrCat("error parsing regexp: ", words, ": `", shows ? ShownPart(*compiled) : "", "`"));
}

}  // namespace bth::admission
