// Clusters with a network, and what network-topology-aware says of them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/network.h"

namespace bth::test::network {

inline constexpr std::string_view kPlugin = "network-topology-aware";

// Topology T of the specification: racks s3 to s6 of two nodes, spines s1 and s2, s0 above them.
inline const std::vector<std::string> kThreeTiers = {
    "s3 1 s3-n1 s3-n2", "s4 1 s4-n1 s4-n2", "s5 1 s5-n1 s5-n2", "s6 1 s6-n1 s6-n2",
    "s1 2 s3 s4",       "s2 2 s5 s6",       "s0 3 s1 s2"};

inline std::string NodesOf(const std::map<std::string, std::string>& by_rack) {
  std::string text;
  for (const auto& [rack, has] : by_rack) {
    for (const char* node : {"-n1", "-n2"}) StrAppend(&text, "node ", rack, node, " ", has, "; ");
  }
  return text;
}

// H4: nodes of four sizes.
inline const std::map<std::string, std::string> kSizes = {{"s3", "cpu=2 mem=4Gi"},
                                                          {"s4", "cpu=4 mem=4Gi"},
                                                          {"s5", "cpu=2 mem=8Gi"},
                                                          {"s6", "cpu=4 mem=8Gi"}};
inline const std::map<std::string, std::string> kAlike = {
    {"s3", "cpu=8"}, {"s4", "cpu=8"}, {"s5", "cpu=8"}, {"s6", "cpu=8"}};

inline PluginBed BedOf(World world, const std::string& arguments = "{}") {
  return PluginBed(Builtins(), MakePolicy("", kPlugin, {{std::string(kPlugin), arguments}}), world);
}

// Scores of `task`, of all `nodes` together.
inline std::vector<double> NodeScoresOf(PluginBed& bed, std::string_view task, const Names& nodes) {
  std::vector<model::NodeId> ids;
  for (const std::string& node : nodes) ids.push_back(bed.world().node(node));
  std::vector<double> scores(nodes.size(), 0);
  for (const auto& entry : bed.session().hooks().global_score) {
    if (!entry.fn.concerns(bed.world().task(task))) continue;
    entry.fn(bed.world().task(task), ids, absl::MakeSpan(scores));
  }
  return scores;
}

inline void CheckNear(const std::vector<double>& scores, const std::vector<double>& expected) {
  REQUIRE(scores.size() == expected.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    CAPTURE(i);
    CHECK(scores[i] == Approx(expected[i]).margin(0.06));
  }
}

}  // namespace bth::test::network
