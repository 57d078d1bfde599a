// What to write so that the HyperNodes of one source are those that were discovered. Pure, any
// thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/hyper_node.h"

namespace bth::controllers {

// On each HyperNode that was discovered: from where. Those of other sources, and those of people,
// are left alone.
inline constexpr std::string_view kTopologySourceLabel = "volcano.sh/network-topology-source";

using HyperNodePtr = std::shared_ptr<const types::HyperNode>;
using HyperNodeList = std::vector<HyperNodePtr>;

struct DiscoveryPlan {
  struct Change {
    HyperNodePtr before;
    types::HyperNode after;  // Status as before.
  };
  std::vector<types::HyperNode> create;
  std::vector<Change> update;
  HyperNodeList remove;
  std::vector<std::string> foreign;  // Discovered names that somebody else's objects have.

  bool empty() const { return create.empty() && update.empty() && remove.empty(); }
};

// `discovered`: with spec and, where wanted, labels and annotations; `known`: all HyperNodes there
// are. The spec is replaced, labels and annotations are merged over those there are.
DiscoveryPlan PlanDiscovery(std::string_view source, std::vector<types::HyperNode> discovered,
                            const HyperNodeList& known);

}  // namespace bth::controllers
