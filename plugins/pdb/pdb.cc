#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "framework/session/session.h"
#include "plugins/factories.h"

namespace bth::plugins {
namespace {

using framework::HookRegistrar;
using framework::Session;
using framework::TaskMove;
using framework::Verdict;
using framework::Vote;
using model::BudgetId;
using model::TaskId;
using model::TaskStatus;

// Disruptions by budget.
using Disruptions = absl::flat_hash_map<BudgetId, int32_t>;

// Calls `body` for each budget that a disruption of the task would cost something.
template <typename Body>
void ForEachBudget(const Session& session, TaskId task, const Body& body) {
  const model::TaskRow& row = session.task(task);
  if (row.budgets == nullptr) return;
  for (BudgetId id : *row.budgets) {
    const model::BudgetRow& budget = session.base().budgets[id];
    const bool counted =
        budget.disrupted != nullptr &&
        std::binary_search(budget.disrupted->begin(), budget.disrupted->end(), row.names->name);
    if (!counted) body(id, budget);
  }
}

// Notes what the session's own evictions cost, and takes it back when they are undone.
// Thread: scheduling.
class Pdb final : public framework::Plugin {
 public:
  std::string_view name() const override { return "pdb"; }
  framework::AnswerSources answers_follow() const override { return 0; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    spent_.clear();
    hooks.OnRemove([this, &session](const TaskMove& move) {
      if (move.after.status == TaskStatus::kReleasing) Spend(session, move.task, +1);
    });
    hooks.OnPlace([this, &session](const TaskMove& move) {
      if (move.before.status == TaskStatus::kReleasing) Spend(session, move.task, -1);
    });
    const auto within = [this, &session](TaskId, absl::Span<const TaskId> candidates) {
      return Verdict{.vote = Vote::kPermit, .victims = Within(session, candidates)};
    };
    hooks.Preemptable(within);
    hooks.Reclaimable(within);
    hooks.UnifiedEvictable(
        [within](const framework::EvictionContext&, absl::Span<const TaskId> candidates) {
          return within(TaskId(), candidates);
        });
    hooks.VictimFilter([this, &session](absl::Span<const TaskId> candidates) {
      return Within(session, candidates);
    });
    return absl::OkStatus();
  }

 private:
  void Spend(const Session& session, TaskId task, int32_t count) {
    ForEachBudget(session, task,
                  [&](BudgetId id, const model::BudgetRow&) { spent_[id] += count; });
  }

  // The candidates, in their order, that may all go together. One that may not go still costs its
  // budgets, as in Volcano.
  std::vector<TaskId> Within(const Session& session, absl::Span<const TaskId> candidates) const {
    std::vector<TaskId> victims;
    Disruptions spent = spent_;
    for (TaskId candidate : candidates) {
      bool violates = false;
      ForEachBudget(session, candidate, [&](BudgetId id, const model::BudgetRow& budget) {
        violates |= ++spent[id] > budget.disruptions_allowed;
      });
      if (!violates) victims.push_back(candidate);
    }
    return victims;
  }

  Disruptions spent_;  // By evictions of this session.
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePdb(const conf::Arguments&) {
  return std::make_unique<Pdb>();
}

}  // namespace bth::plugins
