// What a session found out about jobs, tasks and queues, for those who read and those who wait.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "api/model/snapshot.h"
#include "framework/report/fit_report.h"
#include "framework/session/effects.h"
#include "framework/session/statement_key.h"
#include "framework/session/touched_jobs.h"
#include "framework/unschedulable/domain_lack.h"
#include "framework/unschedulable/job_answer.h"

namespace bth::framework {

class UnschedulableJobs;

// Of a job that is left alone in this session, what an earlier one found out is read from there.
// Thread: scheduling.
class SessionNotes {
 public:
  // `kept` may be null: nothing is known from before.
  SessionNotes(const model::Snapshot& base, const UnschedulableJobs* kept, TouchedJobs& touched)
      : base_(base), kept_(kept), touched_(touched) {}

  // Plugins' words about a job, shown on its PodGroup at close.
  void SetCondition(model::JobId job, ConditionReport condition);
  void AddEvent(model::JobId job, EventReport event);
  const ConditionReport* FindCondition(model::JobId job, std::string_view type) const;
  const std::vector<ConditionReport>& ConditionsOf(model::JobId job) const;
  const std::vector<EventReport>& EventsOf(model::JobId job) const;

  // Why the job waits; the lowest gate said in this session stays (but see fit_report.h on quota).
  void HoldAt(model::JobId job, Gate gate, std::string_view plugin, std::string message);
  const JobFit* HoldOf(model::JobId job) const;

  // What an action that looked for victims in vain found out; replaces what it said before. A
  // statement that places a task of the job forgets them all.
  void NoteVictimSearch(model::JobId job, VictimSearch search);
  void ForgetVictimSearches(StatementKey, model::JobId job);
  const std::vector<VictimSearch>& VictimSearchesOf(model::JobId job) const;

  // Fit errors of tasks, shared by tasks with the same answer.
  void RecordFit(model::TaskId task, std::shared_ptr<const TaskFit> fit);
  const TaskFit* FitOf(model::TaskId task) const;
  // Some task of the job has one. Cost: linear in its tasks.
  bool HasFit(model::JobId job) const;
  void ClearFits(model::JobId job);
  void ClearPlans(model::JobId job);
  void ClearPlans(absl::Span<const model::TaskId> tasks);

  // What was not enough for a gang whose pods are all alike, anywhere in the network.
  void NoteDomainLack(model::JobId job, const DomainLack& lack) { lacks_[job] = lack; }
  const DomainLack* DomainLackOf(model::JobId job) const;

  // What a discarded statement had planned for the task; null: nothing.
  void RememberPlan(StatementKey, model::TaskId task, const model::TaskState& planned);
  void ForgetPlan(StatementKey, model::TaskId task);
  const model::TaskState* PlanOf(model::TaskId task) const;

  // Tells on the queue object what is wrong with it.
  void NoteQueue(QueueNotice notice) { queue_notices_.push_back(std::move(notice)); }
  const std::vector<QueueNotice>& queue_notices() const { return queue_notices_; }

  // All that was found out about a job, for the next sessions; and back.
  JobAnswer AnswerOf(model::JobId job) const;
  void Restore(model::JobId job, const JobAnswer& answer);

 private:
  JobNotes& NotesOf(model::JobId job);
  const JobNotes* FindNotes(model::JobId job) const;
  const JobAnswer* KeptAnswerOf(model::JobId job) const;

  const model::Snapshot& base_;
  const UnschedulableJobs* kept_;
  TouchedJobs& touched_;
  absl::flat_hash_map<model::JobId, JobNotes> notes_;  // Of jobs that wait; off the hot path.
  absl::flat_hash_map<model::TaskId, std::shared_ptr<const TaskFit>> fits_;
  absl::flat_hash_map<model::TaskId, model::TaskState> plans_;
  absl::flat_hash_map<model::JobId, DomainLack> lacks_;
  std::vector<QueueNotice> queue_notices_;
};

}  // namespace bth::framework
