// PodDisruptionBudgets and ResourceQuotas as plugins see them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace bth::model {

// One PodDisruptionBudget. Which pods it selects stands in their task rows.
struct BudgetRow {
  std::shared_ptr<const std::string> key;  // "<namespace>/<name>"; null: the slot is free.
  int32_t disruptions_allowed = 0;
  // Names of pods that were counted off already though they still run; sorted, null: none.
  std::shared_ptr<const std::vector<std::string>> disrupted;
};

// An amount of a quota: cpu in thousandths, anything else in whole units, rounded once on input.
struct QuotaAmount {
  std::string name;
  int64_t amount = 0;
  std::string text;  // As it was written, for messages.
  friend bool operator==(const QuotaAmount&, const QuotaAmount&) = default;
};

// status.hard and status.used of one ResourceQuota, each by resource name.
struct QuotaRow {
  std::string name;
  std::vector<QuotaAmount> hard;
  std::vector<QuotaAmount> used;
  friend bool operator==(const QuotaRow&, const QuotaRow&) = default;
};

// By namespace; there by name.
using QuotaTable = std::map<std::string, std::vector<QuotaRow>, std::less<>>;

}  // namespace bth::model
