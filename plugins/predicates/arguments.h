// The arguments of the plugin `predicates`.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conf/arguments.h"
#include "plugins/predicates/volume_scores.h"

namespace bth::plugins::predicates {

struct Switches {
  bool node_affinity = true;
  bool node_ports = true;
  bool taints = true;
  bool pod_affinity = true;
  bool volume_limits = true;
  bool volume_zone = true;
  bool topology_spread = true;
  bool volume_binding = true;
  bool volume_restrictions = true;
  absl::Duration volume_bind_timeout = absl::Minutes(10);
  // With the feature StorageCapacityScoring.
  int64_t volume_weight = 1;
  ScoreShape volume_shape;
  // How long the search for devices may take on one node, in seconds; 0: as long as it takes.
  int64_t device_seconds = 10;
};

// Arguments that are accepted without an effect leave a finding that says so.
absl::StatusOr<Switches> ReadSwitches(const conf::Arguments& args);

}  // namespace bth::plugins::predicates
