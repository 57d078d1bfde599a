#include "actions/rank_order.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/nodes/global_scan.h"
#include "framework/topology/topology.h"

namespace bth::actions {

using framework::Session;
using framework::Statement;
using model::HyperNodeId;
using model::HyperNodeTree;
using model::NodeId;
using model::TaskId;
using Placed = std::vector<Statement::Placed>;

namespace {

// It has devices or CPUs of its own there: which ones are left depends on who came first, so that a
// node that took some pods one after the other might not take them in another order.
bool HoldsPartsOfNode(const Session& session, TaskId task) {
  return session.base().constraints_of(session.task(task).shape).devices != nullptr ||
         session.votes().CpuPlanOf(task) != nullptr;
}

// Every other node would do as well, as far as the task itself goes.
bool GoesAnywhere(const Session& session, TaskId task) {
  const model::TaskRow& row = session.task(task);
  if (!row.names->index || row.nominated_node.valid()) return false;
  if (HoldsPartsOfNode(session, task)) return false;
  return framework::FollowsOnly(session, task, framework::AnswerSources{0});
}

// From the root down to the node.
std::vector<uint32_t> PathTo(const Session& session, NodeId node) {
  const HyperNodeTree& tree = session.topology().tree();
  std::vector<uint32_t> path = {session.base().nodes[node].name_rank};
  const auto of = tree.Of(node);
  for (HyperNodeId id = of.empty() ? HyperNodeId() : of.front(); id.valid(); id = tree[id].parent) {
    path.push_back(static_cast<uint32_t>(id.index()));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

// Hands the nodes of these out anew.
void Sort(const Session& session, const std::vector<size_t>& group, Placed* placed) {
  std::vector<std::pair<std::vector<uint32_t>, NodeId>> nodes;
  std::vector<std::pair<int64_t, size_t>> ranks;
  for (size_t i : group) {
    const Statement::Placed& one = (*placed)[i];
    nodes.emplace_back(PathTo(session, one.state.node), one.state.node);
    ranks.emplace_back(*session.task(one.task).names->index, i);
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::sort(ranks.begin(), ranks.end());
  for (size_t r = 0; r < ranks.size(); ++r) (*placed)[ranks[r].second].state.node = nodes[r].second;
}

}  // namespace

void OrderByRank(const Session& session, model::JobId job, Statement& statement,
                 Statement::Mark mark) {
  if (!session.job(job).facts->keeps_rank_order || !session.topology().enforced()) return;
  Placed placed = statement.PlacedSince(mark);
  using Alike = std::tuple<model::SubJobId, std::string_view, model::ShapeId, model::TaskStatus>;
  std::map<Alike, std::vector<size_t>> groups;
  for (size_t i = 0; i < placed.size(); ++i) {
    const model::TaskRow& row = session.task(placed[i].task);
    if (!GoesAnywhere(session, placed[i].task)) continue;
    groups[{row.sub_job, row.names->role, row.shape, placed[i].state.status}].push_back(i);
  }
  bool any = false;
  for (const auto& [alike, group] : groups) {
    if (group.size() < 2) continue;
    Sort(session, group, &placed);
    any = true;
  }
  if (!any) return;
  statement.RollbackTo(mark);
  statement.Redo(placed);
}

}  // namespace bth::actions
