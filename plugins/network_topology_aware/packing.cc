#include "plugins/network_topology_aware/packing.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace bth::plugins::network_topology {
namespace {

double Fullness(double weight, int64_t filled, int64_t capacity) {
  return weight * static_cast<double>(filled) / static_cast<double>(capacity);
}
double Closeness(double weight, int64_t left, int64_t of_all) {
  return weight * (1 - static_cast<double>(left) / static_cast<double>(of_all));
}

}  // namespace

Packing::Packing(const framework::Session& session, const Options& options) {
  for (const auto& [name, weight] : options.resources) {
    // A resource without a dimension is one that no pod asks for.
    if (const std::optional<int> dim = session.dims().Find(name)) {
      parts_.push_back({.dim = *dim, .weight = weight});
    }
  }
}

template <typename Grade>
double Packing::Mean(const model::ResourceVec& request, const framework::DomainSum& sum,
                     const Grade& grade) const {
  double score = 0;
  double weights = 0;
  for (const Part& part : parts_) {
    if (request[part.dim] <= 0) continue;
    const int64_t capacity = sum.allocatable[part.dim];
    const int64_t filled = capacity - sum.idle[part.dim] + request[part.dim];
    if (filled > capacity) return 0;
    score += grade(part, filled);
    weights += part.weight;
  }
  return weights > 0 ? score / weights : 0;
}

double Packing::Score(const model::ResourceVec& request, const framework::DomainSum& sum) const {
  return Mean(request, sum, [&sum](const Part& part, int64_t filled) {
    return Fullness(part.weight, filled, sum.allocatable[part.dim]);
  });
}

double Packing::MostScore(const model::ResourceVec& request, const model::ResourceVec& before,
                          const framework::DomainSum& sum) const {
  return Mean(request, sum, [&](const Part& part, int64_t filled) {
    const int64_t capacity = sum.allocatable[part.dim];
    return Fullness(part.weight, std::min(filled + before[part.dim], capacity), capacity);
  });
}

double Packing::Tightness(const model::ResourceVec& request, const framework::DomainSum& sum,
                          const framework::DomainSum& all) const {
  return Mean(request, sum, [&](const Part& part, int64_t filled) {
    return Closeness(part.weight, sum.allocatable[part.dim] - filled, all.allocatable[part.dim]);
  });
}

double Packing::MostTightness(const model::ResourceVec& request, const model::ResourceVec& before,
                              const framework::DomainSum& sum,
                              const framework::DomainSum& all) const {
  return Mean(request, sum, [&](const Part& part, int64_t filled) {
    const int64_t left = sum.allocatable[part.dim] - filled - before[part.dim];
    return Closeness(part.weight, std::max<int64_t>(left, 0), all.allocatable[part.dim]);
  });
}

TierWeights WeightsOf(absl::Span<const int32_t> tiers, double fading) {
  TierWeights out;
  const auto weight_of = [fading](int32_t tier) { return std::pow(fading, tier - 1); };
  int32_t next = tiers.empty() ? 0 : tiers.front();
  for (const int32_t tier : tiers) {
    const int32_t gap = tier - next;
    if (gap > 0 && fading == 1) {
      out.full += gap;
    } else if (gap > 0) {
      out.full += weight_of(next) * (1 - std::pow(fading, gap)) / (1 - fading);
    }
    out.weights.push_back(weight_of(tier));
    out.sum += out.weights.back();
    next = tier + 1;
  }
  out.sum += out.full;
  return out;
}

}  // namespace bth::plugins::network_topology
