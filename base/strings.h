// Bridges between std::string_view and the string view of the packaged Abseil.
#pragma once

#include <string_view>

#include "absl/strings/string_view.h"

namespace bth {

inline absl::string_view ToAbsl(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string_view ToStd(absl::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace bth
