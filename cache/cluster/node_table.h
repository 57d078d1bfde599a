// Nodes, as their objects say and as pods name them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/ids.h"
#include "cache/cluster/amount_book.h"
#include "cache/cluster/draft.h"
#include "cache/cluster/shard_book.h"
#include "cache/cluster/slots.h"
#include "cache/cluster/sorted_ids.h"
#include "cache/cluster/vocabulary.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Owns the nodes' rows with what they can take, which images they hold and which host ports are
// taken, and the order of those that are ready. A row lives while its object does or a pod is, goes
// or is nominated there. Thread: I/O. Cost of each call: the object's own size.
class NodeTable {
 public:
  // All of them outlive the table.
  NodeTable(Draft& draft, Vocabulary& vocabulary, const ShardBook& shards)
      : draft_(draft), vocabulary_(vocabulary), shards_(shards) {}

  // kResourceExhausted when a sum could overflow with the object: then it is not to be put.
  absl::Status CanCount(const CompiledNode& node) const;
  void Put(CompiledNode node);
  void Remove(const std::string& name);
  // After resources got or lost a dimension.
  void WriteRows();
  // After nodes entered or left our shard. Cost: the nodes.
  void MarkShard();

  // Invalid: there is no such row; or its node has no object, or is not ready.
  model::NodeId FindReady(std::string_view name) const;
  // Null: there is no such object.
  const model::NodeFacts* FactsOf(std::string_view name) const;
  // Of a row, also without object. Empty: the id is invalid.
  std::string_view NameOf(model::NodeId node) const;
  std::vector<std::string> ReadyNames() const;  // Sorted.
  size_t size() const { return ids_.size(); }

  // The row lives until it is unmentioned as often; by name it is made if need be. An invalid id
  // is no node.
  model::NodeId Mention(std::string_view name);
  void Mention(model::NodeId node);
  void Unmention(model::NodeId node);
  // `task`, which has host ports, came to the node or left it.
  void TrackPorts(model::NodeId node, model::TaskId task, bool on);

  // Amounts beside those that the objects name, of resources that these do not; instead of those
  // given before. Cost: the nodes.
  void Serve(absl::FunctionRef<NamedAmounts(const model::NodeFacts&)> amounts_of);
  // Another one whenever the objects say something else.
  uint64_t changes() const { return changes_; }

  // Devices of a node, instead of those that it was put with; nothing happens without its object.
  void SetDevices(const std::string& name, std::shared_ptr<const model::NodeDevices> devices);
  // How the CPUs of a row lie; null: nothing is known of it.
  void SetNuma(model::NodeId node, std::shared_ptr<const model::NodeNuma> numa);

  // The order by name, and how many nodes have which image.
  void Publish();
  // After a snapshot was published.
  void Recycle() { slots_.Recycle(); }

  // For tests: what does not hold of the rows; `mentions` are those that the pods account for.
  // Cost: all rows.
  absl::Status Check(const IdVector<model::NodeId, int32_t>& mentions) const;

 private:
  struct Record {
    std::string name;                               // Empty: the slot is free.
    SharedSymbols symbol;                           // Of the name, from the first object on.
    std::optional<CompiledNode> object;             // Absent: only pods name it.
    NamedAmounts served;                            // See Serve.
    absl::flat_hash_set<model::TaskId> with_ports;  // On it, terminated ones excepted.
    int32_t mentions = 0;  // By objects, states, nominations of tasks, by reports on CPUs.
  };

  model::NodeId SlotOf(std::string_view name);
  void Uncount(const CompiledNode& node);
  void WriteRow(model::NodeId node);
  void DropIfUnused(model::NodeId node);
  void CountImages(const model::NodeFacts& facts, int32_t sign);

  Draft& draft_;
  Vocabulary& vocabulary_;
  const ShardBook& shards_;
  absl::flat_hash_map<std::string, model::NodeId> ids_;
  IdVector<model::NodeId, Record> records_;
  Slots<model::NodeId> slots_;
  SortedIds<model::NodeId> with_object_;  // By name.
  absl::flat_hash_map<Symbol, int32_t> image_nodes_;
  bool images_dirty_ = true;
  uint64_t changes_ = 0;
  AmountBook amounts_{kAmountMax};  // Allocatable and oversubscription.
};

}  // namespace bth::cache
