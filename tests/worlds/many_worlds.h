// A property on many random worlds.
#pragma once

#include <memory>

#include "framework/session/statement.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"
#include "tests/worlds/random_world.h"

namespace bth::test {

template <typename Body>
void ForEachWorld(uint64_t worlds, Body body) {
  ForEachSeed(worlds, [&body](uint64_t seed) {
    Rng rng(seed);
    body(rng);
  });
}

inline std::shared_ptr<const model::Snapshot> SnapshotOf(const WorldSpec& world,
                                                         uint64_t order = 0) {
  const ManualClock clock(absl::FromUnixSeconds(1'000'000));
  cache::Mirror mirror(clock, {});
  PutPriorities(mirror);
  Feed(world, mirror, order);
  return mirror.Publish();
}

// Random placements, pipelined ones and evictions of what is possible.
inline void ActAtRandom(framework::Session& session, framework::Statement& statement, Rng& rng,
                        int actions) {
  const auto& nodes = *session.base().nodes_by_name;
  const size_t tasks = session.base().tasks.size();
  if (nodes.empty() || tasks == 0) return;
  for (int i = 0; i < actions; ++i) {
    const model::TaskId task = model::TaskId::FromIndex(rng.Below(tasks));
    if (session.task(task).names == nullptr) continue;
    const model::NodeId node = nodes[rng.Below(nodes.size())];
    const model::TaskStatus status = session.state(task).status;
    if (status == model::TaskStatus::kPending && rng.Chance(0.7)) {
      statement.Allocate(task, node);
    } else if (status == model::TaskStatus::kPending) {
      statement.Pipeline(task, node, rng.Chance(0.5));
    } else if (status == model::TaskStatus::kPipelined) {
      statement.Unpipeline(task);
    } else if (model::InGroup(status, model::kPreemptableGroup)) {
      statement.Evict(task, model::TaskId());
    }
  }
}

}  // namespace bth::test
