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
// up to 2^59. Larger ones, up to kAmountMax, are summed up by resource and size (powers of two),
// and each such sum stays within 2^56, so that huge requests use up what there is for huge ones
// only. All together stay below 2^61, in 64 bits, exact. Thread: one owner.
class AmountBook {
 public:
  // kResourceExhausted names the resource of which `added` in place of `replaced` (null: nothing)
  // would be too much to count with.
  absl::Status Check(const NamedAmounts& added, const NamedAmounts* replaced) const;
  void Add(const NamedAmounts& amounts) { Count(amounts, +1); }
  void Remove(const NamedAmounts& amounts) { Count(amounts, -1); }

 private:
  static constexpr int kSmallBits = 39;
  static constexpr size_t kClasses = 49 - kSmallBits;
  static constexpr int64_t kClassMax = int64_t{1} << 56;
  using Sums = std::array<int64_t, kClasses>;

  void Count(const NamedAmounts& amounts, int sign);

  absl::flat_hash_map<std::string, Sums> large_;  // By resource.
};

}  // namespace bth::cache
