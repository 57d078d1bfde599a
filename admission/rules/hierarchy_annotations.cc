#include "admission/rules/hierarchy_annotations.h"

#include <algorithm>
#include <optional>
#include <string>

#include "admission/rules/go_number.h"
#include "base/strings.h"

namespace bth::admission {
namespace {

constexpr std::string_view kAnnotationsField = "requestBody.metadata.annotations";

// Why the weights are none, or empty.
std::string WeightFault(std::string_view weights) {
  for (const absl::string_view piece : SplitText(weights, '/')) {
    const std::string_view one = ToStd(piece);
    const absl::StatusOr<double> weight = ParseGoFloat(one);
    if (!weight.ok()) {
      return StrCat(one, " in the ", weights,
                    " is invalid number: ", ToStd(weight.status().message()));
    }
    if (*weight <= 0) return StrCat(one, " in the ", weights, " must be larger than 0");
  }
  return {};
}

// Some other queue lies below `path`: work would be done in a queue that has children.
std::string PathFault(const types::Queue& queue, std::string_view path, const Known& known) {
  std::string fault;
  const std::string inside = StrCat(path, "/");
  known.ForEachQueue([&](const types::Queue& other) {
    const std::string_view other_path = other.meta.Annotation(kHierarchyKey);
    if (other.meta.name == queue.meta.name || !other_path.starts_with(inside)) return true;
    fault = StrCat(path, " is not allowed to be in the sub path of ", other_path, " of queue ",
                   other.meta.name);
    return false;
  });
  return fault;
}

}  // namespace

rules::FieldErrors CheckHierarchyAnnotations(const types::Queue& queue, const Known& known) {
  const std::string_view path = queue.meta.Annotation(kHierarchyKey);
  const std::string_view weights = queue.meta.Annotation(kHierarchyWeightsKey);
  if (path.empty() && weights.empty()) return {};
  const std::string field(kAnnotationsField);
  if (std::count(path.begin(), path.end(), '/') !=
      std::count(weights.begin(), weights.end(), '/')) {
    return {rules::Invalid(
        field, path,
        StrCat(kHierarchyKey, " must have the same length with ", kHierarchyWeightsKey))};
  }
  if (std::string fault = WeightFault(weights); !fault.empty()) {
    return {rules::Invalid(field, weights, std::move(fault))};
  }
  if (std::string fault = PathFault(queue, path, known); !fault.empty()) {
    return {rules::Invalid(field, path, std::move(fault))};
  }
  return {};
}

}  // namespace bth::admission
