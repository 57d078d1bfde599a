// PodDisruptionBudgets, ResourceQuotas, NodeShards and the selectors of labels.
#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "cache/intake/compile.h"

namespace bth::cache {
namespace {

bool IsCpu(const std::string& name) {
  return name == "cpu" || name == "requests.cpu" || name == "limits.cpu";
}

// In their order; a name that comes again says nothing new.
std::vector<std::string> EachOnce(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  absl::flat_hash_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) out.push_back(name);
  }
  return out;
}

}  // namespace

std::vector<LabelRequirement> CompileSelector(const types::LabelSelector& selector) {
  std::vector<LabelRequirement> out;
  for (const auto& [key, value] : selector.match_labels) {
    out.push_back({key, model::SelectorOp::kIn, {value}});
  }
  for (const types::Requirement& requirement : selector.match_expressions) {
    LabelRequirement compiled{
        .key = requirement.key,
        .op = static_cast<model::SelectorOp>(static_cast<int>(requirement.op)),
        .values = requirement.values};
    std::sort(compiled.values.begin(), compiled.values.end());
    out.push_back(std::move(compiled));
  }
  return out;
}

CompiledBudget Compile(const types::PodDisruptionBudget& budget) {
  CompiledBudget out;
  out.ns = budget.meta.ns;
  out.name = budget.meta.name;
  out.disruptions_allowed = budget.status.disruptions_allowed;
  out.never = !budget.spec.selector || !budget.spec.selector->Check().ok();
  if (!out.never) out.selector = CompileSelector(*budget.spec.selector);
  for (const auto& [pod, since] : budget.status.disrupted_pods) out.disrupted.push_back(pod);
  std::sort(out.disrupted.begin(), out.disrupted.end());
  return out;
}

std::vector<model::QuotaAmount> QuotaAmounts(const types::ResourceList& list) {
  std::vector<model::QuotaAmount> out;
  for (const auto& [name, quantity] : list) {
    const int64_t amount = IsCpu(name)
                               ? quantity.MilliValue().value_or(std::numeric_limits<int64_t>::max())
                               : quantity.Value();
    out.push_back({.name = name, .amount = amount, .text = quantity.ToString()});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

CompiledShard Compile(const types::NodeShard& shard) {
  return {.name = shard.meta.name,
          .resource_version = shard.meta.resource_version,
          .desired = EachOnce(shard.nodes_desired),
          .shown = {.in_use = shard.nodes_in_use,
                    .to_remove = shard.nodes_to_remove,
                    .to_add = shard.nodes_to_add}};
}

CompiledQuota Compile(const types::ResourceQuota& quota) {
  return {.ns = quota.meta.ns,
          .row = {.name = quota.meta.name,
                  .hard = QuotaAmounts(quota.status_hard),
                  .used = QuotaAmounts(quota.status_used)}};
}

}  // namespace bth::cache
