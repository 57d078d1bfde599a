// Whose turn it is where the questions of one run do not suffice for all who wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "actions/queue_jobs.h"
#include "api/model/ids.h"
#include "framework/session/session.h"

namespace bth::actions::eviction {

// What a run of an evicting action leaves to the next one. A run begins with the first job that the
// last one cut off, if it still waits; those that come before it in the run's order come after all
// others, in the same order. So everybody gets a turn, and nothing changes where questions suffice.
// Lives with its action. Thread: scheduling.
class Turns {
 public:
  // Questions to the plugins about victims that one run may ask, and as many once more about
  // victims among a job's own tasks. About a second.
  static constexpr int64_t kQuestionsMax = 1'000'000;

  using PassesOver = absl::FunctionRef<bool(model::JobId)>;
  using WalkFn = absl::FunctionRef<void(QueueJobs&, PassesOver)>;

  explicit Turns(int64_t questions_max = kQuestionsMax) : questions_max_(questions_max) {}

  int64_t questions_max() const { return questions_max_; }
  // A run. `walk` takes up the jobs of such queues, in their order, but for those that it is told
  // to pass over; it asks once about each.
  void Run(const framework::Session& session, QueueJobs& queues, WalkFn walk);
  // The run has no questions left for the job, and it did not begin with it: the next run gets
  // further, though nothing changes.
  void CutOff(framework::Session& session, model::JobId job);

 private:
  // UID of the job that the run begins with; empty: it does not matter.
  std::string TakeFirst(const framework::Session& session);

  int64_t questions_max_;
  std::vector<std::string> cut_off_;  // UIDs, in the order of the run.
};

}  // namespace bth::actions::eviction
