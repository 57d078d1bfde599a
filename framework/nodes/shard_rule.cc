#include "framework/nodes/shard_rule.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bth::framework {

ShardRule::ShardRule(const model::Snapshot& base) : base_(base), nodes_(base.nodes_by_name) {
  if (mode() != model::ShardMode::kHard) return;
  auto inside = std::make_shared<std::vector<model::NodeId>>();
  std::copy_if(base.nodes_by_name->begin(), base.nodes_by_name->end(), std::back_inserter(*inside),
               [this](model::NodeId node) { return !Refuses(node); });
  nodes_ = std::move(inside);
}

void ShardRule::Register(ReasonTable& reasons) {
  if (mode() != model::ShardMode::kHard) return;
  reason_ = reasons.Register(FitCode::kUnresolvable, "node isn't in scheduler node shard");
}

absl::Span<const ShardPart> ShardRule::parts() const {
  static constexpr ShardPart kTogether[] = {ShardPart::kAll};
  static constexpr ShardPart kInsideFirst[] = {ShardPart::kInside, ShardPart::kOutside};
  if (mode() == model::ShardMode::kSoft) return kInsideFirst;
  return kTogether;
}

}  // namespace bth::framework
