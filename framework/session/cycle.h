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
#include "framework/hooks/plugin.h"
#include "framework/nodes/static_fit.h"
#include "framework/peers/term_counters.h"
#include "framework/prospects/victim_prospects.h"
#include "framework/report/gate_counts.h"
#include "framework/report/queue_use.h"
#include "framework/session/session.h"
#include "framework/unschedulable/unschedulable_jobs.h"

namespace bth::framework {

// Plugins and actions of one configuration, built aside and swapped in between two cycles.
// Thread: scheduling.
class PolicyInstance {
 public:
  // Errors (kInvalidArgument) name the place in the configuration; `refusals`, where somebody wants
  // them, has them one by one. What is only odd is in `findings`.
  static absl::StatusOr<std::unique_ptr<PolicyInstance>> Create(
      std::shared_ptr<const conf::Policy> policy, const Registry& registry,
      std::vector<conf::Finding>* findings, std::vector<std::string>* refusals = nullptr);

  const conf::Policy& policy() const { return *policy_; }
  // True when one of its plugins does.
  bool follows_clock() const;
  // Of all its plugins together.
  PluginNeeds needs() const;

 private:
  friend class Cycle;
  AnswerRules MakeRules() const;
  // `context` with what the policy keeps from session to session, and with these jobs left alone.
  SessionContext Lend(SessionContext context, UnschedulableJobs& unschedulable);
  struct TieredPlugin {
    int tier = 0;
    const conf::PluginOption* option = nullptr;
    std::unique_ptr<Plugin> plugin;
  };
  std::shared_ptr<const conf::Policy> policy_;
  std::vector<TieredPlugin> plugins_;
  std::vector<std::unique_ptr<Action>> actions_;
  StaticFitCache static_fits_;
  TermCounters term_counters_;
  VictimProspects prospects_;
  ReasonTable reasons_;
  QueueUse queue_use_;
  bool evicts_ = false;
  std::unique_ptr<UnschedulableJobs> unschedulable_;
};

// What one cycle did, for metrics and the debug endpoints.
struct CycleStats {
  absl::Duration open;
  absl::Duration close;
  absl::Duration total;
  std::vector<std::pair<std::string, absl::Duration>> actions;
  int64_t jobs_considered = 0;  // The others would be refused as before.
  int64_t scans = 0;
  int64_t index_builds = 0;
  int64_t static_evaluations = 0;
};

// One session: opens in the constructor's sense by `Open`, runs every action, closes.
// Thread: scheduling.
class Cycle {
 public:
  // `context` without what comes from `policy`.
  // With `looks_at_all` every job is active: the slow twin of what leaves some alone.
  Cycle(PolicyInstance& policy, SessionContext context, bool looks_at_all = false);

  // Runs the whole cycle. The report goes to the sink at close. A plugin that fails to open is
  // an error of the whole cycle: nothing is decided without one of its rules.
  absl::Status Run();

  // The part of Run before the first action, for tests that act themselves.
  absl::Status Open();

  // After Run: the session as it was closed, for explanation and tests.
  const Session& session() const { return session_; }
  Session& session() { return session_; }
  const CycleStats& stats() const { return stats_; }
  // Who waits, by gate. Cost: jobs that were looked at; of the others the sums are kept.
  GateCounts gate_counts() const;

 private:
  // Runs the actions, each on the jobs that are active then.
  absl::Status RunActions();

  PolicyInstance& policy_;
  UnschedulableJobs looked_at_all_{AnswerRules()};  // Keeps nobody.
  UnschedulableJobs& unschedulable_;
  Session session_;
  CycleStats stats_;
};

}  // namespace bth::framework
