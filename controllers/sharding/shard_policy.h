// How a scheduler's nodes are chosen among those that are left. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/types/node.h"

namespace bth::controllers {

// A node as policies see it. Utilisation is what pods ask for, as a part of the node's capacity,
// from 0 to 1; absent: the node does not tell its capacity.
struct ShardNode {
  std::shared_ptr<const types::Node> node;
  std::optional<double> cpu;
  std::optional<double> memory;
};

// Takes nodes whose CPU utilisation, rounded to hundredths, is within the bounds, rounded likewise;
// among them it prefers the busier ones.
struct AllocationRate {
  double min = 0;
  double max = 1;
  bool operator==(const AllocationRate&) const = default;
};
// Prefers nodes with that label value.
struct Warmup {
  std::string label = "node.volcano.sh/warmup";
  std::string value = "true";
  bool operator==(const Warmup&) const = default;
};
// Takes the first `max` nodes. `min` is what is wanted: fewer are reported, not refused.
struct NodeLimit {
  int64_t min = 0;
  int64_t max = 0;  // 0: no limit.
  bool operator==(const NodeLimit&) const = default;
};

struct ShardPolicy {
  std::variant<AllocationRate, Warmup, NodeLimit> rule;
  double weight = 1;
  bool operator==(const ShardPolicy&) const = default;
};

struct ShardScheduler {
  std::string name;
  std::string type;
  std::vector<ShardPolicy> policies;
  bool operator==(const ShardScheduler&) const = default;
};

bool Accepts(const AllocationRate& rule, const ShardNode& node);
// From 0 to 1.
double ScoreOf(const AllocationRate& rule, const ShardNode& node);
double ScoreOf(const Warmup& rule, const ShardNode& node);

// The nodes of one scheduler out of `candidates`, best first: those that all filters accept, in
// order of the weighted sum of the scores, equal ones in the order given, cut by the limits.
std::vector<ShardNode> SelectNodes(const std::vector<ShardPolicy>& policies,
                                   std::vector<ShardNode> candidates);

// The names of each scheduler's nodes. In the order of `schedulers` each takes from what is left.
std::vector<std::vector<std::string>> AssignNodes(const std::vector<ShardScheduler>& schedulers,
                                                  std::vector<ShardNode> nodes);

}  // namespace bth::controllers
