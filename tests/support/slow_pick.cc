#include "tests/support/slow_pick.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace bth::test {
namespace {

using framework::Normalize;
using framework::ReasonId;
using framework::Session;
using model::NodeId;
using model::NodeRange;
using model::TaskId;

NodeRange Alone(NodeId node) {
  return {node.index(), node.index() + 1};
}

const model::PodConstraints& ConstraintsOf(const Session& session, TaskId task) {
  return session.base().constraints_of(session.task(task).shape);
}

template <typename Filters, typename Subject>
bool AllPass(const Filters& filters, const Subject& subject, NodeId node) {
  for (const auto& entry : filters) {
    ReasonId verdict = framework::kFits;
    entry.fn(subject, Alone(node), absl::Span<ReasonId>(&verdict, 1));
    if (verdict != framework::kFits) return false;
  }
  return true;
}

bool Takes(const Session& session, TaskId task, NodeId node) {
  const framework::HookTable& hooks = session.hooks();
  return AllPass(hooks.static_filter, ConstraintsOf(session, task), node) &&
         AllPass(hooks.usage_filter, session.task(task).shape, node) &&
         AllPass(hooks.global_filter, task, node);
}

bool HasRoom(const Session& session, TaskId task, const model::ResourceVec& room) {
  const model::ResourceVec& asked = session.request(task);
  for (int d = 0; d < model::kDims; ++d) {
    if (asked[d] > 0 && asked[d] > room[d]) return false;
  }
  return true;
}

// 100 is the best a normalised score can be.
int64_t Normalised(Normalize how, int64_t raw, int64_t highest) {
  if (how == Normalize::kNone) return raw;
  const int64_t share = highest == 0 ? 0 : 100 * raw / highest;
  return how == Normalize::kByMax ? share : 100 - share;
}

std::vector<double> ScoresOf(const Session& session, TaskId task,
                             const std::vector<NodeId>& nodes) {
  std::vector<double> sums(nodes.size(), 0.0);
  for (const auto& entry : session.hooks().static_score) {
    std::vector<int64_t> raw(nodes.size(), 0);
    for (size_t i = 0; i < nodes.size(); ++i) {
      entry.fn.fn(ConstraintsOf(session, task), Alone(nodes[i]), absl::Span<int64_t>(&raw[i], 1));
    }
    const int64_t highest = raw.empty() ? 0 : *std::max_element(raw.begin(), raw.end());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const auto score = static_cast<double>(Normalised(entry.fn.normalize, raw[i], highest));
      sums[i] += entry.fn.weight * score;
    }
  }
  for (const auto& entry : session.hooks().usage_score) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      entry.fn(session.task(task).shape, Alone(nodes[i]), absl::Span<double>(&sums[i], 1));
    }
  }
  for (const auto& entry : session.hooks().global_score) {
    if (entry.fn.concerns(task)) {
      entry.fn(task, nodes, absl::MakeSpan(sums));
      continue;
    }
    // Then it is one number for all nodes; to add it could round a difference away.
    std::vector<double> same(nodes.size(), 0.0);
    entry.fn(task, nodes, absl::MakeSpan(same));
    const auto other = [&same](double score) { return score != same.front(); };
    if (std::any_of(same.begin(), same.end(), other)) {
      throw std::logic_error("a score tells nodes apart for a task that does not concern it");
    }
  }
  return sums;
}

}  // namespace

framework::NodeChoice PickSlowly(const Session& session, TaskId task, bool check_resources) {
  for (const auto& entry : session.hooks().pre_filter) {
    if (entry.fn(task) != framework::kFits) return {};
  }
  // Now or later, and outside the shard where nodes inside are preferred.
  std::vector<NodeId> groups[2][2];
  const model::ShardMode shard = session.base().shard_mode;
  for (NodeId node : *session.base().nodes_by_name) {
    const bool outside = session.base().nodes[node].outside_shard;
    if (outside && shard == model::ShardMode::kHard) continue;
    const model::Usage& usage = session.usage();
    if (check_resources && !HasRoom(session, task, usage.FutureIdle(node))) continue;
    if (!Takes(session, task, node)) continue;
    // What is more than resources may be held by those who leave.
    bool fits_now = AllPass(session.hooks().now_filter, session.task(task).shape, node);
    if (!check_resources && !fits_now) continue;
    fits_now &= !check_resources || HasRoom(session, task, usage.idle[node]);
    if (check_resources && node == session.task(task).nominated_node) {
      return {.node = node, .on_future_room = !fits_now};
    }
    const bool second = outside && shard == model::ShardMode::kSoft;
    groups[fits_now ? 0 : 1][second ? 1 : 0].push_back(node);
  }
  for (const bool later : {false, true}) {
    for (const std::vector<NodeId>& nodes : groups[later ? 1 : 0]) {
      if (nodes.empty()) continue;
      const std::vector<double> scores = ScoresOf(session, task, nodes);
      // By name, so that the first of the best is the one.
      const auto best = std::max_element(scores.begin(), scores.end());
      return {.node = nodes[static_cast<size_t>(best - scores.begin())], .on_future_room = later};
    }
  }
  return {};
}

}  // namespace bth::test
