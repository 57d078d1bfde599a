#include "cache/cluster/budget_book.h"

#include <algorithm>
#include <utility>

#include "cache/intake/grouping.h"

namespace bth::cache {

using model::BudgetId;

bool BudgetBook::PutBudget(CompiledBudget budget, model::Snapshot* now) {
  std::string key = budget.Key();
  auto [it, fresh] = ids_.try_emplace(key);
  if (fresh) {
    it->second = slots_.Take();
    records_.EnsureContains(it->second);
    now->budgets.EnsureContains(it->second);
    of_namespace_[budget.ns].push_back(it->second);
  }
  const BudgetId id = it->second;
  CompiledBudget& known = records_[id];
  if (fresh || known.never != budget.never || known.selector != budget.selector) {
    reselected_.insert(budget.ns);
  } else if (known.disruptions_allowed == budget.disruptions_allowed &&
             known.disrupted == budget.disrupted) {
    return false;
  }
  known = std::move(budget);
  model::BudgetRow row;
  row.key = std::make_shared<const std::string>(std::move(key));
  row.disruptions_allowed = known.disruptions_allowed;
  if (!known.disrupted.empty()) {
    row.disrupted = std::make_shared<const std::vector<std::string>>(known.disrupted);
  }
  now->budgets.Mutable(id) = std::move(row);
  return true;
}

bool BudgetBook::RemoveBudget(const std::string& key, model::Snapshot* now) {
  auto known = ids_.find(key);
  if (known == ids_.end()) return false;
  const BudgetId id = known->second;
  const std::string ns = records_[id].ns;
  ids_.erase(known);
  std::vector<BudgetId>& siblings = of_namespace_[ns];
  std::erase(siblings, id);
  if (siblings.empty()) of_namespace_.erase(ns);
  reselected_.insert(ns);
  records_[id] = CompiledBudget();
  now->budgets.Mutable(id) = model::BudgetRow();
  slots_.Free(id);
  return true;
}

std::shared_ptr<const std::vector<BudgetId>> BudgetBook::Selecting(const PodIdentity& pod) const {
  auto in_namespace = of_namespace_.find(pod.names.ns);
  if (in_namespace == of_namespace_.end()) return nullptr;
  std::vector<BudgetId> selecting;
  for (BudgetId id : in_namespace->second) {
    const CompiledBudget& budget = records_[id];
    if (!budget.never && MatchesAll(budget.selector, pod.labels)) selecting.push_back(id);
  }
  if (selecting.empty()) return nullptr;
  return std::make_shared<const std::vector<BudgetId>>(std::move(selecting));
}

absl::flat_hash_set<std::string> BudgetBook::TakeReselected() {
  return std::exchange(reselected_, {});
}

bool BudgetBook::PutQuota(CompiledQuota quota) {
  std::vector<model::QuotaRow>& rows = quotas_[quota.ns];
  const auto at = std::lower_bound(
      rows.begin(), rows.end(), quota.row.name,
      [](const model::QuotaRow& row, const std::string& name) { return row.name < name; });
  if (at == rows.end() || at->name != quota.row.name) {
    rows.insert(at, std::move(quota.row));
  } else if (*at == quota.row) {
    return false;
  } else {
    *at = std::move(quota.row);
  }
  quotas_dirty_ = true;
  return true;
}

bool BudgetBook::RemoveQuota(const std::string& ns, const std::string& name) {
  auto known = quotas_.find(ns);
  if (known == quotas_.end()) return false;
  if (std::erase_if(known->second, [&name](const auto& row) { return row.name == name; }) == 0) {
    return false;
  }
  if (known->second.empty()) quotas_.erase(known);
  quotas_dirty_ = true;
  return true;
}

void BudgetBook::Publish(model::Snapshot* now) {
  if (!quotas_dirty_) return;
  now->quotas = quotas_.empty() ? nullptr : std::make_shared<const model::QuotaTable>(quotas_);
  quotas_dirty_ = false;
}

}  // namespace bth::cache
