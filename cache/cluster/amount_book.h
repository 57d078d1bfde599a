// What all objects of one kind ask for together, so that no sum over them can overflow.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Amounts below 2^39 (half a tebibyte; 500 million cores) are not looked at: a million of them sum
// up to 2^59. Larger ones, up to the most that an object may ask for, are summed up by resource and
// size (powers of two), and each such sum stays within 2^56, so that huge requests use up what
// there is for huge ones only. All together stay below 2^61, in 64 bits, exact. Thread: one owner.
// Cost of each call: the amounts.
class AmountBook {
 public:
  // `most`: kAmountMax or kAmountSumMax.
  explicit AmountBook(int64_t most) : most_(most) {}

  // kResourceExhausted names the resource of which `added` in place of `replaced` (null: nothing)
  // would be too much to count with.
  absl::Status Check(const NamedAmounts& added, const NamedAmounts* replaced) const;
  void Add(const NamedAmounts& amounts) { Count(amounts, +1, &large_); }
  void Remove(const NamedAmounts& amounts) { Count(amounts, -1, &large_); }
  // Some of them are large.
  bool CountsSome(const NamedAmounts& amounts) const;

 private:
  static constexpr size_t kClasses = 18;  // From 2^39 to 2^56.
  using Sums = std::array<int64_t, kClasses>;
  using Large = absl::flat_hash_map<std::string, Sums>;  // By resource.

  bool Counts(int64_t amount) const;
  void Count(const NamedAmounts& amounts, int sign, Large* large) const;

  const int64_t most_;
  Large large_;
};

}  // namespace bth::cache
