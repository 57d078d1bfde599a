// Cycles of the scheduler on a simulated cluster, on virtual time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/types/json.h"
#include "base/clock.h"
#include "base/rng.h"
#include "cache/cluster/mirror.h"
#include "conf/policy.h"
#include "framework/hooks/plugin.h"
#include "framework/session/cycle.h"
#include "framework/session/effects.h"
#include "sim/cluster.h"

namespace bth::sim {

// Keeps what a cycle decides and accepts everything.
class DecisionKeeper final : public framework::EffectSink {
 public:
  absl::Status Submit(framework::EffectBatch batch) override {
    batches_.push_back(std::move(batch));
    return absl::OkStatus();
  }
  void Report(framework::CycleReport report) override { report_ = std::move(report); }
  void Clear() {
    batches_.clear();
    report_ = framework::CycleReport();
  }
  const std::vector<framework::EffectBatch>& batches() const { return batches_; }
  const framework::CycleReport& report() const { return report_; }

 private:
  std::vector<framework::EffectBatch> batches_;
  framework::CycleReport report_;
};

struct SimulationOptions {
  // Between two cycles: bound pods run, victims and pods whose time has come are gone, statuses
  // show what the cycle reported.
  bool apply = false;
  absl::Duration period = absl::Seconds(1);  // From cycle to cycle.
  uint64_t seed = 1;
  bool scores_volumes = false;  // Feature StorageCapacityScoring.
};

// Runs the daemon's engine without the daemon: the same mirror, session, plugins and actions.
// Thread: one.
class Simulation {
 public:
  // `registry` outlives the simulation; `findings` receives what is odd in the policy.
  // kInvalidArgument: an object or the policy cannot be used.
  static absl::StatusOr<std::unique_ptr<Simulation>> Create(
      Cluster cluster, std::shared_ptr<const conf::Policy> policy,
      const framework::Registry& registry, SimulationOptions options,
      std::vector<conf::Finding>* findings);
  ~Simulation();

  // One cycle; appends to `cycles`. kInternal: the engine broke one of its own rules.
  absl::Status RunCycle();
  // Objects that come or change between two cycles.
  absl::Status Add(const types::Json& manifest, std::string_view origin);
  absl::Status Delete(std::string_view kind, const std::string& name);
  void Advance(absl::Duration by);
  // From the next cycle on.
  absl::Status SetPolicy(std::shared_ptr<const conf::Policy> policy,
                         std::vector<conf::Finding>* findings);

  // What each cycle did, in the form of docs/vc-sim.md.
  const types::Json::Array& cycles() const { return cycles_; }
  const Cluster& cluster() const { return cluster_; }

 private:
  Simulation(Cluster cluster, const framework::Registry& registry, SimulationOptions options);

  absl::Status TryCycle();
  absl::Status ApplyEffects();
  absl::Status ApplyStatuses();
  std::string SessionUid();

  const framework::Registry& registry_;
  const SimulationOptions options_;
  Cluster cluster_;
  ManualClock clock_;
  cache::Mirror mirror_;
  Rng rng_;
  DecisionKeeper sink_;
  std::unique_ptr<framework::PolicyInstance> policy_;
  std::unique_ptr<framework::Cycle> cycle_;  // Its hooks point into policy_.
  types::Json::Array cycles_;
};

}  // namespace bth::sim
