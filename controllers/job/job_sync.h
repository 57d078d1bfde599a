// Brings plugin objects, claims, pod group and pods of a batch job in line with its spec.
#pragma once

#include "controllers/job/job_desk.h"
#include "controllers/job/job_notes.h"
#include "controllers/job/job_status.h"
#include "controllers/job/phases.h"
#include "controllers/job/sync_plan.h"

namespace bth::controllers {

// One pass. Each step starts from what is there, so that a pass that was cut short anywhere is
// made up for by the next one. Lifetime: until Run has ended. Thread: the executor's.
class JobSync final {
 public:
  JobSync(JobDesk& desk, JobView view, JobStep step);

  // That the job waits for something is no failure.
  net::Awaitable<absl::Status> Run();

 private:
  net::Awaitable<absl::Status> EnterPending();
  net::Awaitable<SyncError> Prepare();
  net::Awaitable<SyncError> Forward();
  // `begins`: the incarnation, which gets what is not recorded yet.
  net::Awaitable<SyncError> EnsurePluginObjects(bool begins);
  // The next incarnation gets all objects of its plugins, whatever is recorded.
  bool MakesAllAnew() const;
  // After `error`: of a job that may have no pods yet only those that are too many leave.
  net::Awaitable<SyncError> Reconcile(SyncError error);
  net::Awaitable<SyncError> Create(const SyncPlan& plan);
  net::Awaitable<SyncError> Delete(const SyncPlan& plan);
  net::Awaitable<absl::Status> Finish(SyncError error);

  const types::BatchJob& job() const { return *now_; }
  bool MayHavePods() const;
  // What the step decides, from the counts of the pods.
  void DecidePhase();
  JobNote CurrentNote() const;
  // Into the status. What is to be told by an event, because it is news; empty: nothing is.
  JobNote SayWhy(const SyncError& error);
  void ReportGroup(const types::PodGroup& group) const;

  JobDesk& desk_;
  JobView view_;
  const JobStep step_;
  JobPointer now_;                // The job as the server has it.
  types::BatchJobStatus status_;  // As it is to be.
  JobPlugins plugins_;
  PodCounts counts_;
  bool is_forwarded_ = false;
  bool is_invalid_ = false;
};

}  // namespace bth::controllers
