// How waiting pods are spread that say nothing about it themselves.
#include "cache/mirror.h"

namespace bth::cache {

using model::TaskId;

// A pod with any constraint, required or not, has none by default.
bool Mirror::SpreadsByDefault(const CompiledPod& pod) const {
  const model::PodPeerTerms* peers = pod.constraints->peers.get();
  return pod.ours && pod.node_name.empty() && !pod.job_key.empty() &&
         (peers == nullptr || peers->spread.empty());
}

// Null: nothing selects the pod.
std::shared_ptr<const model::PodPeerTerms> Mirror::DefaultSpreadOf(const CompiledPod& pod) {
  auto spread = selectors_.SpreadOf(pod, vocabulary_.symbols());
  if (spread != nullptr) peers_.AskFor(*spread);
  return spread;
}

void Mirror::PublishSpreads() {
  const std::vector<TaskId> affected = selectors_.TakeAffected(
      [this](TaskId id) -> const CompiledPod& { return pod_records_[id].pod; });
  for (TaskId id : affected) {
    auto spread = DefaultSpreadOf(pod_records_[id].pod);
    if (spread == now_.tasks[id].default_spread) continue;
    ChangeRow(id).default_spread = std::move(spread);
    ++rows_rewritten_;
  }
}

}  // namespace bth::cache
