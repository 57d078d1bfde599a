// Cycles on random clusters, and what they decided, in names.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/cpu_set.h"
#include "api/model/devices.h"
#include "base/clock.h"
#include "framework/session/cycle.h"
#include "tests/worlds/random_world.h"

namespace bth::test {

// Keeps the bindings and the report of a cycle.
class BindRecorder final : public framework::EffectSink {
 public:
  absl::Status Submit(framework::EffectBatch batch) override;
  void Report(framework::CycleReport report) override { report_ = std::move(report); }

  const std::map<std::string, std::string>& binds() const { return binds_; }  // Pod -> node.
  const std::set<std::string>& evictions() const { return evictions_; }
  const framework::CycleReport& report() const { return report_; }
  const std::vector<framework::EffectBatch>& batches() const { return batches_; }

 private:
  std::map<std::string, std::string> binds_;
  std::set<std::string> evictions_;
  framework::CycleReport report_;
  std::vector<framework::EffectBatch> batches_;
};

// What a binding gives its pod beside room on the node.
struct Given {
  std::shared_ptr<const model::DevicePlan> devices;  // Null: no shared ones.
  std::shared_ptr<const model::CpuSet> cpus;         // Null: none of its own.
};

// What a cycle decided and told, in names; `violations` are the invariants that it broke.
struct CycleResult {
  std::map<std::string, std::string> binds;
  std::map<std::string, Given> given;  // By pod; those that get nothing else are not there.
  std::set<std::string> evictions;
  std::map<std::string, std::string> phases;           // PodGroup -> phase.
  std::map<std::string, std::string> words;            // Pod -> reason and message.
  std::map<std::string, std::vector<int64_t>> queues;  // Queue -> allocated, by dimension.
  std::vector<std::string> violations;
  int64_t jobs_considered = 0;
  std::set<std::string> left_alone;  // Pods of jobs that were not looked at.

  // The number of the shared card that a pod is given; "": none.
  std::string CardOf(const std::string& pod) const;
  // Numbers of CPUs that are to be the pod's alone.
  std::set<int> CpusOf(const std::string& pod) const;
};
// What `part` tells is what `whole` tells; it may tell less, and of those whom it left alone,
// though they lost a pod, the reason of the cycle that refused them. Which differs first, else "".
std::string FirstContradiction(const CycleResult& part, const CycleResult& whole);
// Runs one cycle with the actions and plugins that `conf` names.
CycleResult RunCycle(std::shared_ptr<const model::Snapshot> snapshot, std::string_view conf);

// A session opened on `snapshot` with every plugin of `conf`, for tests that act themselves.
class Bed {
 public:
  Bed(std::shared_ptr<const model::Snapshot> snapshot, std::string_view conf);
  // The next session of the same policy, on another snapshot.
  void Reopen(std::shared_ptr<const model::Snapshot> snapshot);
  framework::Session& session() { return cycle_->session(); }
  framework::Cycle& cycle() { return *cycle_; }
  BindRecorder& sink() { return sink_; }

 private:
  ManualClock clock_;
  BindRecorder sink_;
  std::unique_ptr<framework::PolicyInstance> policy_;
  std::unique_ptr<framework::Cycle> cycle_;
};

// One policy that runs cycle after cycle, as in the daemon.
class PolicyBed {
 public:
  explicit PolicyBed(std::string_view conf);
  // Runs a cycle and returns the number of bindings it wanted.
  size_t RunOnce(std::shared_ptr<const model::Snapshot> snapshot);
  // In the last cycle.
  int64_t jobs_considered() const { return jobs_considered_; }
  // The same with all it said, and with invariants checked.
  CycleResult RunFully(std::shared_ptr<const model::Snapshot> snapshot);
  // The same without leaving alone who was refused before.
  CycleResult LookAtAll(std::shared_ptr<const model::Snapshot> snapshot);

 private:
  std::unique_ptr<framework::Cycle> Run(std::shared_ptr<const model::Snapshot> snapshot,
                                        framework::EffectSink& sink, bool looks_at_all = false);

  ManualClock clock_;
  std::unique_ptr<framework::PolicyInstance> policy_;
  int64_t jobs_considered_ = 0;
};

// Actions and plugins of Volcano's chart.
extern const char kFullConf[];

}  // namespace bth::test
