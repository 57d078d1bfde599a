// Regular expressions of matches(), compiled once.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace re2 {
class RE2;
}

namespace bth::cel {

// Immutable; any thread.
class Pattern {
 public:
  explicit Pattern(std::string_view text);
  ~Pattern();

  // Empty: it can be matched.
  const std::string& fault() const { return fault_; }
  // True where some part of `text` matches; the fault as an error.
  Value Matches(std::string_view text) const;

 private:
  std::unique_ptr<const re2::RE2> regex_;
  std::string fault_;
};

}  // namespace bth::cel
