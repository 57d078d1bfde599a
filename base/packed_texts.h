// Some short texts in one piece of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace bth {

// For what is kept many times and seldom read: the object takes 8 bytes, and the heap one piece
// with the number of texts and, before each text, its length. Without texts there is none. Cost of
// reading: linear in the texts before. Thread: one owner, or constant.
class PackedTexts {
 public:
  PackedTexts() = default;
  // Empty texts at the end are left out.
  explicit PackedTexts(const std::vector<std::string_view>& texts) {
    size_t count = texts.size();
    while (count > 0 && texts[count - 1].empty()) --count;
    if (count == 0) return;
    size_t bytes = WidthOf(count);
    for (size_t i = 0; i < count; ++i) bytes += WidthOf(texts[i].size()) + texts[i].size();
    bytes_ = std::make_unique_for_overwrite<char[]>(bytes);
    char* at = WriteNumber(count, bytes_.get());
    for (size_t i = 0; i < count; ++i) {
      at = WriteNumber(texts[i].size(), at);
      if (!texts[i].empty()) std::memcpy(at, texts[i].data(), texts[i].size());
      at += texts[i].size();
    }
  }
  PackedTexts(const PackedTexts& other) {
    if (other.bytes_ == nullptr) return;
    const std::string_view bytes = other.bytes();
    bytes_ = std::make_unique_for_overwrite<char[]>(bytes.size());
    std::memcpy(bytes_.get(), bytes.data(), bytes.size());
  }
  PackedTexts(PackedTexts&&) noexcept = default;
  PackedTexts& operator=(PackedTexts other) noexcept {
    bytes_ = std::move(other.bytes_);
    return *this;
  }

  bool empty() const { return bytes_ == nullptr; }
  // Up to the last one that is not empty.
  size_t size() const {
    size_t count = 0;
    if (bytes_ != nullptr) ReadNumber(bytes_.get(), &count);
    return count;
  }
  // Empty beyond the last one. Valid while this lives and is not assigned to.
  std::string_view operator[](size_t index) const {
    std::string_view found;
    ForEach([&found, &index](std::string_view text) {
      if (index-- == 0) found = text;
    });
    return found;
  }
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    if (bytes_ == nullptr) return;
    size_t count = 0;
    const char* at = ReadNumber(bytes_.get(), &count);
    for (; count > 0; --count) {
      size_t length = 0;
      at = ReadNumber(at, &length);
      visit(std::string_view(at, length));
      at += length;
    }
  }

  // The same for the same texts. Valid while this lives and is not assigned to.
  std::string_view bytes() const {
    if (bytes_ == nullptr) return {};
    const char* end = bytes_.get() + WidthOf(size());
    ForEach([&end](std::string_view text) { end = text.data() + text.size(); });
    return {bytes_.get(), static_cast<size_t>(end - bytes_.get())};
  }

  friend bool operator==(const PackedTexts& a, const PackedTexts& b) {
    return a.bytes() == b.bytes();
  }

 private:
  // Numbers are written in groups of seven bits, the lowest first; the last byte is below 128.
  static constexpr size_t WidthOf(size_t number) {
    size_t width = 1;
    for (; number >= 128; number >>= 7) ++width;
    return width;
  }
  static char* WriteNumber(size_t number, char* at) {
    for (; number >= 128; number >>= 7) *at++ = static_cast<char>(number | 128);
    *at++ = static_cast<char>(number);
    return at;
  }
  static const char* ReadNumber(const char* at, size_t* number) {
    *number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at++);
      *number |= static_cast<size_t>(byte & 127) << shift;
      if (byte < 128) return at;
    }
  }

  std::unique_ptr<char[]> bytes_;
};

}  // namespace bth
