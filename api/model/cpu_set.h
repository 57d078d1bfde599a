// CPUs of a node by number.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace bth::model {

// A set of them, in fixed room. Trivially copyable.
class CpuSet {
 public:
  static constexpr int kCpusMax = 1024;  // Beyond these no number is known.

  // 0 ≤ cpu < kCpusMax.
  void Add(int cpu) { words_[Word(cpu)] |= Bit(cpu); }
  bool Has(int cpu) const { return (words_[Word(cpu)] & Bit(cpu)) != 0; }
  int size() const {
    int count = 0;
    for (uint64_t word : words_) count += std::popcount(word);
    return count;
  }
  bool empty() const { return *this == CpuSet(); }
  bool Within(const CpuSet& other) const { return (*this & other) == *this; }

  // Calls visit(cpu), lowest first.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (size_t w = 0; w < kWords; ++w) {
      for (uint64_t word = words_[w]; word != 0; word &= word - 1) {
        visit(static_cast<int>(w * kWordBits) + std::countr_zero(word));
      }
    }
  }

  CpuSet& operator|=(const CpuSet& other) {
    for (size_t w = 0; w < kWords; ++w) words_[w] |= other.words_[w];
    return *this;
  }
  CpuSet& operator&=(const CpuSet& other) {
    for (size_t w = 0; w < kWords; ++w) words_[w] &= other.words_[w];
    return *this;
  }
  CpuSet& operator-=(const CpuSet& other) {
    for (size_t w = 0; w < kWords; ++w) words_[w] &= ~other.words_[w];
    return *this;
  }
  friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
  friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
  friend CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }
  friend bool operator==(const CpuSet&, const CpuSet&) = default;

 private:
  static constexpr size_t kWordBits = 64;
  static constexpr size_t kWords = kCpusMax / kWordBits;
  static constexpr size_t Word(int cpu) { return static_cast<size_t>(cpu) / kWordBits; }
  static constexpr uint64_t Bit(int cpu) {
    return uint64_t{1} << (static_cast<size_t>(cpu) % kWordBits);
  }

  std::array<uint64_t, kWords> words_{};
};

}  // namespace bth::model
