#include "admission/rules/flow_graph.h"

#include <map>
#include <set>

#include "base/circles.h"

namespace bth::admission {
namespace {

using types::Flow;

constexpr size_t kCircleShown = 5;

std::vector<const Flow*> FlowsThatCount(const std::vector<Flow>& flows, SameName same_name) {
  std::map<std::string_view, size_t> last;
  for (size_t i = 0; i < flows.size(); ++i) last[flows[i].name] = i;
  std::vector<const Flow*> count;
  for (size_t i = 0; i < flows.size(); ++i) {
    if (same_name == SameName::kEach || last[flows[i].name] == i) count.push_back(&flows[i]);
  }
  return count;
}

}  // namespace

const std::vector<std::string>& TargetsOf(const Flow& flow) {
  static const std::vector<std::string>* const none = new std::vector<std::string>();
  if (!flow.depends_on.has_value() || !flow.depends_on->targets.has_value()) return *none;
  return *flow.depends_on->targets;
}

std::optional<FlowFault> FindFlowFault(const std::vector<Flow>& flows, SameName same_name) {
  const std::vector<const Flow*> count = FlowsThatCount(flows, same_name);
  std::set<std::string_view> names;
  for (const Flow* flow : count) names.insert(flow->name);
  std::vector<Waiting> waiting;
  waiting.reserve(count.size());
  for (const Flow* flow : count) {
    const std::vector<std::string>& targets = TargetsOf(*flow);
    for (const std::string& target : targets) {
      if (!names.contains(target)) return FlowFault{flow->name, target, false, {}};
    }
    waiting.push_back({flow->name, {targets.begin(), targets.end()}});
  }
  FlowFault fault;
  for (const size_t i : InCircles(waiting)) {
    fault.is_circle = true;
    if (fault.circle.size() == kCircleShown) break;
    fault.circle.push_back(waiting[i].name);
  }
  if (!fault.is_circle) return std::nullopt;
  fault.flow = fault.circle.front();
  return fault;
}

}  // namespace bth::admission
