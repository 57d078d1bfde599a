// How waiting pods are spread that say nothing about it themselves.
#include "cache/cluster/mirror.h"

namespace bth::cache {

using model::TaskId;

// A pod with any constraint, required or not, has none by default.
void Mirror::EnterDefaultSpread(TaskId id, const CompiledPod& pod) {
  const model::PodPeerTerms* peers = pod.constraints->peers.get();
  const bool spreads = pod.ours && pod.node_name.empty() && !pod.job_key.empty() &&
                       (peers == nullptr || peers->spread.empty());
  if (!spreads) return;
  selectors_.Enter(id, pod);
  TakeDefaultSpread(id, pod);
}

// False: it has the one that it had.
bool Mirror::TakeDefaultSpread(TaskId id, const PodIdentity& pod) {
  auto spread = selectors_.SpreadOf(pod, vocabulary_.symbols());
  if (spread == now_.tasks[id].default_spread) return false;
  if (spread != nullptr) peers_.AskFor(*spread, vocabulary_.symbols());
  DropDefaultSpread(id);
  ChangeRow(id).default_spread = std::move(spread);
  return true;
}

void Mirror::DropDefaultSpread(TaskId id) {
  if (now_.tasks[id].default_spread == nullptr) return;
  peers_.AskNoMore(*now_.tasks[id].default_spread);
  ChangeRow(id).default_spread = nullptr;
}

void Mirror::PublishSpreads() {
  const std::vector<TaskId> affected =
      selectors_.TakeAffected([this](TaskId id) { return IdentityOf(id); });
  for (TaskId id : affected) {
    if (TakeDefaultSpread(id, IdentityOf(id))) ++rows_rewritten_;
  }
}

}  // namespace bth::cache
