// Words of a known list in API fields, such as phases and actions. Clusters may hold words that are
// younger than this program: they are kept as they are and never an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bth::types {

// The texts of an enumeration in the order of its enumerators, defined beside each of them:
//
//   enum class Mood : uint8_t { kNone, kGood, kBad, kOther };
//   template <>
//   struct WordTable<Mood> {
//     static constexpr std::string_view kTexts[] = {"", "Good", "Bad"};
//   };
//
// The first enumerator is kNone, an absent or empty field; the last is kOther, any text that is not
// in the table.
template <class E>
struct WordTable;

// All known texts but the empty one.
template <class E>
constexpr std::span<const std::string_view> KnownWords() {
  return std::span<const std::string_view>(WordTable<E>::kTexts).subspan(1);
}

// E::kOther for unknown texts.
template <class E>
constexpr E ParseWord(std::string_view text) {
  constexpr size_t kCount = std::size(WordTable<E>::kTexts);
  static_assert(kCount == static_cast<size_t>(E::kOther), "one text per enumerator before kOther");
  for (size_t i = 0; i < kCount; ++i) {
    if (WordTable<E>::kTexts[i] == text) return static_cast<E>(i);
  }
  return E::kOther;
}

// Empty for kNone and kOther.
template <class E>
constexpr std::string_view WordText(E value) {
  return value == E::kOther ? std::string_view() : WordTable<E>::kTexts[static_cast<size_t>(value)];
}

// A field that holds such a word, or another text.
template <class E>
class Word {
 public:
  Word() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): an enumerator is a word. Not for kOther.
  Word(E value) : value_(value) {}
  explicit Word(std::string_view text) : value_(ParseWord<E>(text)) {
    if (value_ == E::kOther) other_.assign(text);
  }

  E value() const { return value_; }
  std::string_view text() const { return value_ == E::kOther ? other_ : WordText(value_); }
  bool empty() const { return value_ == E::kNone; }

  friend bool operator==(const Word&, const Word&) = default;
  friend bool operator==(const Word& word, E value) { return word.value_ == value; }

 private:
  E value_ = E::kNone;
  std::string other_;  // The text of kOther.
};

}  // namespace bth::types
