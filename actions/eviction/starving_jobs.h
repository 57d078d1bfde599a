// Jobs for which the evicting actions look for room.
#pragma once

#include <functional>

#include "actions/worksheet.h"
#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::actions::eviction {

// Admitted, valid and starving: what both preempt and reclaim ask for.
bool IsCandidate(const framework::Session& session, model::JobId job);

// Pending tasks without scheduling gates, those that ask for nothing but a place included.
TaskHeap PendingTasks(const framework::Session& session, model::JobId job);

}  // namespace bth::actions::eviction
