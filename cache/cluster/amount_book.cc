#include "cache/cluster/amount_book.h"

#include <algorithm>
#include <bit>

#include "base/strings.h"

namespace bth::cache {
namespace {

int BitsOf(int64_t amount) {
  return amount <= 0 ? 0 : static_cast<int>(std::bit_width(static_cast<uint64_t>(amount)));
}

}  // namespace

absl::Status AmountBook::Check(const NamedAmounts& added, const NamedAmounts* replaced) const {
  for (const auto& [name, amount] : added) {
    const int bits = BitsOf(amount);
    if (bits <= kSmallBits) continue;
    const auto refused = [&n = name] {
      return absl::ResourceExhaustedError(
          StrCat(n, ": all amounts of this size together are too large to count with"));
    };
    if (amount > kAmountMax) return refused();
    int64_t sum = amount;
    const auto known = large_.find(name);
    if (known != large_.end()) sum += known->second[static_cast<size_t>(bits - kSmallBits - 1)];
    for (size_t i = 0; replaced != nullptr && i < replaced->size(); ++i) {
      const auto& [other, former] = (*replaced)[i];
      if (other == name && BitsOf(former) == bits) sum -= former;
    }
    if (sum > kClassMax) return refused();
  }
  return absl::OkStatus();
}

void AmountBook::Count(const NamedAmounts& amounts, int sign) {
  for (const auto& [name, amount] : amounts) {
    const int bits = BitsOf(amount);
    if (bits <= kSmallBits || amount > kAmountMax) continue;
    Sums& sums = large_[name];
    sums[static_cast<size_t>(bits - kSmallBits - 1)] += sign * amount;
    if (std::all_of(sums.begin(), sums.end(), [](int64_t sum) { return sum == 0; })) {
      large_.erase(name);
    }
  }
}

}  // namespace bth::cache
