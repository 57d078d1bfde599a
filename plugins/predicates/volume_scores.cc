#include "plugins/predicates/volume_scores.h"

#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "base/status.h"
#include "base/strings.h"

namespace bth::plugins::predicates {

namespace {

constexpr std::string_view kShape = "volumebinding.shape";
constexpr int64_t kPercent = 100;
constexpr int64_t kScoreMax = 10;
constexpr size_t kPointsMax = 64;

struct ClassUse {
  int64_t asked = 0;
  int64_t capacity = 0;
};

int64_t UtilizationOf(const ClassUse& use) {
  if (use.capacity == 0 || use.asked > use.capacity) return kPercent;
  return static_cast<int64_t>(static_cast<__int128>(use.asked) * kPercent / use.capacity);
}

absl::StatusOr<ScoreShape::Point> ReadPoint(const conf::Value& item, size_t number) {
  const std::string at = StrCat(kShape, "[", number, "]");
  if (!item.is_map()) {
    return absl::InvalidArgumentError(StrCat(at, ": must be a map of utilization and score"));
  }
  ScoreShape::Point point;
  for (const auto& [name, field, max] : {std::tuple("utilization", &point.utilization, kPercent),
                                         std::tuple("score", &point.score, kScoreMax)}) {
    const conf::Value::Member* member = item.FindField(name);
    if (member == nullptr) continue;
    const conf::Value& value = member->value;
    if (!value.is_int() || value.AsInt() < 0 || value.AsInt() > max) {
      return absl::InvalidArgumentError(
          StrCat(at, ".", name, ": must be a whole number from 0 to ", max));
    }
    *field = value.AsInt();
  }
  point.score *= kPercent / kScoreMax;
  return point;
}

}  // namespace

int64_t ScoreShape::At(int64_t utilization) const {
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& to = points[i];
    if (utilization > to.utilization) continue;
    if (i == 0) return to.score;
    const Point& from = points[i - 1];
    return from.score + (to.score - from.score) * (utilization - from.utilization) /
                            (to.utilization - from.utilization);
  }
  return points.back().score;
}

absl::StatusOr<ScoreShape> ReadShape(const conf::Arguments& args) {
  ScoreShape shape;
  const conf::Value* list = args.Find(kShape);
  if (list == nullptr || list->is_null()) return shape;
  if (!list->is_list()) {
    return absl::InvalidArgumentError(StrCat(kShape, ": must be a list"));
  }
  if (list->items().empty()) return shape;
  if (list->items().size() > kPointsMax) {
    return absl::InvalidArgumentError(StrCat(kShape, ": more than ", kPointsMax, " points"));
  }
  shape.points.clear();
  for (size_t i = 0; i < list->items().size(); ++i) {
    BTH_ASSIGN_OR_RETURN(const ScoreShape::Point point, ReadPoint(list->items()[i], i));
    if (i > 0 && point.utilization <= shape.points.back().utilization) {
      return absl::InvalidArgumentError(
          StrCat(kShape, "[", i, "].utilization: must be more than that of the point before"));
    }
    shape.points.push_back(point);
  }
  return shape;
}

int64_t CapacityScore(const PodClaims& claims, const ChosenVolumes& chosen,
                      const model::NodeFacts& node, const ScoreShape& shape) {
  std::map<std::string_view, ClassUse> classes;
  for (const ChosenVolume& choice : chosen) {
    if (choice.volume == nullptr) continue;
    ClassUse& use = classes[choice.claim->storage_class];
    use.asked += choice.claim->bytes;
    use.capacity += choice.volume->bytes;
  }
  if (classes.empty()) {
    for (const PendingClaim& pending : claims.pending) {
      const model::CapacityFacts* row = CapacityFor(pending, node);
      if (row == nullptr) continue;
      // Two volumes of a class share what is left of it.
      ClassUse& use = classes[pending.claim->storage_class];
      use.asked += pending.claim->bytes;
      use.capacity = row->left;
    }
  }
  if (classes.empty()) return 0;
  int64_t sum = 0;
  for (const auto& [name, use] : classes) sum += shape.At(UtilizationOf(use));
  return std::llround(static_cast<double>(sum) / static_cast<double>(classes.size()));
}

}  // namespace bth::plugins::predicates
