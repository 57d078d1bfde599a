// Scheduling gates that we are taking off.
#include "cache/mirror.h"

namespace bth::cache {

bool Mirror::AssumeGateLifted(const std::string& key, std::string_view uid) {
  auto known = pods_.find(key);
  if (known == pods_.end() || pod_records_[known->second].pod.names.uid != uid) return false;
  if (!now_.tasks[known->second].own_gate_only) return false;
  ChangeRow(known->second).gate_lifted = true;
  return true;
}

// A later cycle may try again.
void Mirror::ForgetGateLifted(const std::string& key, std::string_view uid) {
  auto known = pods_.find(key);
  if (known == pods_.end() || pod_records_[known->second].pod.names.uid != uid) return;
  if (!now_.tasks[known->second].gate_lifted) return;
  ChangeRow(known->second).gate_lifted = false;
  changed_ = true;
}

}  // namespace bth::cache
