#include "plugins/nodegroup/group_rules.h"

#include <algorithm>

namespace bth::plugins::nodegroup {
namespace {

using model::NodeGroupRules;
using model::QueueId;

constexpr double kRequiredScore = 100;
constexpr double kPreferredScore = 50;
constexpr std::string_view kRoot = "root";

bool Lists(const std::vector<std::string>& groups, const std::string& group) {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

// 50 for the first of n different names, then 50·(n−1)/n, and so on. A name that is listed again
// stands at its later place.
double PreferredScore(const std::vector<std::string>& preferred, const std::string& group) {
  const auto last = std::find(preferred.rbegin(), preferred.rend(), group);
  if (last == preferred.rend()) return 0;
  std::vector<std::string> names = preferred;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto count = static_cast<double>(names.size());
  const auto index = static_cast<double>(preferred.rend() - last - 1);
  return kPreferredScore * (count - index) / count;
}

QueueId QueueNamed(const model::Snapshot& base, std::string_view name) {
  const std::vector<QueueId>& queues = *base.queues_by_name;
  const auto at = std::lower_bound(queues.begin(), queues.end(), name,
                                   [&base](QueueId queue, std::string_view wanted) {
                                     return *base.queues[queue].name < wanted;
                                   });
  return at != queues.end() && *base.queues[*at].name == name ? *at : QueueId();
}

}  // namespace

GroupVerdict Judge(const NodeGroupRules& rules, const std::string& group, bool preferred_order) {
  GroupVerdict verdict;
  const bool required = Lists(rules.required, group);
  const bool preferred = Lists(rules.preferred, group);
  if (required) verdict.score += kRequiredScore;
  if (preferred) {
    verdict.score += preferred_order ? PreferredScore(rules.preferred, group) : kPreferredScore;
  }
  // Without a list of groups to use, every group may be used that is not excluded.
  verdict.allowed = required || preferred || (rules.required.empty() && rules.preferred.empty());
  if (Lists(rules.anti_required, group)) verdict.allowed = false;
  if (Lists(rules.anti_preferred, group)) {
    verdict.allowed = true;
    verdict.score = -1;
  }
  return verdict;
}

const NodeGroupRules* AffinityOf(const model::Snapshot& base, QueueId queue, bool inherit) {
  // No path is longer than there are queues.
  for (size_t steps = base.queues_by_name->size() + 1; queue.valid() && steps > 0; --steps) {
    const model::QueueRow& row = base.queues[queue];
    if (row.node_groups != nullptr && row.node_groups->has_affinity) return row.node_groups.get();
    if (!inherit || *row.name == kRoot) return nullptr;
    queue = QueueNamed(base, row.parent.empty() ? kRoot : std::string_view(row.parent));
  }
  return nullptr;
}

}  // namespace bth::plugins::nodegroup
