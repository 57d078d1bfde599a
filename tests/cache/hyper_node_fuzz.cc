// Lists of nodes and HyperNodes: whatever is in them, nothing crashes; the tree that comes of it is
// one, and the same in whatever order the objects came; and it goes with them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/types/codec.h"
#include "base/check.h"
#include "base/clock.h"
#include "cache/cluster/mirror.h"
#include "cache/routing/router.h"

namespace {

using namespace bth;
using model::HyperNodeId;
using model::HyperNodeTree;
using model::NodeId;

struct FuzzedCluster {
  const ManualClock clock{absl::FromUnixSeconds(1'000'000)};
  cache::Responsibility responsibility;
  cache::Mirror mirror{clock, {}};
  cache::Router router{mirror, responsibility};

  void Put(const types::Json& object) {
    if (object["kind"].AsString() == "Node") {
      const auto node = types::Decode<types::Node>(object);
      if (node.ok()) static_cast<void>(router.Put(*node));
    } else {
      const auto hyper_node = types::Decode<types::HyperNode>(object);
      if (hyper_node.ok()) static_cast<void>(router.Put(*hyper_node));
    }
  }
  void Remove(const types::Json& object) {
    const std::string name(object.At({"metadata", "name"}).AsString());
    if (object["kind"].AsString() == "Node") {
      router.Remove(cache::Kind<types::Node>(), {.ns = "", .name = name});
    } else {
      router.Remove(cache::Kind<types::HyperNode>(), {.ns = "", .name = name});
    }
  }
};

// Parents stand above, have all that their members have, and every node knows where it is.
void CheckTree(const HyperNodeTree& tree, const model::Snapshot& snapshot) {
  for (size_t i = 0; i < tree.rows.size(); ++i) {
    const HyperNodeId id = HyperNodeId::FromIndex(i);
    const model::HyperNodeRow& row = tree[id];
    BTH_CHECK(row.parent.valid() != (id == tree.root()));
    size_t nodes = 0;
    for (const model::NodeRange run : row.runs) {
      for (const NodeId node : run) {
        BTH_CHECK(node.index() < snapshot.nodes.size());
        BTH_CHECK(tree.Contains(id, node));
        BTH_CHECK(!row.parent.valid() || tree.Contains(row.parent, node));
        ++nodes;
      }
    }
    BTH_CHECK(nodes == row.nodes);
    if (row.parent.valid()) BTH_CHECK(tree.tier(row.parent) > row.tier);
    for (const HyperNodeId child : row.children) BTH_CHECK(tree[child].parent == id);
  }
}

// By names: numbers of nodes follow from the order in which they came.
std::string TextOf(const HyperNodeTree& tree, const model::Snapshot& snapshot) {
  std::string out;
  for (const model::HyperNodeRow& row : tree.rows) {
    std::vector<std::string> names;
    for (const model::NodeRange run : row.runs) {
      for (const NodeId node : run) names.push_back(snapshot.node_facts(node).name);
    }
    std::sort(names.begin(), names.end());
    out += row.name + "@" + std::to_string(row.tier) + "<" +
           (row.parent.valid() ? tree[row.parent].name : std::string()) + ":";
    for (const std::string& name : names) out += name + ",";
    out += "\n";
  }
  return out;
}

std::string Look(FuzzedCluster& cluster) {
  const auto snapshot = cluster.mirror.Publish();
  BTH_CHECK(cluster.mirror.Check().ok());
  for (const auto& news : cluster.mirror.TakeHyperNodeNews()) {
    BTH_CHECK(news.message.size() < size_t{1} << 20);
  }
  if (snapshot->hyper_nodes == nullptr) return "";
  CheckTree(*snapshot->hyper_nodes, *snapshot);
  return TextOf(*snapshot->hyper_nodes, *snapshot);
}

// Of objects with one name the first counts here: which one is last depends on the order. None is
// without: no API server takes such objects.
std::vector<types::Json> EachNameOnce(const types::Json& list) {
  std::vector<types::Json> out;
  std::set<std::pair<bool, std::string>> names;
  for (const types::Json& object : list["items"].items()) {
    std::string name(object.At({"metadata", "name"}).AsString());
    const bool is_node = object["kind"].AsString() == "Node";
    if (name.empty()) continue;
    if (names.emplace(is_node, std::move(name)).second) out.push_back(object);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto list = types::Json::Parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!list.ok()) return 0;
  const std::vector<types::Json> objects = EachNameOnce(*list);
  FuzzedCluster forth;
  for (const types::Json& object : objects) {
    forth.Put(object);
    Look(forth);
  }
  const std::string tree = Look(forth);
  FuzzedCluster back;
  for (auto object = objects.rbegin(); object != objects.rend(); ++object) back.Put(*object);
  BTH_CHECK(Look(back) == tree);
  // One goes and comes again.
  if (!objects.empty()) {
    forth.Remove(objects.front());
    Look(forth);
    forth.Put(objects.front());
    BTH_CHECK(Look(forth) == tree);
  }
  for (const types::Json& object : objects) {
    forth.Remove(object);
    Look(forth);
  }
  BTH_CHECK(Look(forth).empty());
  return 0;
}
