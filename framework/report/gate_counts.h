// How many jobs each gate holds, and how many of their tasks wait.
#pragma once

#include <array>
#include <cstdint>

#include "framework/report/fit_report.h"
#include "framework/session/session.h"

namespace bth::framework {

// What one job counts for. Plain value.
struct JobAtGate {
  Gate gate = Gate::kNone;
  int64_t tasks = 0;  // Without a place.
};
// Cost: that of GateOf.
JobAtGate AtGate(const Session& session, model::JobId job);

// Sums by gate. Who has a place and is being bound does not wait: nothing is counted at Gate::kNone
// and Gate::kBinding.
class GateCounts {
 public:
  void Add(const JobAtGate& job) { Count(job, 1); }
  void Remove(const JobAtGate& job) { Count(job, -1); }
  int64_t jobs(Gate gate) const { return jobs_[static_cast<size_t>(gate)]; }
  int64_t tasks(Gate gate) const { return tasks_[static_cast<size_t>(gate)]; }

 private:
  void Count(const JobAtGate& job, int64_t by) {
    if (job.gate == Gate::kNone || job.gate == Gate::kBinding) return;
    jobs_[static_cast<size_t>(job.gate)] += by;
    tasks_[static_cast<size_t>(job.gate)] += by * job.tasks;
  }

  std::array<int64_t, kGates> jobs_{};
  std::array<int64_t, kGates> tasks_{};
};

}  // namespace bth::framework
