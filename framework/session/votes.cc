#include "framework/session/votes.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::QueueId;
using model::SubJobId;
using model::TaskId;

template <typename T>
int Compare(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

// Earlier creation first, then the smaller UID, then the smaller key: the same order in every
// run. Objects known only by their pods have no UID.
template <typename Facts>
int CompareAge(const Facts& a, const Facts& b) {
  if (const int order = Compare(a.created_us, b.created_us); order != 0) return order;
  return a.uid.compare(b.uid);
}

}  // namespace

int Votes::CompareJobs(JobId a, JobId b) const {
  if (const int order = hooks_.job_order(a, b); order != 0) return order;
  const model::JobFacts& left = *base_.jobs[a].facts;
  const model::JobFacts& right = *base_.jobs[b].facts;
  if (const int order = CompareAge(left, right); order != 0) return order;
  if (const int order = left.ns.compare(right.ns); order != 0) return order;
  return left.name.compare(right.name);
}

int Votes::CompareQueues(QueueId a, QueueId b) const {
  if (const int order = hooks_.queue_order(a, b); order != 0) return order;
  const model::QueueRow& left = base_.queues[a];
  const model::QueueRow& right = base_.queues[b];
  if (const int order = CompareAge(left, right); order != 0) return order;
  return left.name->compare(*right.name);
}

int Votes::CompareTasks(TaskId a, TaskId b) const {
  if (const int order = hooks_.task_order(a, b); order != 0) return order;
  const model::TaskNames& left = *base_.tasks[a].names;
  const model::TaskNames& right = *base_.tasks[b].names;
  if (left.index && right.index && *left.index != *right.index) {
    return Compare(*left.index, *right.index);
  }
  return CompareAge(left, right);
}

int Votes::CompareSubJobs(SubJobId a, SubJobId b) const {
  if (const int order = hooks_.sub_job_order(a, b); order != 0) return order;
  const model::SubJobRow& left = base_.sub_jobs[a];
  const model::SubJobRow& right = base_.sub_jobs[b];
  if (const int order = Compare(left.match_index, right.match_index); order != 0) return order;
  return left.facts->key.compare(right.facts->key);
}

bool Votes::SubJobReady(JobId job, SubJobId id) const {
  return base_.jobs[job].has_sub_group_policy ? hooks_.sub_job_ready(id) : JobReady(job);
}

bool Votes::SubJobPipelined(JobId job, SubJobId id) const {
  return base_.jobs[job].has_sub_group_policy ? hooks_.sub_job_pipelined(id) : JobPipelined(job);
}

bool Votes::Allocatable(QueueId queue, TaskId task) const {
  if (hooks_.allocatable(queue, task)) return true;
  refused_by_share_.insert(base_.tasks[task].job);
  return false;
}

void Votes::JobEnqueued(JobId id) {
  admitted_ = true;
  hooks_.job_enqueued(id);
}

void Votes::LiftGate(TaskId id) {
  lifted_gates_.push_back(id);
  hooks_.on_gate_lifted(id);
}

}  // namespace bth::framework
