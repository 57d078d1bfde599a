// Labels of pods, and who stands on which node.
#include <algorithm>

#include "cache/cluster/mirror.h"

namespace bth::cache {

using model::NodeId;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

namespace {

bool SeeksOthers(const model::PodPeerTerms& peers) {
  return !peers.required_affinity.empty() ||
         std::any_of(peers.spread.begin(), peers.spread.end(),
                     [](const model::SpreadConstraint& spread) { return spread.required; });
}

}  // namespace

void Mirror::PutNamespace(const std::string& name, const Labels& labels) {
  if (peers_.PutNamespace(name, labels, vocabulary_.symbols())) NoteRoom();
}

void Mirror::RemoveNamespace(const std::string& name) {
  if (peers_.RemoveNamespace(name)) NoteRoom();
}

// A task came into `state`, or left it.
void Mirror::TrackPeers(TaskId id, const TaskState& state, bool on) {
  const int32_t sign = on ? 1 : -1;
  const PodRecord& record = pod_records_[id];
  const model::PodPeerTerms* peers = now_.constraints_of(record.shape).peers.get();
  if (state.status == TaskStatus::kPending && peers != nullptr && SeeksOthers(*peers)) {
    peers_.NoteSeeker(sign);
  }
  if (!state.node.valid() || !model::InGroup(state.status, model::kOnNodeGroup)) return;
  model::PeerCount key{
      .labels = now_.tasks[id].labels,
      // Those that do not end in time are Unknown.
      .terminating = state.status == TaskStatus::kReleasing || state.status == TaskStatus::kUnknown,
      .pods = sign};
  if (peers != nullptr && peers->has_affinity()) {
    key.terms = now_.shapes[record.shape].constraints;
    now_.pods_with_preferred_terms += sign;
    if (!peers->required_anti_affinity.empty()) now_.pods_with_anti_affinity += sign;
  }
  peers_.Count(state.node, key);
}

// Labels count that did not count before. Cost: a look at every pod; keys to ask about are few, and
// stay a while.
void Mirror::Relabel() {
  for (TaskId id : now_.tasks.ids()) {
    if (now_.tasks[id].names == nullptr) continue;
    PodIdentity pod;
    UnpackSelected(pod_records_[id].selected_by, &pod);
    if (!peers_.HasFreshKey(pod, vocabulary_.symbols())) continue;
    pod.names = *now_.tasks[id].names;
    const model::LabelsId before = now_.tasks[id].labels;
    const model::LabelsId after = peers_.Acquire(pod, vocabulary_.symbols(), &now_);
    if (after != before) {
      TrackPeers(id, now_.usage.tasks[id], false);
      ChangeRow(id).labels = after;
      TrackPeers(id, now_.usage.tasks[id], true);
    }
    peers_.Release(before, &now_);
  }
  peers_.ForgetFreshKeys();
}

void Mirror::PublishPeers() {
  if (peers_.has_fresh_keys()) Relabel();
  now_.peers.Resize(now_.nodes.size());
  peers_.Publish(&now_);
}

}  // namespace bth::cache
