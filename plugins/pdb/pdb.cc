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

// What the evictions of one session cost; they give it back when they are undone.
// Thread: scheduling.
class BudgetBill {
 public:
  explicit BudgetBill(const Session& session) : session_(session) {}

  void Spend(TaskId task, int32_t count) {
    ForEachBudget(session_, task,
                  [&](BudgetId id, const model::BudgetRow&) { spent_[id] += count; });
  }

  // The candidates, in their order, that may all go together. One that may not go still costs its
  // budgets, as in Volcano.
  std::vector<TaskId> Within(absl::Span<const TaskId> candidates) const {
    std::vector<TaskId> victims;
    Disruptions spent = spent_;
    for (TaskId candidate : candidates) {
      bool violates = false;
      ForEachBudget(session_, candidate, [&](BudgetId id, const model::BudgetRow& budget) {
        violates |= ++spent[id] > budget.disruptions_allowed;
      });
      if (!violates) victims.push_back(candidate);
    }
    return victims;
  }

 private:
  const Session& session_;
  Disruptions spent_;
};

// Thread: scheduling.
class Pdb final : public framework::Plugin {
 public:
  std::string_view name() const override { return "pdb"; }
  framework::AnswerSources answers_follow() const override { return 0; }

  absl::Status OnSessionOpen(Session& session, HookRegistrar& hooks) override {
    auto& bill = session.Keep<BudgetBill>(session);
    hooks.OnRemove([&bill](const TaskMove& move) {
      if (move.after.status == TaskStatus::kReleasing) bill.Spend(move.task, +1);
    });
    hooks.OnPlace([&bill](const TaskMove& move) {
      if (move.before.status == TaskStatus::kReleasing) bill.Spend(move.task, -1);
    });
    const auto within = [&bill](TaskId, absl::Span<const TaskId> candidates) {
      return Verdict{.vote = Vote::kPermit, .victims = bill.Within(candidates)};
    };
    hooks.Preemptable(within);
    hooks.Reclaimable(within);
    hooks.UnifiedEvictable(
        [within](const framework::EvictionContext&, absl::Span<const TaskId> candidates) {
          return within(TaskId(), candidates);
        });
    hooks.VictimFilter(
        [&bill](absl::Span<const TaskId> candidates) { return bill.Within(candidates); });
    return absl::OkStatus();
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<framework::Plugin>> CreatePdb(const conf::Arguments&) {
  return std::make_unique<Pdb>();
}

}  // namespace bth::plugins
