// Scheduling gates that we are taking off.
#include "cache/cluster/mirror.h"

namespace bth::cache {

bool Mirror::AssumeGateLifted(const std::string& key, std::string_view uid) {
  const model::TaskId id = Find(key, uid);
  if (!id.valid() || !now_.tasks[id].own_gate_only) return false;
  ChangeRow(id).gate_lifted = true;
  return true;
}

// A later cycle may try again.
void Mirror::ForgetGateLifted(const std::string& key, std::string_view uid) {
  const model::TaskId id = Find(key, uid);
  if (!id.valid() || !now_.tasks[id].gate_lifted) return;
  ChangeRow(id).gate_lifted = false;
  changed_ = true;
}

}  // namespace bth::cache
