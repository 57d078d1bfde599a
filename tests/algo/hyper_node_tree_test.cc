#include "algo/hyper_node_tree.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/strings.h"
#include "tests/support/catch.h"

namespace bth::algo {
namespace {

using model::HyperNodeId;
using model::HyperNodeTree;
using model::NodeId;

// `name tier[=tierName] members…`: numbers are nodes, other words HyperNodes.
struct Told {
  std::string name;
  int32_t tier = 0;
  std::string tier_name;
  std::vector<std::string> members;
  std::vector<NodeId> nodes;
};

std::map<std::string, Told> Read(const std::vector<std::string>& lines) {
  std::map<std::string, Told> told;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    const std::vector<std::string> tier = absl::StrSplit(words[1], '=');
    Told one{.name = words[0], .tier = std::stoi(tier[0])};
    if (tier.size() > 1) one.tier_name = tier[1];
    for (size_t i = 2; i < words.size(); ++i) {
      if (std::isdigit(static_cast<unsigned char>(words[i][0])) != 0) {
        one.nodes.push_back(NodeId(static_cast<uint32_t>(std::stoi(words[i]))));
      } else {
        one.members.push_back(words[i]);
      }
    }
    told[one.name] = one;
  }
  return told;
}

BuiltHyperNodes Build(const std::vector<std::string>& lines, uint32_t nodes) {
  const std::map<std::string, Told> told = Read(lines);
  std::vector<HyperNodeInput> inputs;
  for (const auto& [name, one] : told) {
    inputs.push_back({.name = one.name,
                      .tier = one.tier,
                      .tier_name = one.tier_name,
                      .members = one.members,
                      .nodes = one.nodes});
  }
  std::vector<NodeId> ready;
  for (uint32_t i = 0; i < nodes; ++i) ready.emplace_back(i);
  return BuildHyperNodes(inputs, ready);
}

std::vector<int> NodesOf(const HyperNodeTree& tree, HyperNodeId id) {
  std::vector<int> nodes;
  for (const model::NodeRange run : tree[id].runs) {
    for (NodeId node : run) nodes.push_back(static_cast<int>(node.index()));
  }
  CHECK(nodes.size() == tree[id].nodes);
  return nodes;
}

// `name/tier<parent: nodes`.
std::vector<std::string> Shown(const HyperNodeTree& tree) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < tree.rows.size(); ++i) {
    const HyperNodeId id = HyperNodeId::FromIndex(i);
    const HyperNodeId parent = tree[id].parent;
    lines.push_back(StrCat(id == tree.root() ? "top" : tree[id].name, "/", tree.tier(id), "<",
                           !parent.valid()         ? "-"
                           : parent == tree.root() ? "top"
                                                   : tree[parent].name,
                           ": ", absl::StrJoin(NodesOf(tree, id), ",")));
  }
  return lines;
}

std::vector<std::string> FaultsOf(const BuiltHyperNodes& built) {
  std::vector<std::string> lines;
  for (const HyperNodeFault& fault : built.faults) {
    lines.push_back(StrCat(fault.name, ": ", fault.message));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST_CASE("hyper node tree: nodes of members belong to what they are in", "[algo][topology]") {
  const BuiltHyperNodes built = Build({"s0 1 0 1", "s1 1 2 3", "s2 2 s1 s0"}, 5);
  CHECK(Shown(*built.tree) ==
        Lines{"s0/1<s2: 0,1", "s1/1<s2: 2,3", "s2/2<top: 0,1,2,3", "top/3<-: 0,1,2,3,4"});
  CHECK(built.faults.empty());
  CHECK(built.tree->tiers == std::vector<int32_t>{1, 2, 3});
  CHECK(built.tree->Of(NodeId(1)).size() == 3);
  CHECK(built.tree->Of(NodeId(4)).size() == 1);
  CHECK(built.tree->Of(NodeId(99)).empty());
}

TEST_CASE("hyper node tree: without HyperNodes there is the whole cluster", "[algo][topology]") {
  CHECK(Shown(*Build({}, 2).tree) == Lines{"top/1<-: 0,1"});
  CHECK(Shown(*Build({"z 0"}, 0).tree) == Lines{"z/0<top: ", "top/1<-: "});
}

TEST_CASE("hyper node tree: what is wrong is left out and told", "[algo][topology]") {
  struct Case {
    Lines given;
    Lines shown;
    Lines faults;
  };
  const Case cases[] = {
      // A circle (I6), told on the one that reaches upwards; the rest of it stands.
      {{"s0 1 0 1", "s1 2 s0 s3", "s2 3 s1", "s3 4 s2"},
       {"s0/1<s1: 0,1", "s1/2<s2: 0,1", "s2/3<s3: 0,1", "s3/4<top: 0,1", "top/5<-: 0,1"},
       {"s1: cyclic dependency detected: HyperNode s3 is already in the ancestor chain [s1 s2 "
        "s3]"}},
      {{"a 1 a 0"},
       {"a/1<top: 0", "top/2<-: 0,1"},
       {"a: cyclic dependency detected: HyperNode a is already in the ancestor chain [a]"}},
      // Two parents (I7): the nearer one has it.
      {{"s0 1 0 1", "s1 2 s0", "s2 3 s0 s1"},
       {"s0/1<s1: 0,1", "s1/2<s2: 0,1", "s2/3<top: 0,1", "top/4<-: 0,1"},
       {"s2: HyperNode s0 already has a parent s1, and cannot set another parent s2"}},
      {{"s0 1 0", "b 2 s0", "a 2 s0"},
       {"s0/1<a: 0", "a/2<top: 0", "b/2<top: ", "top/3<-: 0,1"},
       {"b: HyperNode s0 already has a parent a, and cannot set another parent b"}},
      // Unknown members (Q-H3).
      {{"s1 2 s0 1"},
       {"s1/2<top: 1", "top/3<-: 0,1"},
       {"s1: its member HyperNode s0 does not exist"}},
      // Tiers that do not fall.
      {{"a 1 0", "b 1 a 1"},
       {"a/1<top: 0", "b/1<top: 1", "top/2<-: 0,1"},
       {"b: its member HyperNode a has tier 1, which is not below its own tier 1"}},
      {{"a 1=rack 0", "b 2=rack 1"},
       {"a/1<top: 0", "b/2<top: 1", "top/3<-: 0,1"},
       {"b: its tierName rack stands for tier 1 already, not for its tier 2"}},
      // Gaps between tiers are none of these.
      {{"a 10 0", "b 20 a"}, {"a/10<b: 0", "b/20<top: 0", "top/21<-: 0,1"}, {}},
      // Nodes in two that are not in one another.
      {{"a 1 0 1", "b 2 0"}, {"a/1<top: 0,1", "b/2<top: 0", "top/3<-: 0,1"}, {}}};
  for (const Case& test : cases) {
    const BuiltHyperNodes built = Build(test.given, 2);
    CHECK(Shown(*built.tree) == test.shown);
    CHECK(FaultsOf(built) == test.faults);
  }
}

TEST_CASE("hyper node tree: ancestors (I10)", "[algo][topology]") {
  const auto shared =
      Build({"s0 1 0", "s1 1 1", "s2 2 s0", "s3 2 s1", "s4 3 s2 s3", "orphan 1 2"}, 3).tree;
  const HyperNodeTree& tree = *shared;
  const auto id = [&tree](std::string_view name) { return tree.Find(name); };
  CHECK(tree.LowestCommon(id("s0"), id("s1")) == id("s4"));
  CHECK(tree.LowestCommon(id("s4"), id("s0")) == id("s4"));
  CHECK(tree.LowestCommon(id("s0"), id("orphan")) == tree.root());
  CHECK(tree.LowestCommon(HyperNodeId(), id("s0")) == id("s0"));
  CHECK(tree.LowestCommon(id("s0"), HyperNodeId()) == id("s0"));
  CHECK(tree.IsAbove(id("s2"), id("s0")));
  CHECK_FALSE(tree.IsAbove(id("s0"), id("s2")));
  CHECK(tree.Contains(id("s4"), NodeId(0)));
  CHECK_FALSE(tree.Contains(id("s4"), NodeId(2)));
  CHECK_FALSE(tree.Find("nobody").valid());
  CHECK(tree.TierNamed("nobody") == nullptr);
}

TEST_CASE("hyper node tree: tier names", "[algo][topology]") {
  const auto shared = Build({"a 1=rack 0", "b 2=spine a", "c 1=rack 1"}, 2).tree;
  const HyperNodeTree& tree = *shared;
  REQUIRE(tree.TierNamed("rack") != nullptr);
  CHECK(*tree.TierNamed("rack") == 1);
  CHECK(*tree.TierNamed("spine") == 2);
}

TEST_CASE("hyper node tree: long runs are cut", "[algo][topology]") {
  std::vector<std::string> lines = {"a 1"};
  for (int i = 0; i < 600; ++i) lines[0] += i == 300 ? "" : " " + std::to_string(i);
  const auto shared = Build(lines, 600).tree;
  const HyperNodeTree& tree = *shared;
  std::vector<size_t> sizes;
  for (const model::NodeRange run : tree[tree.Find("a")].runs) sizes.push_back(run.size());
  CHECK(sizes == std::vector<size_t>{256, 44, 256, 43});
}

}  // namespace
}  // namespace bth::algo
