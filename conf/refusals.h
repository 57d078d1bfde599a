// Everything a policy is refused for, as one error.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace bth::conf {

// Whoever mends a file wants to know all that is wrong with it at once. One error is told as it is;
// several as `3 errors: (1) …; (2) …; (3) …`, kToldMax of them at most.
class Refusals final {
 public:
  static constexpr size_t kToldMax = 10;

  void Note(const absl::Status& status);  // OK: nothing to note.
  // OK when there were none, else kInvalidArgument.
  absl::Status status() const;
  // One by one, as far as they are told.
  const std::vector<std::string>& told() const { return told_; }

 private:
  size_t count_ = 0;
  std::vector<std::string> told_;
};

}  // namespace bth::conf
