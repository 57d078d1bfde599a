// Snapshots of test worlds with parts that the little language has no words for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "api/model/pod_extras.h"
#include "tests/support/cluster_builder.h"

namespace bth::test {

inline constexpr int64_t kGi = int64_t{1} << 30;
// Measurements of tests are made at this moment, and sessions are opened a minute later.
inline constexpr int64_t kMeasured = 3'600'000'000;

// The world with `change` made to a copy of its snapshot.
inline World Changed(World world, const std::function<void(model::Snapshot&)>& change) {
  auto snapshot = std::make_shared<model::Snapshot>(*world.snapshot);
  change(*snapshot);
  world.snapshot = std::move(snapshot);
  return world;
}

// Bindings of `job` were refused: cycles leave it alone for a while.
inline World WithBackoff(World world, std::string_view job) {
  const model::JobId id = world.job(job);
  return Changed(std::move(world), [id](model::Snapshot& snapshot) {
    std::vector<model::JobId> active = *snapshot.active_jobs;
    std::erase(active, id);
    snapshot.active_jobs = std::make_shared<const std::vector<model::JobId>>(std::move(active));
    snapshot.backing_off_jobs = std::make_shared<const std::vector<model::JobId>>(size_t{1}, id);
  });
}

// The shape of `task` gets these extras, with every task that shares it.
inline World WithExtras(World world, std::string_view task, model::PodExtras extras) {
  const model::TaskId id = world.task(task);
  return Changed(std::move(world), [&](model::Snapshot& snapshot) {
    const model::ConstraintsId constraints = snapshot.shapes[snapshot.tasks[id].shape].constraints;
    auto pod = std::make_shared<model::PodConstraints>(*snapshot.constraints[constraints]);
    pod->extras = std::make_shared<const model::PodExtras>(std::move(extras));
    snapshot.constraints.Mutable(constraints) = std::move(pod);
  });
}

inline World WithTask(World world, std::string_view task,
                      const std::function<void(model::TaskRow&)>& change) {
  const model::TaskId id = world.task(task);
  return Changed(std::move(world),
                 [&](model::Snapshot& snapshot) { change(snapshot.tasks.Mutable(id)); });
}

inline World WithLoads(World world, model::NodeLoads loads) {
  return Changed(std::move(world), [&](model::Snapshot& snapshot) {
    snapshot.loads = std::make_shared<const model::NodeLoads>(std::move(loads));
  });
}

// Whole cores and bytes of status.capacity.
inline World WithCapacity(World world, std::string_view node, int64_t cpu, int64_t memory_bytes) {
  const model::NodeId id = world.node(node);
  return Changed(std::move(world), [&](model::Snapshot& snapshot) {
    auto facts = std::make_shared<model::NodeFacts>(*snapshot.nodes[id].facts);
    facts->capacity_cpu_milli = cpu * 1000;
    facts->capacity_memory_bytes = memory_bytes;
    snapshot.nodes.Mutable(id).facts = std::move(facts);
  });
}

}  // namespace bth::test
