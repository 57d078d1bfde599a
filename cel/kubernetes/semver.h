// Semantic versions (semver.org 2.0.0): order and validity. Plain value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace bth::cel {

class Semver {
 public:
  // Errors (kInvalidArgument) in the words of the version library that Kubernetes uses.
  static absl::StatusOr<Semver> Parse(std::string_view text);
  // Takes also what people write: a leading v, missing minor and patch numbers, leading zeros.
  static absl::StatusOr<Semver> ParseLoosely(std::string_view text);

  uint64_t major() const { return major_; }
  uint64_t minor() const { return minor_; }
  uint64_t patch() const { return patch_; }
  // -1, 0 or 1; what follows a + does not count.
  int Compare(const Semver& other) const;
  std::string ToString() const;

 private:
  // A part of what follows the -.
  struct Part {
    std::string text;
    uint64_t number = 0;
    bool is_number = false;
  };
  static absl::StatusOr<Part> ParsePart(std::string_view text);
  static int ComparePart(const Part& a, const Part& b);

  uint64_t major_ = 0;
  uint64_t minor_ = 0;
  uint64_t patch_ = 0;
  std::vector<Part> before_release_;
  std::string build_;  // With its dots.
};

}  // namespace bth::cel
