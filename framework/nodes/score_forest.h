// The best keys of groups of nodes, in tournament trees.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace bth::framework {

// Every position has a key, a segment for good, and a level that may change; those of one segment
// at one level stand in a tree of their own. A position that is out of the running has the key
// kOut. Thread: one.
class ScoreForest {
 public:
  static constexpr double kOut = -std::numeric_limits<double>::infinity();
  // Levels at the same time.
  static constexpr size_t kLevelsMax = 16;

  // One segment of so many positions.
  explicit ScoreForest(size_t positions);
  // Position i is in segment segments[i]; these are numbered from 0 without gaps.
  explicit ScoreForest(absl::Span<const uint32_t> segments);

  double key(size_t position) const;
  int32_t level(size_t position) const { return levels_[LevelOf(position)].name; }
  // Cost: logarithmic in the size of the segment, less where the best stays.
  void SetKey(size_t position, double key) { SetIn(LevelOf(position), position, key); }
  // All positions start at level 0. False: there are too many levels, and nothing happened.
  bool Raise(size_t position, int32_t level);
  // Puts all positions at level 0.
  void ResetLevels();

  // Sets many keys: all are out, then some are put, then the trees are made. Levels stay.
  void BeginFill();
  void Put(size_t position, double key);
  void EndFill();

  // Those of one segment at one level; at least one of them is not out.
  struct Tree {
    uint32_t level = 0;
    uint32_t segment = 0;
    uint32_t positions = 0;  // That are not out.
    double best = kOut;
  };
  template <typename Visit>
  void ForEachTree(const Visit& visit) const {
    for (uint32_t level = 0; level < levels_.size(); ++level) {
      for (uint32_t segment = 0; segment < segments_.size(); ++segment) {
        const uint32_t positions = levels_[level].running[segment];
        if (positions == 0) continue;
        visit(Tree{level, segment, positions, levels_[level].tree[segments_[segment].root]});
      }
    }
  }
  // Of all positions, when there is one segment and one level.
  double best() const { return levels_[0].tree[segments_[0].root]; }
  // The first position of the tree whose key and `more` make at least `sum`; there is one.
  size_t FirstReaching(uint32_t level, uint32_t segment, double more, double sum) const;

 private:
  // A tree of `leaves` (a power of two) lies at [root, root + 2 * leaves - 1): its node i, counted
  // from 1, at root + i - 1.
  struct Segment {
    size_t root = 0;
    size_t leaves = 1;
    size_t first = 0;  // Of its positions in `positions_`.
  };
  struct Place {
    uint32_t segment = 0;
    uint32_t leaf = 0;
  };
  struct LevelTrees {
    int32_t name = 0;
    size_t members = 0;             // Positions at this level; 0: it may become another one.
    std::vector<double> tree;       // Of all segments.
    std::vector<uint32_t> running;  // Positions that are not out, by segment.
  };

  void AddSegment(size_t positions);
  void AddLevel(int32_t name);
  Place PlaceOf(size_t position) const {
    return places_.empty() ? Place{0, static_cast<uint32_t>(position)} : places_[position];
  }
  size_t LevelOf(size_t position) const { return level_of_.empty() ? 0 : level_of_[position]; }
  size_t SlotOf(Place place) const {
    const Segment& segment = segments_[place.segment];
    return segment.root + segment.leaves + place.leaf - 1;
  }
  void SetIn(size_t level, size_t position, double key);
  // kLevelsMax: there is no more room.
  size_t LevelNamed(int32_t name);

  const size_t size_;
  size_t slots_ = 0;  // Of a level's trees.
  std::vector<Segment> segments_;
  std::vector<Place> places_;        // By position; empty: one segment.
  std::vector<uint32_t> positions_;  // By segment and leaf; empty: one segment.
  std::vector<LevelTrees> levels_;
  std::vector<uint8_t> level_of_;  // By position; empty: all at the first.
};

}  // namespace bth::framework
