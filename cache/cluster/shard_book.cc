#include "cache/cluster/shard_book.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace bth::cache {

bool ShardBook::Put(CompiledShard shard) {
  if (options_.mode == model::ShardMode::kNone) return false;
  const auto [at, fresh] = shards_.try_emplace(shard.name);
  CompiledShard& known = at->second;
  // What is ours follows from nothing else.
  const bool same = shard.name == options_.name ? known.desired == shard.desired
                                                : known.shown.in_use == shard.shown.in_use;
  known = std::move(shard);
  // Of a former life.
  if (fresh && at->first == options_.name) {
    told_.insert(known.shown.in_use.begin(), known.shown.in_use.end());
  }
  return (fresh || !same) && Settle();
}

bool ShardBook::Remove(const std::string& name) {
  return shards_.erase(name) > 0 && Settle();
}

bool ShardBook::Settle() {
  const CompiledShard* own = Own();
  if (own == nullptr) return false;
  absl::flat_hash_set<std::string> nodes(own->desired.begin(), own->desired.end());
  for (const auto& [name, shard] : shards_) {
    if (name == options_.name) continue;
    for (const std::string& node : shard.shown.in_use) {
      if (!(options_.name < name && told_.contains(node))) nodes.erase(node);
    }
  }
  if (std::exchange(known_, true) && nodes == nodes_) return false;
  for (const std::string& node : nodes_) {
    if (!nodes.contains(node)) leaving_.insert(node);
  }
  for (const std::string& node : nodes) leaving_.erase(node);
  nodes_ = std::move(nodes);
  return true;
}

model::ShardMode ShardBook::mode() const {
  if (options_.mode == model::ShardMode::kSoft && !known_) return model::ShardMode::kNone;
  return options_.mode;
}

bool ShardBook::IsOutside(std::string_view node) const {
  return mode() != model::ShardMode::kNone && !nodes_.contains(ToAbsl(node));
}

const CompiledShard* ShardBook::Own() const {
  const auto own = shards_.find(options_.name);
  return own == shards_.end() ? nullptr : &own->second;
}

ShardUse ShardBook::UseNow() const {
  ShardUse use;
  use.to_remove.assign(leaving_.begin(), leaving_.end());
  for (const std::string& node : Own()->desired) {
    if (leaving_.contains(node)) {
      std::erase(use.to_remove, node);
      use.in_use.push_back(node);  // Another one uses it, and we still do.
    } else {
      (nodes_.contains(node) ? use.in_use : use.to_add).push_back(node);
    }
  }
  std::sort(use.to_remove.begin(), use.to_remove.end());
  use.in_use.insert(use.in_use.end(), use.to_remove.begin(), use.to_remove.end());
  return use;
}

}  // namespace bth::cache
