#include "tests/support/limits_text.h"

#include <algorithm>
#include <cmath>

namespace bth::test {

model::BudgetRow ReadBudget(const Statement& budget) {
  model::BudgetRow row;
  row.key = std::make_shared<const std::string>(budget.name);
  row.disruptions_allowed = static_cast<int32_t>(budget.Int("allowed", 0));
  if (!budget.Has("disrupted")) return row;
  std::vector<std::string> names = SplitText(budget.Text("disrupted"), '|');
  std::sort(names.begin(), names.end());
  row.disrupted = std::make_shared<const std::vector<std::string>>(std::move(names));
  return row;
}

std::vector<model::QuotaAmount> ReadQuota(const Pairs& words) {
  std::vector<model::QuotaAmount> amounts;
  for (const auto& [name, text] : words) {
    const double scale = name.ends_with("cpu") ? 1000 : 1;
    amounts.push_back({name, std::llround(ParseQuantity(text) * scale), text});
  }
  std::sort(amounts.begin(), amounts.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return amounts;
}

std::shared_ptr<const model::QuotaTable> ReadQuotas(const std::vector<Statement>& statements) {
  auto quotas = std::make_shared<model::QuotaTable>();
  for (const Statement& s : statements) {
    if (s.kind != "quota") continue;
    (*quotas)[s.Text("ns", "ns")].push_back(
        {.name = s.name, .hard = ReadQuota(s.Under("hard.")), .used = ReadQuota(s.Under("used."))});
  }
  if (quotas->empty()) return nullptr;
  return quotas;
}

std::shared_ptr<const model::NodeGroupRules> ReadNodeGroups(
    const Statement& queue, const std::function<model::ResourceSet(const Pairs&)>& amounts) {
  auto rules = std::make_shared<model::NodeGroupRules>();
  const auto read = [&](std::string_view key, std::vector<std::string>* list) {
    if (!queue.Has(key)) return;
    rules->has_affinity = true;
    if (!queue.Text(key).empty()) *list = SplitText(queue.Text(key), '|');
  };
  read("groups", &rules->required);
  read("groups.preferred", &rules->preferred);
  read("groups.anti", &rules->anti_required);
  read("groups.antipreferred", &rules->anti_preferred);
  rules->limits_invalid = queue.Has("badlimits");
  for (const auto& [group, list] : queue.Under("limit.")) {
    Pairs pairs;
    for (const std::string& amount : SplitText(list, ',')) {
      const std::vector<std::string> parts = SplitText(amount, ':');
      pairs.emplace_back(parts.at(0), parts.at(1));
    }
    rules->limits.emplace_back(group, amounts(pairs));
  }
  if (*rules == model::NodeGroupRules()) return nullptr;
  return rules;
}

model::SharedTaskTopology ReadTopology(const Statement& job) {
  if (!job.Has("together") && !job.Has("apart") && !job.Has("order")) return {};
  auto topology = std::make_shared<model::TaskTopology>();
  const auto read = [&job](const char* key, std::vector<model::TaskTopology::Names>* groups) {
    if (!job.Has(key)) return;
    for (const std::string& group : SplitText(job.Text(key), '|')) {
      groups->push_back(SplitText(group, ','));
    }
  };
  read("together", &topology->affinity);
  read("apart", &topology->anti_affinity);
  if (job.Has("order")) topology->order = SplitText(job.Text("order"), ',');
  return {std::move(topology)};
}

}  // namespace bth::test
