#include "cache/cluster/amount_book.h"

#include <algorithm>
#include <bit>

#include "base/strings.h"

namespace bth::cache {
namespace {

constexpr int kSmallBits = 39;
constexpr int64_t kClassMax = int64_t{1} << 56;

int BitsOf(int64_t amount) {
  return amount <= 0 ? 0 : static_cast<int>(std::bit_width(static_cast<uint64_t>(amount)));
}

// Of an amount above that.
size_t SizeOf(int64_t amount) {
  return static_cast<size_t>(BitsOf(amount) - kSmallBits - 1);
}

}  // namespace

bool AmountBook::Counts(int64_t amount) const {
  return BitsOf(amount) > kSmallBits && amount <= most_;
}

bool AmountBook::CountsSome(const NamedAmounts& amounts) const {
  return std::any_of(amounts.begin(), amounts.end(),
                     [this](const auto& entry) { return Counts(entry.second); });
}

absl::Status AmountBook::Check(const NamedAmounts& added, const NamedAmounts* replaced) const {
  Large former;
  if (replaced != nullptr) Count(*replaced, +1, &former);
  const auto sum_of = [](const Large& large, const std::string& name, size_t size) {
    const auto known = large.find(name);
    return known == large.end() ? 0 : known->second[size];
  };
  for (const auto& [name, amount] : added) {
    const bool is_large = BitsOf(amount) > kSmallBits;
    if (!is_large) continue;
    const bool fits = Counts(amount) && amount + sum_of(large_, name, SizeOf(amount)) -
                                                sum_of(former, name, SizeOf(amount)) <=
                                            kClassMax;
    if (!fits) {
      return absl::ResourceExhaustedError(
          StrCat(name, ": all amounts of this size together are too large to count with"));
    }
  }
  return absl::OkStatus();
}

void AmountBook::Count(const NamedAmounts& amounts, int sign, Large* large) const {
  for (const auto& [name, amount] : amounts) {
    if (!Counts(amount)) continue;
    Sums& sums = (*large)[name];
    sums[SizeOf(amount)] += sign * amount;
    if (std::all_of(sums.begin(), sums.end(), [](int64_t sum) { return sum == 0; })) {
      large->erase(name);
    }
  }
}

}  // namespace bth::cache
