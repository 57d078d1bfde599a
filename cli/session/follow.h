// Objects of a kind as they are, and then as they change.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cli/session/cluster.h"

namespace bth::cli {

// Each returns whether to go on. After an interruption only what differs is told again.
struct Follower {
  std::function<bool(std::vector<types::Json>)> on_list;  // Once, at first.
  std::function<bool(Change)> on_change;
};

// Ends when the follower has enough (OK), after `timeout` (kDeadlineExceeded), or when the server
// refuses. Watches that end are taken up again; where that is not possible any more, lists are
// compared.
absl::Status Follow(Cluster& cluster, const Target& target, const Selectors& selectors,
                    absl::Duration timeout, const Follower& follower);

}  // namespace bth::cli
