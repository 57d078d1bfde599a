// What the pods of each node ask for.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "controllers/sharding/shard_policy.h"

namespace bth::controllers {

// Counts active pods that have a node: not those that have ended, and not mirror pods. Init
// containers are left out. Sums are exact, so that what is removed is what was added.
// Thread: one owner. Cost: O(containers) for each change.
class NodeLoads final {
 public:
  void Add(const types::Pod& pod) { Change(pod, 1); }
  void Remove(const types::Pod& pod) { Change(pod, -1); }

  // Utilisations are at most 1.
  ShardNode View(std::shared_ptr<const types::Node> node) const;
  size_t nodes() const { return sums_.size(); }

 private:
  struct Sums {
    __int128 cpu_milli = 0;
    __int128 memory_bytes = 0;
    int64_t pods = 0;
  };
  void Change(const types::Pod& pod, int sign);

  absl::flat_hash_map<std::string, Sums> sums_;  // Only of nodes with such pods.
};

}  // namespace bth::controllers
