// The shards of the schedulers that share the cluster, and what is left for ours.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/model/node.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

struct ShardOptions {
  model::ShardMode mode = model::ShardMode::kNone;
  std::string name = "volcano";  // Of the NodeShard that is ours.
};

// Our shard is what our NodeShard desires without what others use: a node changes hands only when
// the other has let go of it. When two take up a node at the same time, the NodeShard that is first
// by name keeps it: else both would let go of it, and take it up again, without end. Without a
// NodeShard of ours it stays as it was; before there ever was one, it is empty in hard mode, and in
// soft mode no node goes before another. Thread: I/O.
class ShardBook {
 public:
  explicit ShardBook(ShardOptions options) : options_(std::move(options)) {}

  // True when some node entered or left our shard, or there is one at last.
  bool Put(CompiledShard shard);
  bool Remove(const std::string& name);

  // As it is in force.
  model::ShardMode mode() const;
  bool IsOutside(std::string_view node) const;
  size_t nodes() const { return nodes_.size(); }
  // Of ours; null: there is none.
  const CompiledShard* Own() const;
  // With nodes that left, on which pods of ours are still being put; each goes as soon as `is_busy`
  // denies it. What is returned is to be told. Null own shard: not to be asked. Cost: the list.
  template <typename IsBusy>
  ShardUse Use(const IsBusy& is_busy) {
    absl::erase_if(leaving_, [&](const std::string& node) { return !is_busy(node); });
    ShardUse use = UseNow();
    told_ = {use.in_use.begin(), use.in_use.end()};
    return use;
  }
  // Some node may be let go of soon.
  bool some_leave() const { return !leaving_.empty(); }

 private:
  bool Settle();
  ShardUse UseNow() const;

  const ShardOptions options_;
  absl::flat_hash_map<std::string, CompiledShard> shards_;
  absl::flat_hash_set<std::string> nodes_;    // Of our shard.
  absl::flat_hash_set<std::string> leaving_;  // Were ours, and may have bindings under way.
  absl::flat_hash_set<std::string> told_;     // In use, as the status says or will say.
  bool known_ = false;                        // There was a NodeShard of ours.
};

}  // namespace bth::cache
