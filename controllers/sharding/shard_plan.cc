#include "controllers/sharding/shard_plan.h"

#include <algorithm>
#include <set>

namespace bth::controllers {
namespace {

using NameList = std::vector<std::string>;

bool HasSameNodes(const NameList& a, const NameList& b) {
  return a.size() == b.size() && Without(a, b).empty();
}

bool IsWorthWriting(const NameList& now, const NameList& wanted) {
  return now.size() != wanted.size() ||
         Without(wanted, now).size() >= std::max<size_t>(1, wanted.size() / 10);
}

}  // namespace

ShardLists SettleShards(const ShardLists& wanted, const ShardLists& now,
                        const std::function<bool(const std::string&)>& node_exists) {
  bool is_worth = false;
  for (const auto& [name, nodes] : wanted) {
    const auto found = now.find(name);
    is_worth |= found == now.end() || IsWorthWriting(found->second, nodes) ||
                !std::all_of(found->second.begin(), found->second.end(), node_exists);
  }
  ShardLists settled;
  for (const auto& [name, nodes] : wanted) {
    const auto found = now.find(name);
    const bool keeps = found != now.end() && (!is_worth || HasSameNodes(found->second, nodes));
    settled.emplace(name, keeps ? found->second : nodes);
  }
  return settled;
}

NameList Without(const NameList& a, const NameList& b) {
  const std::set<std::string_view> excluded(b.begin(), b.end());
  NameList rest;
  for (const std::string& name : a) {
    if (!excluded.contains(name)) rest.push_back(name);
  }
  return rest;
}

}  // namespace bth::controllers
