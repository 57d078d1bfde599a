// How much of the room for volumes a pod would use on a node: feature StorageCapacityScoring.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "conf/arguments.h"
#include "plugins/predicates/volume_choice.h"

namespace bth::plugins::predicates {

// Straight lines between points, and as the first and the last one beyond them.
struct ScoreShape {
  struct Point {
    int64_t utilization = 0;  // Percent.
    int64_t score = 0;        // 0 to 100.
    friend bool operator==(const Point&, const Point&) = default;
  };
  // The less of it is used, the better.
  std::vector<Point> points = {{.utilization = 0, .score = 100}, {.utilization = 100, .score = 0}};

  // In whole numbers, rounded to zero.
  int64_t At(int64_t utilization) const;
};

// Argument volumebinding.shape: a list of {utilization, score}, with scores up to 10; without it,
// or when it is empty, as above.
absl::StatusOr<ScoreShape> ReadShape(const conf::Arguments& args);

// By class: of the volumes that the claims would be bound to; when there are none, of what is left
// where theirs would be made. The mean of the classes; nothing known: 0.
int64_t CapacityScore(const PodClaims& claims, const ChosenVolumes& chosen,
                      const model::NodeFacts& node, const ScoreShape& shape);

}  // namespace bth::plugins::predicates
