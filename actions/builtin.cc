#include "actions/builtin.h"

#include "actions/factories.h"

namespace bth::actions {

void RegisterBuiltinActions(framework::Registry& registry) {
  registry.actions["enqueue"] = CreateEnqueue;
  registry.actions["allocate"] = CreateAllocate;
  registry.actions["backfill"] = CreateBackfill;
  registry.actions["preempt"] = CreatePreempt;
  registry.actions["reclaim"] = CreateReclaim;
  registry.actions["gangpreempt"] = CreateGangPreempt;
  registry.actions["gangreclaim"] = CreateGangReclaim;
  registry.actions["shuffle"] = CreateShuffle;
}

}  // namespace bth::actions
