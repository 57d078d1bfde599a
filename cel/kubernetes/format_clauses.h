// The clauses of texts to be formatted: "%d of %.2f".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace bth::cel {

// Digits after the point; more are refused.
inline constexpr int kPrecisionMax = 1000;

struct FormatClause {
  char verb = 's';  // One of sdfeboxX.
  int precision = 0;
  size_t argument = 0;  // Which one it formats.
};

// What a verb takes, in words: "octal clause can only be used on integers".
std::string_view ClauseRule(char verb);

// Reads a text clause by clause; views it. One use.
class FormatReader final {
 public:
  explicit FormatReader(std::string_view format) : rest_(format) {}
  // Goes to the next clause and appends the text before it. False: there is none.
  bool ToClause(std::string* text);
  // The clause it has come to, which is one more of `arguments`. Errors: kInvalidArgument, in the
  // words of the language's own implementation.
  absl::StatusOr<FormatClause> Read(size_t arguments);
  size_t clauses() const { return clauses_; }

 private:
  std::string_view rest_;
  size_t clauses_ = 0;
};

}  // namespace bth::cel
