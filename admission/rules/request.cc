#include "admission/rules/request.h"

#include <utility>

namespace bth::admission {

Json ToJson(std::vector<PatchOperation> patch) {
  if (patch.empty()) return nullptr;
  Json::Array operations;
  operations.reserve(patch.size());
  for (PatchOperation& operation : patch) {
    Json one = Json::MakeObject({{"op", operation.op}, {"path", operation.path}});
    if (!operation.value.is_null()) one.Set("value", std::move(operation.value));
    operations.push_back(std::move(one));
  }
  return Json(std::move(operations));
}

}  // namespace bth::admission
