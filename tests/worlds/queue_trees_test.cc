// Properties of plugin capacity on random worlds with random queues. BTH_SEED and BTH_WORLDS as in
// the other properties.
#include <algorithm>
#include <map>

#include "algo/gang_rules.h"
#include "algo/queue_faults.h"
#include "algo/queue_quotas.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

using model::QueueId;
using model::ResourceVec;
using model::TaskId;
using model::TaskStatus;

constexpr int64_t kGi = int64_t{1} << 30;

std::string ConfOf(Rng& rng, bool hierarchy) {
  return StrCat(R"(
actions: "enqueue, allocate, reclaim, backfill"
tiers:
- plugins: [{name: priority}, {name: gang, enableReclaimable: false}]
- plugins:
  - {name: conformance}
  - {name: overcommit}
  - {name: drf}
  - {name: predicates}
  - name: capacity
    enableHierarchy: )",
                hierarchy ? "true" : "false", R"(
    arguments: {ancestorReclaimLevel: )",
                rng.Below(3), R"(}
  - {name: nodeorder}
)");
}

cache::NamedAmounts RandomAmounts(Rng& rng, double chance) {
  cache::NamedAmounts amounts;
  if (rng.Chance(chance)) {
    amounts.emplace_back("cpu", static_cast<int64_t>(rng.Below(12)) * 500);
  }
  if (rng.Chance(chance)) {
    amounts.emplace_back("memory", static_cast<int64_t>(rng.Below(12)) * kGi);
  }
  if (rng.Chance(chance / 2)) {
    amounts.emplace_back("nvidia.com/gpu", static_cast<int64_t>(rng.Below(3)) * 1000);
  }
  if (rng.Chance(chance / 4)) amounts.emplace_back("pods", static_cast<int64_t>(rng.Below(6)));
  return amounts;
}

cache::CompiledQueue RandomQueue(Rng& rng, const std::string& name, const std::string& parent) {
  cache::CompiledQueue queue;
  queue.row.name = std::make_shared<const std::string>(name);
  queue.row.uid = "uid-" + name;
  queue.row.created_us = static_cast<int64_t>(rng.Below(3));
  queue.row.parent = parent;
  queue.row.priority = static_cast<int32_t>(rng.Chance(0.2) ? rng.Below(3) : 0);
  queue.row.reclaimable = !rng.Chance(0.1);
  if (rng.Chance(0.05)) queue.row.state = model::QueueState::kClosed;
  if (rng.Chance(0.2)) queue.row.dequeue_strategy = "fifo";
  queue.capability = RandomAmounts(rng, 0.3);
  queue.deserved = RandomAmounts(rng, 0.6);
  queue.guarantee = RandomAmounts(rng, 0.15);
  return queue;
}

// A root and up to eight queues below it, some of them with parents that lead nowhere.
std::vector<cache::CompiledQueue> RandomQueues(Rng& rng) {
  std::vector<cache::CompiledQueue> queues;
  queues.push_back(RandomQueue(rng, "root", ""));
  if (rng.Chance(0.8)) queues[0].capability.clear();
  const uint64_t count = 2 + rng.Below(7);
  for (uint64_t i = 0; i < count; ++i) {
    std::string parent = i == 0 || rng.Chance(0.4) ? "" : StrCat("q", rng.Below(i));
    if (rng.Chance(0.03)) parent = "nowhere";
    if (rng.Chance(0.03)) parent = StrCat("q", rng.Below(count));
    queues.push_back(RandomQueue(rng, StrCat("q", i), parent));
  }
  return queues;
}

struct Setting {
  explicit Setting(Rng& rng) : hierarchy(rng.Chance(0.7)), conf(ConfOf(rng, hierarchy)) {
    WorldSpec world = RandomWorld(rng);
    world.queues.clear();
    const std::vector<cache::CompiledQueue> queues = RandomQueues(rng);
    for (const cache::CompiledQueue& queue : queues) mirror.PutQueue(queue);
    for (JobSpec& job : world.jobs) job.queue = StrCat("q", rng.Below(queues.size() - 1));
    Feed(world, mirror, rng.Next() | 1);
  }

  ManualClock clock{absl::FromUnixSeconds(1'000'000)};
  cache::Mirror mirror{clock, {}};
  bool hierarchy;
  std::string conf;
};

// What each queue holds by itself, counted task by task.
IdVector<QueueId, ResourceVec> OwnUse(const framework::Session& session, uint32_t statuses) {
  IdVector<QueueId, ResourceVec> held(session.base().queues.size());
  for (TaskId task : session.base().tasks.ids()) {
    const model::TaskRow& row = session.task(task);
    if (row.names == nullptr || !row.job.valid() || !algo::TakesPart(session.job(row.job)))
      continue;
    if (!model::InGroup(session.state(task).status, statuses)) continue;
    held[session.job(row.job).queue] += session.request(task);
  }
  return held;
}

TEST_CASE("capacity: limits, guarantees and sums hold in every world", "[plugins][property]") {
  ForEachWorld(2000, [](Rng& rng) {
    Setting setting(rng);
    const auto snapshot = setting.mirror.Publish();
    Bed bed(snapshot, setting.conf);
    REQUIRE(bed.cycle().Run().ok());
    const framework::Session& session = bed.session();
    algo::QueueTree tree;
    tree.Follow(*snapshot);
    const algo::QueueQuotas quotas =
        setting.hierarchy ? algo::TreeQuotas(*snapshot, tree) : algo::FlatQuotas(*snapshot);
    // Held now, by queues with all below them.
    const auto own = OwnUse(session, model::kOccupyingGroup);
    IdVector<QueueId, ResourceVec> held = own;
    const auto& queues = tree.top_down();
    for (auto queue = queues.rbegin(); setting.hierarchy && queue != queues.rend(); ++queue) {
      const QueueId parent = tree[*queue].parent;
      if (parent.valid()) held[parent] += held[*queue];
    }
    for (TaskId task : snapshot->tasks.ids()) {
      const model::TaskRow& row = session.task(task);
      if (row.names == nullptr || !row.job.valid()) continue;
      const TaskStatus before = snapshot->usage.tasks[task].status;
      const TaskStatus now = session.state(task).status;
      if (before == now || !session.job(row.job).queue.valid()) continue;
      const QueueId queue = session.job(row.job).queue;
      CAPTURE(row.names->name, *session.queue(queue).name);
      if (before == TaskStatus::kPending) {
        const ResourceVec& asked = session.request(task);
        if (asked.IsEmpty()) continue;  // Backfill asks no queue.
        CHECK(session.queue(queue).state == model::QueueState::kOpen);
        if (setting.hierarchy) CHECK(tree[queue].takes_jobs());
        for (QueueId at = queue; at.valid(); at = setting.hierarchy ? tree[at].parent : QueueId()) {
          CHECK(algo::DimsOver(held[at], quotas[at].real_capability.v, algo::AskedDims(asked)) ==
                0);
        }
      } else {
        CHECK(now == TaskStatus::kReleasing);
        CHECK(session.queue(queue).reclaimable);
        // Of a queue with others below it they hold its guarantee, too.
        CHECK(quotas[queue].guarantee.v.AllAtMost(held[queue]));
      }
    }
    // What statuses show.
    const auto shown = OwnUse(session, model::kAllocatedGroup);
    for (const framework::QueueReport& report : bed.sink().report().queues) {
      ResourceVec sum = shown[report.queue];
      for (const framework::QueueReport& child : bed.sink().report().queues) {
        const algo::QueuePlace& place = tree[child.queue];
        const bool counts = place.fault != algo::QueueFault::kCycle &&
                            !(place.fault == algo::QueueFault::kBelowFault &&
                              tree[place.culprit].fault == algo::QueueFault::kCycle);
        if (counts && place.parent == report.queue) sum += child.allocated;
      }
      CHECK(sum == report.allocated);
    }
  });
}

TEST_CASE("capacity: children deserve no more than their parent, or it is told",
          "[plugins][property]") {
  ForEachWorld(2000, [](Rng& rng) {
    Setting setting(rng);
    const auto snapshot = setting.mirror.Publish();
    algo::QueueTree tree;
    tree.Follow(*snapshot);
    const algo::QueueQuotas quotas = algo::TreeQuotas(*snapshot, tree);
    const auto findings = algo::FindTreeFaults(*snapshot, tree);
    const auto told = [&](QueueId queue, std::string_view reason) {
      return std::any_of(findings.begin(), findings.end(), [&](const auto& finding) {
        return finding.queue == queue && finding.reason == reason;
      });
    };
    for (QueueId queue : tree.top_down()) {
      if (!tree[queue].attached()) continue;
      ResourceVec deserved;
      ResourceVec guaranteed;
      for (QueueId child : tree[queue].children) {
        deserved += quotas[child].deserved.v;
        guaranteed += quotas[child].guarantee.v;
      }
      CHECK(deserved.AllAtMost(quotas[queue].deserved.v) == !told(queue, "DeservedExceedsParent"));
      CHECK(guaranteed.AllAtMost(quotas[queue].guarantee.v) ==
            !told(queue, "GuaranteeExceedsParent"));
      // Nobody can have more than its parent, but for its own guarantee.
      for (QueueId child : tree[queue].children) {
        const ResourceVec most =
            algo::SaturatingSum(quotas[queue].real_capability.v, quotas[child].guarantee.v);
        CHECK(quotas[child].real_capability.v.AllAtMost(most));
      }
    }
  });
}

TEST_CASE("capacity: a policy that lived through changes of queues decides as a fresh one",
          "[plugins][property]") {
  ForEachWorld(400, [](Rng& rng) {
    Setting setting(rng);
    PolicyBed old(setting.conf);
    for (int round = 0; round < 5; ++round) {
      INFO("round " << round);
      const auto snapshot = setting.mirror.Publish();
      const CycleResult lived = old.RunFully(snapshot);
      const CycleResult fresh = RunCycle(snapshot, setting.conf);
      CHECK(lived.violations.empty());
      CHECK(FirstContradiction(lived, fresh) == "");
      for (const auto& [pod, node] : lived.binds) {
        if (rng.Chance(0.6)) {
          setting.mirror.AssumeBinding(pod, "uid-" + pod.substr(3), node).IgnoreError();
        }
      }
      for (cache::CompiledQueue& queue : RandomQueues(rng)) {
        if (rng.Chance(0.3)) setting.mirror.PutQueue(std::move(queue));
      }
      if (rng.Chance(0.2)) setting.mirror.RemoveQueue("q1");
    }
  });
}

}  // namespace
}  // namespace bth::test
