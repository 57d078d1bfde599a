// PodDisruptionBudgets and ResourceQuotas, and the pods that budgets select.
#include "cache/cluster/mirror.h"

namespace bth::cache {

void Mirror::PutBudget(CompiledBudget budget) {
  if (!budgets_.PutBudget(std::move(budget), &now_)) return;
  NoteRoom();
  ++rows_rewritten_;
}

void Mirror::RemoveBudget(const std::string& key) {
  if (budgets_.RemoveBudget(key, &now_)) NoteRoom();
}

void Mirror::PutQuota(CompiledQuota quota) {
  if (budgets_.PutQuota(std::move(quota))) NoteRoom();
}

void Mirror::RemoveQuota(const std::string& ns, const std::string& name) {
  if (budgets_.RemoveQuota(ns, name)) NoteRoom();
}

// Selectors seldom change: then one walk over all pods serves every namespace where one did.
void Mirror::PublishBudgets() {
  budgets_.Publish(&now_);
  const absl::flat_hash_set<std::string> reselected = budgets_.TakeReselected();
  if (reselected.empty()) return;
  for (const model::TaskId id : now_.tasks.ids()) {
    const model::TaskNames* names = now_.tasks[id].names.get();
    if (names == nullptr || !reselected.contains(names->ns)) continue;
    ChangeRow(id).budgets = budgets_.Selecting(IdentityOf(id));
    ++rows_rewritten_;
  }
}

}  // namespace bth::cache
