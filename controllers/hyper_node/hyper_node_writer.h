// Writes of HyperNodes.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "controllers/core/controller.h"
#include "controllers/core/object_store.h"
#include "controllers/hyper_node/discovery_plan.h"

namespace bth::controllers {

// Only what changed is written, and only on top of what was read; answers go to the store.
// Lifetime: shorter than the context's parts and the store. Thread: the executor's.
class HyperNodeWriter final {
 public:
  HyperNodeWriter(const ControllerContext& context, ObjectStore<types::HyperNode>& store)
      : context_(context), store_(store) {}

  // Everything is tried; the first failure is returned. What is gone already counts as removed.
  net::Awaitable<absl::Status> Apply(DiscoveryPlan plan);
  net::Awaitable<absl::Status> SetNodeCount(HyperNodePtr hyper_node, int64_t count);

 private:
  net::Awaitable<absl::Status> Create(types::HyperNode object);
  net::Awaitable<absl::Status> Update(DiscoveryPlan::Change change);
  net::Awaitable<absl::Status> Remove(HyperNodePtr object);

  const ControllerContext context_;
  ObjectStore<types::HyperNode>& store_;
};

}  // namespace bth::controllers
