// Regular expressions of matches(), compiled once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace re2 {
class RE2;
}

namespace bth::cel {

// What compiling it took, in steps of work (cel/values/work.h).
uint64_t StepsOfPattern(const re2::RE2& regex);

// Immutable; any thread.
class Pattern {
 public:
  explicit Pattern(std::string_view text);
  ~Pattern();

  // Empty: it can be matched.
  const std::string& fault() const { return fault_; }
  uint64_t steps() const { return StepsOfPattern(*regex_); }
  // True where some part of `text` matches; the fault as an error.
  Value Matches(std::string_view text) const;

 private:
  std::unique_ptr<const re2::RE2> regex_;
  std::string fault_;
};

}  // namespace bth::cel
