// The last cycle as JSON, for people and tools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"
#include "framework/session/cycle.h"

namespace bth::scheduler {

// Thread of all: scheduling, between two cycles.

// Why a job ("ns/name") waits: gate, message, and node counts by reason; null when unknown. A batch
// job is found by its own name and by its PodGroup's.
types::Json ExplainJobPage(const framework::Cycle& cycle, std::string_view job);
// The same for a pod ("ns/name"), with its own condition.
types::Json ExplainPodPage(const framework::Cycle& cycle, std::string_view pod);
// What every queue holds, asks for, deserves and may hold, and how many of its jobs wait, by name.
types::Json QueuesPage(const framework::Cycle& cycle);
// Times and counts of the cycle.
types::Json CyclePage(const framework::Cycle& cycle);

// By action: how many candidates on how many nodes there were, how many each plugin protects, and
// what else kept pods, nodes and plans.
types::Json VictimSearchesPage(const framework::Session& session,
                               const std::vector<framework::VictimSearch>& searches);

}  // namespace bth::scheduler
