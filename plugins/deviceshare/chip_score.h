// How good nodes are for parts of MindCluster's chips, compared with each other.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "api/model/devices.h"
#include "framework/session/session.h"

namespace bth::plugins::deviceshare {

// Null: the task does not ask for such chips.
const model::PodDeviceRequest* ChipRequestOf(const framework::Session& session, model::TaskId task);

struct ChipCandidates {
  absl::Span<const model::NodeId> nodes;
  absl::FunctionRef<bool(model::NodeId)> lowers;  // It would give less than the pod would like.
  double weight = 0;
};
// From the node with the fewest idle cores on: those that lower the pod and come before the first
// that does not get 8, and that one 16; it gets 8 where nobody lowers it. Ties by name.
void ScoreChips(const framework::Session& session, const ChipCandidates& candidates,
                absl::Span<double> sum);

}  // namespace bth::plugins::deviceshare
