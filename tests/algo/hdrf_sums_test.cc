#include "algo/hdrf_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::algo {
namespace {

struct SumsChild {
  HdrfSums::Amounts amounts{};
  double share = 0;
  bool saturated = false;
};

// The rule, from the first child to the last.
HdrfSums::Amounts SumsByLoop(const std::vector<SumsChild>& children) {
  double least = 1;
  for (const SumsChild& child : children) {
    if (child.share != 0 && !child.saturated) least = std::min(least, child.share);
  }
  HdrfSums::Amounts sums{};
  for (const SumsChild& child : children) {
    if (child.share == 0) continue;
    const double scale = child.saturated ? 1 : least / child.share;
    for (size_t d = 0; d < model::kDims; ++d) sums[d] += child.amounts[d] * scale;
  }
  return sums;
}

bool AllSaturated(const std::vector<SumsChild>& children) {
  for (const SumsChild& child : children) {
    if (!child.saturated) return false;
  }
  return true;
}

// By kind, what makes roundings differ.
double RandomAmount(Rng& rng, uint64_t kind) {
  switch (kind) {
    case 0:
      return static_cast<double>(rng.Between(0, 9));
    case 1:  // Sums end up with spacings of which half is often a term's last bit.
      return std::ldexp(static_cast<double>(rng.Between(int64_t{1} << 44, int64_t{1} << 45)), 7);
    case 2:
      return std::ldexp(rng.Unit(), static_cast<int>(rng.Between(-40, 40)));
    case 3:  // Around the smallest normal number.
      return std::ldexp(rng.Unit(), static_cast<int>(rng.Between(-1074, -1020)));
    case 4:
      return rng.Chance(0.02) ? -rng.Unit() * 100 : rng.Unit();
    case 5:
      return rng.Chance(0.5) ? 0x1p53 - 1 : 0.5 * static_cast<double>(rng.Between(1, 5));
    default:  // Sums overflow.
      return rng.Chance(0.1) ? 0x1p1020 * rng.Unit() : rng.Unit();
  }
}

double RandomShare(Rng& rng) {
  constexpr std::array<double, 6> kShares = {0, 1.0 / 2, 1.0 / 4, 1.0 / 3, 1, 2};
  const uint64_t which = rng.Below(8);
  return which < kShares.size() ? kShares[which] : rng.Unit() + 0.25;
}

SumsChild RandomChild(Rng& rng, uint64_t kind) {
  SumsChild child{.share = RandomShare(rng), .saturated = rng.Chance(0.3)};
  for (size_t d = 0; d < model::kDims; ++d) {
    if (d != 4 && !rng.Chance(0.1)) child.amounts[d] = RandomAmount(rng, kind);
  }
  return child;
}

constexpr DimMask kSumsDims = 0b10111;  // The last one holds nothing.

// Empty where the bits are equal.
std::string SumsDiffer(const HdrfSums& sums, const HdrfSums::Amounts& expected) {
  for (size_t d = 0; d < model::kDims; ++d) {
    const double wanted = (kSumsDims >> d & 1u) != 0 ? expected[d] : 0;
    const double found = sums.amounts()[d];
    if (std::bit_cast<uint64_t>(found) != std::bit_cast<uint64_t>(wanted)) {
      return StrCat("dimension ", d, ": ", found, " instead of ", wanted);
    }
  }
  return "";
}

TEST_CASE("hdrf sums: to the last bit what a loop gives", "[algo][property]") {
  test::ForEachSeed(280, [](uint64_t seed) {
    constexpr std::array<size_t, 9> kSizes = {0, 1, 2, 15, 16, 17, 100, 400, 1000};
    Rng rng(seed);
    const uint64_t kind = seed % 7;
    std::vector<SumsChild> children(kSizes[rng.Below(kSizes.size())]);
    CAPTURE(kind, children.size());
    HdrfSums sums(children.size(), kSumsDims);
    const auto set = [&](size_t i, const SumsChild& child) {
      children[i] = child;
      sums.Set(i, child.amounts, child.share, child.saturated);
    };
    for (int step = 0; step < 40; ++step) {
      const bool all = step == 1 || rng.Chance(0.02);
      const size_t changes = all ? children.size() : rng.Below(4);
      for (size_t i = 0; i < changes && !children.empty(); ++i) {
        set(all ? i : rng.Below(children.size()), RandomChild(rng, kind));
      }
      sums.Refresh();
      CHECK(SumsDiffer(sums, SumsByLoop(children)) == "");
      CHECK(sums.saturated() == AllSaturated(children));
    }
  });
}

TEST_CASE("hdrf sums: one of many children costs little", "[algo][unit]") {
  constexpr size_t kChildren = 20'000;
  constexpr int kUpdates = 2'000;
  Rng rng(1);
  std::vector<SumsChild> children(kChildren);
  HdrfSums sums(kChildren, kSumsDims);
  const auto change = [&](size_t i) {
    // The first child is the poorest throughout.
    children[i] = RandomChild(rng, 0);
    children[i].share = i == 0 ? 0.125 : 0.25 + rng.Unit();
    children[i].saturated = i != 0 && children[i].saturated;
    sums.Set(i, children[i].amounts, children[i].share, children[i].saturated);
  };
  for (size_t i = 0; i < kChildren; ++i) change(i);
  sums.Refresh();
  const uint64_t before = sums.work();
  for (int i = 0; i < kUpdates; ++i) {
    change(1 + rng.Below(kChildren - 1));
    sums.Refresh();
  }
  CHECK(SumsDiffer(sums, SumsByLoop(children)) == "");
  // In four dimensions; a loop looks at 20,000 children each time.
  CHECK((sums.work() - before) / kUpdates < 1'000);
}

}  // namespace
}  // namespace bth::algo
