// How deeds are drawn, one round after another.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "sim/world/story.h"

namespace bth::sim {

// Namespaces in which users work.
inline constexpr std::array<std::string_view, 3> kSpaces = {"default", "team-a", "team-b"};
inline constexpr std::string_view kHyperNodes = "/apis/topology.volcano.sh/v1alpha1/hypernodes";

// What those who draw stories are made of. Thread: one.
class DeedDrawer {
 protected:
  explicit DeedDrawer(uint64_t seed) : rng_(seed) {}
  ~DeedDrawer() = default;

  template <typename List>
  typename List::value_type OneOf(const List& list) {
    return list[rng_.Below(list.size())];
  }
  // Some time in the round, which is longer than `first`.
  absl::Duration MomentFrom(absl::Duration first);
  // How often something comes about in the round.
  int64_t Times(double per_minute);
  // What is added last is `round_.deeds.back()`.
  Deed& Add(absl::Duration at, Verb verb, std::string_view meaning);
  void Send(absl::Duration at, std::string_view meaning, std::string method, std::string target,
            std::string body = "");
  void Pick(absl::Duration at, std::string_view meaning, std::string method,
            std::string_view collection, std::string body = "");
  // How often a front hits, and by how much. `extreme`: now and then everything.
  void DrawStrength(double rate_most, int late_most_s, bool extreme, Front* front);
  void SortDeeds();

  Rng rng_;
  Round round_;
};

}  // namespace bth::sim
