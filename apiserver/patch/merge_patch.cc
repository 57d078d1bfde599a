#include "apiserver/patch/lookup.h"
#include "apiserver/patch/patch.h"

namespace bth::apiserver {
namespace {

void MergeInto(Json& target, const Json& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  Members members(target);
  for (const auto& [key, value] : patch.members()) {
    if (value.is_null()) {
      members.Erase(key);
    } else {
      MergeInto(members[key], value);
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
