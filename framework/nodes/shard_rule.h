// Which nodes the scheduler's shard lets a session use, and which it looks at first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "api/model/snapshot.h"
#include "framework/report/reasons.h"

namespace bth::framework {

// Nodes by where they are; questions about some part see no node of the other one.
enum class ShardPart : uint8_t { kAll, kInside, kOutside };

// Constant for a session. Costs nothing where there are no shards. Thread: scheduling.
class ShardRule {
 public:
  explicit ShardRule(const model::Snapshot& base);
  // While the session opens; before that nobody may be told a reason.
  void Register(ReasonTable& reasons);

  model::ShardMode mode() const { return base_.shard_mode; }
  // In hard mode, a node outside: for this reason, which is the only one that is told.
  bool Refuses(model::NodeId node) const {
    return mode() == model::ShardMode::kHard && base_.nodes[node].outside_shard;
  }
  ReasonId reason() const { return reason_; }
  // Together all nodes, those that are preferred first: a node of a later part is chosen only when
  // none of an earlier one will do.
  absl::Span<const ShardPart> parts() const;
  bool IsIn(ShardPart part, model::NodeId node) const {
    return part == ShardPart::kAll ||
           base_.nodes[node].outside_shard == (part == ShardPart::kOutside);
  }
  // Ready ones that are not refused, by name.
  const std::vector<model::NodeId>& nodes() const { return *nodes_; }

 private:
  const model::Snapshot& base_;
  ReasonId reason_ = kFits;
  std::shared_ptr<const std::vector<model::NodeId>> nodes_;
};

}  // namespace bth::framework
