#include <utility>

#include "apiserver/patch/patch.h"

namespace bth::apiserver {
namespace {

void MergeInto(Json& target, const Json& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = Json::MakeObject();
  for (const auto& [key, value] : patch.members()) {
    if (value.is_null()) {
      target.Erase(key);
    } else {
      MergeInto(target[key], value);
    }
  }
}

}  // namespace

Json ApplyMergePatch(const Json& document, const Json& patch) {
  Json result = document;
  MergeInto(result, patch);
  return result;
}

}  // namespace bth::apiserver
