// Appends JSON to a text by pieces that are mostly short. Private to this folder's .cc files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "api/types/text_codec.h"

namespace bth::types {

// The text grows ahead of what is written, and has its size again when the writer ends. Nobody else
// touches it meanwhile.
class TextWriter final {
 public:
  // `expected`: how much will be written; more may come.
  TextWriter(std::string* out, size_t expected) : out_(*out), begin_(out->size()), used_(begin_) {
    out_.resize(begin_ + expected);
  }
  TextWriter(const TextWriter&) = delete;
  ~TextWriter() { out_.resize(used_); }

  void Byte(char byte) {
    *Room(1) = byte;
    ++used_;
  }
  void Plain(std::string_view text) {
    std::memcpy(Room(text.size()), text.data(), text.size());
    used_ += text.size();
  }
  // In quotes, with what must be escaped.
  void Quoted(std::string_view text) {
    if (NeedsNoEscapes(text)) {
      char* const to = Room(text.size() + 2);
      *to = '"';
      std::memcpy(to + 1, text.data(), text.size());
      to[text.size() + 1] = '"';
      used_ += text.size() + 2;
    } else {
      std::string escaped;
      AppendJsonString(text, &escaped);
      Plain(escaped);
    }
  }

 private:
  char* Room(size_t bytes) {
    if (out_.size() - used_ < bytes) Grow(bytes);
    return out_.data() + used_;
  }
  // By as much as was written already, so that a short piece of a long text costs little.
  void Grow(size_t bytes) {
    const size_t ahead = std::clamp(used_ - begin_, kAheadMin, kAheadMax);
    out_.resize(used_ + std::max(bytes, ahead));
  }

  static constexpr size_t kAheadMin = 128;
  static constexpr size_t kAheadMax = size_t{64} << 10;

  std::string& out_;
  const size_t begin_;
  size_t used_;
};

}  // namespace bth::types
