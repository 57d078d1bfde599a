#include "admission/rules/member_pattern.h"

#include "api/rules/pattern_fault.h"

namespace bth::admission {

absl::StatusOr<std::unique_ptr<re2::RE2>> CompilePattern(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternBytesMax);
  auto compiled =
      std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (compiled->ok()) return compiled;
  return absl::InvalidArgumentError(rules::PatternFault(*compiled));
}

}  // namespace bth::admission
