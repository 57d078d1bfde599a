// What a cycle did, as JSON for tools and as text for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/types/json.h"
#include "framework/session/effects.h"
#include "framework/session/session.h"
#include "sim/cluster.h"

namespace bth::sim {

struct CycleView {
  int64_t number = 1;
  const framework::Session& session;  // As it was closed.
  const std::vector<framework::EffectBatch>& batches;
  const framework::CycleReport& report;
  const Cluster& cluster;  // As it was when the cycle began.
};

// The members of docs/vc-sim.md; objects in the order of their keys, so that equal decisions give
// equal texts.
types::Json RecordCycle(const CycleView& view);

// The same for the eye: what was bound, evicted and pipelined, and why the rest waits.
std::string CycleText(const types::Json& cycle);

}  // namespace bth::sim
