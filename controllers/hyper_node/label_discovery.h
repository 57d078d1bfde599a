// HyperNodes from the labels of nodes. Pure functions, any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "conf/topology_discovery.h"
#include "controllers/hyper_node/discovery_plan.h"
#include "controllers/hyper_node/node_count.h"

namespace bth::controllers {

// One HyperNode for each label value that a tier of some type finds; types that use the same label
// share it. A node that lacks the label of a tier is in no higher tier of that type either.
//
// A HyperNode that exists for that label value is used again (the first by name). A new one is
// called hypernode-TYPE-tierN-XXXXX, where XXXXX follows from label and value, so that whoever
// discovers the same again after a crash gives the same names. kResourceExhausted "unable to get
// unique hyperNodeName after 20 attempts": others have all those names.
//
// Does not depend on the order of `nodes` and `known`. Cost: O(nodes x tiers x log).
absl::StatusOr<std::vector<types::HyperNode>> DiscoverByLabels(
    const std::vector<conf::TopologyType>& types, NodeList nodes, HyperNodeList known);

// All labels that the types look at.
std::set<std::string> LabelsOf(const std::vector<conf::TopologyType>& types);
bool HasAnyLabel(const types::Node& node, const std::set<std::string>& labels);
// Whether one of the labels was added, removed or changed.
bool LabelsDiffer(const types::Node& before, const types::Node& after,
                  const std::set<std::string>& labels);

// As part of a name: lower case, with "-" for each character but letters, digits, "." and "-".
std::string CleanTypeName(std::string_view type);

}  // namespace bth::controllers
