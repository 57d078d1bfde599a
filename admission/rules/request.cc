#include "admission/rules/request.h"

#include <utility>

#include "api/types/text_codec.h"

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

std::string ToText(const std::vector<PatchOperation>& patch) {
  if (patch.empty()) return "null";
  std::string text;
  for (const PatchOperation& operation : patch) {
    text.append(text.empty() ? "[{\"op\":" : ",{\"op\":");
    types::AppendJsonString(operation.op, &text);
    text.append(",\"path\":");
    types::AppendJsonString(operation.path, &text);
    if (!operation.value.is_null()) {
      text.append(",\"value\":");
      operation.value.DumpTo(&text);
    }
    text.push_back('}');
  }
  text.push_back(']');
  return text;
}

}  // namespace bth::admission
