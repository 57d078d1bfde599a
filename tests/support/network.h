// Worlds of tests with a network between their nodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/hyper_nodes.h"
#include "api/model/job.h"
#include "tests/support/cluster_builder.h"

namespace bth::test {

// HyperNodes as "name tier members…", members being names of nodes or of other HyperNodes.
World WithHyperNodes(World world, const std::vector<std::string>& lines);
// What `job` asks, and what each of its policies of sub-jobs does, in their order.
World WithTopology(World world, std::string_view job,
                   std::vector<model::NetworkTopologySpec> specs);

inline model::NetworkTopologySpec Hard(int32_t tier) {
  return {.mode = model::NetworkTopologySpec::Mode::kHard,
          .highest_tier = tier,
          .highest_tier_name = ""};
}
inline model::NetworkTopologySpec Soft() {
  return {.mode = model::NetworkTopologySpec::Mode::kSoft,
          .highest_tier = std::nullopt,
          .highest_tier_name = ""};
}

}  // namespace bth::test
