// Numbers and amounts that outside objects name.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/types/pod.h"

namespace bth::devices {

// A whole decimal number, nothing beside it. Nothing: it is none, or too large for T.
template <typename T>
std::optional<T> ReadNumber(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Between zero and `max`; what is no number is zero.
template <typename T>
T ReadBounded(std::string_view text, T max) {
  return std::clamp(ReadNumber<T>(text).value_or(T{0}), T{0}, max);
}

// Whole units of a resource, between zero and `max`; nothing: the list does not name it.
inline std::optional<int64_t> AmountOf(const types::ResourceList& list, std::string_view resource,
                                       int64_t max) {
  const types::Quantity* amount = resource.empty() ? nullptr : list.Find(resource);
  if (amount == nullptr) return std::nullopt;
  return std::clamp<int64_t>(amount->Value(), 0, max);
}

}  // namespace bth::devices
