#include "framework/session/notes.h"

#include <algorithm>
#include <utility>

#include "framework/unschedulable/unschedulable_jobs.h"

namespace bth::framework {

using model::JobId;
using model::TaskId;
using model::TaskState;

JobNotes& SessionNotes::NotesOf(JobId id) {
  touched_.Add(id);
  const auto [notes, is_new] = notes_.try_emplace(id);
  // Of a job that is left alone stands what was said before.
  if (const JobAnswer* kept = is_new ? KeptAnswerOf(id) : nullptr) notes->second = kept->notes;
  return notes->second;
}

const JobAnswer* SessionNotes::KeptAnswerOf(JobId id) const {
  return kept_ == nullptr ? nullptr : kept_->AnswerOf(id);
}

const JobNotes* SessionNotes::FindNotes(JobId id) const {
  if (auto it = notes_.find(id); it != notes_.end()) return &it->second;
  const JobAnswer* kept = KeptAnswerOf(id);
  return kept == nullptr ? nullptr : &kept->notes;
}

void SessionNotes::SetCondition(JobId id, ConditionReport condition) {
  std::vector<ConditionReport>& conditions = NotesOf(id).conditions;
  for (ConditionReport& known : conditions) {
    if (known.type == condition.type) {
      known = std::move(condition);
      return;
    }
  }
  conditions.push_back(std::move(condition));
}

void SessionNotes::AddEvent(JobId id, EventReport event) {
  NotesOf(id).events.push_back(std::move(event));
}

const ConditionReport* SessionNotes::FindCondition(JobId id, std::string_view type) const {
  for (const ConditionReport& condition : ConditionsOf(id)) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

const std::vector<ConditionReport>& SessionNotes::ConditionsOf(JobId id) const {
  static const auto* const kNone = new std::vector<ConditionReport>();
  const JobNotes* notes = FindNotes(id);
  return notes == nullptr ? *kNone : notes->conditions;
}

const std::vector<EventReport>& SessionNotes::EventsOf(JobId id) const {
  static const auto* const kNone = new std::vector<EventReport>();
  const JobNotes* notes = FindNotes(id);
  return notes == nullptr ? *kNone : notes->events;
}

void SessionNotes::HoldAt(JobId id, Gate gate, std::string_view plugin, std::string message) {
  JobFit& hold = NotesOf(id).hold;
  // Where no node could take a task, what is said of the nodes outdoes the queue's share.
  const bool outdone = hold.gate == Gate::kQuota && gate == Gate::kFilters && HasFit(id);
  if (hold.gate != Gate::kNone && hold.gate <= gate && !outdone) return;
  hold = {.job = id, .gate = gate, .plugin = std::string(plugin), .message = std::move(message)};
}

const JobFit* SessionNotes::HoldOf(JobId id) const {
  const JobNotes* notes = FindNotes(id);
  return notes == nullptr || notes->hold.gate == Gate::kNone ? nullptr : &notes->hold;
}

void SessionNotes::NoteVictimSearch(JobId id, VictimSearch search) {
  std::vector<VictimSearch>& known = NotesOf(id).victim_searches;
  std::erase_if(known, [&](const VictimSearch& old) { return old.action == search.action; });
  known.push_back(std::move(search));
}

void SessionNotes::ForgetVictimSearches(StatementKey, JobId id) {
  if (auto it = notes_.find(id); it != notes_.end()) it->second.victim_searches.clear();
}

const std::vector<VictimSearch>& SessionNotes::VictimSearchesOf(JobId id) const {
  static const auto* const kNone = new std::vector<VictimSearch>();
  const JobNotes* notes = FindNotes(id);
  return notes == nullptr ? *kNone : notes->victim_searches;
}

void SessionNotes::RecordFit(TaskId id, std::shared_ptr<const TaskFit> fit) {
  fits_[id] = std::move(fit);
}

const TaskFit* SessionNotes::FitOf(TaskId id) const {
  if (auto it = fits_.find(id); it != fits_.end()) return it->second.get();
  const JobAnswer* kept = KeptAnswerOf(base_.tasks[id].job);
  if (kept == nullptr) return nullptr;
  for (const auto& [task_id, fit] : kept->fits) {
    if (task_id == id) return fit.get();
  }
  return nullptr;
}

bool SessionNotes::HasFit(JobId id) const {
  const std::vector<TaskId>& tasks = *base_.jobs[id].tasks;
  return std::any_of(tasks.begin(), tasks.end(),
                     [this](TaskId task_id) { return FitOf(task_id) != nullptr; });
}

void SessionNotes::ClearFits(JobId id) {
  if (fits_.empty()) return;
  for (TaskId task_id : *base_.jobs[id].tasks) fits_.erase(task_id);
}

void SessionNotes::ClearPlans(JobId id) {
  ClearPlans(*base_.jobs[id].tasks);
}

void SessionNotes::ClearPlans(absl::Span<const TaskId> tasks) {
  if (plans_.empty()) return;
  for (TaskId task_id : tasks) plans_.erase(task_id);
}

const DomainLack* SessionNotes::DomainLackOf(JobId id) const {
  const auto known = lacks_.find(id);
  return known == lacks_.end() ? nullptr : &known->second;
}

void SessionNotes::RememberPlan(StatementKey, TaskId id, const TaskState& planned) {
  plans_[id] = planned;
}

void SessionNotes::ForgetPlan(StatementKey, TaskId id) {
  plans_.erase(id);
}

const TaskState* SessionNotes::PlanOf(TaskId id) const {
  if (auto it = plans_.find(id); it != plans_.end()) return &it->second;
  const JobAnswer* kept = KeptAnswerOf(base_.tasks[id].job);
  if (kept == nullptr) return nullptr;
  for (const auto& [task_id, plan] : kept->plans) {
    if (task_id == id) return &plan;
  }
  return nullptr;
}

JobAnswer SessionNotes::AnswerOf(JobId id) const {
  JobAnswer answer;
  if (auto notes = notes_.find(id); notes != notes_.end()) answer.notes = notes->second;
  for (TaskId task_id : *base_.jobs[id].tasks) {
    if (auto fit = fits_.find(task_id); fit != fits_.end()) answer.fits.push_back(*fit);
    if (auto plan = plans_.find(task_id); plan != plans_.end()) answer.plans.push_back(*plan);
  }
  return answer;
}

void SessionNotes::Restore(JobId id, const JobAnswer& answer) {
  touched_.Add(id);
  notes_[id] = answer.notes;
  for (const auto& [task_id, fit] : answer.fits) fits_[task_id] = fit;
  for (const auto& [task_id, plan] : answer.plans) plans_[task_id] = plan;
}

}  // namespace bth::framework
