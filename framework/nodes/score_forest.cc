#include "framework/nodes/score_forest.h"

#include <algorithm>

namespace bth::framework {

ScoreForest::ScoreForest(size_t positions) : size_(positions) {
  AddSegment(positions);
  AddLevel(0);
}

ScoreForest::ScoreForest(absl::Span<const uint32_t> segments)
    : size_(segments.size()), places_(segments.size()), positions_(segments.size()) {
  std::vector<uint32_t> sizes;
  for (size_t i = 0; i < size_; ++i) {
    if (segments[i] >= sizes.size()) sizes.resize(segments[i] + 1, 0);
    places_[i] = {segments[i], sizes[segments[i]]++};
  }
  size_t first = 0;
  for (const uint32_t size : sizes) {
    AddSegment(size);
    segments_.back().first = first;
    first += size;
  }
  if (segments_.empty()) AddSegment(0);
  for (size_t i = 0; i < size_; ++i) {
    positions_[segments_[places_[i].segment].first + places_[i].leaf] = static_cast<uint32_t>(i);
  }
  AddLevel(0);
}

void ScoreForest::AddSegment(size_t positions) {
  Segment segment{.root = slots_};
  while (segment.leaves < positions) segment.leaves *= 2;
  slots_ += 2 * segment.leaves - 1;
  segments_.push_back(segment);
}

void ScoreForest::AddLevel(int32_t name) {
  levels_.push_back({.name = name, .members = levels_.empty() ? size_ : 0});
  levels_.back().tree.assign(slots_, kOut);
  levels_.back().running.assign(segments_.size(), 0);
}

double ScoreForest::key(size_t position) const {
  return levels_[LevelOf(position)].tree[SlotOf(PlaceOf(position))];
}

void ScoreForest::SetIn(size_t level, size_t position, double key) {
  const Place place = PlaceOf(position);
  const Segment& segment = segments_[place.segment];
  double* const tree = levels_[level].tree.data() + segment.root - 1;  // Node i at tree[i].
  size_t i = segment.leaves + place.leaf;
  uint32_t& running = levels_[level].running[place.segment];
  running += static_cast<uint32_t>(key != kOut) - static_cast<uint32_t>(tree[i] != kOut);
  tree[i] = key;
  for (i /= 2; i > 0; i /= 2) {
    const double best = std::max(tree[2 * i], tree[2 * i + 1]);
    if (tree[i] == best) break;
    tree[i] = best;
  }
}

size_t ScoreForest::LevelNamed(int32_t name) {
  size_t unused = kLevelsMax;
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].members == 0) {
      unused = i;
    } else if (levels_[i].name == name) {
      return i;
    }
  }
  if (unused < kLevelsMax) {
    levels_[unused].name = name;
  } else if (levels_.size() < kLevelsMax) {
    unused = levels_.size();
    AddLevel(name);
  }
  return unused;
}

bool ScoreForest::Raise(size_t position, int32_t level) {
  const size_t from = LevelOf(position);
  if (levels_[from].name == level) return true;
  const size_t to = LevelNamed(level);
  if (to == kLevelsMax) return false;
  if (level_of_.empty()) level_of_.assign(size_, 0);
  const double present = key(position);
  if (present != kOut) {
    SetIn(from, position, kOut);
    SetIn(to, position, present);
  }
  level_of_[position] = static_cast<uint8_t>(to);
  --levels_[from].members;
  ++levels_[to].members;
  return true;
}

void ScoreForest::ResetLevels() {
  std::vector<double> keys(size_);
  for (size_t i = 0; i < size_; ++i) keys[i] = key(i);
  level_of_.clear();
  levels_.clear();
  AddLevel(0);
  for (size_t i = 0; i < size_; ++i) Put(i, keys[i]);
  EndFill();
}

void ScoreForest::BeginFill() {
  for (LevelTrees& level : levels_) {
    if (level.members == 0) continue;  // Out already.
    std::fill(level.tree.begin(), level.tree.end(), kOut);
    std::fill(level.running.begin(), level.running.end(), 0);
  }
}

void ScoreForest::Put(size_t position, double key) {
  if (key == kOut) return;
  LevelTrees& level = levels_[LevelOf(position)];
  const Place place = PlaceOf(position);
  level.tree[SlotOf(place)] = key;
  ++level.running[place.segment];
}

void ScoreForest::EndFill() {
  for (LevelTrees& level : levels_) {
    if (level.members == 0) continue;
    for (const Segment& segment : segments_) {
      double* const tree = level.tree.data() + segment.root - 1;
      for (size_t i = segment.leaves - 1; i > 0; --i) {
        tree[i] = std::max(tree[2 * i], tree[2 * i + 1]);
      }
    }
  }
}

size_t ScoreForest::FirstReaching(uint32_t level, uint32_t segment, double more, double sum) const {
  const Segment& at = segments_[segment];
  const double* const tree = levels_[level].tree.data() + at.root - 1;
  size_t i = 1;
  while (i < at.leaves) i = tree[2 * i] + more >= sum ? 2 * i : 2 * i + 1;
  const size_t leaf = i - at.leaves;
  return positions_.empty() ? leaf : positions_[at.first + leaf];
}

}  // namespace bth::framework
