// Deleting many objects, several at once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/types/resource.h"
#include "cli/session/cluster.h"

namespace bth::cli {

struct Doomed {
  std::string ns;
  std::string name;
  std::string uid;  // One made anew under the same name is left alone.
};

// Sixteen requests at most are under way. One that is refused for lack of capacity (429) is tried
// again some times. What is gone already counts as deleted. `on_progress` is told how many are
// done. The results are in the order of `objects`.
std::vector<absl::Status> DeleteMany(Cluster& cluster, const types::ResourceType& type,
                                     const std::vector<Doomed>& objects,
                                     const std::function<void(size_t done)>& on_progress);

}  // namespace bth::cli
