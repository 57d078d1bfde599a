// The bodies of status writes, as pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "cache/intake/compiled.h"
#include "client/api_client.h"
#include "framework/session/effects.h"

namespace bth::cache {

// Replaces the condition of that type or appends it. Its time stays as long as status and reason
// do.
void Merge(ShownCondition condition, std::vector<ShownCondition>* conditions);
// The same of each in turn. Cost: of both lists together.
void MergeAll(std::vector<ShownCondition> news, std::vector<ShownCondition>* conditions);
// What a cycle says of the group, and what that ends. True: it says that the group is scheduled, as
// its bindings are asked for, which is not written before they came about.
// `standing` makes the message of its condition Scheduled.
bool MergeReported(const framework::PodGroupReport& group,
                   absl::FunctionRef<std::string()> standing,
                   std::vector<ShownCondition>* conditions);
// Gives conditions that are new their time, in whole seconds as the server keeps it, and session.
void Stamp(absl::Time now, std::string_view session, std::vector<ShownCondition>* conditions);
// Whole status by merge patch, bound to the version the mirror has seen. Its conditions have been
// stamped; their sessions become transitionID.
// The annotation kAllocatedHyperNode goes with it where the object shows another one.
client::Patch PodGroupStatusPatch(const ShownPodGroup& status,
                                  std::string_view shown_hyper_node = "");
// PodScheduled=False by strategic merge, bound to the pod's UID. An empty nominated node is left
// as it is.
client::Patch PodScheduledPatch(std::string_view uid, std::string_view reason,
                                std::string_view message, std::string_view nominated_node,
                                absl::Time now);
// DisruptionTarget of a pod that is about to be evicted, or stays after all.
struct PodMark {
  std::string_view uid;
  bool goes = true;
  std::string_view message;
};
// By strategic merge, bound to the pod's UID.
client::Patch DisruptionTargetPatch(const PodMark& mark, absl::Time now);
// What a queue holds by name: cpu and memory always, others where there are any.
NamedAmounts AllocatedAmounts(const framework::QueueReport& queue,
                              const model::DimensionTable& dims);
// status.allocated by merge patch, bound to the version of `known`: one that arrives late must not
// undo a later one. Names that `known` has and `wanted` lacks are removed.
client::Patch QueueAllocatedPatch(const NamedAmounts& wanted, const ShownQueue& known);

}  // namespace bth::cache
