#include "controllers/sharding/shard_policy.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace bth::controllers {
namespace {

int64_t Hundredths(double value) {
  return std::llround(value * 100);
}

bool HasCpu(const ShardNode& node) {
  return node.cpu.has_value() && *node.cpu >= 0;
}

template <typename Rule>
std::vector<std::pair<const Rule*, double>> RulesOf(const std::vector<ShardPolicy>& policies) {
  std::vector<std::pair<const Rule*, double>> rules;
  for (const ShardPolicy& policy : policies) {
    if (const Rule* rule = std::get_if<Rule>(&policy.rule)) rules.emplace_back(rule, policy.weight);
  }
  return rules;
}

struct Scored {
  ShardNode node;
  double score = 0;
};

}  // namespace

bool Accepts(const AllocationRate& rule, const ShardNode& node) {
  if (!HasCpu(node)) return false;
  const int64_t cpu = Hundredths(*node.cpu);
  return cpu >= Hundredths(rule.min) && cpu <= Hundredths(rule.max);
}

double ScoreOf(const AllocationRate& rule, const ShardNode& node) {
  if (!HasCpu(node)) return 0;
  if (!(rule.max > rule.min)) return 1;
  return std::clamp((*node.cpu - rule.min) / (rule.max - rule.min), 0.0, 1.0);
}

double ScoreOf(const Warmup& rule, const ShardNode& node) {
  const std::string* value = node.node->meta.labels.Find(rule.label);
  return value != nullptr && *value == rule.value ? 1 : 0;
}

std::vector<ShardNode> SelectNodes(const std::vector<ShardPolicy>& policies,
                                   std::vector<ShardNode> candidates) {
  const auto rates = RulesOf<AllocationRate>(policies);
  const auto warmups = RulesOf<Warmup>(policies);
  std::vector<Scored> kept;
  for (ShardNode& node : candidates) {
    const bool accepted = std::all_of(rates.begin(), rates.end(), [&node](const auto& rate) {
      return Accepts(*rate.first, node);
    });
    if (!accepted) continue;
    double score = 0;
    for (const auto& [rule, weight] : rates) score += weight * ScoreOf(*rule, node);
    for (const auto& [rule, weight] : warmups) score += weight * ScoreOf(*rule, node);
    kept.push_back({std::move(node), score});
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  for (const auto& [limit, weight] : RulesOf<NodeLimit>(policies)) {
    if (limit->max > 0 && kept.size() > static_cast<size_t>(limit->max)) {
      kept.resize(static_cast<size_t>(limit->max));
    }
  }
  std::vector<ShardNode> selected;
  for (Scored& scored : kept) selected.push_back(std::move(scored.node));
  return selected;
}

std::vector<std::vector<std::string>> AssignNodes(const std::vector<ShardScheduler>& schedulers,
                                                  std::vector<ShardNode> nodes) {
  std::vector<std::vector<std::string>> assignment;
  for (const ShardScheduler& scheduler : schedulers) {
    std::vector<std::string>& names = assignment.emplace_back();
    for (const ShardNode& node : SelectNodes(scheduler.policies, nodes)) {
      names.push_back(node.node->meta.name);
    }
    const std::set<std::string_view> taken(names.begin(), names.end());
    std::erase_if(nodes,
                  [&taken](const ShardNode& node) { return taken.contains(node.node->meta.name); });
  }
  return assignment;
}

}  // namespace bth::controllers
