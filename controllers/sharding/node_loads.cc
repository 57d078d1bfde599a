#include "controllers/sharding/node_loads.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "controllers/core/pods.h"

namespace bth::controllers {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

// Thousandths; what is too large to be told counts as the largest.
int64_t Milli(const types::Quantity* quantity) {
  if (quantity == nullptr) return 0;
  return quantity->MilliValue().value_or(quantity->is_negative()
                                             ? std::numeric_limits<int64_t>::min()
                                             : std::numeric_limits<int64_t>::max());
}

std::optional<double> Part(__int128 used, int64_t capacity) {
  if (capacity <= 0) return std::nullopt;
  return std::min(static_cast<double>(used) / static_cast<double>(capacity), 1.0);
}

bool Counts(const types::Pod& pod) {
  return !pod.spec.node_name.empty() && !IsFinished(pod) && !pod.meta.annotations.Contains(kMirror);
}

}  // namespace

void NodeLoads::Change(const types::Pod& pod, int sign) {
  if (!Counts(pod)) return;
  Sums& sums = sums_[pod.spec.node_name];
  for (const types::Container& container : pod.spec.containers) {
    sums.cpu_milli += sign * static_cast<__int128>(Milli(container.resources.requests.Find("cpu")));
    if (const types::Quantity* memory = container.resources.requests.Find("memory")) {
      sums.memory_bytes += sign * static_cast<__int128>(memory->Value());
    }
  }
  sums.pods += sign;
  if (sums.pods == 0) sums_.erase(pod.spec.node_name);
}

ShardNode NodeLoads::View(std::shared_ptr<const types::Node> node) const {
  Sums sums;
  if (const auto found = sums_.find(node->meta.name); found != sums_.end()) sums = found->second;
  const types::Quantity* memory = node->status.capacity.Find("memory");
  ShardNode view;
  view.cpu = Part(sums.cpu_milli, Milli(node->status.capacity.Find("cpu")));
  view.memory = Part(sums.memory_bytes, memory == nullptr ? 0 : memory->Value());
  view.node = std::move(node);
  return view;
}

}  // namespace bth::controllers
