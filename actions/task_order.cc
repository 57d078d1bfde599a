#include "actions/task_order.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "algo/gang_rules.h"

namespace bth::actions {
namespace {

using framework::Session;
using model::JobId;
using model::RoleId;
using model::TaskId;
using model::TaskStatus;

constexpr uint32_t kPlacedGroup = algo::kReadyGroup | model::StatusBit(TaskStatus::kPipelined);

bool ComesFirst(const Session& session, TaskId a, TaskId b) {
  return session.votes().CompareTasks(a, b) < 0;
}

// How many tasks each role still lacks; empty: none lacks any, or nobody has more than it needs.
absl::flat_hash_map<RoleId, int32_t> LacksOf(const Session& session, JobId job) {
  absl::flat_hash_map<RoleId, int32_t> lacks;
  if (algo::RolesPipelined({session.base(), session.usage(), job})) return lacks;
  int32_t sum = 0;
  for (RoleId role : *session.job(job).roles) {
    const int32_t placed =
        model::CountStatuses(session.usage().roles[role].by_status, kPlacedGroup);
    lacks[role] = std::max(0, session.base().roles[role].min_available - placed);
    sum += lacks[role];
  }
  if (session.counts(job).count(TaskStatus::kPending) <= sum) lacks.clear();
  return lacks;
}

// Pending tasks that no minimum of a role needs.
absl::flat_hash_set<TaskId> SurplusOf(const Session& session, JobId job) {
  absl::flat_hash_set<TaskId> surplus;
  absl::flat_hash_map<RoleId, int32_t> lacks = LacksOf(session, job);
  if (lacks.empty()) return surplus;
  std::vector<TaskId> pending;
  for (TaskId task : *session.job(job).tasks) {
    if (session.state(task).status == TaskStatus::kPending) pending.push_back(task);
  }
  std::stable_sort(pending.begin(), pending.end(),
                   [&session](TaskId a, TaskId b) { return ComesFirst(session, a, b); });
  for (TaskId task : pending) {
    if (--lacks[session.task(task).role] < 0) surplus.insert(task);
  }
  return surplus;
}

}  // namespace

TaskLess TaskOrder(const Session& session, JobId job) {
  absl::flat_hash_set<TaskId> surplus = SurplusOf(session, job);
  if (surplus.empty()) {
    return [&session](TaskId a, TaskId b) { return ComesFirst(session, a, b); };
  }
  return
      [&session, surplus = std::make_shared<const absl::flat_hash_set<TaskId>>(std::move(surplus))](
          TaskId a, TaskId b) {
        const bool a_is_surplus = surplus->contains(a);
        if (a_is_surplus != surplus->contains(b)) return !a_is_surplus;
        return ComesFirst(session, a, b);
      };
}

}  // namespace bth::actions
