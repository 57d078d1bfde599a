#include "tests/support/network.h"

#include <map>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "algo/hyper_node_tree.h"

namespace bth::test {

World WithHyperNodes(World world, const std::vector<std::string>& lines) {
  struct Told {
    int32_t tier = 0;
    std::vector<std::string> members;
    std::vector<model::NodeId> nodes;
  };
  std::map<std::string, Told> told;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    Told& one = told[words.at(0)];
    if (!absl::SimpleAtoi(words.at(1), &one.tier)) throw std::invalid_argument(line);
    for (size_t i = 2; i < words.size(); ++i) {
      const auto node = world.nodes.find(words[i]);
      if (node == world.nodes.end()) {
        one.members.push_back(words[i]);
      } else {
        one.nodes.push_back(node->second);
      }
    }
  }
  std::vector<algo::HyperNodeInput> inputs;
  for (const auto& [name, one] : told) {
    inputs.push_back({.name = name,
                      .tier = one.tier,
                      .tier_name = "",
                      .members = one.members,
                      .nodes = one.nodes});
  }
  auto snapshot = std::make_shared<model::Snapshot>(*world.snapshot);
  snapshot->hyper_nodes = algo::BuildHyperNodes(inputs, *snapshot->nodes_by_name).tree;
  world.snapshot = std::move(snapshot);
  return world;
}

World WithTopology(World world, std::string_view job,
                   std::vector<model::NetworkTopologySpec> specs) {
  auto snapshot = std::make_shared<model::Snapshot>(*world.snapshot);
  model::JobRow& row = snapshot->jobs.Mutable(world.job(job));
  auto facts = std::make_shared<model::JobFacts>(*row.facts);
  facts->topology = std::move(specs);
  row.facts = std::move(facts);
  row.has_network_topology = true;
  world.snapshot = std::move(snapshot);
  return world;
}

}  // namespace bth::test
