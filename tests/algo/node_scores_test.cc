#include "algo/node_scores.h"

#include "base/rng.h"
#include "tests/support/catch.h"

namespace bth::algo {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST_CASE("node scores: percent is exact", "[algo][property]") {
  CHECK(Percent(0, 7) == 0);
  CHECK(Percent(7, 7) == 100);
  CHECK(Percent(1, 3) == 33);
  CHECK(Percent((int64_t{1} << 62) - 1, int64_t{1} << 62) == 99);
  Rng rng(7);
  for (int i = 0; i < 200'000; ++i) {
    const int bits = static_cast<int>(rng.Between(1, 62));
    const int64_t whole = rng.Between(1, (int64_t{1} << bits));
    int64_t part = rng.Between(0, whole);
    // Close to a step, where a rounded division would be wrong.
    if (rng.Chance(0.5)) {
      const auto step =
          static_cast<int64_t>(static_cast<__int128>(rng.Between(0, 100)) * whole / 100);
      part = std::clamp<int64_t>(step + rng.Between(-1, 1), 0, whole);
    }
    const auto expected = static_cast<int64_t>(static_cast<__int128>(part) * 100 / whole);
    if (Percent(part, whole) != expected) {
      CAPTURE(part, whole);
      CHECK(Percent(part, whole) == expected);
    }
  }
}

TEST_CASE("node scores: least and most allocated", "[algo][unit]") {
  const CpuMemory whole{.cpu = 2000, .memory = 4096};
  CHECK(LeastAllocatedScore({.cpu = 1000, .memory = 1024}, whole) == (50 + 75) / 2);
  CHECK(MostAllocatedScore({.cpu = 1000, .memory = 1024}, whole) == (50 + 25) / 2);
  // More than there is: nothing free, all used.
  CHECK(LeastAllocatedScore({.cpu = 3000, .memory = 0}, whole) == 50);
  CHECK(MostAllocatedScore({.cpu = 3000, .memory = 0}, whole) == 50);
  // What a node lacks does not count.
  CHECK(LeastAllocatedScore({.cpu = 500, .memory = 9}, {.cpu = 2000, .memory = 0}) == 75);
  CHECK(LeastAllocatedScore({.cpu = 500, .memory = 9}, {}) == 0);
}

TEST_CASE("node scores: balance rewards pods that even out the use", "[algo][unit]") {
  const auto evenness = [](double cpu, double memory) {
    Evenness even;
    even.Add(cpu);
    even.Add(memory);
    return even;
  };
  CHECK(BalancedScore(evenness(0.5, 0.5), evenness(0, 0)) == 75);
  CHECK(BalancedScore(evenness(0.25, 0.5), evenness(0, 0)) == 68);
  CHECK(BalancedScore(evenness(0.5, 0.5), evenness(0.5, 0)) == 50 + (50 + 100 - 75) / 2);
  Evenness three = evenness(0, 1);
  three.Add(0.5);
  CHECK(three.Score() == 59);  // 100 minus the deviation 0.408.
  Evenness one;
  one.Add(0.9);
  CHECK(one.Score() == 100);
}

TEST_CASE("node scores: images count by size and spread", "[algo][unit]") {
  CHECK(ImageWorth(300 * kMiB, 1, 3) == 100 * kMiB);
  CHECK(ImageWorth(300 * kMiB, 1, 0) == 0);
  CHECK(ImageScore(0, 1) == 0);
  CHECK(ImageScore(23 * kMiB, 1) == 0);
  CHECK(ImageScore(5000 * kMiB, 1) == 100);
  CHECK(ImageScore(250 * kMiB, 2) == 100 * (250 - 23) / (2000 - 23));
  CHECK(ImageScore(250 * kMiB, 0) == 0);
}

}  // namespace
}  // namespace bth::algo
