#include "cel/stdlib/pattern.h"

#include <cstdint>
#include <memory>
#include <string_view>

#include "api/rules/pattern_fault.h"
#include "re2/re2.h"

namespace bth::cel {
namespace {

// Bounds what compiling and running a pattern takes, in bytes.
constexpr int64_t kPatternMemoryMax = int64_t{2} << 20;

}  // namespace

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
