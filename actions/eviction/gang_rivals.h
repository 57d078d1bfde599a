// Whether the victims of an eviction could take their room back as a gang.
#pragma once

#include "absl/types/span.h"
#include "api/model/ids.h"
#include "framework/hooks/hooks.h"
#include "framework/session/session.h"

namespace bth::actions::eviction {

// True when, as things stand now, the action for gangs of this kind is configured and would let the
// job of `victims` evict some of `winners`, which are tasks of one job, by a tier of plugins that
// ranks no later than `tier`. Winners must be placed and victims evicted when this is asked.
bool GangCouldStrikeBack(const framework::Session& session, framework::EvictionContext::Kind kind,
                         absl::Span<const model::TaskId> winners,
                         absl::Span<const model::TaskId> victims, int tier);

}  // namespace bth::actions::eviction
