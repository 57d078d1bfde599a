// coordination.k8s.io/v1 Lease: leader election and node heartbeats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/types/meta.h"
#include "api/types/time.h"

namespace bth::types {

struct LeaseSpec {
  std::string holder_identity;
  std::optional<int32_t> lease_duration_seconds;
  std::optional<MicroTime> acquire_time;
  std::optional<MicroTime> renew_time;
  int32_t lease_transitions = 0;
  bool operator==(const LeaseSpec&) const = default;
};

struct Lease {
  ObjectMeta meta;
  LeaseSpec spec;
  bool operator==(const Lease&) const = default;
};

}  // namespace bth::types
