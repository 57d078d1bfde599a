// Whom a gang action must not evict, because it would demand its room right back.
#pragma once

#include "absl/types/span.h"
#include "actions/gang_eviction/bundles.h"
#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::actions::gang_eviction {

// True when, as things stand now, the job of `victims` could take room back from `winners`, which
// are tasks of one job, by a tier of plugins that ranks no later than `tier`: with the action that
// evicted them, or with the one for single tasks where that is configured. Winners must be placed
// and victims evicted when this is asked.
bool CouldStrikeBack(const framework::Session& session, framework::EvictionContext::Kind kind,
                     absl::Span<const model::TaskId> winners,
                     absl::Span<const model::TaskId> victims, int tier);

}  // namespace bth::actions::gang_eviction
