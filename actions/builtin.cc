#include "actions/builtin.h"

#include "actions/allocate.h"
#include "actions/backfill.h"
#include "actions/enqueue.h"

namespace bth::actions {

void RegisterBuiltinActions(framework::Registry& registry) {
  registry.actions["enqueue"] = Enqueue::Create;
  registry.actions["allocate"] = Allocate::Create;
  registry.actions["backfill"] = Backfill::Create;
}

}  // namespace bth::actions
