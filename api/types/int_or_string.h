// A field that is either a number or a text such as "25%".
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace bth::types {

struct IntOrString {
  bool is_string = false;
  int32_t number = 0;
  std::string text;

  // The number itself, or the percentage of `total`, rounded up or down. kInvalidArgument for other
  // texts.
  absl::StatusOr<int64_t> Scaled(int64_t total, bool round_up) const;
  bool operator==(const IntOrString&) const = default;
};

}  // namespace bth::types
