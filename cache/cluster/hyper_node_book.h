// HyperNodes and which nodes they mean: the tree that snapshots show.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "algo/hyper_node_tree.h"
#include "api/model/snapshot.h"
#include "base/interner.h"
#include "cache/cluster/node_table.h"
#include "cache/intake/compile_hyper_node.h"

namespace bth::cache {

// What is to be told on a HyperNode; without a message: nothing is wrong any more.
struct HyperNodeNews {
  std::string name;
  std::string uid;
  std::string message;
};

// Keeps what the objects say, and of each that goes by patterns or labels the nodes that it means.
// Thread: I/O. Cost: of Put, nothing while the object says the same; of Publish, the nodes of which
// name or labels changed, each asked about every pattern; and the whole tree when members changed.
class HyperNodeBook {
 public:
  // Regular expressions and label selectors of all together. One that comes when there are so many
  // means nobody.
  static constexpr size_t kPatternsMax = 4096;

  // False: it says what is known.
  bool Put(CompiledHyperNode object);
  bool Remove(const std::string& name);

  // `nodes` and `now->nodes_by_name` are those of the snapshot to come.
  void Publish(const NodeTable& nodes, const Interner& symbols, model::Snapshot* now);
  // What changed since the last call, by name.
  std::vector<HyperNodeNews> TakeNews();
  bool has_news() const { return !news_.empty(); }
  size_t size() const { return records_.size(); }
  // Those that lack members because all together have too many.
  size_t cut_off() const { return without_patterns_ + without_nodes_; }
  uint64_t rebuilds() const { return rebuilds_; }

 private:
  struct Record {
    CompiledHyperNode object;
    std::vector<model::NodeId> selected;  // By patterns and labels; by id.
    bool stale = true;                    // Every node is to be asked about.
    bool counts = false;                  // Its patterns do.
    std::string told;
  };

  void CountPatterns();
  void Select(const Interner& symbols, const model::Snapshot& now);
  bool SelectAll(Record& record, const Interner& symbols, const model::Snapshot& now);
  void SelectChanged(model::NodeId node, const Interner& symbols, const model::Snapshot& now);
  void Rebuild(const NodeTable& nodes, model::Snapshot* now);
  void Tell(const std::vector<algo::HyperNodeFault>& faults);

  std::map<std::string, Record, std::less<>> records_;
  std::map<std::string, HyperNodeNews> news_;
  bool changed_ = false;         // Members, of the tree as a whole.
  size_t following_ = 0;         // Records that go by patterns or labels.
  size_t without_patterns_ = 0;  // Of these, whose own do not count.
  size_t without_nodes_ = 0;     // In the last tree.
  uint64_t rebuilds_ = 0;
  // What the selections are up to date with.
  decltype(model::Snapshot::nodes) rows_;
  std::shared_ptr<const std::vector<model::NodeId>> ready_;
};

}  // namespace bth::cache
