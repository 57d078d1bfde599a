// PodDisruptionBudgets and ResourceQuotas.
#include <algorithm>

#include "cache/grouping.h"
#include "cache/mirror.h"

namespace bth::cache {

using model::BudgetId;
using model::TaskId;

void Mirror::PutBudget(CompiledBudget budget) {
  std::string key = budget.Key();
  auto [it, fresh] = budgets_.try_emplace(key);
  if (fresh) {
    it->second = budget_slots_.Take();
    budget_records_.EnsureContains(it->second);
    now_.budgets.EnsureContains(it->second);
    budgets_of_namespace_[budget.ns].push_back(it->second);
  }
  const BudgetId id = it->second;
  CompiledBudget& known = budget_records_[id];
  if (fresh || known.never != budget.never || known.selector != budget.selector) {
    budget_namespaces_.insert(budget.ns);
  } else if (known.disruptions_allowed == budget.disruptions_allowed &&
             known.disrupted == budget.disrupted) {
    return;
  }
  NoteRoom();
  known = std::move(budget);
  model::BudgetRow row;
  row.key = std::make_shared<const std::string>(std::move(key));
  row.disruptions_allowed = known.disruptions_allowed;
  if (!known.disrupted.empty()) {
    row.disrupted = std::make_shared<const std::vector<std::string>>(known.disrupted);
  }
  now_.budgets.Mutable(id) = std::move(row);
  ++rows_rewritten_;
}

void Mirror::RemoveBudget(const std::string& key) {
  auto known = budgets_.find(key);
  if (known == budgets_.end()) return;
  NoteRoom();
  const BudgetId id = known->second;
  const std::string ns = budget_records_[id].ns;
  budgets_.erase(known);
  std::vector<BudgetId>& siblings = budgets_of_namespace_[ns];
  std::erase(siblings, id);
  if (siblings.empty()) budgets_of_namespace_.erase(ns);
  budget_namespaces_.insert(ns);
  budget_records_[id] = CompiledBudget();
  now_.budgets.Mutable(id) = model::BudgetRow();
  budget_slots_.Free(id);
}

std::shared_ptr<const std::vector<BudgetId>> Mirror::BudgetsOf(const CompiledPod& pod) const {
  auto in_namespace = budgets_of_namespace_.find(pod.names.ns);
  if (in_namespace == budgets_of_namespace_.end()) return nullptr;
  std::vector<BudgetId> selecting;
  for (BudgetId id : in_namespace->second) {
    const CompiledBudget& budget = budget_records_[id];
    if (!budget.never && MatchesAll(budget.selector, pod.labels)) selecting.push_back(id);
  }
  if (selecting.empty()) return nullptr;
  return std::make_shared<const std::vector<BudgetId>>(std::move(selecting));
}

// Selectors seldom change: then one walk over all pods serves every namespace where one did.
void Mirror::PublishBudgets() {
  if (quotas_dirty_) {
    now_.quotas = quotas_.empty() ? nullptr : std::make_shared<const model::QuotaTable>(quotas_);
    quotas_dirty_ = false;
  }
  if (budget_namespaces_.empty()) return;
  for (const auto& [key, id] : pods_) {
    const CompiledPod& pod = pod_records_[id].pod;
    if (!budget_namespaces_.contains(pod.names.ns)) continue;
    now_.tasks.Mutable(id).budgets = BudgetsOf(pod);
    ++rows_rewritten_;
  }
  budget_namespaces_.clear();
}

void Mirror::PutQuota(CompiledQuota quota) {
  std::vector<model::QuotaRow>& rows = quotas_[quota.ns];
  const auto at = std::lower_bound(
      rows.begin(), rows.end(), quota.row.name,
      [](const model::QuotaRow& row, const std::string& name) { return row.name < name; });
  if (at == rows.end() || at->name != quota.row.name) {
    rows.insert(at, std::move(quota.row));
  } else if (*at == quota.row) {
    return;
  } else {
    *at = std::move(quota.row);
  }
  quotas_dirty_ = true;
  NoteRoom();
}

void Mirror::RemoveQuota(const std::string& ns, const std::string& name) {
  auto known = quotas_.find(ns);
  if (known == quotas_.end()) return;
  if (std::erase_if(known->second, [&name](const auto& row) { return row.name == name; }) == 0) {
    return;
  }
  if (known->second.empty()) quotas_.erase(known);
  quotas_dirty_ = true;
  NoteRoom();
}

}  // namespace bth::cache
