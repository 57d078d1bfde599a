#include "cache/cluster/node_table.h"

#include "base/strings.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::NodeId;
using testing::MakeNode;

struct NodesBed {
  Vocabulary vocabulary;
  Draft draft;
  ShardBook shards{ShardOptions()};
  NodeTable nodes{draft, vocabulary, shards};
  IdVector<NodeId, int32_t> mentions;  // That the test has made.

  void Put(const std::string& name, std::string_view cpu = "4") {
    nodes.Put(
        MakeNode(name, StrCat(R"({"cpu":")", cpu, R"(","pods":"10"})"), vocabulary.symbols()));
  }
  NodeId Mention(const std::string& name) {
    const NodeId node = nodes.Mention(name);
    mentions.EnsureContains(node);
    ++mentions[node];
    return node;
  }
  void Unmention(NodeId node) {
    --mentions[node];
    nodes.Unmention(node);
  }
  std::string Fault() const { return nodes.Check(mentions).ToString(); }
  std::vector<std::string> Published() {
    nodes.Publish();
    std::vector<std::string> names;
    for (NodeId node : *draft.now.nodes_by_name) names.emplace_back(nodes.NameOf(node));
    return names;
  }
};

TEST_CASE("node table: a row lives while its object or a mention does", "[cache][tables]") {
  NodesBed bed;
  const NodeId node = bed.Mention("n");
  CHECK(bed.nodes.size() == 1);
  CHECK(bed.nodes.NameOf(node) == "n");
  CHECK_FALSE(bed.nodes.FindReady("n").valid());  // Only a pod names it.
  bed.Put("n");
  CHECK(bed.nodes.FindReady("n") == node);
  bed.nodes.Remove("n");
  CHECK(bed.nodes.size() == 1);
  CHECK(bed.nodes.FactsOf("n") == nullptr);
  CHECK(bed.Fault() == "OK");
  bed.Unmention(node);
  CHECK(bed.nodes.size() == 0);
  CHECK(bed.Fault() == "OK");
  bed.nodes.Mention(NodeId());  // No node.
  bed.nodes.Unmention(NodeId());
  CHECK(bed.nodes.NameOf(NodeId()).empty());
}

TEST_CASE("node table: an id is given out again only after a snapshot without it",
          "[cache][tables]") {
  NodesBed bed;
  const NodeId first = bed.Mention("a");
  bed.Unmention(first);
  const NodeId second = bed.Mention("b");
  CHECK(second != first);
  bed.nodes.Publish();
  bed.nodes.Recycle();
  CHECK(bed.Mention("c") == first);
  CHECK(bed.Fault() == "OK");
}

TEST_CASE("node table: sums and order follow the objects", "[cache][tables]") {
  NodesBed bed;
  bed.Put("b", "4");
  bed.Put("a", "2");
  CHECK(bed.Published() == std::vector<std::string>{"a", "b"});
  CHECK(bed.draft.now.total[model::kCpu] == 6000);
  const int64_t rewritten = bed.draft.rows_rewritten;
  bed.Put("a", "2");  // A heartbeat.
  CHECK(bed.draft.rows_rewritten == rewritten);
  bed.Put("a", "3");
  CHECK(bed.draft.now.total[model::kCpu] == 7000);
  CHECK(bed.draft.now.usage.idle[bed.nodes.FindReady("a")][model::kCpu] == 3000);
  bed.nodes.Remove("b");
  CHECK(bed.Published() == std::vector<std::string>{"a"});
  CHECK(bed.nodes.ReadyNames() == std::vector<std::string>{"a"});
  CHECK(bed.draft.now.total[model::kCpu] == 3000);
  CHECK(bed.Fault() == "OK");
}

// The amounts of example.com/gpu that a node has, in whole ones.
struct ServedBed : NodesBed {
  int dim = 0;
  int asked = 0;  // Nodes that Serve asked about.

  ServedBed() {
    vocabulary.dimensions().Ask({{"example.com/gpu", 1000}}, +1);
    vocabulary.dimensions().Settle();
    dim = *vocabulary.dims().Find("example.com/gpu");
  }
  void Serve(int64_t on_a, int64_t on_b = 0) {
    constexpr int64_t kMilli = 1000;
    asked = 0;
    nodes.Serve([&](const model::NodeFacts& node) -> NamedAmounts {
      ++asked;
      const int64_t count = node.name == "a" ? on_a : on_b;
      if (count == 0) return {};
      return {{"example.com/gpu", count * kMilli}};
    });
    CHECK(Fault() == "OK");
  }
  int64_t On(const std::string& name) const {
    constexpr int64_t kMilli = 1000;
    const NodeId node = nodes.FindReady(name);
    CHECK(draft.now.usage.idle[node][dim] == draft.now.allocatable[node][dim]);
    // What nodes offer to others does not grow.
    CHECK(draft.now.nodes[node].facts->kube_allocatable[dim] <= draft.now.allocatable[node][dim]);
    return draft.now.allocatable[node][dim] / kMilli;
  }
  void PutWith(const std::string& name, const std::string& gpus) {
    nodes.Put(MakeNode(name, StrCat(R"({"cpu":"4","pods":"10","example.com/gpu":")", gpus, "\"}"),
                       vocabulary.symbols()));
  }
};

TEST_CASE("node table: what devices serve is there beside what the objects name",
          "[cache][tables]") {
  ServedBed bed;
  bed.Put("a");
  bed.Put("b");
  bed.Mention("nobody");  // Has no object, and nothing to serve.
  bed.Serve(2, 1);
  CHECK(bed.asked == 2);
  CHECK(bed.On("a") == 2);
  CHECK(bed.On("b") == 1);
  CHECK(bed.draft.now.total[bed.dim] == 3000);
  CHECK(bed.draft.now.allocatable[bed.nodes.FindReady("a")][model::kCpu] == 4000);
  // Instead of what was given before; the same again rewrites nothing.
  bed.Serve(5);
  CHECK(bed.On("a") == 5);
  CHECK(bed.On("b") == 0);
  const int64_t rewritten = bed.draft.rows_rewritten;
  bed.draft.changed = false;
  bed.Serve(5);
  CHECK(bed.draft.rows_rewritten == rewritten);
  CHECK_FALSE(bed.draft.changed);
  bed.Serve(0);
  CHECK(bed.draft.now.total[bed.dim] == 0);
}

TEST_CASE("node table: what the object itself offers is served by nobody else", "[cache][tables]") {
  ServedBed bed;
  bed.PutWith("a", "3");
  bed.PutWith("b", "0");
  bed.Serve(7, 7);
  CHECK(bed.On("a") == 3);
  CHECK(bed.On("b") == 7);  // None of it is as good as not named.
  // A change of the object keeps what is served, until it is asked about again.
  bed.PutWith("b", "1");
  CHECK(bed.On("b") == 8);
  bed.Serve(7, 7);
  CHECK(bed.On("b") == 1);
}

TEST_CASE("node table: what was served goes with the node", "[cache][tables]") {
  ServedBed bed;
  const NodeId node = bed.Mention("a");
  bed.Put("a");
  bed.Serve(2);
  bed.nodes.Remove("a");
  CHECK(bed.draft.now.total[bed.dim] == 0);
  CHECK(bed.Fault() == "OK");
  bed.Put("a");
  CHECK(bed.nodes.FindReady("a") == node);
  CHECK(bed.On("a") == 0);
  bed.Serve(2);
  CHECK(bed.On("a") == 2);
}

TEST_CASE("node table: devices that are told of beside a node change its facts, not its sums",
          "[cache][tables]") {
  NodesBed bed;
  bed.Put("a");
  const model::NodeFacts* before = bed.nodes.FactsOf("a");
  const uint64_t changes = bed.nodes.changes();
  const auto devices = std::make_shared<const model::NodeDevices>();
  bed.nodes.SetDevices("a", devices);
  CHECK(bed.nodes.FactsOf("a") != before);
  CHECK(bed.nodes.FactsOf("a")->devices == devices);
  CHECK(bed.nodes.changes() != changes);
  CHECK(bed.draft.now.total[model::kCpu] == 4000);
  CHECK(bed.Fault() == "OK");
  bed.nodes.SetDevices("nobody", devices);
  bed.Mention("named");
  bed.nodes.SetDevices("named", devices);
  CHECK(bed.nodes.FactsOf("named") == nullptr);
}

TEST_CASE("node table: the check finds mentions that nobody accounts for", "[cache][tables]") {
  NodesBed bed;
  bed.Put("n");
  CHECK(bed.Fault() == "OK");
  bed.nodes.Mention("n");
  CHECK(bed.Fault() == "INTERNAL: node n: other mentions than pods account for");
  bed.draft.now.total = model::ResourceVec();
  bed.nodes.Unmention(bed.nodes.FindReady("n"));
  CHECK(bed.Fault() == "INTERNAL: nodes: the total is not their sum");
}

}  // namespace
}  // namespace bth::cache
