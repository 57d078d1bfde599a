#include "framework/nodes/score_forest.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/rng.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::framework {
namespace {

// Plain lists, searched from end to end.
struct ForestTwin {
  std::vector<uint32_t> segments;
  std::vector<double> keys;
  std::vector<int32_t> levels;
};

void CheckAgainst(const ForestTwin& twin, const ScoreForest& forest) {
  std::map<std::pair<uint32_t, int32_t>, std::vector<size_t>> groups;
  for (size_t i = 0; i < twin.keys.size(); ++i) {
    REQUIRE(forest.key(i) == twin.keys[i]);
    REQUIRE(forest.level(i) == twin.levels[i]);
    if (twin.keys[i] != ScoreForest::kOut) groups[{twin.segments[i], twin.levels[i]}].push_back(i);
  }
  size_t trees = 0;
  forest.ForEachTree([&](const ScoreForest::Tree& tree) {
    ++trees;
    const size_t first = forest.FirstReaching(tree.level, tree.segment, 0, tree.best);
    REQUIRE(twin.segments[first] == tree.segment);
    const std::vector<size_t>& group = groups[{tree.segment, twin.levels[first]}];
    REQUIRE(group.size() == tree.positions);
    const auto before = [&](size_t a, size_t b) { return twin.keys[a] < twin.keys[b]; };
    REQUIRE(first == *std::max_element(group.begin(), group.end(), before));
    REQUIRE(tree.best == twin.keys[first]);
  });
  REQUIRE(trees == groups.size());
}

TEST_CASE("score forest: each tree knows its first best position", "[framework][property]") {
  test::ForEachSeed(200, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const size_t size = rng.Below(40);
    const uint64_t segments = 1 + rng.Below(4);
    ForestTwin twin;
    twin.keys.assign(size, ScoreForest::kOut);
    twin.levels.assign(size, 0);
    for (size_t i = 0; i < size; ++i) {
      twin.segments.push_back(i < segments ? static_cast<uint32_t>(i)
                                           : static_cast<uint32_t>(rng.Below(segments)));
    }
    ScoreForest forest(twin.segments);
    const auto random_key = [&rng] {
      return rng.Chance(0.2) ? ScoreForest::kOut : static_cast<double>(rng.Below(5));
    };
    for (int step = 0; step < 60 && size > 0; ++step) {
      const size_t at = rng.Below(size);
      if (rng.Chance(0.5)) {
        twin.keys[at] = random_key();
        forest.SetKey(at, twin.keys[at]);
      } else if (rng.Chance(0.9)) {
        const auto level = static_cast<int32_t>(rng.Below(20));
        if (forest.Raise(at, level)) twin.levels[at] = level;
      } else if (rng.Chance(0.3)) {
        forest.ResetLevels();
        std::fill(twin.levels.begin(), twin.levels.end(), 0);
      } else {
        forest.BeginFill();
        for (size_t i = 0; i < size; ++i) {
          twin.keys[i] = random_key();
          forest.Put(i, twin.keys[i]);
        }
        forest.EndFill();
      }
      CheckAgainst(twin, forest);
    }
  });
}

TEST_CASE("score forest: one level too many is refused, and room comes back", "[framework]") {
  constexpr auto kLevels = static_cast<int32_t>(ScoreForest::kLevelsMax);
  ScoreForest forest(ScoreForest::kLevelsMax + 1);
  for (int32_t i = 0; i < kLevels; ++i) REQUIRE(forest.Raise(static_cast<size_t>(i), i));
  CHECK_FALSE(forest.Raise(ScoreForest::kLevelsMax, kLevels));
  CHECK(forest.level(ScoreForest::kLevelsMax) == 0);
  CHECK(forest.Raise(1, 2));
  CHECK(forest.Raise(ScoreForest::kLevelsMax, kLevels));
}

TEST_CASE("score forest: the first position is found whose sum is the same after rounding",
          "[framework]") {
  const double tiny = 1e-17;
  ScoreForest forest(2);
  forest.SetKey(0, 0);
  forest.SetKey(1, tiny);
  CHECK(forest.best() == tiny);
  CHECK(forest.FirstReaching(0, 0, 0, tiny) == 1);
  CHECK(forest.FirstReaching(0, 0, 100, tiny + 100) == 0);
}

}  // namespace
}  // namespace bth::framework
