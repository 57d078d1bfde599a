#include "controllers/hyper_node/discovery_plan.h"

#include <map>
#include <set>
#include <utility>

namespace bth::controllers {

DiscoveryPlan PlanDiscovery(std::string_view source, std::vector<types::HyperNode> discovered,
                            const HyperNodeList& known) {
  DiscoveryPlan plan;
  std::map<std::string_view, HyperNodePtr> by_name;
  for (const HyperNodePtr& object : known) by_name.emplace(object->meta.name, object);
  std::set<std::string> wanted;
  for (types::HyperNode& found : discovered) {
    if (!wanted.insert(found.meta.name).second) continue;
    found.meta.labels.Set(kTopologySourceLabel, std::string(source));
    const auto existing = by_name.find(found.meta.name);
    if (existing == by_name.end()) {
      plan.create.push_back(std::move(found));
      continue;
    }
    const HyperNodePtr& before = existing->second;
    if (before->meta.Label(kTopologySourceLabel) != source) {
      plan.foreign.push_back(before->meta.name);
      continue;
    }
    types::HyperNode after = *before;
    after.tier = found.tier;
    after.tier_name = std::move(found.tier_name);
    after.members = std::move(found.members);
    for (const auto& [key, value] : found.meta.labels) after.meta.labels.Set(key, value);
    for (const auto& [key, value] : found.meta.annotations) after.meta.annotations.Set(key, value);
    if (after != *before) plan.update.push_back({before, std::move(after)});
  }
  for (const HyperNodePtr& object : known) {
    if (object->meta.Label(kTopologySourceLabel) == source && !wanted.contains(object->meta.name)) {
      plan.remove.push_back(object);
    }
  }
  return plan;
}

}  // namespace bth::controllers
