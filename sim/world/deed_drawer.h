// How deeds are drawn, one round after another.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/rng.h"
#include "sim/world/story.h"

namespace bth::sim {

// Namespaces in which users work.
inline constexpr std::array<std::string_view, 3> kSpaces = {"default", "team-a", "team-b"};
inline constexpr std::string_view kHyperNodes = "/apis/topology.volcano.sh/v1alpha1/hypernodes";

// A pod of a PodGroup. `spec`: the members of its spec beside the scheduler.
std::string MemberPodJson(std::string_view group, int64_t number, std::string_view spec);
// `type`: of its members, Node or HyperNode.
std::string HyperNodeJson(std::string_view name, int tier, std::string_view type,
                          const std::vector<std::string>& members);
// Of two nodes: of the first rack, 0, n0 and n1.
std::string RackJson(int rack);

// What those who draw stories are made of. Thread: one.
class DeedDrawer {
 protected:
  // `first`: before that nothing is drawn of a round, which is longer.
  DeedDrawer(uint64_t seed, absl::Duration first) : rng_(seed), first_(first) {}
  ~DeedDrawer() = default;

  template <typename List>
  typename List::value_type OneOf(const List& list) {
    return list[rng_.Below(list.size())];
  }
  // Each round gets what `draw` adds to it.
  void DrawMore(std::vector<Round>* rounds, absl::FunctionRef<void()> draw);
  // Some time in the round.
  absl::Duration Moment();
  // How often something comes about in the round.
  int64_t Times(double per_minute);
  // What is added last is `round_.deeds.back()`.
  Deed& Add(absl::Duration at, Verb verb, std::string_view meaning);
  void Send(absl::Duration at, std::string_view meaning, std::string method, std::string target,
            std::string body = "");
  // A batch job of ours is made. `spec`: the members of its spec beside the scheduler.
  void SendJob(absl::Duration at, std::string_view meaning, std::string_view ns,
               std::string_view name, std::string_view spec);
  void Pick(absl::Duration at, std::string_view meaning, std::string method,
            std::string_view collection, std::string body = "");
  // How often a front hits, and by how much. `extreme`: now and then everything.
  void DrawStrength(double rate_most, int late_most_s, bool extreme, Front* front);
  void SortDeeds();

  Rng rng_;
  Round round_;

 private:
  const absl::Duration first_;
};

}  // namespace bth::sim
