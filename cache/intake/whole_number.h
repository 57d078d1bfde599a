// Whole numbers in names, labels and annotations.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bth::cache {

// The number that `text` is, with an optional sign; nothing when anything else is in it, spaces
// included, or when T cannot hold it.
template <typename T = int64_t>
std::optional<T> WholeNumber(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace bth::cache
