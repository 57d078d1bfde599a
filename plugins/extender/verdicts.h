// What the extender said of (kind of task, node), while the node is as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::plugins::extender {

// Tasks of one job with the same shape and role are one kind: they are asked about once. Lives for
// one session. At most kKindsMax kinds are kept. Thread: scheduling.
class Verdicts {
 public:
  static constexpr size_t kKindsMax = 64;

  explicit Verdicts(const framework::Session& session) : session_(session) {}

  std::optional<framework::ReasonId> Find(model::TaskId task, model::NodeId node);
  void Keep(model::TaskId task, model::NodeId node, framework::ReasonId verdict);

 private:
  // Tasks without a job are each of their own kind.
  using Kind = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
  struct Entry {
    uint32_t change = 0;  // Of the node when the verdict was given; 0: none was.
    framework::ReasonId verdict = framework::kFits;
  };
  Kind KindOf(model::TaskId task) const;
  // Numbers the changes of nodes, from 1.
  uint32_t ChangeOf(model::NodeId node);

  const framework::Session& session_;
  size_t seen_ = 0;  // Of the session's node changes.
  std::vector<uint32_t> changes_;
  absl::flat_hash_map<Kind, std::vector<Entry>> kinds_;
};

}  // namespace bth::plugins::extender
