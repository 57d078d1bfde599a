// Any bytes as the file of --admission-conf: no crash, bounded work, a reason for each refusal.
#include <cstdint>
#include <string_view>

#include "admission/rules/resource_groups.h"
#include "base/check.h"
#include "conf/map_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto groups = bth::admission::ResourceGroups::Parse(text);
  if (!groups.ok()) {
    BTH_CHECK(!groups.status().message().empty());
    return 0;
  }
  BTH_CHECK(groups->groups().size() <= bth::admission::ResourceGroups::kGroupsMax);
  BTH_CHECK(groups->findings().size() <= bth::conf::MapReader::kFindingsMax);
  for (const auto& group : groups->groups()) {
    BTH_CHECK(group.affinity.is_null() || group.affinity.is_object());
    for (const auto& toleration : group.tolerations) BTH_CHECK(toleration.is_object());
  }
  bth::types::Pod pod;
  pod.meta.annotations.Set("volcano.sh/resource-group", "cpu");
  const auto* group = groups->Find(pod, "ns");
  BTH_CHECK(group == nullptr || group->Matches(pod, "ns"));
  return 0;
}
