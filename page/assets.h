// The files of page/assets/, compiled in.
#pragma once

#include <string_view>

#include "absl/types/span.h"

namespace bth::page {

struct Asset {
  std::string_view name;  // Without a folder: "page.css".
  std::string_view text;
};

// In the order of their names.
absl::Span<const Asset> Assets();

}  // namespace bth::page
