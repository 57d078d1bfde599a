#include "actions/builtin.h"

#include "actions/allocate.h"
#include "actions/backfill.h"
#include "actions/enqueue.h"
#include "actions/gangpreempt.h"
#include "actions/gangreclaim.h"
#include "actions/preempt.h"
#include "actions/reclaim.h"
#include "actions/shuffle.h"

namespace bth::actions {

void RegisterBuiltinActions(framework::Registry& registry) {
  registry.actions["enqueue"] = Enqueue::Create;
  registry.actions["allocate"] = Allocate::Create;
  registry.actions["backfill"] = Backfill::Create;
  registry.actions["preempt"] = Preempt::Create;
  registry.actions["reclaim"] = Reclaim::Create;
  registry.actions["gangpreempt"] = GangPreempt::Create;
  registry.actions["gangreclaim"] = GangReclaim::Create;
  registry.actions["shuffle"] = Shuffle::Create;
}

}  // namespace bth::actions
