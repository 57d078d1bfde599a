#include "cache/cluster/default_spreads.h"

#include <utility>

namespace bth::cache {

using model::TaskId;

void DefaultSpreads::Enter(TaskId id, const CompiledPod& pod) {
  const model::PodPeerTerms* peer_terms = pod.constraints->peer_terms.get();
  const bool spreads = pod.ours && pod.node_name.empty() && !pod.job_key.empty() &&
                       (peer_terms == nullptr || peer_terms->spread.empty());
  if (!spreads) return;
  selectors_.Enter(id, pod);
  Take(id, pod);
}

void DefaultSpreads::Leave(TaskId id, const std::string& ns) {
  selectors_.Leave(id, ns);
  Drop(id);
}

// False: it has the one that it had.
bool DefaultSpreads::Take(TaskId id, const PodIdentity& pod) {
  auto spread = selectors_.SpreadOf(pod, symbols_);
  if (spread == draft_.now.tasks[id].default_spread) return false;
  if (spread != nullptr) pod_labels_.AskFor(*spread, symbols_);
  Drop(id);
  draft_.ChangeTask(id).default_spread = std::move(spread);
  return true;
}

void DefaultSpreads::Drop(TaskId id) {
  if (draft_.now.tasks[id].default_spread == nullptr) return;
  pod_labels_.AskNoMore(*draft_.now.tasks[id].default_spread);
  draft_.ChangeTask(id).default_spread = nullptr;
}

void DefaultSpreads::Publish(absl::FunctionRef<PodIdentity(TaskId)> pod_of) {
  for (TaskId id : selectors_.TakeAffected(pod_of)) {
    if (Take(id, pod_of(id))) ++draft_.rows_rewritten;
  }
}

}  // namespace bth::cache
