// A policy made ready to run, and one scheduling cycle from open to close.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conf/policy.h"
#include "framework/peer_counts.h"
#include "framework/plugin.h"
#include "framework/queue_use.h"
#include "framework/session.h"
#include "framework/static_fit.h"

namespace bth::framework {

// Plugins and actions of one configuration, built aside and swapped in between two cycles.
// Thread: scheduling.
class PolicyInstance {
 public:
  // Errors (kInvalidArgument) name the place in the configuration. What is only odd is in
  // `findings`.
  static absl::StatusOr<std::unique_ptr<PolicyInstance>> Create(
      std::shared_ptr<const conf::Policy> policy, const Registry& registry,
      std::vector<conf::Finding>* findings);

  const conf::Policy& policy() const { return *policy_; }
  // True when one of its plugins does.
  bool follows_clock() const;
  // Of all its plugins together.
  PluginNeeds needs() const;

 private:
  friend class Cycle;
  struct TieredPlugin {
    int tier = 0;
    const conf::PluginOption* option = nullptr;
    std::unique_ptr<Plugin> plugin;
  };
  std::shared_ptr<const conf::Policy> policy_;
  std::vector<TieredPlugin> plugins_;
  std::vector<std::unique_ptr<Action>> actions_;
  StaticFitCache static_fits_;
  PeerCounts peers_;
  ReasonTable reasons_;
  QueueUse queue_use_;
};

// What one cycle did, for metrics and the debug endpoints.
struct CycleStats {
  absl::Duration open;
  absl::Duration close;
  absl::Duration total;
  std::vector<std::pair<std::string, absl::Duration>> actions;
  int64_t jobs_considered = 0;
  int64_t scans = 0;
  int64_t index_builds = 0;
  int64_t static_evaluations = 0;
};

// One session: opens in the constructor's sense by `Open`, runs every action, closes.
// Thread: scheduling.
class Cycle {
 public:
  // `context` without policy, static_fits and reasons, which come from `policy`.
  Cycle(PolicyInstance& policy, SessionContext context);

  // Runs the whole cycle. The report goes to the sink at close. A plugin that fails to open is
  // an error of the whole cycle: nothing is decided without one of its rules.
  absl::Status Run();

  // The part of Run before the first action, for tests that act themselves.
  absl::Status Open();

  // After Run: the session as it was closed, for explanation and tests.
  const Session& session() const { return session_; }
  Session& session() { return session_; }
  const CycleStats& stats() const { return stats_; }

 private:
  PolicyInstance& policy_;
  Session session_;
  CycleStats stats_;
};

}  // namespace bth::framework
