// Budgets, quotas, node groups of queues and topologies of tasks out of words; a part of the
// cluster builder.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/model/budget.h"
#include "api/model/node_group.h"
#include "api/model/task_topology.h"
#include "tests/support/cluster_text.h"

namespace bth::test {

using Pairs = std::vector<std::pair<std::string, std::string>>;

model::BudgetRow ReadBudget(const Statement& budget);
std::vector<model::QuotaAmount> ReadQuota(const Pairs& words);
// Null without a quota statement.
std::shared_ptr<const model::QuotaTable> ReadQuotas(const std::vector<Statement>& statements);
// Null when the queue says nothing of node groups.
std::shared_ptr<const model::NodeGroupRules> ReadNodeGroups(
    const Statement& queue, const std::function<model::ResourceSet(const Pairs&)>& amounts);
// None when the job says nothing of it.
model::SharedTaskTopology ReadTopology(const Statement& job);

}  // namespace bth::test
