#include "plugins/nodeorder/peer_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "algo/node_scores.h"
#include "framework/peers/term_counters.h"

namespace bth::plugins::nodeorder {
namespace {

using algo::kScoreTop;
using framework::AlikeNodes;
using framework::CountedSpread;
using framework::NodeLikeness;
using framework::Session;
using framework::TermCounters;
using model::NodeId;
using model::TaskId;

// Adds weight * score to the sum of each node. One per hook, so that nothing is allocated per task.
class AffinityScore {
 public:
  AffinityScore(Session& session, int64_t weight) : session_(session), weight_(weight) {}

  void operator()(TaskId task, absl::Span<const NodeId> nodes, absl::Span<double> sum) {
    raw_.assign(nodes.size(), 0);
    for (const auto& [counter, weight] :
         session_.term_counters().Preferred(session_, task).weighted) {
      for (size_t i = 0; i < nodes.size(); ++i) raw_[i] += weight * counter->InDomainOf(nodes[i]);
    }
    const auto [least, most] = std::minmax_element(raw_.begin(), raw_.end());
    if (least == raw_.end() || *least == *most) return;
    const int64_t low = *least;
    const auto range = static_cast<double>(*most - low);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const double part = static_cast<double>(raw_[i] - low) / range;
      const auto score = static_cast<int64_t>(static_cast<double>(kScoreTop) * part);
      sum[i] += static_cast<double>(weight_ * score);
    }
  }

 private:
  Session& session_;
  const int64_t weight_;
  std::vector<int64_t> raw_;
};

// Fewer pods in the domain are better; a key with many domains weighs more, because each of them
// holds fewer pods. A node that lacks a key of the pod's own constraints is the last choice; one
// that lacks a key of the default is rated by the other key, with all such nodes as one more
// domain.
class SpreadScore {
 public:
  SpreadScore(Session& session, int64_t weight) : session_(session), weight_(weight) {}

  // Nodes are alike in the domain of one constraint, and in the pods on them for one per host.
  static bool LikenessFor(const Session& session, TaskId task, NodeLikeness* out) {
    for (const CountedSpread& one : session.term_counters().Spread(session, task, false)) {
      if (one.constraint->per_host) {
        if (out->pods != nullptr) return false;
        out->pods = one.counter;
      } else {
        if (out->domains != nullptr) return false;
        out->domains = &one.counter->topology();
      }
    }
    return true;
  }

  // `nodes` are single ones or groups.
  template <typename Nodes>
  void operator()(TaskId task, absl::Span<const Nodes> nodes, absl::Span<double> sum) {
    const std::vector<CountedSpread>& peers =
        session_.term_counters().Spread(session_, task, false);
    Rate(peers, nodes);
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t most = 0;
    for (int64_t raw : raw_) {
      if (raw == kIgnored) continue;
      least = std::min(least, raw);
      most = std::max(most, raw);
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (raw_[i] == kIgnored) continue;
      const int64_t score = most == 0 ? kScoreTop : kScoreTop * (most + least - raw_[i]) / most;
      sum[i] += static_cast<double>(weight_ * score);
    }
  }

 private:
  static constexpr int64_t kIgnored = -1;  // Lacks a key.

  static NodeId OneOf(NodeId node) { return node; }
  static NodeId OneOf(const AlikeNodes& group) { return group.one; }
  static size_t SizeOf(NodeId) { return 1; }
  static size_t SizeOf(const AlikeNodes& group) { return group.nodes; }

  static bool IsRated(const std::vector<CountedSpread>& peers, NodeId node) {
    return std::all_of(peers.begin(), peers.end(), [node](const CountedSpread& one) {
      return one.constraint->by_default || one.counter->HasDomain(node);
    });
  }

  // Fills raw_: the lower the better.
  template <typename Nodes>
  void Rate(const std::vector<CountedSpread>& peers, absl::Span<const Nodes> nodes) {
    raw_.assign(nodes.size(), 0);
    size_t rated = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const bool is_rated = IsRated(peers, OneOf(nodes[i]));
      if (!is_rated) raw_[i] = kIgnored;
      rated += is_rated ? SizeOf(nodes[i]) : 0;
    }
    sums_.assign(nodes.size(), 0);
    for (const CountedSpread& one : peers) {
      const bool per_host = one.constraint->per_host;
      const size_t domains = per_host ? rated : DomainsOf(one, nodes);
      const double weight = std::log(static_cast<double>(domains + 2));
      const auto slack = static_cast<double>(one.constraint->skew_max - 1);
      for (size_t i = 0; i < nodes.size(); ++i) {
        const NodeId node = OneOf(nodes[i]);
        if (!one.counter->HasDomain(node)) continue;
        const int32_t pods = per_host ? one.counter->OnNode(node) : one.counter->InDomainOf(node);
        sums_[i] += static_cast<double>(pods) * weight + slack;
      }
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (raw_[i] != kIgnored) raw_[i] = static_cast<int64_t>(std::round(sums_[i]));
    }
  }

  // Domains of the nodes that are rated; lacking the key is one.
  template <typename Nodes>
  size_t DomainsOf(const CountedSpread& peers, absl::Span<const Nodes> nodes) {
    const framework::TopologyColumn& topology = peers.counter->topology();
    seen_.assign(topology.domains(), 0);
    size_t domains = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (raw_[i] == kIgnored) continue;
      uint8_t& seen = seen_[topology.of(OneOf(nodes[i]))];
      domains += seen == 0 ? 1 : 0;
      seen = 1;
    }
    return domains;
  }

  Session& session_;
  const int64_t weight_;
  std::vector<int64_t> raw_;
  std::vector<double> sums_;
  std::vector<uint8_t> seen_;
};

}  // namespace

void AddPodAffinityScore(Session& session, framework::HookRegistrar& hooks, int64_t weight) {
  hooks.ScoreGlobal({AffinityScore(session, weight), [&session](TaskId task) {
                       return session.term_counters().HasPreferred(session, task);
                     }});
}

void AddSpreadScore(Session& session, framework::HookRegistrar& hooks, int64_t weight) {
  framework::GlobalScore score;
  score.fn = [score = SpreadScore(session, weight)](TaskId task, absl::Span<const NodeId> nodes,
                                                    absl::Span<double> sum) mutable {
    score(task, nodes, sum);
  };
  score.concerns_fn = [&session](TaskId task) {
    return TermCounters::HasSpread(session, task, false);
  };
  score.likeness = [&session](TaskId task, NodeLikeness* out) {
    return SpreadScore::LikenessFor(session, task, out);
  };
  score.score_alike = [score = SpreadScore(session, weight)](
                          TaskId task, absl::Span<const AlikeNodes> groups,
                          absl::Span<double> sum) mutable { score(task, groups, sum); };
  hooks.ScoreGlobal(std::move(score));
}

}  // namespace bth::plugins::nodeorder
