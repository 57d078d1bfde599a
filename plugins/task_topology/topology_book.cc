#include "plugins/task_topology/topology_book.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace bth::plugins::task_topology {

using framework::Session;
using model::JobId;
using model::NodeId;
using model::TaskId;

namespace {

bool AsksForTopology(const Session& session, JobId job) {
  return job.valid() && session.job(job).facts->task_topology;
}

// Of all its tasks, and of those that are still to come.
std::set<std::string_view> RolesOf(const Session& session, JobId job) {
  std::set<std::string_view> roles;
  for (TaskId task : *session.job(job).tasks) roles.insert(session.task(task).names->role);
  for (model::RoleId role : *session.job(job).roles) {
    roles.insert(*session.base().roles[role].name);
  }
  return roles;
}

}  // namespace

JobBuckets* TopologyBook::Of(JobId job) {
  if (!AsksForTopology(session_, job)) return nullptr;
  const auto [known, fresh] = jobs_.try_emplace(job);
  if (fresh) known->second = Make(job);
  return known->second.get();
}

JobBuckets* TopologyBook::OfTask(TaskId task) {
  JobBuckets* buckets = Of(session_.task(task).job);
  return buckets != nullptr && buckets->Contains(task) ? buckets : nullptr;
}

std::unique_ptr<JobBuckets> TopologyBook::Make(JobId job) {
  const model::Snapshot& base = session_.base();
  if (base.usage.jobs[job].count(model::TaskStatus::kPending) == 0) return nullptr;
  const model::JobFacts& facts = *session_.job(job).facts;
  const std::set<std::string_view> roles = RolesOf(session_, job);
  const std::string wrong = Refusal(
      *facts.task_topology, [&](std::string_view role) { return roles.contains(role); },
      facts.Key());
  if (!wrong.empty()) {
    session_.notes().AddEvent(
        job, {.warning = true,
              .reason = "TaskTopologyIgnored",
              .message = StrCat("plugin task-topology leaves the job alone: ", wrong)});
    return nullptr;
  }
  RoleRelations relations(*facts.task_topology);
  std::vector<BucketTask> tasks;
  std::vector<const model::ResourceVec*> requests;
  for (TaskId id : *session_.job(job).tasks) {
    const model::TaskNames& names = *session_.task(id).names;
    const int role = relations.Find(names.role);
    if (role < 0) continue;
    const NodeId node = base.usage.tasks[id].node;
    BucketTask& task = tasks.emplace_back();
    task = {.task = id, .role = role, .node = node, .name = names.name};
    if (node.valid()) {
      task.has_object = base.nodes[node].has_object();
      task.name_rank = base.nodes[node].name_rank;
    } else {
      task.weight = WeightOf(session_.request(id), session_.dims());
    }
    requests.push_back(&session_.request(id));
  }
  auto buckets = std::make_unique<JobBuckets>(std::move(relations), tasks, requests);
  for (const BucketTask& task : tasks) {
    buckets->Move(task.task, task.node, session_.state(task.task).node);
  }
  return buckets;
}

int TopologyBook::Compare(TaskId a, TaskId b) {
  JobBuckets* const left = Of(session_.task(a).job);
  if (left == nullptr) return 0;
  JobBuckets* const right = Of(session_.task(b).job);
  if (right == nullptr) return 0;
  const bool left_in = left->Contains(a);
  const bool right_in = right->Contains(b);
  if (left_in != right_in) return left_in ? -1 : 1;
  return left_in && left == right ? left->Compare(a, b) : 0;
}

void TopologyBook::Move(TaskId task, NodeId before, NodeId after) {
  const JobId job = session_.task(task).job;
  if (!AsksForTopology(session_, job)) return;
  const auto known = jobs_.find(job);
  if (known != jobs_.end() && known->second != nullptr) known->second->Move(task, before, after);
}

void TopologyBook::AddScores(TaskId task, absl::Span<const NodeId> nodes, double weight,
                             absl::Span<double> sums) {
  constexpr double kTop = 100;
  JobBuckets* const buckets = OfTask(task);
  if (buckets == nullptr) return;
  const model::Usage& usage = session_.usage();
  buckets->AddScores(
      task, nodes, [&usage](NodeId node) { return usage.idle[node] + usage.releasing[node]; },
      weight * kTop, sums);
}

}  // namespace bth::plugins::task_topology
