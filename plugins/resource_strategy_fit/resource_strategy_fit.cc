#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "algo/node_scores.h"
#include "api/model/pod_extras.h"
#include "base/status.h"
#include "base/strings.h"
#include "framework/session/session.h"
#include "plugins/factories.h"
#include "plugins/resource_strategy_fit/options.h"

namespace bth::plugins {
namespace {

using framework::FitCode;
using framework::HookRegistrar;
using framework::ReasonId;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::ResourceVec;
using model::ShapeId;
using resource_strategy_fit::Rule;
using resource_strategy_fit::ScarceResource;
using resource_strategy_fit::Strategy;

// One dimension of a shape's request that counts; kNeither adds nothing but its weight.
struct ScorePart {
  enum class Kind : uint8_t { kLeast, kMost, kNeither };
  int dim = 0;
  Kind kind = Kind::kLeast;
  double weight = 0;
  int64_t request = 0;
};

// The parts of one shape, in order of names, so that sums do not depend on who asked for a resource
// first.
class ScoreParts {
 public:
  void Add(const ScorePart& part) {
    items_[count_++] = part;
    weight_sum_ += part.weight;
  }
  bool worthless() const { return weight_sum_ <= 0; }

  // 0 to 1; a node that would be over its allocatable in a resource that counts has 0.
  double Score(const ResourceVec& allocatable, const ResourceVec& idle) const {
    double sum = 0;
    for (size_t i = 0; i < count_; ++i) {
      const ScorePart& part = items_[i];
      const int64_t capacity = allocatable[part.dim];
      if (capacity == 0 || part.weight == 0) continue;
      const int64_t left = idle[part.dim] - part.request;
      if (left < 0) return 0;
      if (part.kind == ScorePart::Kind::kNeither) continue;
      const int64_t amount = part.kind == ScorePart::Kind::kLeast ? left : capacity - left;
      sum += static_cast<double>(amount) * part.weight / static_cast<double>(capacity);
    }
    return sum / weight_sum_;
  }

 private:
  std::array<ScorePart, model::kDims> items_;
  size_t count_ = 0;
  double weight_sum_ = 0;
};

ScorePart::Kind KindOf(Strategy strategy) {
  return strategy == Strategy::kMostAllocated ? ScorePart::Kind::kMost : ScorePart::Kind::kLeast;
}

// What a pod's own annotations ask for.
ScoreParts PartsOfPod(const model::PodExtras& extras, const ResourceVec& request,
                      const model::DimensionTable& dims) {
  const ScorePart::Kind kind = extras.strategy == "MostAllocated"    ? ScorePart::Kind::kMost
                               : extras.strategy == "LeastAllocated" ? ScorePart::Kind::kLeast
                                                                     : ScorePart::Kind::kNeither;
  ScoreParts parts;
  for (const auto& [name, weight] : extras.strategy_weights) {
    const std::optional<int> dim = dims.Find(name);
    if (!dim || request[*dim] <= 0) continue;
    parts.Add({*dim, kind, static_cast<double>(weight), request[*dim]});
  }
  return parts;
}

// Its tables by dimension are those of the present session. Thread: scheduling.
class ResourceStrategyFit final : public framework::Plugin {
 public:
  explicit ResourceStrategyFit(resource_strategy_fit::Options options)
      : options_(std::move(options)) {}
  std::string_view name() const override { return "resource-strategy-fit"; }
  framework::AnswerSources answers_follow() const override {
    return framework::Bit(framework::AnswerSource::kNodeUse);
  }

  // Nodes have scarce resources also while nobody asks for them.
  void AddNeeds(framework::PluginNeeds& needs) const override {
    if (options_.scarce_weight > 0) {
      for (const ScarceResource& scarce : options_.scarce) needs.resources.push_back(scarce.name);
    }
    if (options_.proportional) {
      for (const resource_strategy_fit::Proportion& p : options_.proportions)
        needs.resources.push_back(p.name);
    }
  }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    FindRules(session.dims());
    if (options_.proportional) {
      FindGuards(session);
      hooks.FilterUsage([this, &session](ShapeId shape, NodeRange block, absl::Span<ReasonId> out) {
        Guard(session, shape, block, out);
      });
    }
    if (options_.weight > 0 || options_.scarce_weight > 0) {
      FindScarce(session.dims());
      hooks.ScoreUsage([this, &session](ShapeId shape, NodeRange block, absl::Span<double> sum) {
        if (options_.weight > 0) AddStrategy(session, shape, block, sum);
        if (options_.scarce_weight > 0) AddScarcity(session, shape, block, sum);
      });
    }
    return absl::OkStatus();
  }

 private:
  struct RuledDim {
    int dim = 0;
    Rule rule;
  };
  struct ScarceDim {
    int dim = 0;
    double weight = 0;
  };
  // Milli-cores and bytes to stay free per internal unit of the resource.
  struct GuardedDim {
    int dim = 0;
    double cpu = 0;
    double memory = 0;
    ReasonId reason = 0;
  };

  void FindRules(const model::DimensionTable& dims) {
    ruled_.clear();
    for (int d = 0; d < dims.size(); ++d) {
      const Rule* rule = options_.rules.Find(dims.name(d));
      if (rule != nullptr) ruled_.push_back({.dim = d, .rule = *rule});
    }
    std::sort(ruled_.begin(), ruled_.end(), [&dims](const RuledDim& a, const RuledDim& b) {
      return dims.name(a.dim) < dims.name(b.dim);
    });
  }

  // The weights of resources that no node has count in the sum.
  void FindScarce(const model::DimensionTable& dims) {
    scarce_.clear();
    scarce_sum_ = 0;
    for (const ScarceResource& scarce : options_.scarce) {
      scarce_sum_ += static_cast<double>(scarce.weight);
      if (const std::optional<int> dim = dims.Find(scarce.name)) {
        scarce_.push_back({.dim = *dim, .weight = static_cast<double>(scarce.weight)});
      }
    }
  }

  void FindGuards(Session& session) {
    constexpr double kBytesPerMilli = 1000.0 * 1000.0;  // A decimal gigabyte per whole unit.
    guarded_.clear();
    for (const resource_strategy_fit::Proportion& p : options_.proportions) {
      const std::optional<int> dim = session.dims().Find(p.name);
      if (!dim || *dim < model::kFixedDims) continue;
      const auto factor = static_cast<double>(session.dims().DisplayFactor(*dim));
      guarded_.push_back({.dim = *dim,
                          .cpu = p.cpu * factor,
                          .memory = p.memory * factor * kBytesPerMilli,
                          .reason = session.reasons().Register(
                              FitCode::kUnresolvable,
                              StrCat("proportional of resource ", p.name, " check failed"))});
    }
  }

  void Guard(const Session& session, ShapeId shape, NodeRange block,
             absl::Span<ReasonId> out) const {
    const ResourceVec& request = session.shape(shape).request;
    for (const GuardedDim& guarded : guarded_) {
      if (request[guarded.dim] > 0) return;
    }
    for (NodeId node : block) {
      const ResourceVec& idle = session.usage().idle[node];
      const auto cpu = static_cast<double>(idle[model::kCpu] - request[model::kCpu]);
      const auto memory = static_cast<double>(idle[model::kMemory] - request[model::kMemory]);
      for (const GuardedDim& guarded : guarded_) {
        const auto units = static_cast<double>(idle[guarded.dim]);
        if (units <= 0) continue;
        if (cpu >= units * guarded.cpu && memory >= units * guarded.memory) continue;
        out[block.Offset(node)] = guarded.reason;
        break;
      }
    }
  }

  ScoreParts PartsOf(const Session& session, ShapeId shape) const {
    const ResourceVec& request = session.shape(shape).request;
    const auto& extras = session.base().constraints_of(shape).extras;
    if (extras != nullptr && !extras->strategy.empty()) {
      return PartsOfPod(*extras, request, session.dims());
    }
    ScoreParts parts;
    for (const RuledDim& ruled : ruled_) {
      if (request[ruled.dim] <= 0) continue;
      parts.Add({ruled.dim, KindOf(ruled.rule.strategy), static_cast<double>(ruled.rule.weight),
                 request[ruled.dim]});
    }
    return parts;
  }

  void AddStrategy(const Session& session, ShapeId shape, NodeRange block,
                   absl::Span<double> sum) const {
    const ScoreParts parts = PartsOf(session, shape);
    if (parts.worthless()) return;
    const double top = static_cast<double>(algo::kScoreTop) * static_cast<double>(options_.weight);
    for (NodeId node : block) {
      sum[block.Offset(node)] +=
          top * parts.Score(session.base().allocatable[node], session.usage().idle[node]);
    }
  }

  void AddScarcity(const Session& session, ShapeId shape, NodeRange block,
                   absl::Span<double> sum) const {
    const model::DimMask asked = session.shape(shape).request.Positive();
    const double top =
        static_cast<double>(algo::kScoreTop) * static_cast<double>(options_.scarce_weight);
    if (scarce_sum_ <= 0) return;
    for (NodeId node : block) {
      const ResourceVec& allocatable = session.base().allocatable[node];
      if ((asked & ~allocatable.Positive()) != 0) continue;
      double present = 0;
      for (const ScarceDim& scarce : scarce_) {
        if (allocatable[scarce.dim] > 0) present += scarce.weight;
      }
      sum[block.Offset(node)] += top * (1 - present / scarce_sum_);
    }
  }

  const resource_strategy_fit::Options options_;
  std::vector<RuledDim> ruled_;
  std::vector<ScarceDim> scarce_;
  double scarce_sum_ = 0;
  std::vector<GuardedDim> guarded_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreateResourceStrategyFit(
    const conf::Arguments& args) {
  BTH_ASSIGN_OR_RETURN(resource_strategy_fit::Options options,
                       resource_strategy_fit::ReadOptions(args));
  return std::make_unique<ResourceStrategyFit>(std::move(options));
}

}  // namespace bth::plugins
