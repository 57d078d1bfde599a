#include <algorithm>
#include <optional>
#include <string_view>

#include "algo/node_scores.h"
#include "api/model/node_affinity.h"
#include "api/model/taints.h"
#include "base/status.h"
#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/nodeorder/node_capacities.h"
#include "plugins/nodeorder/node_columns.h"
#include "plugins/nodeorder/peer_scores.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Normalize;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::PodConstraints;
using model::ShapeId;
using nodeorder::Favour;
using nodeorder::NodeCapacities;
using nodeorder::NodeCapacity;
using nodeorder::NodeColumns;

struct OrderWeights {
  int64_t node_affinity = 2;
  int64_t pod_affinity = 2;
  int64_t least_requested = 1;
  int64_t most_requested = 0;
  int64_t balanced_resource = 1;
  int64_t taint_toleration = 3;
  int64_t image_locality = 1;
  int64_t topology_spread = 2;
};

absl::StatusOr<OrderWeights> ReadOrderWeights(const conf::Arguments& args) {
  struct Key {
    std::string_view name;
    int64_t OrderWeights::*value;
  };
  constexpr Key kKeys[] = {
      {"nodeaffinity.weight", &OrderWeights::node_affinity},
      {"podaffinity.weight", &OrderWeights::pod_affinity},
      {"leastrequested.weight", &OrderWeights::least_requested},
      {"mostrequested.weight", &OrderWeights::most_requested},
      {"balancedresource.weight", &OrderWeights::balanced_resource},
      {"tainttoleration.weight", &OrderWeights::taint_toleration},
      {"imagelocality.weight", &OrderWeights::image_locality},
      {"podtopologyspread.weight", &OrderWeights::topology_spread},
  };
  OrderWeights weights;
  for (const Key& key : kKeys) {
    BTH_ASSIGN_OR_RETURN(weights.*key.value, args.Int(key.name, weights.*key.value));
  }
  return weights;
}

// LeastAllocated or MostAllocated: requests count with their defaults.
framework::UsageScoreFn AllocationScore(const Session& session, const NodeCapacities& capacities,
                                        const NodeColumns& columns, int64_t weight, Favour favour) {
  return [&session, &capacities, &columns, weight, favour](ShapeId shape, NodeRange block,
                                                           absl::Span<double> sum) {
    const model::NonZeroRequest& request = session.shape(shape).nonzero;
    const algo::CpuMemory pod{.cpu = request.cpu_milli, .memory = request.memory_bytes};
    if (columns.Covers(block, pod, weight)) {
      columns.AddAllocation(favour, pod, weight, block, sum);
      return;
    }
    for (NodeId node : block) {
      const model::NonZeroRequest& held = session.usage().nonzero[node];
      const algo::CpuMemory asked{.cpu = held.cpu_milli + pod.cpu,
                                  .memory = held.memory_bytes + pod.memory};
      const algo::CpuMemory& whole = capacities[node].cpu_memory;
      const int64_t score = favour == Favour::kFree ? algo::LeastAllocatedScore(asked, whole)
                                                    : algo::MostAllocatedScore(asked, whole);
      sum[block.Offset(node)] += static_cast<double>(weight * score);
    }
  };
}

// BalancedAllocation for one shape: real requests, nvidia.com/gpu only when the pod asks for it.
class Balance {
 public:
  Balance(const Session& session, const NodeCapacities& capacities, ShapeId shape)
      : session_(session), capacities_(capacities), pod_(session.shape(shape).request) {
    const std::optional<int> gpu = capacities.gpu_dim();
    if (gpu && pod_[*gpu] > 0) gpu_dim_ = *gpu;
    any_pipelined_ = session.usage().pipelined_tasks > 0;
  }

  bool applies() const {
    return pod_[model::kCpu] > 0 || pod_[model::kMemory] > 0 || gpu_dim_ >= 0;
  }

  bool counts_gpu() const { return gpu_dim_ >= 0; }
  algo::CpuMemory pod() const { return {.cpu = pod_[model::kCpu], .memory = pod_[model::kMemory]}; }

  int64_t Of(NodeId node) const {
    const NodeCapacity& whole = capacities_[node];
    const model::ResourceVec& allocatable = session_.base().allocatable[node];
    const model::ResourceVec& idle = session_.usage().idle[node];
    algo::Evenness with_pod;
    algo::Evenness without_pod;
    const auto add = [&](int dim, int64_t capacity) {
      if (capacity <= 0) return;
      int64_t held = allocatable[dim] - idle[dim];
      if (any_pipelined_) held += session_.usage().pipelined[node][dim];
      with_pod.Add(algo::UsedFraction(held + pod_[dim], capacity));
      without_pod.Add(algo::UsedFraction(held, capacity));
    };
    add(model::kCpu, whole.cpu_memory.cpu);
    add(model::kMemory, whole.cpu_memory.memory);
    if (gpu_dim_ >= 0) add(gpu_dim_, whole.gpu);
    return algo::BalancedScore(with_pod, without_pod);
  }

 private:
  const Session& session_;
  const NodeCapacities& capacities_;
  const model::ResourceVec& pod_;
  int gpu_dim_ = -1;
  bool any_pipelined_ = false;
};

int32_t HoldersOf(const model::Snapshot& base, Symbol image) {
  const auto& spreads = *base.images;
  auto it = std::lower_bound(
      spreads.begin(), spreads.end(), image,
      [](const model::ImageSpread& spread, Symbol symbol) { return spread.image < symbol; });
  return it != spreads.end() && it->image == image ? it->nodes : 0;
}

int64_t WorthOfImages(const model::Snapshot& base, const PodConstraints& pod,
                      const model::NodeFacts& node) {
  int64_t worth = 0;
  for (Symbol image : pod.images) {
    auto it = std::lower_bound(
        node.images.begin(), node.images.end(), image,
        [](const std::pair<Symbol, int64_t>& held, Symbol symbol) { return held.first < symbol; });
    if (it == node.images.end() || it->first != image) continue;
    worth += algo::ImageWorth(it->second, HoldersOf(base, image), base.nodes_by_name->size());
  }
  return worth;
}

// A score of facts alone, one number per node.
template <typename Raw>
framework::StaticScore StaticScoreOf(const Session& session, int64_t weight, Normalize normalize,
                                     Raw raw_of) {
  return {
      .fn =
          [&session, raw_of](const PodConstraints& pod, NodeRange block, absl::Span<int64_t> raw) {
            for (NodeId node : block) raw[block.Offset(node)] = raw_of(pod, session.node(node));
          },
      .normalize = normalize,
      .weight = static_cast<double>(weight)};
}

// Keeps the capacities from session to session. Thread: scheduling.
class NodeOrder final : public framework::Plugin {
 public:
  explicit NodeOrder(const OrderWeights& weights) : weights_(weights) {}
  std::string_view name() const override { return "nodeorder"; }
  framework::AnswerSources answers_follow() const override { return 0; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    AddStaticScores(session, hooks);
    capacities_.Refresh(session.base());
    auto& columns = session.Keep<NodeColumns>(session, capacities_);
    hooks.BeforeScan([&columns] { columns.CatchUp(); });
    const auto score_allocation = [&](int64_t weight, Favour favour) {
      if (weight == 0) return;
      hooks.ScoreUsage(AllocationScore(session, capacities_, columns, weight, favour));
    };
    score_allocation(weights_.least_requested, Favour::kFree);
    score_allocation(weights_.most_requested, Favour::kUsed);
    if (weights_.balanced_resource != 0) AddBalance(session, columns, hooks);
    if (weights_.pod_affinity != 0) {
      nodeorder::AddPodAffinityScore(session, hooks, weights_.pod_affinity);
    }
    if (weights_.topology_spread != 0) {
      nodeorder::AddSpreadScore(session, hooks, weights_.topology_spread);
    }
    return absl::OkStatus();
  }

 private:
  void AddStaticScores(const Session& session, HookRegistrar& hooks) const {
    using model::NodeFacts;
    if (weights_.image_locality != 0) {
      hooks.ScoreStatic(StaticScoreOf(
          session, weights_.image_locality, Normalize::kNone,
          [&session](const PodConstraints& pod, const NodeFacts& node) {
            return algo::ImageScore(WorthOfImages(session.base(), pod, node), pod.image_containers);
          }));
    }
    if (weights_.node_affinity != 0) {
      hooks.ScoreStatic(StaticScoreOf(session, weights_.node_affinity, Normalize::kByMax,
                                      [](const PodConstraints& pod, const NodeFacts& node) {
                                        return model::PreferredWeight(pod, node);
                                      }));
    }
    if (weights_.taint_toleration != 0) {
      hooks.ScoreStatic(
          StaticScoreOf(session, weights_.taint_toleration, Normalize::kByMaxReverse,
                        [](const PodConstraints& pod, const NodeFacts& node) -> int64_t {
                          return model::CountUntoleratedPreferences(pod, node);
                        }));
    }
  }

  void AddBalance(const Session& session, const NodeColumns& columns, HookRegistrar& hooks) const {
    hooks.ScoreUsage(
        [this, &session, &columns](ShapeId shape, NodeRange block, absl::Span<double> sum) {
          const Balance balance(session, capacities_, shape);
          if (!balance.applies()) return;
          const int64_t weight = weights_.balanced_resource;
          if (!balance.counts_gpu() && columns.Covers(block, balance.pod(), weight)) {
            columns.AddBalance(balance.pod(), weight, block, sum);
            return;
          }
          for (NodeId node : block) {
            sum[block.Offset(node)] += static_cast<double>(weight * balance.Of(node));
          }
        });
  }

  const OrderWeights weights_;
  NodeCapacities capacities_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateNodeOrder(const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(const OrderWeights weights, ReadOrderWeights(args));
  return std::make_unique<NodeOrder>(weights);
}

}  // namespace bth::plugins
