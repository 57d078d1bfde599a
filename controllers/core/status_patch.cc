#include "controllers/core/status_patch.h"

#include "client/patch.h"

namespace bth::controllers {

using types::Json;

Json MergeDiff(const Json& before, const Json& after) {
  Json diff = Json::MakeObject();
  for (const Json::Member& member : before.members()) {
    if (after.Find(member.first) == nullptr) diff.Set(member.first, Json());
  }
  for (const Json::Member& member : after.members()) {
    const Json* old = before.Find(member.first);
    if (old != nullptr && *old == member.second) continue;
    const bool inside = old != nullptr && old->is_object() && member.second.is_object();
    diff.Set(member.first, inside ? MergeDiff(*old, member.second) : member.second);
  }
  return diff;
}

namespace status_patch_internal {

std::optional<client::Patch> Build(const Json& before, const Json& after,
                                   std::string_view resource_version) {
  Json diff = MergeDiff(before, after);
  if (diff.empty()) return std::nullopt;
  client::MergePatch patch;
  patch.Set({"status"}, std::move(diff));
  patch.RequireResourceVersion(resource_version);
  return patch.Build();
}

}  // namespace status_patch_internal
}  // namespace bth::controllers
