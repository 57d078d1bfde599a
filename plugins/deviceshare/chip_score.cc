#include "plugins/deviceshare/chip_score.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "api/model/chip_reports.h"
#include "devices/mindcluster/mindcluster.h"

namespace bth::plugins::deviceshare {
namespace {

struct Place {
  size_t at = 0;
  int64_t idle = 0;
  uint32_t name_rank = 0;
};

std::vector<Place> ByIdleCores(const framework::Session& session,
                               absl::Span<const model::NodeId> nodes) {
  const std::optional<int> dim = session.dims().Find(devices::mindcluster::kCores);
  std::vector<Place> out;
  out.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int64_t idle = dim ? session.usage().idle[nodes[i]][*dim] : 0;
    out.push_back({.at = i, .idle = idle, .name_rank = session.base().nodes[nodes[i]].name_rank});
  }
  std::sort(out.begin(), out.end(), [](const Place& a, const Place& b) {
    return a.idle != b.idle ? a.idle < b.idle : a.name_rank < b.name_rank;
  });
  return out;
}

}  // namespace

const model::PodDeviceRequest* ChipRequestOf(const framework::Session& session,
                                             model::TaskId task) {
  const auto& constraints = session.base().constraints_of(session.task(task).shape);
  if (constraints.devices == nullptr) return nullptr;
  for (const model::PodDeviceRequest& request : constraints.devices->requests) {
    if (request.kind == model::kMindClusterKind) return &request;
  }
  return nullptr;
}

void ScoreChips(const framework::Session& session, const ChipCandidates& candidates,
                absl::Span<double> sum) {
  constexpr double kStep = 8;
  const std::vector<Place> places = ByIdleCores(session, candidates.nodes);
  const auto lowers = [&](const Place& place) {
    return candidates.lowers(candidates.nodes[place.at]);
  };
  bool any = false;
  for (const Place& place : places) {
    const bool lowered = lowers(place);
    any |= lowered;
    if (!lowered) {
      any = any || std::any_of(places.begin(), places.end(), lowers);
      sum[place.at] += candidates.weight * (any ? 2 * kStep : kStep);
      return;
    }
    sum[place.at] += candidates.weight * kStep;
  }
}

}  // namespace bth::plugins::deviceshare
