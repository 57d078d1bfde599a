#include "cache/intake/compile_task_topology.h"

#include <set>
#include <string_view>

#include "base/strings.h"

namespace bth::cache {
namespace {

using model::TaskTopology;

constexpr std::string_view kTopologyAffinity = "volcano.sh/task-topology-affinity";
constexpr std::string_view kTopologyAntiAffinity = "volcano.sh/task-topology-anti-affinity";
constexpr std::string_view kTopologyOrder = "volcano.sh/task-topology-task-order";

constexpr size_t kTopologyBytesMax = size_t{8} << 10;
// All pairs of roles are kept, and buckets are ranked for each role.
constexpr size_t kTopologyRolesMax = 64;

TaskTopology::Names NamesIn(std::string_view text) {
  TaskTopology::Names names;
  for (const auto& name : SplitText(text, ',')) names.push_back(std::string(name));
  return names;
}

std::vector<TaskTopology::Names> GroupsIn(std::string_view text) {
  std::vector<TaskTopology::Names> groups;
  for (const auto& group : SplitText(text, ';')) groups.push_back(NamesIn(ToStd(group)));
  return groups;
}

size_t CountRoles(const TaskTopology& topology) {
  std::set<std::string_view> roles(topology.order.begin(), topology.order.end());
  for (const auto* groups : {&topology.affinity, &topology.anti_affinity}) {
    for (const TaskTopology::Names& group : *groups) roles.insert(group.begin(), group.end());
  }
  return roles.size();
}

model::SharedTaskTopology Unusable(std::string why) {
  TaskTopology topology;
  topology.unusable = std::move(why);
  return {std::make_shared<const TaskTopology>(std::move(topology))};
}

}  // namespace

model::SharedTaskTopology CompileTaskTopology(const types::ObjectMeta& group) {
  const std::string* affinity = group.annotations.Find(kTopologyAffinity);
  const std::string* anti_affinity = group.annotations.Find(kTopologyAntiAffinity);
  const std::string* order = group.annotations.Find(kTopologyOrder);
  if (affinity == nullptr && anti_affinity == nullptr && order == nullptr) return {};
  for (const auto& [key, text] :
       {std::pair(kTopologyAffinity, affinity), std::pair(kTopologyAntiAffinity, anti_affinity),
        std::pair(kTopologyOrder, order)}) {
    if (text == nullptr || text->size() <= kTopologyBytesMax) continue;
    return Unusable(StrCat("annotation ", key, " is longer than ", kTopologyBytesMax, " bytes"));
  }
  auto topology = std::make_shared<TaskTopology>();
  if (affinity != nullptr) topology->affinity = GroupsIn(*affinity);
  if (anti_affinity != nullptr) topology->anti_affinity = GroupsIn(*anti_affinity);
  if (order != nullptr) topology->order = NamesIn(*order);
  if (CountRoles(*topology) > kTopologyRolesMax) {
    return Unusable(StrCat("its annotations name more than ", kTopologyRolesMax, " tasks"));
  }
  return {std::move(topology)};
}

}  // namespace bth::cache
