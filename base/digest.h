// A 64-bit digest that is the same in every process and on every machine. Not for security.
#pragma once

#include <cstdint>
#include <string_view>

namespace bth {

class Digest {
 public:
  void Add(uint64_t word) {
    state_ ^= word + 0x9e3779b97f4a7c15ULL + (state_ << 6) + (state_ >> 2);
    state_ *= 0xff51afd7ed558ccdULL;
    state_ ^= state_ >> 33;
  }
  void Add(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a, 64 bit.
    for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    Add(hash);
    Add(text.size());
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x2545f4914f6cdd1dULL;
};

}  // namespace bth
