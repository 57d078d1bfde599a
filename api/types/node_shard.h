// shard.volcano.sh/v1alpha1 NodeShard: the nodes of the scheduler of the same name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/types/meta.h"

namespace bth::types {

struct NodeShard {
  ObjectMeta meta;
  std::vector<std::string> nodes_desired;  // spec.nodesDesired
  std::optional<absl::Time> last_update_time;
  std::vector<std::string> nodes_in_use;
  std::vector<std::string> nodes_to_remove;
  std::vector<std::string> nodes_to_add;
  bool operator==(const NodeShard&) const = default;
};

}  // namespace bth::types
