#include "algo/numa_fit.h"

#include "algo/numa_cpus.h"

namespace bth::algo {

NumaFit FitNuma(const model::NodeNuma& node, const model::CpuSet& free, NumaPolicy policy,
                absl::Span<const int32_t> cpus) {
  const model::CpuLayout& layout = node.facts->layout;
  const model::NumaMask all = layout.AllNumaNodes();
  model::CpuSet available = free - node.reserved;
  NumaFit fit;
  for (size_t c = 0; c < cpus.size(); ++c) {
    if (cpus[c] == 0) continue;  // Any NUMA node will do.
    const NumaHints hints = CpuHints(layout, available, cpus[c]);
    const NumaDecision decision = DecideNuma(policy, absl::Span<const NumaHints>(&hints, 1), all);
    if (!decision.admitted) {
      fit.refused = c;
      return fit;
    }
    const model::CpuSet given =
        AllocateCpus(layout, available, decision.best.nodes.value_or(all), cpus[c]);
    fit.cpus |= given;
    available -= given;
  }
  return fit;
}

int CountNumaNodes(const model::CpuLayout& layout, const model::CpuSet& cpus) {
  int count = 0;
  for (const model::CpuSet& numa_node : layout.numa_nodes) {
    count += (numa_node & cpus).empty() ? 0 : 1;
  }
  return count;
}

}  // namespace bth::algo
