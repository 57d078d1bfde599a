// What a running gang can give up: its surplus, or itself.
#pragma once

#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "api/model/resource_vec.h"
#include "framework/hooks/hooks.h"
#include "framework/session/session.h"

namespace bth::actions::gang_eviction {

// Tasks of one job that go together.
struct Bundle {
  bool whole = false;  // Without them the job falls below a minimum; else they are surplus.
  model::JobId job;
  std::vector<model::TaskId> tasks;
  model::ResourceVec local;   // What `tasks` request.
  model::ResourceVec global;  // What is lost by it: everything that a whole gang requests.
};

// Splits `tasks`, all of them of `job`, into surplus and the rest: lower priority first, then by
// UID. Of a job below its minimum all is surplus. At most one bundle of each kind.
std::vector<Bundle> BundlesOf(const framework::Session& session, model::JobId job,
                              std::vector<model::TaskId> tasks);

// For whom bundles are sorted.
struct Claim {
  framework::EvictionContext::Kind kind = framework::EvictionContext::Kind::kGangPreempt;
  model::JobId job;
  model::ResourceVec need;
};

// Surplus before whole gangs; then, for preemption the job ordered last, for reclaim the queue that
// is to give first; then who gives the most of what is needed for what is lost; then by UID.
void SortBundles(const framework::Session& session, const Claim& claim,
                 std::vector<Bundle>& bundles);

// How much of what is needed the bundle gives, over what is lost with it; infinite for surplus.
double ReturnOf(const Bundle& bundle, const model::ResourceVec& need);

// Keeps what is in `approved`: surplus shrinks, a whole gang is approved whole or not at all.
void KeepApproved(const framework::Session& session, absl::Span<const model::TaskId> approved,
                  std::vector<Bundle>& bundles);

// Drops whole gangs of which some task with a place is in no bundle: what is left of them would
// hold its room and do no work.
void DropHalfGangs(const framework::Session& session, std::vector<Bundle>& bundles);

}  // namespace bth::actions::gang_eviction
