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
