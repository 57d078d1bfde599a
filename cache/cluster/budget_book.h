// PodDisruptionBudgets and ResourceQuotas.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "api/model/snapshot.h"
#include "base/ids.h"
#include "cache/cluster/slots.h"
#include "cache/intake/compiled.h"

namespace bth::cache {

// Keeps the rows of budgets and quotas, and tells which budgets select a pod. Thread: I/O.
class BudgetBook {
 public:
  // Each returns true when something changed. Rows of budgets are written at once.
  bool PutBudget(CompiledBudget budget, model::Snapshot* now);
  bool RemoveBudget(const std::string& key, model::Snapshot* now);
  bool PutQuota(CompiledQuota quota);
  bool RemoveQuota(const std::string& ns, const std::string& name);

  // Those that select the pod; null: none.
  std::shared_ptr<const std::vector<model::BudgetId>> Selecting(const PodIdentity& pod) const;
  // Namespaces in which other budgets may select a pod than when this was asked last.
  absl::flat_hash_set<std::string> TakeReselected();

  // Quotas as far as they changed.
  void Publish(model::Snapshot* now);
  // After a snapshot was published.
  void Recycle() { slots_.Recycle(); }

 private:
  absl::flat_hash_map<std::string, model::BudgetId> ids_;
  absl::flat_hash_map<std::string, std::vector<model::BudgetId>> of_namespace_;
  IdVector<model::BudgetId, CompiledBudget> records_;
  Slots<model::BudgetId> slots_;
  absl::flat_hash_set<std::string> reselected_;  // Namespaces.
  model::QuotaTable quotas_;
  bool quotas_dirty_ = false;
};

}  // namespace bth::cache
