#include "actions/domain_search.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/topology/gradients.h"
#include "framework/topology/topology.h"

namespace bth::actions {

using framework::Gate;
using framework::HyperNodeGradient;
using framework::NodePicker;
using framework::Statement;
using model::HyperNodeId;
using model::JobId;
using model::TaskId;

bool DomainSearch::PlaceJob(JobId job, Worksheet& worksheet, Statement& statement) {
  failures_.clear();
  // Roles that fail in one place may do well in another.
  TaskPlacer::FailedRoles before = placer_.failed_roles();
  const bool placed = PlaceInBest(job, worksheet, statement);
  placer_.SetFailedRoles(std::move(before));
  return placed;
}

bool DomainSearch::PlaceInBest(JobId job, Worksheet& worksheet, Statement& statement) {
  const HyperNodeId root = session_.topology().tree().root();
  const HyperNodeGradient gradient =
      framework::GradientFor(session_, {.job = job, .sub_job = {}, .inside = root});
  for (const std::vector<HyperNodeId>& row : gradient.rows) {
    std::optional<Trial<Worksheet>> best;
    for (HyperNodeId inside : row) {
      Trial<Worksheet> trial{.inside = inside, .rest = worksheet};
      const Statement::Mark mark = statement.Checkpoint();
      if (!TryJob(job, inside, trial.rest, statement, &trial.score)) continue;
      if (row.size() == 1) {
        worksheet = std::move(trial.rest);
        return true;
      }
      trial.placed = statement.PlacedSince(mark);
      statement.RollbackTo(mark);
      // The first by name among equals.
      if (!best || trial.score > best->score) best = std::move(trial);
    }
    if (!best) continue;
    session_.notes().ClearFits(job);
    statement.Redo(best->placed);
    worksheet = std::move(best->rest);
    return true;
  }
  if (gradient.rows.empty()) {
    session_.notes().HoldAt(job, Gate::kTopology, "", gradient.why_none);
  } else {
    Explain(job, worksheet, statement);
  }
  return false;
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
  for (const std::vector<HyperNodeId>& row : gradient.rows) {
    std::vector<Trial<SubJobWorksheet>> trials;
    for (HyperNodeId candidate : row) {
      Trial<SubJobWorksheet> trial{.inside = candidate, .rest = worksheet};
      const Statement::Mark mark = statement.Checkpoint();
      if (!TrySubJob(job, candidate, trial.rest, statement)) continue;
      trial.placed = statement.PlacedSince(mark);
      statement.RollbackTo(mark);
      trials.push_back(std::move(trial));
    }
    if (trials.empty()) continue;
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
  if (gradient.rows.empty() && !worksheet.tasks.empty()) {
    auto fit = std::make_shared<framework::TaskFit>();
    fit->exemplar = worksheet.tasks.items().front();
    fit->shape = session_.task(fit->exemplar).shape;
    fit->preset = gradient.why_none;
    session_.notes().RecordFit(fit->exemplar, fit);
  }
  return std::nullopt;
}

// True: some task of it got a node, and it stands.
bool DomainSearch::TrySubJob(JobId job, HyperNodeId inside, SubJobWorksheet& worksheet,
                             Statement& statement) {
  const NodePicker::Inside confined(session_.picker(), inside);
  placer_.SetFailedRoles({});
  const Statement::Mark mark = statement.Checkpoint();
  return placer_.PlaceTasks(job, worksheet, statement) && statement.Checkpoint().size > mark.size;
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

// Tries the best once more, for its reasons to be those of the tasks.
void DomainSearch::Explain(JobId job, const Worksheet& worksheet, Statement& statement) {
  const model::HyperNodeTree& tree = session_.topology().tree();
  const Failure* best = nullptr;
  std::vector<std::string> clauses;
  for (const auto& [tier, failure] : failures_) {
    if (best == nullptr || failure.placed > best->placed) best = &failure;
    const bool whole = failure.inside == tree.root();
    clauses.push_back(StrCat("at tier ", tier, " ",
                             whole ? "the cluster" : tree[failure.inside].name, " takes ",
                             failure.placed, failure.placed == 1 ? " pod" : " pods",
                             failure.why.empty() ? "" : StrCat(" (", failure.why, ")")));
  }
  if (best == nullptr) return;
  const HyperNodeId inside = best->inside;
  std::string message =
      StrCat("no HyperNode takes all that the gang needs: ", absl::StrJoin(clauses, "; "));
  Worksheet again = worksheet;
  const NodePicker::Inside confined(session_.picker(), inside);
  session_.notes().ClearFits(job);
  placer_.PlaceSubJobs(job, again, statement, [&](SubJobWorksheet& sub_job) {
    return PlaceSubJob(job, inside, sub_job, statement).has_value();
  });
  session_.notes().HoldAt(job, Gate::kTopology, "", std::move(message));
}

}  // namespace bth::actions
