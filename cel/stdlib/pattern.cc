#include "cel/stdlib/pattern.h"

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/strings.h"
#include "re2/re2.h"

namespace bth::cel {
namespace {

// Bounds what compiling and running a pattern takes, in bytes.
constexpr int64_t kPatternMemoryMax = int64_t{2} << 20;

// As Go names what is wrong with a pattern.
std::string_view PatternFault(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge:
      return "expression too large";
    default:
      return "internal error";
  }
}

}  // namespace

Pattern::Pattern(std::string_view text) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kPatternMemoryMax);
  regex_ = std::make_unique<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (regex_->ok()) return;
  fault_ = StrCat("error parsing regexp: ", PatternFault(regex_->error_code()), ": `",
                  regex_->error_arg(), "`");
}

Pattern::~Pattern() = default;

Value Pattern::Matches(std::string_view text) const {
  if (!fault_.empty()) return Value::Error(fault_);
  return Value::Bool(re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_));
}

}  // namespace bth::cel
