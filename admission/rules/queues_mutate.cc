#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/rules/hierarchy_annotations.h"
#include "admission/rules/rules.h"
#include "admission/rules/typed_object.h"
#include "api/types/queue.h"
#include "base/strings.h"

namespace bth::admission {

Verdict MutateQueue(const Request& request, const Settings&, const Known&) {
  const absl::StatusOr<types::Queue> queue = ReadObject<types::Queue>(request);
  if (!queue.ok()) return RefuseUnreadable(queue.status());
  if (request.operation != "CREATE") {
    return Verdict::Refuse("operation", StrCat("invalid operation `", request.operation,
                                               "`, expect operation to be `CREATE`"));
  }
  std::vector<PatchOperation> patch;
  const std::string_view path = queue->meta.Annotation(kHierarchyKey);
  const std::string_view weights = queue->meta.Annotation(kHierarchyWeightsKey);
  if (!path.empty() && !weights.empty() && !path.starts_with("root")) {
    patch.push_back({"add", "/metadata/annotations/volcano.sh~1hierarchy", StrCat("root/", path)});
    patch.push_back(
        {"add", "/metadata/annotations/volcano.sh~1hierarchy-weights", StrCat("1/", weights)});
  }
  const bool needs_reclaimable = !queue->spec.reclaimable.has_value();
  const bool needs_weight = queue->spec.weight == 0;
  // A member can only be added to what is there.
  const bool has_spec = request.object != nullptr && (*request.object)["spec"].is_object();
  if (!has_spec) patch.push_back({"add", "/spec", Json::MakeObject()});
  if (needs_reclaimable) patch.push_back({"add", "/spec/reclaimable", true});
  if (needs_weight) patch.push_back({"add", "/spec/weight", 1});
  Verdict verdict = Verdict::Allow();
  verdict.patch = std::move(patch);
  return verdict;
}

}  // namespace bth::admission
