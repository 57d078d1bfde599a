#include "cel/stdlib/pattern.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "api/rules/pattern_fault.h"
#include "re2/re2.h"

namespace bth::cel {
namespace {

// Bounds what compiling and running a pattern takes, in bytes.
constexpr int64_t kPatternMemoryMax = int64_t{2} << 20;
// What one instruction of a compiled pattern takes, and a pattern that was given up as too large.
constexpr uint64_t kStepsPerInstruction = 4;
constexpr uint64_t kStepsOfTooLarge = uint64_t{1} << 18;

}  // namespace

uint64_t StepsOfPattern(const re2::RE2& regex) {
  if (regex.error_code() == re2::RE2::ErrorPatternTooLarge) return kStepsOfTooLarge;
  const auto instructions = static_cast<uint64_t>(std::max(regex.ProgramSize(), 0));
  return regex.pattern().size() + instructions * kStepsPerInstruction;
}

Pattern::Pattern(std::string_view text) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(kPatternMemoryMax);
  regex_ = std::make_unique<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (regex_->ok()) return;
  fault_ = rules::PatternFault(*regex_);
}

Pattern::~Pattern() = default;

Value Pattern::Matches(std::string_view text) const {
  if (!fault_.empty()) return Value::Error(fault_);
  return Value::Bool(re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_));
}

}  // namespace bth::cel
