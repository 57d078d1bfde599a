#include "actions/domain_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/cut_text.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"

namespace bth::actions {

using framework::GangDemand;
using framework::Gate;
using framework::HyperNodeGradient;
using framework::NodePicker;
using framework::Statement;
using model::HyperNodeId;
using model::JobId;
using model::TaskId;

namespace {

std::vector<HyperNodeId> IdsOf(absl::Span<const HyperNodeId> row, const model::HyperNodeTree& tree,
                               std::vector<size_t>* parents) {
  std::vector<HyperNodeId> ids(row.begin(), row.end());
  parents->assign(ids.size(), ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    for (HyperNodeId child : tree[ids[i]].children) {
      ids.push_back(child);
      parents->push_back(i);
    }
  }
  return ids;
}

// A part of a reason.
std::string Shortened(std::string_view why) {
  constexpr size_t kWhyBytes = 200;
  const std::string_view cut = CutText(why, kWhyBytes);
  return StrCat(cut, cut.size() < why.size() ? "…" : "");
}

}  // namespace

bool DomainSearch::PlaceJob(JobId job, Worksheet& worksheet, Statement& statement) {
  failures_.clear();
  demands_.clear();
  for (const SubJobWorksheet& sub_job : worksheet.sub_jobs) {
    demands_.emplace(sub_job.sub_job,
                     GangDemand(session_, sub_job.tasks.items(), sub_job.best_effort.items()));
  }
  // Roles that fail in one place may do well in another.
  TaskPlacer::FailedRoles before = placer_.failed_roles();
  const bool placed = PlaceInBest(job, worksheet, statement);
  placer_.SetFailedRoles(std::move(before));
  if (!placed && demands_.size() == 1) {
    lack_.too_few = demands_.begin()->second.too_few();
    session_.notes().NoteDomainLack(job, lack_);
  }
  return placed;
}

bool DomainSearch::PlaceInBest(JobId job, Worksheet& worksheet, Statement& statement) {
  const HyperNodeId root = session_.topology().tree().root();
  const HyperNodeGradient gradient =
      framework::GradientFor(session_, {.job = job, .sub_job = {}, .inside = root});
  lack_ = {.of_job = gradient.minimum};
  suited_.clear();
  bool any_failed = false;
  const auto attempt = [&](HyperNodeId inside, Worksheet& rest, double* score) {
    if (TryJob(job, inside, rest, statement, score)) return true;
    if (std::exchange(any_failed, true)) return false;
    FindSuited(job, worksheet);
    // What the sums of its tier lack tells more than that they lack something.
    if (!IsSuited(inside)) failures_.clear();
    return false;
  };
  for (const std::vector<HyperNodeId>& row : gradient.rows) {
    const Search search{.job = job, .widest = {}, .explains = true};
    std::vector<Candidate> candidates = CandidatesFor(job, worksheet, row);
    if (PlaceInBestOf(search, std::move(candidates), worksheet, statement, attempt)) return true;
    if (hopeless_) break;
  }
  if (gradient.rows.empty()) {
    const std::string lack = LackByTier(job);
    session_.notes().HoldAt(
        job, Gate::kTopology, "",
        lack.empty() ? gradient.why_none : StrCat(gradient.why_none, ": ", lack));
  } else {
    Explain(job, worksheet, statement);
  }
  return false;
}

void DomainSearch::FindSuited(JobId job, const Worksheet& worksheet) {
  if (worksheet.sub_jobs.size() != 1) return;
  const model::HyperNodeTree& tree = session_.topology().tree();
  const HyperNodeGradient gradient = framework::GradientFor(
      session_, {.job = job, .sub_job = worksheet.sub_jobs.front().sub_job, .inside = tree.root()});
  lack_.of_sub_job = gradient.minimum;
  const bool anywhere = gradient.rows.size() == 1 && gradient.rows.front().size() == 1 &&
                        gradient.rows.front().front() == tree.root();
  if (anywhere) return;
  suited_.assign(tree.rows.size(), 0);
  for (const std::vector<HyperNodeId>& row : gradient.rows) {
    for (HyperNodeId id : row) {
      for (; id.valid() && suited_[id] == 0; id = tree[id].parent) suited_[id] = 1;
    }
  }
}

// A job of one sub-job that has no place yet is as good in a HyperNode as the sub-job in the best
// of those below. Of others nothing is known beforehand.
std::vector<DomainSearch::Candidate> DomainSearch::CandidatesFor(
    JobId job, const Worksheet& worksheet, const std::vector<HyperNodeId>& row) const {
  std::vector<Candidate> candidates;
  for (HyperNodeId id : row) candidates.push_back({.id = id, .most = kUnknown});
  if (row.size() == 1 || worksheet.sub_jobs.size() != 1 || session_.job(job).has_sub_group_policy ||
      session_.topology().AllocatedIn(job).valid()) {
    return candidates;
  }
  std::vector<size_t> parents;
  const std::vector<HyperNodeId> ids = IdsOf(row, session_.topology().tree(), &parents);
  std::vector<double> most =
      framework::RankHyperNodes(session_, worksheet.sub_jobs.front().sub_job, ids);
  for (size_t i = ids.size(); i-- > row.size();) {
    most[parents[i]] = std::max(most[parents[i]], most[i]);
  }
  for (size_t i = 0; i < row.size(); ++i) candidates[i].most = most[i];
  return candidates;
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

template <typename Sheet, typename Attempt>
std::optional<double> DomainSearch::PlaceInBestOf(const Search& search,
                                                  std::vector<Candidate> candidates,
                                                  Sheet& worksheet, Statement& statement,
                                                  const Attempt& attempt) {
  hopeless_ = false;
  std::vector<size_t> left(candidates.size());
  std::iota(left.begin(), left.end(), size_t{0});
  std::make_heap(left.begin(), left.end(), ComesLater{candidates});
  std::optional<Trial<Sheet>> best;
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
    if (best && !beats(candidate.most, at, best->score, best->at)) continue;
    if (candidate.id != search.widest && !MayHold(worksheet, candidate.id)) {
      ++refusals_;
      // Somebody is asked, so that there is something to tell.
      if (any_tried || !search.explains || !IsSuited(candidate.id)) continue;
    }
    any_tried = true;
    Trial<Sheet> trial{
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
      return beats(candidates[other].most, other, trial.score, at);
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
  const GangDemand& demand = demands_.at(worksheet.sub_job);
  return demand.failed() && demand.RoomIn(session_, next) < demand.tasks();
}
bool DomainSearch::WantsRoomiest(const Worksheet& worksheet, HyperNodeId next) const {
  return worksheet.sub_jobs.size() == 1 && WantsRoomiest(worksheet.sub_jobs.front(), next);
}

size_t DomainSearch::RoomiestOf(const SubJobWorksheet& worksheet,
                                absl::Span<const Candidate> candidates,
                                absl::Span<const size_t> left) const {
  const GangDemand& demand = demands_.at(worksheet.sub_job);
  size_t roomiest = 0;
  int64_t most = -1;
  for (size_t k = 0; k < left.size(); ++k) {
    const int64_t room = demand.RoomIn(session_, candidates[left[k]].id);
    // The first in their order among equals.
    if (room < most || (room == most && left[k] > left[roomiest])) continue;
    most = room;
    roomiest = k;
  }
  return roomiest;
}
size_t DomainSearch::RoomiestOf(const Worksheet& worksheet, absl::Span<const Candidate> candidates,
                                absl::Span<const size_t> left) const {
  return RoomiestOf(worksheet.sub_jobs.front(), candidates, left);
}

bool DomainSearch::IsAlike(const SubJobWorksheet& worksheet) const {
  return demands_.at(worksheet.sub_job).alike();
}
bool DomainSearch::IsAlike(const Worksheet& worksheet) const {
  return worksheet.sub_jobs.size() == 1 && IsAlike(worksheet.sub_jobs.front());
}

bool DomainSearch::MayHold(const SubJobWorksheet& worksheet, HyperNodeId inside) const {
  return demands_.at(worksheet.sub_job).MayHold(session_, inside);
}

// Sub-jobs that are placed together take room from one another, so that only a HyperNode without
// room for any of them is known to be in vain.
bool DomainSearch::MayHold(const Worksheet& worksheet, HyperNodeId inside) const {
  if (worksheet.sub_jobs.size() == 1) {
    return IsSuited(inside) && MayHold(worksheet.sub_jobs.front(), inside);
  }
  const auto failed = [this](const SubJobWorksheet& sub_job) {
    return demands_.at(sub_job.sub_job).failed();
  };
  if (std::none_of(worksheet.sub_jobs.begin(), worksheet.sub_jobs.end(), failed)) return true;
  return std::any_of(worksheet.sub_jobs.begin(), worksheet.sub_jobs.end(),
                     [&](const SubJobWorksheet& sub_job) {
                       const GangDemand& demand = demands_.at(sub_job.sub_job);
                       return demand.tasks() == 0 || demand.RoomIn(session_, inside) > 0;
                     });
}

bool DomainSearch::TryJob(JobId job, HyperNodeId inside, Worksheet& worksheet, Statement& statement,
                          double* score) {
  const NodePicker::Inside confined(session_.picker(), inside);
  session_.notes().ClearFits(job);
  const auto place = [&](SubJobWorksheet& sub_job) {
    const std::optional<double> good = PlaceSubJob(job, inside, sub_job, statement);
    *score += good.value_or(0);
    return good.has_value();
  };
  const bool stands = placer_.PlaceSubJobs(job, worksheet, statement, place);
  if (!stands) NoteFailure(job, inside);
  session_.notes().ClearPlans(job);
  return stands;
}

std::optional<double> DomainSearch::PlaceSubJob(JobId job, HyperNodeId inside,
                                                SubJobWorksheet& worksheet, Statement& statement) {
  const HyperNodeGradient gradient = framework::GradientFor(
      session_, {.job = job, .sub_job = worksheet.sub_job, .inside = inside});
  const bool has_place = session_.topology().AllocatedIn(worksheet.sub_job).valid();
  const Search search{.job = job, .widest = inside, .explains = false};
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
    return true;
  }
  std::erase_if(tasks, [this](TaskId task) { return session_.notes().PlanOf(task) == nullptr; });
  demands_.at(worksheet.sub_job).NoteFailure(session_, tasks);
  return false;
}

// What was planned of the gang before it was let go tells how near it came.
void DomainSearch::NoteFailure(JobId job, HyperNodeId inside) {
  Failure failure{.inside = inside};
  for (TaskId task : *session_.job(job).tasks) {
    if (session_.state(task).status != model::TaskStatus::kPending) continue;
    failure.placed += session_.notes().PlanOf(task) != nullptr ? 1 : 0;
    const framework::TaskFit* fit = session_.notes().FitOf(task);
    if (fit != nullptr && failure.why.empty()) failure.why = fit->Text(session_.reasons());
  }
  const int32_t tier = session_.topology().tree().tier(inside);
  const auto [known, fresh] = failures_.try_emplace(tier, failure);
  if (!fresh && failure.placed > known->second.placed) known->second = std::move(failure);
}

// Of HyperNodes of a tier in which nothing was tried: what the one with the most room lacks.
std::string DomainSearch::LackAt(int32_t tier, const GangDemand& demand) const {
  const model::HyperNodeTree& tree = session_.topology().tree();
  HyperNodeId best;
  int64_t most = -1;
  for (size_t i = 0; i < tree.rows.size(); ++i) {
    const HyperNodeId id = HyperNodeId::FromIndex(i);
    if (tree.tier(id) != tier || tree[id].nodes == 0) continue;
    const int64_t room = demand.RoomIn(session_, id);
    if (room <= most) continue;
    most = room;
    best = id;
  }
  if (!best.valid()) return StrCat("at tier ", tier, " no HyperNode has any node");
  const std::string at = StrCat("at tier ", tier, " ", NameOf(best));
  if (most >= demand.tasks()) return StrCat(at, " has less free than the minimum resources");
  return StrCat(at, " has room for ", most, " of ", demand.tasks(), " pods");
}

std::string DomainSearch::NameOf(HyperNodeId id) const {
  const model::HyperNodeTree& tree = session_.topology().tree();
  return id == tree.root() ? "the cluster" : tree[id].name;
}

// The best of each tier, the lowest tiers first and the highest last; as much as people read.
std::string DomainSearch::LackByTier(JobId job) const {
  constexpr size_t kTiersTold = 4;
  std::set<int32_t> tiers;
  for (const auto& [tier, failure] : failures_) tiers.insert(tier);
  const std::optional<int32_t> bound = session_.topology().BoundOf(job);
  if (bound && demands_.size() == 1 && !session_.topology().AllocatedIn(job).valid()) {
    const std::vector<int32_t>& all = session_.topology().tree().tiers;
    tiers.insert(all.begin(), std::upper_bound(all.begin(), all.end(), *bound));
  }
  std::vector<std::string> told;
  size_t at = 0;
  for (const int32_t tier : tiers) {
    const bool is_last = ++at == tiers.size();
    if (at >= kTiersTold && !is_last) continue;
    if (at > kTiersTold) told.push_back(StrCat("and so on at ", at - kTiersTold, " more tiers"));
    const auto failure = failures_.find(tier);
    if (failure == failures_.end()) {
      told.push_back(LackAt(tier, demands_.begin()->second));
      continue;
    }
    const std::string& why = failure->second.why;
    const int32_t placed = failure->second.placed;
    told.push_back(StrCat("at tier ", tier, " ", NameOf(failure->second.inside), " takes ", placed,
                          placed == 1 ? " pod" : " pods",
                          why.empty() ? "" : StrCat(" (", Shortened(why), ")")));
  }
  return absl::StrJoin(told, "; ");
}

// Tries the best once more, if any was tried, for its reasons to be those of the tasks.
void DomainSearch::Explain(JobId job, const Worksheet& worksheet, Statement& statement) {
  std::string message = StrCat("no HyperNode takes all that the gang needs: ", LackByTier(job));
  const auto best = std::max_element(
      failures_.begin(), failures_.end(),
      [](const auto& a, const auto& b) { return a.second.placed < b.second.placed; });
  if (best != failures_.end()) {
    const HyperNodeId inside = best->second.inside;
    Worksheet again = worksheet;
    const NodePicker::Inside confined(session_.picker(), inside);
    session_.notes().ClearFits(job);
    placer_.PlaceSubJobs(job, again, statement, [&](SubJobWorksheet& sub_job) {
      return PlaceSubJob(job, inside, sub_job, statement).has_value();
    });
  }
  session_.notes().HoldAt(job, Gate::kTopology, "", std::move(message));
}

}  // namespace bth::actions
