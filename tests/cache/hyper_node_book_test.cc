// HyperNodes on their way from objects into snapshots.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile_hyper_node.h"
#include "cache/routing/router.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"
#include "tests/support/seeds.h"

namespace bth::cache {
namespace {

using model::HyperNodeId;
using model::HyperNodeTree;
using model::NodeId;
using testing::Read;
using testing::RefusalOf;

std::string Exact(const std::string& type, const std::string& name) {
  return StrCat(R"({"type":")", type, R"(","selector":{"exactMatch":{"name":")", name, R"("}}})");
}
std::string Pattern(const std::string& pattern, const std::string& type = "Node") {
  return StrCat(R"({"type":")", type, R"(","selector":{"regexMatch":{"pattern":")", pattern,
                R"("}}})");
}
std::string Labelled(const std::string& selector) {
  return StrCat(R"({"type":"Node","selector":{"labelMatch":)", selector, "}}");
}

std::string HyperNodeText(const std::string& name, int tier,
                          const std::vector<std::string>& members, const std::string& more = "") {
  return StrCat(R"({"apiVersion":"topology.volcano.sh/v1alpha1","kind":"HyperNode","metadata":)",
                R"({"name":")", name, R"("},"spec":{"tier":)", tier, more, R"(,"members":[)",
                absl::StrJoin(members, ","), "]}}");
}

std::string NodeText(const std::string& name, const std::string& labels,
                     const std::string& cpu = "4") {
  return StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name, R"(","labels":{)",
                labels, R"(}},"status":{"allocatable":{"cpu":")", cpu, R"(","pods":"10"}}})");
}

struct Bed {
  const ManualClock clock{absl::FromUnixSeconds(1'000'000)};
  Responsibility responsibility;
  Mirror mirror{clock, {}};
  Router router{mirror, responsibility};
  std::shared_ptr<const model::Snapshot> snapshot;

  void PutNode(const std::string& name, const std::string& labels = "",
               const std::string& cpu = "4") {
    REQUIRE(router.Put(Read<types::Node>(NodeText(name, labels, cpu))).ok());
  }
  void Put(const std::string& text) { REQUIRE(router.Put(Read<types::HyperNode>(text)).ok()); }
  void Remove(const std::string& name) {
    router.Remove(Kind<types::HyperNode>(), {.ns = "", .name = name});
  }
  const HyperNodeTree* Tree() {
    snapshot = mirror.Publish();
    return snapshot->hyper_nodes.get();
  }
  // "name<parent: nodes" by tier and name, all but the root.
  std::vector<std::string> Shown() {
    const HyperNodeTree* tree = Tree();
    std::vector<std::string> lines;
    if (tree == nullptr) return lines;
    for (size_t i = 0; i + 1 < tree->rows.size(); ++i) {
      const model::HyperNodeRow& row = (*tree)[HyperNodeId::FromIndex(i)];
      std::set<std::string> names;
      for (const model::NodeRange run : row.runs) {
        for (NodeId node : run) names.insert(snapshot->node_facts(node).name);
      }
      lines.push_back(StrCat(row.name, "<",
                             row.parent == tree->root() ? "" : (*tree)[row.parent].name, ": ",
                             absl::StrJoin(names, " ")));
    }
    return lines;
  }
  std::vector<std::string> News() {
    std::vector<std::string> lines;
    for (const HyperNodeNews& news : mirror.TakeHyperNodeNews()) {
      lines.push_back(StrCat(news.name, ": ", news.message));
    }
    return lines;
  }
};

using Lines = std::vector<std::string>;

TEST_CASE("hyper nodes: members may come before or after what they are in (I1)",
          "[cache][topology]") {
  Bed bed;
  for (const char* node : {"node-0", "node-1", "node-2", "node-3"}) bed.PutNode(node);
  CHECK(bed.Tree() == nullptr);
  bed.Put(HyperNodeText("s2", 2, {Exact("HyperNode", "s1"), Exact("HyperNode", "s0")}));
  CHECK(bed.Shown() == Lines{"s2<: "});
  CHECK(bed.News() == Lines{"s2: its member HyperNode s0 does not exist; its member HyperNode s1 "
                            "does not exist"});
  bed.Put(HyperNodeText("s0", 1, {Exact("Node", "node-0"), Exact("Node", "node-1")}));
  bed.Put(HyperNodeText("s1", 1, {Exact("Node", "node-2"), Exact("Node", "node-3")}));
  CHECK(bed.Shown() ==
        Lines{"s0<s2: node-0 node-1", "s1<s2: node-2 node-3", "s2<: node-0 node-1 node-2 node-3"});
  CHECK(bed.News() == Lines{"s2: "});
  CHECK(bed.News().empty());
}

TEST_CASE("hyper nodes: what selects which nodes (I8, I9, I11)", "[cache][topology]") {
  struct Case {
    std::string member;
    std::string nodes;
    std::string news;
  };
  const Case cases[] = {
      {Exact("Node", "worker-1"), "worker-1", ""},
      {Exact("Node", "nobody"), "", ""},
      {Pattern("^worker-"), "worker-1 worker-2", ""},
      {Pattern("r-2"), "worker-2", ""},
      {Pattern("["), "", "h: its regexMatch pattern [ is invalid: missing ]: ["},
      {Labelled(R"({"matchLabels":{"role":"worker"}})"), "worker-1 worker-2", ""},
      {Labelled("{}"), "", "h: a labelMatch without requirements selects no node"},
      {Labelled(R"({"matchExpressions":[{"key":"role","operator":"NotIn","values":["worker"]}]})"),
       "master", ""},
      {Labelled(R"({"matchExpressions":[{"key":"zone","operator":"Exists"}]})"), "worker-2", ""},
      {Labelled(R"({"matchExpressions":[{"key":"zone","operator":"DoesNotExist"}]})"),
       "master worker-1", ""},
      {Pattern("worker", "HyperNode"), "",
       "h: members of type HyperNode are selected by exactMatch alone, others select none"},
  };
  for (const Case& test : cases) {
    CAPTURE(test.member);
    Bed bed;
    bed.PutNode("worker-1", R"("role":"worker")");
    bed.PutNode("worker-2", R"("role":"worker","zone":"east")");
    bed.PutNode("master", R"("role":"master")");
    bed.Put(HyperNodeText("h", 1, {test.member}));
    CHECK(bed.Shown() == Lines{StrCat("h<: ", test.nodes)});
    CHECK(bed.News() == (test.news.empty() ? Lines() : Lines{test.news}));
  }
}

TEST_CASE("hyper nodes: nodes come, change and go (Q-H1)", "[cache][topology]") {
  Bed bed;
  bed.Put(HyperNodeText("h", 1,
                        {Labelled(R"({"matchLabels":{"role":"worker"}})"), Pattern("^extra-"),
                         Exact("Node", "late")}));
  CHECK(bed.Shown() == Lines{"h<: "});
  bed.PutNode("a", R"("role":"worker")");
  bed.PutNode("extra-1");
  CHECK(bed.Shown() == Lines{"h<: a extra-1"});
  bed.PutNode("late");
  CHECK(bed.Shown() == Lines{"h<: a extra-1 late"});
  bed.PutNode("a", R"("role":"master")");
  CHECK(bed.Shown() == Lines{"h<: extra-1 late"});
  bed.mirror.RemoveNode("extra-1");
  CHECK(bed.Shown() == Lines{"h<: late"});
  bed.PutNode("b", R"("role":"worker")");
  CHECK(bed.Shown() == Lines{"h<: b late"});
}

TEST_CASE("hyper nodes: the tree is shared while nothing of it changes (I2)", "[cache][topology]") {
  Bed bed;
  bed.PutNode("a", R"("role":"worker")");
  bed.Put(HyperNodeText("h", 1, {Labelled(R"({"matchLabels":{"role":"worker"}})")}));
  const HyperNodeTree* const tree = bed.Tree();
  const auto first = bed.snapshot;  // Keeps it alive, so that no other has its address.
  CHECK(bed.Tree() == tree);
  bed.PutNode("a", R"("role":"worker","other":"x")", "8");
  CHECK(bed.Tree() == tree);
  bed.Put(HyperNodeText("h", 1, {Labelled(R"({"matchLabels":{"role":"worker"}})")}));
  CHECK(bed.Tree() == tree);
  bed.Put(HyperNodeText("h", 2, {Labelled(R"({"matchLabels":{"role":"worker"}})")}));
  CHECK(bed.Tree() != tree);  // I4: another tier is another tree.
  CHECK(bed.Tree()->tier(bed.Tree()->Find("h")) == 2);
  bed.Remove("h");
  CHECK(bed.Tree() == nullptr);
}

TEST_CASE("hyper nodes: a pattern means the nodes there are, written again or not (I3)",
          "[cache][topology]") {
  Bed bed;
  const std::string text = HyperNodeText("s0", 1, {Pattern("^node-")});
  bed.PutNode("node-0");
  bed.Put(text);
  CHECK(bed.Shown() == Lines{"s0<: node-0"});
  bed.PutNode("node-1");
  bed.Put(text);
  CHECK(bed.Shown() == Lines{"s0<: node-0 node-1"});
  bed.PutNode("node-2");
  CHECK(bed.Shown() == Lines{"s0<: node-0 node-1 node-2"});
}

TEST_CASE("hyper nodes: a member that is added counts at once (I5)", "[cache][topology]") {
  Bed bed;
  bed.PutNode("node-0");
  bed.PutNode("node-1");
  bed.Put(HyperNodeText("s0", 1, {Exact("Node", "node-0")}));
  CHECK(bed.Shown() == Lines{"s0<: node-0"});
  bed.Put(HyperNodeText("s0", 1, {Exact("Node", "node-0"), Exact("Node", "node-1")}));
  CHECK(bed.Shown() == Lines{"s0<: node-0 node-1"});
  CHECK(bed.News().empty());
}

TEST_CASE("hyper nodes: nodes may come later, and so they are not missed", "[cache][topology]") {
  Bed bed;
  bed.Put(HyperNodeText("s0", 1, {Exact("Node", "node-0")}));
  bed.Put(HyperNodeText("s1", 2, {Exact("HyperNode", "s0"), Exact("HyperNode", "s9")}));
  CHECK(bed.Shown() == Lines{"s0<s1: ", "s1<: "});
  CHECK(bed.News() == Lines{"s1: its member HyperNode s9 does not exist"});
}

TEST_CASE("hyper nodes: one that is gone is not missed by its members", "[cache][topology]") {
  Bed bed;
  bed.PutNode("a");
  bed.Put(HyperNodeText("s0", 1, {Exact("Node", "a")}));
  bed.Put(HyperNodeText("s1", 2, {Exact("HyperNode", "s0")}));
  bed.Put(HyperNodeText("s2", 3, {Exact("HyperNode", "s1")}));
  CHECK(bed.Shown() == Lines{"s0<s1: a", "s1<s2: a", "s2<: a"});
  bed.Remove("s1");
  CHECK(bed.Shown() == Lines{"s0<: a", "s2<: "});
}

TEST_CASE("hyper nodes: a tier that is none is refused", "[cache][topology]") {
  for (const int tier : {-1, 1'000'001}) {
    CHECK(RefusalOf<types::HyperNode>(HyperNodeText("h", tier, {})).message() ==
          StrCat("spec.tier: ", tier, " is not between 0 and 1000000"));
  }
}

TEST_CASE("hyper nodes: what is too much of one does not count, the rest does",
          "[cache][topology]") {
  struct Case {
    std::vector<std::string> members;
    std::string nodes;
    std::string news;
  };
  const std::string labelled = Labelled(R"({"matchLabels":{"role":"worker"}})");
  std::vector<std::string> patterns(kHyperNodePatternsMax - 1, Pattern("x"));
  patterns.push_back(labelled);
  patterns.push_back(Pattern("^b$"));
  patterns.push_back(Exact("Node", "c"));
  std::vector<std::string> names(kHyperNodeMembersMax - 1, Exact("Node", "nobody"));
  names.push_back(Exact("Node", "b"));
  names.push_back(Exact("Node", "c"));
  const Case cases[] = {
      {patterns, "a c",
       "h: it has 65 members by regexMatch or labelMatch: those after the first 64 do not count"},
      {names, "b", "h: it has 20001 members: those after the first 20000 do not count"},
      {{Pattern(std::string(kPatternBytesMax + 1, 'a')), Exact("Node", "b")},
       "b",
       "h: a regexMatch pattern is longer than 1024 bytes"},
      {{Pattern(R"(\\pL{1000})"), Exact("Node", "b")},
       "b",
       R"(h: its regexMatch pattern \pL{1000} is invalid: pattern too large - compile failed)"},
  };
  for (const Case& test : cases) {
    CAPTURE(test.news);
    Bed bed;
    bed.PutNode("a", R"("role":"worker")");
    bed.PutNode("b");
    bed.PutNode("c");
    bed.Put(HyperNodeText("h", 1, test.members));
    CHECK(bed.Shown() == Lines{StrCat("h<: ", test.nodes)});
    CHECK(bed.News() == Lines{test.news});
  }
}

TEST_CASE("hyper nodes: patterns beyond the limit of all together do not count",
          "[cache][topology]") {
  Bed bed;
  bed.PutNode("a");
  const std::vector<std::string> patterns(kHyperNodePatternsMax, Pattern("a"));
  const size_t fitting = HyperNodeBook::kPatternsMax / kHyperNodePatternsMax;
  for (size_t i = 0; i <= fitting; ++i) {
    bed.Put(HyperNodeText(StrCat("h", 1000 + i), 1, patterns));
  }
  const std::vector<std::string> shown = bed.Shown();
  CHECK(shown.front() == "h1000<: a");
  CHECK(shown.back() == StrCat("h", 1000 + fitting, "<: "));
  CHECK(bed.News().size() == 1);
  CHECK(bed.mirror.table_sizes().hyper_nodes == fitting + 1);
  CHECK(bed.mirror.table_sizes().hyper_nodes_cut_off == 1);
  bed.Remove("h1000");
  CHECK(bed.Shown().back() == StrCat("h", 1000 + fitting, "<: a"));
  CHECK(bed.mirror.table_sizes().hyper_nodes_cut_off == 0);
}

TEST_CASE("hyper nodes: a tree that lived through changes is as one made at once",
          "[cache][topology][property]") {
  test::ForEachSeed(150, [](uint64_t seed) {
    Rng rng(seed);
    Bed bed;
    std::map<std::string, std::string> nodes;        // Labels.
    std::map<std::string, std::string> hyper_nodes;  // Objects.
    const auto change_node = [&] {
      const std::string name = StrCat("n", rng.Below(8));
      if (rng.Chance(0.3)) {
        nodes.erase(name);
        bed.mirror.RemoveNode(name);
      } else {
        nodes[name] = StrCat(R"("rack":"r)", rng.Below(3), R"(")");
        bed.PutNode(name, nodes[name], std::to_string(1 + rng.Below(3)));
      }
    };
    const auto change_hyper_node = [&] {
      const std::string name = StrCat("h", rng.Below(6));
      if (rng.Chance(0.25)) {
        hyper_nodes.erase(name);
        bed.Remove(name);
        return;
      }
      std::vector<std::string> members;
      for (size_t i = 1 + rng.Below(3); i > 0; --i) {
        switch (rng.Below(4)) {
          case 0:
            members.push_back(Exact("Node", StrCat("n", rng.Below(8))));
            break;
          case 1:
            members.push_back(Pattern(StrCat("[", rng.Below(4), "-", 4 + rng.Below(4), "]")));
            break;
          case 2:
            members.push_back(
                Labelled(StrCat(R"({"matchLabels":{"rack":"r)", rng.Below(3), R"("}})")));
            break;
          default:
            members.push_back(Exact("HyperNode", StrCat("h", rng.Below(6))));
        }
      }
      hyper_nodes[name] = HyperNodeText(name, static_cast<int>(1 + rng.Below(3)), members);
      bed.Put(hyper_nodes[name]);
    };
    for (int step = 0; step < 12; ++step) {
      for (size_t i = 1 + rng.Below(3); i > 0; --i)
        rng.Chance(0.5) ? change_node() : change_hyper_node();
      Bed fresh;
      for (const auto& [name, text] : hyper_nodes) fresh.Put(text);
      for (const auto& [name, labels] : nodes) fresh.PutNode(name, labels);
      REQUIRE(bed.Shown() == fresh.Shown());
    }
  });
}

}  // namespace
}  // namespace bth::cache
