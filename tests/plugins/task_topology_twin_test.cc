// task-topology against a slow twin: everything anew after each move, straight from the rules.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"
#include "tests/plugins/fixtures.h"
#include "tests/support/seeds.h"
#include "tests/support/slow_pick.h"

namespace bth::test {
namespace {

using framework::Session;
using model::JobId;
using model::NodeId;
using model::TaskId;
using Lists = std::vector<std::vector<std::string>>;

bool Contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// By names and lists alone.
class SlowTopology {
 public:
  SlowTopology(const Session& session, JobId job)
      : session_(session), topology_(*session.job(job).facts->task_topology) {
    std::vector<TaskId> tasks;
    for (TaskId task : *session.job(job).tasks) {
      if (InBucket(task)) tasks.push_back(task);
    }
    std::sort(tasks.begin(), tasks.end(), [this](TaskId a, TaskId b) { return First(a, b); });
    for (TaskId task : tasks) Put(task);
  }

  int BucketOf(TaskId task) const {
    for (size_t b = 0; b < buckets_.size(); ++b) {
      for (TaskId member : buckets_[b]) {
        if (member == task) return static_cast<int>(b);
      }
    }
    return -1;
  }

  int Compare(TaskId a, TaskId b) const {
    const int left = BucketOf(a);
    const int right = BucketOf(b);
    if ((left < 0) != (right < 0)) return left < 0 ? 1 : -1;
    if (left < 0) return 0;
    const size_t more = Left(left).size();
    const size_t less = Left(right).size();
    if (more != less) return more > less ? -1 : 1;
    if (left != right) return left < right ? -1 : 1;
    const auto rank = [this](TaskId task) { return std::pair(Order(task), Priority(task)); };
    return rank(a) > rank(b) ? -1 : (rank(a) < rank(b) ? 1 : 0);
  }

  double Score(TaskId task, NodeId node) const {
    const int bucket = BucketOf(task);
    if (bucket < 0) return 0;
    const model::ResourceVec room = session_.usage().idle[node] + session_.usage().releasing[node];
    if (!Fits(session_.request(task), room)) return 0;
    int64_t raw = 0;
    int64_t against = 0;
    for (TaskId member : buckets_[static_cast<size_t>(bucket)]) {
      raw += session_.state(member).node == node ? 1 : 0;
    }
    for (const std::vector<TaskId>& other : buckets_) {
      for (TaskId member : other) {
        const bool placed_now = !StoodSomewhere(member) && session_.state(member).node == node;
        if (placed_now && Apart(Role(task), Role(member))) ++against;
      }
    }
    std::vector<TaskId> left = Left(bucket);
    size_t last = left.size();
    while (!Fits(Sum(left), room) && last > 0) {
      if (left[--last] != task) left.erase(left.begin() + static_cast<int64_t>(last));
    }
    raw += static_cast<int64_t>(left.size()) - against;
    size_t largest = 0;
    for (const std::vector<TaskId>& members : buckets_) largest = std::max(largest, members.size());
    return static_cast<double>(raw) * 100 / static_cast<double>(largest);
  }

 private:
  const std::string& Role(TaskId task) const { return session_.task(task).names->role; }
  bool StoodSomewhere(TaskId task) const { return session_.base().usage.tasks[task].node.valid(); }
  bool InBucket(TaskId task) const {
    if (Role(task).empty()) return false;
    for (const Lists* lists : {&topology_.affinity, &topology_.anti_affinity}) {
      for (const auto& group : *lists) {
        if (Contains(group, Role(task))) return true;
      }
    }
    return false;
  }
  static bool Related(const Lists& lists, const std::string& a, const std::string& b) {
    for (const auto& group : lists) {
      if (a == b ? group == std::vector{a} : Contains(group, a) && Contains(group, b)) return true;
    }
    return false;
  }
  bool Apart(const std::string& a, const std::string& b) const {
    return Related(topology_.anti_affinity, a, b);
  }
  size_t Order(TaskId task) const {
    const auto& order = topology_.order;
    const auto at = std::find(order.begin(), order.end(), Role(task));
    return static_cast<size_t>(order.end() - at);
  }
  int Priority(TaskId task) const {
    int priority = 0;
    for (const auto& group : topology_.affinity) {
      if (Contains(group, Role(task))) priority = std::max(priority, group.size() == 1 ? 2 : 3);
    }
    for (const auto& group : topology_.anti_affinity) {
      if (Contains(group, Role(task))) priority = std::max(priority, group.size() == 1 ? 4 : 1);
    }
    return priority;
  }
  bool First(TaskId a, TaskId b) const {
    const NodeId left = session_.base().usage.tasks[a].node;
    const NodeId right = session_.base().usage.tasks[b].node;
    if (left.valid() != right.valid()) return left.valid();
    if (left != right) return session_.node(left).name < session_.node(right).name;
    const auto rank = [this](TaskId task) { return std::pair(Order(task), Priority(task)); };
    if (rank(a) != rank(b)) return rank(a) > rank(b);
    return session_.task(a).names->name < session_.task(b).names->name;
  }
  // Thousandths of CPU and GPU, MiB.
  double Weight(const std::vector<TaskId>& bucket) const {
    double weight = 0;
    for (TaskId task : bucket) {
      if (StoodSomewhere(task)) continue;
      const model::ResourceVec& request = session_.request(task);
      weight += static_cast<double>(request[model::kCpu]);
      weight += static_cast<double>(request[model::kMemory]) / (1 << 20);
      for (int d = model::kFixedDims; d < session_.dims().size(); ++d) {
        weight += static_cast<double>(request[d]);
      }
    }
    return weight;
  }
  void Put(TaskId task) {
    const NodeId node = session_.base().usage.tasks[task].node;
    if (node.valid()) {
      for (std::vector<TaskId>& bucket : buckets_) {
        if (session_.base().usage.tasks[bucket[0]].node != node) continue;
        bucket.push_back(task);
        return;
      }
      buckets_.push_back({task});
      return;
    }
    std::vector<TaskId>* best = nullptr;
    int best_affinity = 0;
    for (std::vector<TaskId>& bucket : buckets_) {
      int affinity = 0;
      for (TaskId member : bucket) {
        affinity += Related(topology_.affinity, Role(task), Role(member)) ? 1 : 0;
        affinity -= Apart(Role(task), Role(member)) ? 1 : 0;
      }
      if (best == nullptr || affinity > best_affinity ||
          (affinity == best_affinity && Weight(bucket) < Weight(*best))) {
        best = &bucket;
        best_affinity = affinity;
      }
    }
    if (best != nullptr && best_affinity >= 0) {
      best->push_back(task);
    } else {
      buckets_.push_back({task});
    }
  }
  std::vector<TaskId> Left(int bucket) const {
    std::vector<TaskId> left;
    for (TaskId task : buckets_[static_cast<size_t>(bucket)]) {
      if (!session_.state(task).node.valid()) left.push_back(task);
    }
    return left;
  }
  model::ResourceVec Sum(const std::vector<TaskId>& tasks) const {
    model::ResourceVec sum;
    for (TaskId task : tasks) sum += session_.request(task);
    return sum;
  }
  static bool Fits(model::ResourceVec request, const model::ResourceVec& room) {
    for (int d = 0; d < model::kDims; ++d) {
      if (d != model::kPods && request[d] > 0 && request[d] > room[d]) return false;
    }
    return true;
  }

  const Session& session_;
  const model::TaskTopology& topology_;
  std::vector<std::vector<TaskId>> buckets_;  // In the order in which tasks came.
};

std::string RandomList(Rng& rng, int64_t names_max) {
  std::vector<std::string> roles = {"ps", "worker", "chief", "eval"};
  std::string list;
  for (int64_t n = rng.Between(1, names_max); n > 0; --n) {
    const auto at = static_cast<int64_t>(rng.Below(roles.size()));
    StrAppend(&list, list.empty() ? "" : ",", roles[static_cast<size_t>(at)]);
    roles.erase(roles.begin() + at);
  }
  return list;
}

std::string RandomTraining(Rng& rng) {
  std::string text;
  const int64_t nodes = rng.Between(1, 7);
  for (int64_t n = 0; n < nodes; ++n) {
    StrAppend(&text, "node n", n, " cpu=", rng.Between(2, 12), " mem=", rng.Between(4, 32),
              "Gi gpu=", rng.Below(3), ";");
  }
  for (int j = 0; j < 2; ++j) {
    StrAppend(&text, "job j", j, " min=1 roles=ps:1,worker:1,chief:0,eval:0");
    for (const char* key : {"together", "apart"}) {
      if (rng.Chance(0.2)) continue;
      StrAppend(&text, " ", key, "=", RandomList(rng, 3));
      if (rng.Chance(0.5)) StrAppend(&text, "|", RandomList(rng, 2));
    }
    if (rng.Chance(0.5)) StrAppend(&text, " order=", RandomList(rng, 4));
    StrAppend(&text, ";");
    const int64_t tasks = rng.Between(1, 10);
    for (int64_t t = 0; t < tasks; ++t) {
      StrAppend(&text, "task j", j, "-t-", t, " job=j", j, " cpu=", rng.Between(0, 3),
                " mem=", rng.Between(1, 4), "Gi");
      if (rng.Chance(0.2)) StrAppend(&text, " gpu=1");
      if (rng.Chance(0.9)) StrAppend(&text, " role=", RandomList(rng, 1));
      if (rng.Chance(0.25)) {
        StrAppend(&text, " node=n", rng.Below(static_cast<uint64_t>(nodes)));
        if (rng.Chance(0.3)) StrAppend(&text, " status=releasing");
      }
      StrAppend(&text, ";");
    }
  }
  return text;
}

bool IsProcessed(const Session& session, JobId job) {
  return session.job(job).facts->task_topology &&
         session.base().usage.jobs[job].count(model::TaskStatus::kPending) > 0;
}

const framework::GlobalScore& ScoreOf(const Session& session) {
  for (const auto& entry : session.hooks().global_score) {
    if (entry.origin.plugin == "task-topology") return entry.fn;
  }
  throw std::logic_error("task-topology does not score");
}

void CheckAgainstTwin(const Session& session) {
  std::map<JobId, SlowTopology> twins;
  for (JobId job : *session.base().all_jobs) {
    if (IsProcessed(session, job)) twins.try_emplace(job, session, job);
  }
  const framework::GlobalScore& score = ScoreOf(session);
  const std::vector<NodeId>& nodes = *session.base().nodes_by_name;
  for (TaskId task : session.base().tasks.ids()) {
    const JobId job = session.task(task).job;
    const auto twin = twins.find(job);
    CAPTURE(session.task(task).names->name);
    REQUIRE(score.concerns(task) == (twin != twins.end() && twin->second.BucketOf(task) >= 0));
    if (twin == twins.end()) continue;
    if (score.concerns(task)) {
      std::vector<double> sums(nodes.size(), 0.0);
      score(task, nodes, absl::MakeSpan(sums));
      for (size_t i = 0; i < nodes.size(); ++i) {
        REQUIRE(sums[i] == twin->second.Score(task, nodes[i]));
      }
    }
    for (TaskId other : *session.job(job).tasks) {
      REQUIRE(session.hooks().task_order(task, other) == twin->second.Compare(task, other));
    }
  }
}

TEST_CASE("task-topology: scores and orders are those of the slow twin after each move and undo",
          "[plugins][task-topology][property]") {
  uint64_t placed = 0;
  ForEachSeed(250, [&](uint64_t seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const World world = MakeWorld(RandomTraining(rng));
    PluginBed bed(Builtins(), MakePolicy("", "gang;predicates,task-topology"), world);
    Session& session = bed.session();
    framework::Statement statement(session, "test");
    // Sometimes jobs are looked at only when something has happened already.
    if (rng.Chance(0.5)) CheckAgainstTwin(session);
    for (TaskId task : world.snapshot->tasks.ids()) {
      const framework::Statement::Mark mark = statement.Checkpoint();
      if (session.state(task).status == model::TaskStatus::kRunning && rng.Chance(0.3)) {
        statement.Evict(task, task);
      } else if (session.state(task).status == model::TaskStatus::kPending) {
        const framework::NodeChoice slow = PickSlowly(session, task);
        const framework::NodeChoice fast = session.picker().Pick(task);
        REQUIRE(fast.node == slow.node);
        if (!fast.node.valid()) continue;
        ++placed;
        if (fast.on_future_room) {
          statement.Pipeline(task, fast.node, false);
        } else {
          statement.Allocate(task, fast.node);
        }
      }
      CheckAgainstTwin(session);
      if (!rng.Chance(0.3)) continue;
      statement.RollbackTo(rng.Chance(0.2) ? framework::Statement::Mark() : mark);
      CheckAgainstTwin(session);
    }
  });
  CHECK((FewSeeds() || placed > 250));
}

}  // namespace
}  // namespace bth::test
