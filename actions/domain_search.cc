#include "actions/domain_search.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"

namespace bth::actions {

using framework::GangDemand;
using framework::Gate;
using framework::HyperNodeGradient;
using framework::JobDemand;
using framework::NodePicker;
using framework::Statement;
using model::HyperNodeId;
using model::JobId;
using model::TaskId;

bool DomainSearch::PlaceJob(JobId job, Worksheet& worksheet, Statement& statement) {
  const HyperNodeId root = session_.topology().tree().root();
  const HyperNodeGradient gradient =
      framework::GradientFor(session_, {.job = job, .sub_job = {}, .inside = root});
  // Roles that fail in one place may do well in another.
  TaskPlacer::FailedRoles before = placer_.failed_roles();
  least_ = false;
  bool placed = PlaceInBest(job, gradient, worksheet, statement);
  if (!placed && !gradient.rows.empty() && CanDoWithLess(job, worksheet)) {
    least_ = true;
    placed = PlaceInBest(job, gradient, worksheet, statement);
  }
  if (!placed) Explain(job, gradient, worksheet, statement);
  placer_.SetFailedRoles(std::move(before));
  if (!placed && worksheet.sub_jobs.size() == 1) {
    lack_.TakeOver(DemandOf(worksheet.sub_jobs.front()));
    session_.notes().NoteDomainLack(job, lack_);
  }
  return placed;
}

// All that waits goes to one place if there is any that has room for it; if there is none, it is
// better to start with less than to wait for ever. What has a place already, or waits for one that
// is being freed, is not started anew.
bool DomainSearch::CanDoWithLess(JobId job, const Worksheet& worksheet) const {
  if (session_.counts(job).waiting() > 0) return false;
  const framework::Topology& topology = session_.topology();
  const auto can = [&](const SubJobWorksheet& one) {
    if (!topology.BoundOf(one.sub_job) || topology.AllocatedIn(one.sub_job).valid()) return false;
    return framework::TasksLacking(session_, one.sub_job) <
           static_cast<int64_t>(one.tasks.items().size());
  };
  return std::any_of(worksheet.sub_jobs.begin(), worksheet.sub_jobs.end(), can);
}

bool DomainSearch::PlaceInBest(JobId job, const HyperNodeGradient& gradient, Worksheet& worksheet,
                               Statement& statement) {
  failures_.Clear();
  most_.reset();
  std::vector<JobDemand::SubJob> sub_jobs;
  for (const SubJobWorksheet& sub_job : worksheet.sub_jobs) {
    sub_jobs.push_back({.id = sub_job.sub_job,
                        .tasks = sub_job.tasks.items(),
                        .best_effort = sub_job.best_effort.items()});
  }
  demand_.emplace(session_, job, sub_jobs);
  learned_.clear();
  lack_ = {.of_job = gradient.minimum};
  // What sums have free for sub-jobs is looked at beforehand where there may be several, or where
  // nothing is tried that could tell.
  bool looked = session_.job(job).has_sub_group_policy || gradient.rows.empty();
  if (looked) demand_->LookWhere(session_, least_);
  most_.emplace(session_, job, worksheet, *demand_);
  bool any_failed = false;
  const auto attempt = [&](HyperNodeId inside, Worksheet& rest, double* score) {
    if (TryJob(job, inside, rest, statement, score)) return true;
    if (std::exchange(any_failed, true)) return false;
    if (!std::exchange(looked, true)) demand_->LookWhere(session_, least_);
    lack_.of_sub_job = demand_->minimum();
    // What the sums of its tier lack tells more than that they lack something.
    if (!demand_->MayBeIn(inside)) failures_.Clear();
    return false;
  };
  for (const std::vector<HyperNodeId>& row : gradient.rows) {
    const Search search{.job = job, .widest = {}, .explains = true, .most = &*most_};
    const std::vector<double> most = most_->Of(row);
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < row.size(); ++i) candidates.push_back({.id = row[i], .most = most[i]});
    if (PlaceInBestOf(search, std::move(candidates), worksheet, statement, attempt)) return true;
    if (hopeless_) break;
  }
  return false;
}

// The one that may be the best is on top of the heap.
struct DomainSearch::ComesLater {
  absl::Span<const Candidate> candidates;
  bool operator()(size_t a, size_t b) const {
    if (candidates[a].most != candidates[b].most) return candidates[a].most < candidates[b].most;
    return a > b;
  }
};

size_t DomainSearch::Take(size_t next, absl::Span<const Candidate> candidates,
                          std::vector<size_t>* left) {
  const ComesLater comes_later{candidates};
  if (next == 0) {
    std::pop_heap(left->begin(), left->end(), comes_later);
  } else {
    std::swap((*left)[next], left->back());
  }
  const size_t at = left->back();
  left->pop_back();
  if (next != 0) std::make_heap(left->begin(), left->end(), comes_later);
  return at;
}

template <typename AnyWorksheet, typename Attempt>
std::optional<double> DomainSearch::PlaceInBestOf(const Search& search,
                                                  std::vector<Candidate> candidates,
                                                  AnyWorksheet& worksheet, Statement& statement,
                                                  const Attempt& attempt) {
  hopeless_ = false;
  std::vector<size_t> left(candidates.size());
  std::iota(left.begin(), left.end(), size_t{0});
  std::make_heap(left.begin(), left.end(), ComesLater{candidates});
  std::optional<Trial<AnyWorksheet>> best;
  const auto most_of = [&](size_t at) {
    return search.knows_most() ? candidates[at].most : MostScores::kUnknown;
  };
  bool any_tried = false;
  bool asked_roomiest = false;
  while (!left.empty()) {
    const bool roomiest = !asked_roomiest && WantsRoomiest(worksheet, candidates[left.front()].id);
    asked_roomiest |= roomiest;
    const size_t next = roomiest ? RoomiestOf(worksheet, candidates, left) : 0;
    const size_t at = Take(next, candidates, &left);
    const Candidate& candidate = candidates[at];
    // The first in their order among equals.
    const auto beats = [](double score, size_t place, double other, size_t other_place) {
      return score > other || (score == other && place < other_place);
    };
    if (best && !beats(most_of(at), at, best->score, best->at)) continue;
    if (candidate.id != search.widest && !MayHold(worksheet, candidate.id)) {
      ++refusals_;
      // Somebody is asked, so that there is something to tell.
      if (any_tried || !search.explains || !demand_->MayBeIn(candidate.id)) continue;
    }
    any_tried = true;
    Trial<AnyWorksheet> trial{
        .inside = candidate.id, .at = at, .score = 0, .placed = {}, .rest = worksheet};
    const Statement::Mark mark = statement.Checkpoint();
    const int64_t refusals = refusals_ + placer_.refusals();
    if (!attempt(candidate.id, trial.rest, &trial.score)) {
      // What was tried first had a part in what was left of the queue's share for others.
      hopeless_ = IsAlike(worksheet) && refusals == refusals_ + placer_.refusals();
      if (hopeless_) break;
      continue;
    }
    const bool is_best = !best || beats(trial.score, at, best->score, best->at);
    const bool may_be_beaten = std::any_of(left.begin(), left.end(), [&](size_t other) {
      return beats(most_of(other), other, trial.score, at);
    });
    if (is_best && !may_be_beaten) {
      worksheet = std::move(trial.rest);
      return trial.score;
    }
    trial.placed = statement.PlacedSince(mark);
    statement.RollbackTo(mark);
    if (is_best) best = std::move(trial);
  }
  if (!best) return std::nullopt;
  hopeless_ = false;
  if (search.explains) session_.notes().ClearFits(search.job);
  statement.Redo(best->placed);
  worksheet = std::move(best->rest);
  return best->score;
}

// Where something failed already and the next one has no room for all that waits, the one with the
// most room tells about all others: if it fails too, none of them does better.
bool DomainSearch::WantsRoomiest(const SubJobWorksheet& worksheet, HyperNodeId next) const {
  const GangDemand& demand = DemandOf(worksheet);
  return demand.failed() && demand.RoomIn(session_, next) < demand.tasks();
}
bool DomainSearch::WantsRoomiest(const Worksheet&, HyperNodeId next) const {
  return demand_->failed() && demand_->RoomIn(session_, next) < demand_->whole();
}

int64_t DomainSearch::RoomOf(const SubJobWorksheet& worksheet, HyperNodeId id) const {
  return DemandOf(worksheet).RoomIn(session_, id);
}
int64_t DomainSearch::RoomOf(const Worksheet&, HyperNodeId id) const {
  return demand_->RoomIn(session_, id);
}

template <typename AnyWorksheet>
size_t DomainSearch::RoomiestOf(const AnyWorksheet& worksheet,
                                absl::Span<const Candidate> candidates,
                                absl::Span<const size_t> left) const {
  size_t roomiest = 0;
  int64_t most = -1;
  for (size_t k = 0; k < left.size(); ++k) {
    const int64_t room = RoomOf(worksheet, candidates[left[k]].id);
    // The first in their order among equals.
    if (room < most || (room == most && left[k] > left[roomiest])) continue;
    most = room;
    roomiest = k;
  }
  return roomiest;
}

bool DomainSearch::IsAlike(const SubJobWorksheet& worksheet) const {
  return DemandOf(worksheet).alike();
}
bool DomainSearch::IsAlike(const Worksheet&) const {
  return demand_->alike();
}

bool DomainSearch::MayHold(const SubJobWorksheet& worksheet, HyperNodeId inside) const {
  return DemandOf(worksheet).MayHold(session_, inside);
}
bool DomainSearch::MayHold(const Worksheet&, HyperNodeId inside) const {
  return demand_->MayHold(session_, inside);
}

bool DomainSearch::TryJob(JobId job, HyperNodeId inside, Worksheet& worksheet, Statement& statement,
                          double* score) {
  const NodePicker::Inside confined(session_.picker(), inside);
  session_.notes().ClearFits(job);
  explained_.clear();
  most_->Begin();
  const auto place = [&](SubJobWorksheet& sub_job) {
    const std::optional<double> good = PlaceSubJob(job, inside, sub_job, statement);
    if (good) most_->NotePlaced(sub_job);
    *score += good.value_or(0);
    return good.has_value();
  };
  const bool stands = placer_.PlaceSubJobs(job, worksheet, statement, place);
  if (stands) {
    most_->NoteStands();
  } else {
    demand_->NoteFailure(session_, placer_.let_go());
    failures_.Note(job, inside);
  }
  session_.notes().ClearPlans(job);
  return stands;
}

std::optional<double> DomainSearch::PlaceSubJob(JobId job, HyperNodeId inside,
                                                SubJobWorksheet& worksheet, Statement& statement) {
  const HyperNodeGradient gradient = framework::GradientFor(
      session_, {.job = job, .sub_job = worksheet.sub_job, .inside = inside, .for_least = least_});
  const bool has_place = session_.topology().AllocatedIn(worksheet.sub_job).valid();
  // One of those that are alike is tried though it is known to be in vain: to find out why.
  const bool is_explained = !explains_all_ && explained_.contains(&DemandOf(worksheet));
  const Search search{
      .job = job, .widest = is_explained ? HyperNodeId() : inside, .explains = false};
  for (const std::vector<HyperNodeId>& row : gradient.rows) {
    if (has_place) {
      const auto score = PlaceBesidePlaced(search, row, worksheet, statement);
      if (score) return score;
      continue;
    }
    const std::vector<double> scores = framework::RankHyperNodes(session_, worksheet.sub_job, row);
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < row.size(); ++i) candidates.push_back({.id = row[i], .most = scores[i]});
    size_t next = 0;
    const auto attempt = [&](HyperNodeId candidate, SubJobWorksheet& rest, double* score) {
      next = static_cast<size_t>(std::find(row.begin(), row.end(), candidate) - row.begin());
      *score = scores[next];
      return TrySubJob(job, candidate, rest, statement);
    };
    const auto score = PlaceInBestOf(search, std::move(candidates), worksheet, statement, attempt);
    if (score) return score;
    if (hopeless_) break;
  }
  if (gradient.rows.empty() && !worksheet.tasks.empty()) {
    ++refusals_;
    auto fit = std::make_shared<framework::TaskFit>();
    fit->exemplar = worksheet.tasks.items().front();
    fit->shape = session_.task(fit->exemplar).shape;
    fit->preset = gradient.why_none;
    session_.notes().RecordFit(fit->exemplar, fit);
  }
  if (!worksheet.tasks.empty()) explained_.insert(&DemandOf(worksheet));
  return std::nullopt;
}

// Of HyperNodes that are equally good those are better that have more of the sub-job, which is
// measured by those in which it finds room.
std::optional<double> DomainSearch::PlaceBesidePlaced(const Search& search,
                                                      const std::vector<HyperNodeId>& row,
                                                      SubJobWorksheet& worksheet,
                                                      Statement& statement) {
  std::vector<Trial<SubJobWorksheet>> trials;
  for (HyperNodeId candidate : row) {
    if (candidate != search.widest && !MayHold(worksheet, candidate)) {
      ++refusals_;
      continue;
    }
    Trial<SubJobWorksheet> trial{.inside = candidate, .rest = worksheet};
    const Statement::Mark mark = statement.Checkpoint();
    if (!TrySubJob(search.job, candidate, trial.rest, statement)) continue;
    trial.placed = statement.PlacedSince(mark);
    statement.RollbackTo(mark);
    trials.push_back(std::move(trial));
  }
  if (trials.empty()) return std::nullopt;
  std::vector<HyperNodeId> candidates;
  for (const auto& trial : trials) candidates.push_back(trial.inside);
  const std::vector<double> scores =
      framework::RankHyperNodes(session_, worksheet.sub_job, candidates);
  // The first by name among equals.
  const auto best = std::max_element(scores.begin(), scores.end());
  Trial<SubJobWorksheet>& chosen = trials[static_cast<size_t>(best - scores.begin())];
  statement.Redo(chosen.placed);
  worksheet = std::move(chosen.rest);
  return *best;
}

// True: some task of it got a node, and it stands.
bool DomainSearch::TrySubJob(JobId job, HyperNodeId inside, SubJobWorksheet& worksheet,
                             Statement& statement) {
  const NodePicker::Inside confined(session_.picker(), inside);
  placer_.SetFailedRoles({});
  std::vector<TaskId> tasks = worksheet.tasks.items();
  const std::vector<TaskId>& best_effort = worksheet.best_effort.items();
  tasks.insert(tasks.end(), best_effort.begin(), best_effort.end());
  session_.notes().ClearPlans(tasks);
  const Statement::Mark mark = statement.Checkpoint();
  if (placer_.PlaceTasks(job, worksheet, statement) && statement.Checkpoint().size > mark.size) {
    LearnLeast(job, worksheet, mark, statement);
    return true;
  }
  std::erase_if(tasks, [this](TaskId task) { return session_.notes().PlanOf(task) == nullptr; });
  demand_->Of(worksheet.sub_job).NoteFailure(session_, tasks);
  return false;
}

// What a sub-job got but for its last task is mostly not enough for it, nor for those like it: so
// many come about in a HyperNode as it has room for more than that.
void DomainSearch::LearnLeast(JobId job, const SubJobWorksheet& worksheet, Statement::Mark before,
                              Statement& statement) {
  GangDemand& demand = demand_->Of(worksheet.sub_job);
  if (demand_->sub_jobs() == 1 || !learned_.insert(&demand).second) return;
  const std::vector<Statement::Placed> placed = statement.PlacedSince(before);
  std::vector<TaskId> rest;
  for (size_t i = 0; i + 1 < placed.size(); ++i) rest.push_back(placed[i].task);
  statement.RollbackTo({statement.Checkpoint().size - 1});
  if (!placer_.Stands(job, worksheet.sub_job)) demand.NoteFailure(session_, rest);
  statement.Redo({placed.back()});
}

// Tries the best once more, if any was tried, for its reasons to be those of the tasks.
void DomainSearch::Explain(JobId job, const HyperNodeGradient& gradient, const Worksheet& worksheet,
                           Statement& statement) {
  if (gradient.rows.empty()) {
    const std::string lack = failures_.ByTier(job, *demand_, lack_.of_job);
    session_.notes().HoldAt(
        job, Gate::kTopology, "",
        lack.empty() ? gradient.why_none : StrCat(gradient.why_none, ": ", lack));
    return;
  }
  const HyperNodeId inside = failures_.best();
  // What no room helps against is said first, and by itself where nothing came near.
  std::string lack;
  for (const SubJobWorksheet& sub_job : worksheet.sub_jobs) {
    if (lack.empty()) lack = session_.topology().UnknownTierOf(sub_job.sub_job);
  }
  if (lack.empty() || inside.valid()) {
    StrAppend(&lack, lack.empty() ? "" : "; ", failures_.ByTier(job, *demand_, lack_.of_job));
  }
  std::string message = StrCat("no HyperNode takes all that the gang needs: ", lack);
  if (inside.valid()) {
    Worksheet again = worksheet;
    const NodePicker::Inside confined(session_.picker(), inside);
    session_.notes().ClearFits(job);
    explains_all_ = true;
    placer_.PlaceSubJobs(job, again, statement, [&](SubJobWorksheet& sub_job) {
      return PlaceSubJob(job, inside, sub_job, statement).has_value();
    });
    explains_all_ = false;
  }
  session_.notes().HoldAt(job, Gate::kTopology, "", std::move(message));
}

}  // namespace bth::actions
