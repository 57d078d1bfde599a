// Abseil's functions on text for std::string_view, which the packaged Abseil does not know: its
// string view is a type of its own there.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace bth {

// For what has no function here.
inline absl::string_view ToAbsl(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string_view ToStd(absl::string_view text) {
  return {text.data(), text.size()};
}

namespace strings_detail {
template <typename T>
decltype(auto) Piece(const T& piece) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return ToAbsl(piece);
  } else {
    return (piece);
  }
}
}  // namespace strings_detail

// Pieces may be all that absl::StrCat takes, and std::string_view.
template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  return absl::StrCat(strings_detail::Piece(pieces)...);
}
template <typename... Pieces>
void StrAppend(std::string* out, const Pieces&... pieces) {
  absl::StrAppend(out, strings_detail::Piece(pieces)...);
}

// absl::StrSplit under another name, since a call with its delimiters would find both. The pieces
// refer to `text`.
template <typename Delimiter>
auto SplitText(std::string_view text, Delimiter delimiter) {
  return absl::StrSplit(ToAbsl(text), std::move(delimiter));
}
template <typename Delimiter, typename Predicate>
auto SplitText(std::string_view text, Delimiter delimiter, Predicate predicate) {
  return absl::StrSplit(ToAbsl(text), std::move(delimiter), std::move(predicate));
}

template <typename Integer>
[[nodiscard]] bool SimpleAtoi(std::string_view text, Integer* out) {
  return absl::SimpleAtoi(ToAbsl(text), out);
}
[[nodiscard]] inline bool SimpleAtod(std::string_view text, double* out) {
  return absl::SimpleAtod(ToAbsl(text), out);
}

// A part of `text`.
inline std::string_view StripAsciiWhitespace(std::string_view text) {
  return ToStd(absl::StripAsciiWhitespace(ToAbsl(text)));
}
inline std::string AsciiStrToLower(std::string_view text) {
  return absl::AsciiStrToLower(ToAbsl(text));
}
inline std::string AsciiStrToUpper(std::string_view text) {
  return absl::AsciiStrToUpper(ToAbsl(text));
}
inline std::string Base64Escape(std::string_view bytes) {
  return absl::Base64Escape(ToAbsl(bytes));
}
[[nodiscard]] inline bool Base64Unescape(std::string_view text, std::string* bytes) {
  return absl::Base64Unescape(ToAbsl(text), bytes);
}

inline bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b));
}
inline bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  return absl::StartsWithIgnoreCase(ToAbsl(text), ToAbsl(prefix));
}
inline bool StrContains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace bth
