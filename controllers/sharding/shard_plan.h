// When a shard's list of nodes is written anew. Pure functions, any thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bth::controllers {

// The nodes of each shard, by its scheduler's name.
using ShardLists = std::map<std::string, std::vector<std::string>>;

// What each shard in `wanted` is to have, given what those that exist have `now`. Small shifts are
// passed over: lists of one length of which less than a tenth (and less than one) is new. As soon
// as one list is worth a write, all that differ are written, so that no two shards have one node. A
// list with a node that no longer exists is always worth it. Order alone is not.
ShardLists SettleShards(const ShardLists& wanted, const ShardLists& now,
                        const std::function<bool(const std::string&)>& node_exists);

// Elements of `a` that are not in `b`, in order.
std::vector<std::string> Without(const std::vector<std::string>& a,
                                 const std::vector<std::string>& b);

}  // namespace bth::controllers
