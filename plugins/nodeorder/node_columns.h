// What nodes hold and offer, as plain arrays: scores of many nodes at once.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/nodes/node_follower.h"
#include "framework/session/session.h"
#include "plugins/nodeorder/node_capacities.h"

namespace bth::plugins::nodeorder {

enum class Favour : uint8_t { kFree, kUsed };  // LeastAllocated, MostAllocated.

// Adds the same scores as the formulas of algo/node_scores.h, in double arithmetic that is exact
// for the quantities it takes, so that loops vectorise. Lives for one session.
// Thread: scheduling.
class NodeColumns {
 public:
  NodeColumns(const framework::Session& session, const NodeCapacities& capacities)
      : session_(session), capacities_(capacities), follower_(session) {}

  // Cost: the changed nodes, all of them the first time.
  void CatchUp();

  // True when `block` can be scored here for a pod that asks for this much, and with this weight.
  bool Covers(model::NodeRange block, const algo::CpuMemory& pod, int64_t weight) const;

  // `pod` counts with the defaults put in for what it does not request.
  void AddAllocation(Favour favour, const algo::CpuMemory& pod, int64_t weight,
                     model::NodeRange block, absl::Span<double> sum) const;
  // `pod` is the real request; for pods that do not ask for GPUs.
  void AddBalance(const algo::CpuMemory& pod, int64_t weight, model::NodeRange block,
                  absl::Span<double> sum) const;

 private:
  // Of one resource, by node index. `asked` has defaults put in, `held` has not.
  struct Resource {
    std::vector<double> whole;
    std::vector<double> asked;
    std::vector<double> held;
    void Resize(size_t nodes);
    // False when a quantity is outside what is exact; then the values are harmless.
    bool Set(size_t node, int64_t new_whole, int64_t new_asked, int64_t new_held);
  };

  void Read(model::NodeId node);

  const framework::Session& session_;
  const NodeCapacities& capacities_;
  framework::NodeFollower follower_;
  Resource cpu_;
  Resource memory_;
  std::vector<int32_t> evenness_;  // Without the pod, 0 to 100.
  std::vector<uint8_t> odd_;       // Nodes that are not covered.
};

}  // namespace bth::plugins::nodeorder
