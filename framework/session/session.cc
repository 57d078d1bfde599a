#include "framework/session/session.h"

#include <algorithm>
#include <utility>

#include "framework/nodes/node_picker.h"
#include "framework/peers/peer_counts.h"
#include "framework/prospects/victim_prospects.h"
#include "framework/unschedulable/unschedulable_jobs.h"

namespace bth::framework {
namespace {

using model::JobId;
using model::QueueId;
using model::SubJobId;
using model::TaskId;
using model::TaskState;
using model::TaskStatus;

// Placed by a statement that has not handed its bindings out, and may never do so.
constexpr uint32_t kUncommitted =
    model::StatusBit(TaskStatus::kAllocated) | model::StatusBit(TaskStatus::kPipelined);

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

Session::Session(SessionContext context)
    : context_(std::move(context)), usage_(context_.snapshot->usage) {
  usage_.pipelined.Resize(usage_.idle.size());
  peers_ = context_.peers;
  if (peers_ == nullptr) {
    own_peers_ = std::make_unique<PeerCounts>();
    peers_ = own_peers_.get();
  }
  prospects_ = context_.prospects;
  if (prospects_ == nullptr) {
    own_prospects_ = std::make_unique<VictimProspects>();
    prospects_ = own_prospects_.get();
  }
  peers_->Begin(*this);
  SetActiveJobs(*context_.snapshot->active_jobs, *context_.snapshot->jobs_without_queue);
  if (context_.reasons != nullptr) context_.reasons->BeginSession();
}

Session::~Session() = default;

void Session::Freeze() {
  picker_ = std::make_unique<NodePicker>(*this);
}

int Session::CompareJobs(JobId a, JobId b) const {
  if (const int order = hooks_.job_order(a, b); order != 0) return order;
  const model::JobFacts& left = *job(a).facts;
  const model::JobFacts& right = *job(b).facts;
  if (const int order = CompareAge(left, right); order != 0) return order;
  if (const int order = left.ns.compare(right.ns); order != 0) return order;
  return left.name.compare(right.name);
}

int Session::CompareQueues(QueueId a, QueueId b) const {
  if (const int order = hooks_.queue_order(a, b); order != 0) return order;
  if (const int order = CompareAge(queue(a), queue(b)); order != 0) return order;
  return queue(a).name->compare(*queue(b).name);
}

int Session::CompareTasks(TaskId a, TaskId b) const {
  if (const int order = hooks_.task_order(a, b); order != 0) return order;
  const model::TaskNames& left = *task(a).names;
  const model::TaskNames& right = *task(b).names;
  if (left.index && right.index && *left.index != *right.index) {
    return Compare(*left.index, *right.index);
  }
  return CompareAge(left, right);
}

int Session::CompareSubJobs(SubJobId a, SubJobId b) const {
  if (const int order = hooks_.sub_job_order(a, b); order != 0) return order;
  const model::SubJobRow& left = base().sub_jobs[a];
  const model::SubJobRow& right = base().sub_jobs[b];
  if (const int order = Compare(left.match_index, right.match_index); order != 0) return order;
  return left.facts->key.compare(right.facts->key);
}

bool Session::SubJobReady(JobId job_id, SubJobId id) const {
  if (!job(job_id).has_sub_group_policy) return JobReady(job_id);
  return hooks_.sub_job_ready(id);
}

bool Session::SubJobPipelined(JobId job_id, SubJobId id) const {
  if (!job(job_id).has_sub_group_policy) return JobPipelined(job_id);
  return hooks_.sub_job_pipelined(id);
}

JobValidity Session::ValidateJob(JobId id) const {
  return WorkOn(id, [&] { return hooks_.job_valid(id); });
}

bool Session::Allocatable(QueueId queue_id, TaskId task_id) const {
  if (hooks_.allocatable(queue_id, task_id)) return true;
  refused_by_share_.insert(task(task_id).job);
  return false;
}

void Session::JobEnqueued(JobId id) {
  admitted_ = true;
  hooks_.job_enqueued(id);
}

std::shared_ptr<const model::VolumePlan> Session::VolumePlanOf(TaskId id) const {
  return hooks_.volume_plan(id);
}

bool Session::HasAction(std::string_view name) const {
  return context_.policy->HasAction(name);
}

bool Session::IsPendingPhase(JobId id) const {
  const model::PodGroupPhase phase = counts(id).phase;
  return phase == model::PodGroupPhase::kNone || phase == model::PodGroupPhase::kPending;
}

void Session::SetPhase(JobId id, model::PodGroupPhase phase) {
  usage_.jobs.Mutable(id).phase = phase;
  Touch(id);
}

JobNotes& Session::NotesOf(JobId id) {
  Touch(id);
  return notes_[id];
}

void Session::Touch(JobId id) {
  // Mostly the job of the call before.
  if (!touched_jobs_.empty() && touched_jobs_.back() == id) return;
  if (touched_.insert(id).second) touched_jobs_.push_back(id);
}

void Session::SetCondition(JobId id, ConditionReport condition) {
  std::vector<ConditionReport>& conditions = NotesOf(id).conditions;
  for (ConditionReport& known : conditions) {
    if (known.type == condition.type) {
      known = std::move(condition);
      return;
    }
  }
  conditions.push_back(std::move(condition));
}

void Session::AddEvent(JobId id, EventReport event) {
  NotesOf(id).events.push_back(std::move(event));
}

void Session::HoldAt(JobId id, Gate gate, std::string_view plugin, std::string message) {
  JobFit& hold = NotesOf(id).hold;
  // Where no node could take a task, what is said of the nodes outdoes the queue's share.
  const bool outdone = hold.gate == Gate::kQuota && gate == Gate::kFilters && HasFit(id);
  if (hold.gate != Gate::kNone && hold.gate <= gate && !outdone) return;
  hold = {.job = id, .gate = gate, .plugin = std::string(plugin), .message = std::move(message)};
}

void Session::LiftGate(TaskId id) {
  lifted_gates_.push_back(id);
  hooks_.on_gate_lifted(id);
}

void Session::NoteVictimSearch(JobId id, VictimSearch search) {
  std::vector<VictimSearch>& known = NotesOf(id).victim_searches;
  std::erase_if(known, [&](const VictimSearch& old) { return old.action == search.action; });
  known.push_back(std::move(search));
}

void Session::ForgetVictimSearches(StatementKey, JobId id) {
  if (auto it = notes_.find(id); it != notes_.end()) it->second.victim_searches.clear();
}

const std::vector<VictimSearch>& Session::VictimSearchesOf(JobId id) const {
  static const auto* const kNone = new std::vector<VictimSearch>();
  const JobNotes* notes = FindNotes(id);
  return notes == nullptr ? *kNone : notes->victim_searches;
}

void Session::RecordFit(TaskId id, std::shared_ptr<const TaskFit> fit) {
  fits_[id] = std::move(fit);
}

const TaskFit* Session::FitOf(TaskId id) const {
  if (auto it = fits_.find(id); it != fits_.end()) return it->second.get();
  const JobAnswer* kept = KeptAnswerOf(task(id).job);
  if (kept == nullptr) return nullptr;
  for (const auto& [task_id, fit] : kept->fits) {
    if (task_id == id) return fit.get();
  }
  return nullptr;
}

bool Session::HasFit(JobId id) const {
  const std::vector<TaskId>& tasks = *job(id).tasks;
  return std::any_of(tasks.begin(), tasks.end(),
                     [this](TaskId task_id) { return FitOf(task_id) != nullptr; });
}

void Session::ClearFits(JobId id) {
  for (TaskId task_id : *job(id).tasks) fits_.erase(task_id);
}

void Session::RememberPlan(StatementKey, TaskId id, const TaskState& planned) {
  plans_[id] = planned;
}
void Session::ForgetPlan(StatementKey, TaskId id) {
  plans_.erase(id);
}

const TaskState* Session::PlanOf(TaskId id) const {
  if (auto it = plans_.find(id); it != plans_.end()) return &it->second;
  const JobAnswer* kept = KeptAnswerOf(task(id).job);
  if (kept == nullptr) return nullptr;
  for (const auto& [task_id, plan] : kept->plans) {
    if (task_id == id) return &plan;
  }
  return nullptr;
}

void Session::Set(StatementKey, TaskId id, const TaskState& to) {
  WorkOn(task(id).job, [&] { Apply(id, to); });
}

void Session::Apply(TaskId id, const TaskState& to) {
  const TaskState before = usage_.tasks[id];
  const bool was_promise = IsPromise(id, before);
  const bool is_promise = IsPromise(id, to);
  const model::TaskRow& row = task(id);
  usage_.Move(id, row, shape(row.shape), to);
  version_ = ++last_version_;
  if (row.job.valid()) {
    Touch(row.job);
    job_changes_.push_back(row.job);
  }
  const bool same_room = before.node == to.node &&
                         model::InGroup(before.status, model::kAllocatedGroup) &&
                         model::InGroup(to.status, model::kAllocatedGroup);
  if (same_room && was_promise == is_promise) return;
  NotePeerMove(id, before, was_promise, -1);
  NotePeerMove(id, to, is_promise, +1);
  if (same_room) return;
  if (before.node.valid()) node_changes_.push_back(before.node);
  if (to.node.valid() && to.node != before.node) node_changes_.push_back(to.node);
  const bool was = model::InGroup(before.status, model::kOccupyingGroup);
  const bool is = model::InGroup(to.status, model::kOccupyingGroup);
  if (was == is) return;
  (is ? hooks_.on_place : hooks_.on_remove)({.task = id, .before = before, .after = to});
}

bool Session::IsPromise(TaskId id, const TaskState& state) const {
  return tells_promises_ && model::InGroup(state.status, kUncommitted) && task(id).job != beholder_;
}

void Session::BeholdAs(JobId job) const {
  if (tells_promises_ && job == beholder_) return;
  const JobId before = std::exchange(beholder_, job);
  if (tells_promises_) {
    NotePromises(before, true);
    NotePromises(job, false);
    return;
  }
  tells_promises_ = true;
  for (JobId other : touched_jobs_) {
    if (other != job) NotePromises(other, true);
  }
}

void Session::NotePromises(JobId id, bool promised) const {
  if (!id.valid()) return;
  if (counts(id).count(TaskStatus::kAllocated) + counts(id).count(TaskStatus::kPipelined) == 0) {
    return;
  }
  for (TaskId task : *job(id).tasks) {
    if (!model::InGroup(state(task).status, kUncommitted)) continue;
    NotePeerMove(task, state(task), !promised, -1);
    NotePeerMove(task, state(task), promised, +1);
  }
}

// Pods count where they are placed or promised; one that is evicted counts no more.
void Session::NotePeerMove(TaskId id, const TaskState& state, bool promised, int32_t sign) const {
  if (!state.node.valid() || !model::InGroup(state.status, model::kOccupyingGroup)) return;
  const model::TaskRow& row = task(id);
  const model::ConstraintsId constraints = shape(row.shape).constraints;
  const model::PodPeerTerms* peers = base().constraints[constraints]->peers.get();
  const bool has_terms = peers != nullptr && peers->has_affinity();
  peer_moves_.push_back({.node = state.node,
                         .labels = row.labels,
                         .terms = has_terms ? constraints : model::ConstraintsId(),
                         .sign = sign,
                         .promised = promised});
}

void Session::Restore(StatementKey key, TaskId id, const TaskState& to, uint64_t version) {
  Set(key, id, to);
  version_ = version;
}

const ConditionReport* Session::FindCondition(JobId id, std::string_view type) const {
  for (const ConditionReport& condition : ConditionsOf(id)) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

const std::vector<ConditionReport>& Session::ConditionsOf(JobId id) const {
  static const auto* const kNone = new std::vector<ConditionReport>();
  const JobNotes* notes = FindNotes(id);
  return notes == nullptr ? *kNone : notes->conditions;
}

const std::vector<EventReport>& Session::EventsOf(JobId id) const {
  static const auto* const kNone = new std::vector<EventReport>();
  const JobNotes* notes = FindNotes(id);
  return notes == nullptr ? *kNone : notes->events;
}

const JobFit* Session::HoldOf(JobId id) const {
  const JobNotes* notes = FindNotes(id);
  return notes == nullptr || notes->hold.gate == Gate::kNone ? nullptr : &notes->hold;
}

const JobAnswer* Session::KeptAnswerOf(JobId id) const {
  return context_.unschedulable == nullptr ? nullptr : context_.unschedulable->AnswerOf(id);
}

const JobNotes* Session::FindNotes(JobId id) const {
  if (auto it = notes_.find(id); it != notes_.end()) return &it->second;
  const JobAnswer* kept = KeptAnswerOf(id);
  return kept == nullptr ? nullptr : &kept->notes;
}

JobAnswer Session::AnswerOf(JobId id) const {
  JobAnswer answer;
  if (auto notes = notes_.find(id); notes != notes_.end()) answer.notes = notes->second;
  for (TaskId task_id : *job(id).tasks) {
    if (auto fit = fits_.find(task_id); fit != fits_.end()) answer.fits.push_back(*fit);
    if (auto plan = plans_.find(task_id); plan != plans_.end()) answer.plans.push_back(*plan);
  }
  return answer;
}

void Session::Restore(JobId id, const JobAnswer& answer) {
  NotesOf(id) = answer.notes;
  for (const auto& [task_id, fit] : answer.fits) fits_[task_id] = fit;
  for (const auto& [task_id, plan] : answer.plans) plans_[task_id] = plan;
}

}  // namespace bth::framework
