// Properties of whole cycles and of the mirror on random worlds. BTH_SEED=n replays one world,
// BTH_WORLDS=n sets their number.
#include <set>

#include "framework/nodes/node_picker.h"
#include "framework/session/statement.h"
#include "tests/support/catch.h"
#include "tests/support/slow_pick.h"
#include "tests/worlds/many_worlds.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

using model::TaskId;
using model::TaskStatus;

TEST_CASE("statement: rollback restores every column", "[framework][property]") {
  ForEachWorld(2000, [](Rng& rng) {
    Bed bed(SnapshotOf(RandomWorld(rng)), kFullConf);
    REQUIRE(bed.cycle().Open().ok());
    framework::Session& session = bed.session();
    const uint64_t at_open = session.placements().Digest();
    {
      framework::Statement statement(session, "test");
      ActAtRandom(session, statement, rng, 8);
      const framework::Statement::Mark mark = statement.Checkpoint();
      const uint64_t before = session.placements().Digest();
      const uint64_t version = session.placements().version();
      ActAtRandom(session, statement, rng, 32);
      statement.RollbackTo(mark);
      CHECK(session.placements().Digest() == before);
      CHECK(session.placements().version() == version);
    }
    CHECK(session.placements().Digest() == at_open);
  });
}

// With nodes that the scheduler shares with others, in two worlds of three.
std::shared_ptr<const model::Snapshot> Sharded(const model::Snapshot& whole, Rng& rng) {
  auto shared = std::make_shared<model::Snapshot>(whole);
  shared->shard_mode = static_cast<model::ShardMode>(rng.Below(3));
  if (shared->shard_mode == model::ShardMode::kNone) return shared;
  const double outside = rng.Chance(0.2) ? 1.0 : 0.4;
  for (model::NodeId node : *shared->nodes_by_name) {
    shared->nodes.Mutable(node).outside_shard = rng.Chance(outside);
  }
  return shared;
}

TEST_CASE("node picker: index and scan agree with the slow twin", "[framework][property]") {
  ForEachWorld(3000, [](Rng& rng) {
    const auto snapshot = Sharded(*SnapshotOf(RandomWorld(rng)), rng);
    Bed bed(snapshot, kFullConf);
    REQUIRE(bed.cycle().Open().ok());
    framework::Session& session = bed.session();
    framework::Statement statement(session, "test");
    for (TaskId task : snapshot->tasks.ids()) {
      if (snapshot->tasks[task].names == nullptr || !snapshot->tasks[task].job.valid()) continue;
      if (session.state(task).status != TaskStatus::kPending) continue;
      const bool best_effort = session.shape(session.task(task).shape).best_effort;
      if (!best_effort) {
        const bool taken = session.picker().AnyNodeTakes(task);
        const auto refused = static_cast<size_t>(session.picker().Explain(task)->nodes_refused);
        REQUIRE(taken == (refused < snapshot->nodes_by_name->size()));
        REQUIRE(session.picker().AnyNodeTakes(task) == taken);
        REQUIRE((session.picker().SlotsUpTo(task, 9) > 0) == taken);
        // Why, counted anew; and who evicts finds what asking every node would find.
        framework::NodePicker fresh(session);
        REQUIRE(session.picker().Explain(task)->Text() == fresh.Explain(task)->Text());
        const bool has_queue = session.job(session.task(task).job).queue.valid();
        if (has_queue && !session.task(task).nominated_node.valid()) {
          REQUIRE(session.picker().BestFree(task) ==
                  fresh.BestAmong(task, [](model::NodeId) { return true; }));
        }
      }
      const framework::NodeChoice slow = PickSlowly(session, task, !best_effort);
      const framework::NodeChoice fast =
          best_effort ? session.picker().PickForBestEffort(task) : session.picker().Pick(task);
      REQUIRE(fast.node == slow.node);
      REQUIRE(fast.on_future_room == slow.on_future_room);
      if (fast.node.valid() && rng.Chance(0.8)) {
        if (fast.on_future_room) {
          statement.Pipeline(task, fast.node, false);
        } else {
          statement.Allocate(task, fast.node);
        }
      } else if (rng.Chance(0.2)) {
        const framework::Statement::Mark mark = statement.Checkpoint();
        ActAtRandom(session, statement, rng, 4);
        statement.RollbackTo(mark);
      }
    }
  });
}

TEST_CASE("cycle: the order of listing changes nothing", "[framework][property]") {
  ForEachWorld(2500, [](Rng& rng) {
    const WorldSpec world = RandomWorld(rng);
    const CycleResult first = RunCycle(SnapshotOf(world), kFullConf);
    CHECK(first.violations.empty());
    const CycleResult shuffled = RunCycle(SnapshotOf(world, rng.Next() | 1), kFullConf);
    CHECK(first.binds == shuffled.binds);
    CHECK(first.phases == shuffled.phases);
    CHECK(first.words == shuffled.words);
  });
}

TEST_CASE("cycle: gangs are whole and nodes hold what they take", "[framework][property]") {
  ForEachWorld(2500, [](Rng& rng) {
    const WorldSpec world = RandomWorld(rng);
    const CycleResult result = RunCycle(SnapshotOf(world), kFullConf);
    CHECK(result.violations.empty());
    std::map<std::string, NodeSpec> free;
    std::map<std::string, std::set<int32_t>> ports;
    for (const NodeSpec& node : world.nodes) free[node.name] = node;
    std::map<std::string, int> ready;
    const auto take = [&](const PodSpec& pod, const std::string& node) {
      NodeSpec& room = free[node];
      room.cpu_milli -= pod.cpu_milli;
      room.memory_bytes -= pod.memory_bytes;
      room.gpu_milli -= pod.gpu_milli;
      room.pods -= 1;
    };
    for (const PodSpec& pod : world.pods) {
      const bool done = pod.status == TaskStatus::kSucceeded || pod.status == TaskStatus::kFailed;
      if (!pod.node.empty() && !done) {
        take(pod, pod.node);
        if (pod.port > 0) ports[pod.node].insert(pod.port);
      }
      if (pod.status == TaskStatus::kRunning || pod.status == TaskStatus::kBound ||
          pod.status == TaskStatus::kSucceeded) {
        ++ready[pod.job];
      }
    }
    std::set<std::string> touched;
    for (const PodSpec& pod : world.pods) {
      auto bound = result.binds.find("ns/" + pod.name);
      if (bound == result.binds.end()) continue;
      const NodeSpec& before = free[bound->second];
      CHECK((pod.cpu_milli == 0 || before.cpu_milli >= pod.cpu_milli));
      CHECK((pod.memory_bytes == 0 || before.memory_bytes >= pod.memory_bytes));
      CHECK((pod.gpu_milli == 0 || before.gpu_milli >= pod.gpu_milli));
      CHECK(before.pods >= 1);
      CHECK_FALSE(before.cordoned);
      CHECK((!before.tainted || pod.tolerates));
      CHECK((pod.zone.empty() || pod.zone == before.zone));
      if (pod.port > 0) CHECK(ports[bound->second].insert(pod.port).second);
      take(pod, bound->second);
      ++ready[pod.job];
      touched.insert(pod.job);
    }
    for (const JobSpec& job : world.jobs) {
      if (!touched.contains(job.name)) continue;
      CHECK(ready[job.name] >= job.min);
    }
  });
}

TEST_CASE("mirror: a world reached by changes equals the same world listed at once",
          "[cache][property]") {
  ForEachWorld(3000, [](Rng& rng) {
    const WorldSpec before = RandomWorld(rng);
    WorldSpec after = RandomWorld(rng);
    const ManualClock clock(absl::FromUnixSeconds(1'000'000));
    cache::Mirror mirror(clock, {});
    Feed(before, mirror, rng.Next() | 1);
    const auto first = mirror.Publish();
    const std::string first_text = Describe(*first);
    if (rng.Chance(0.5)) mirror.AssumeBinding("ns/j0-t-0", "uid-j0-t-0", "n0").IgnoreError();
    // Deletions and updates in any order, publishing now and then.
    for (const PodSpec& pod : before.pods) {
      if (rng.Chance(0.5)) mirror.RemovePod(pod.Key());
    }
    Feed(after, mirror, rng.Next() | 1);
    if (rng.Chance(0.5)) mirror.Publish();
    const auto gone = [](const auto& list, const auto& name, auto key) {
      for (const auto& item : list) {
        if (key(item) == name) return false;
      }
      return true;
    };
    for (const PodSpec& pod : before.pods) {
      if (gone(after.pods, pod.Key(), [](const PodSpec& p) { return p.Key(); })) {
        mirror.RemovePod(pod.Key());
      }
    }
    for (const JobSpec& job : before.jobs) {
      if (gone(after.jobs, job.name, [](const JobSpec& j) { return j.name; })) {
        mirror.RemovePodGroup(job.name);
      }
    }
    for (const NodeSpec& node : before.nodes) {
      if (gone(after.nodes, node.name, [](const NodeSpec& n) { return n.name; })) {
        mirror.RemoveNode(node.name);
      }
    }
    for (const QueueSpec& queue : before.queues) {
      if (gone(after.queues, queue.name, [](const QueueSpec& q) { return q.name; })) {
        mirror.RemoveQueue(queue.name);
      }
    }
    for (const PodSpec& pod : after.pods) mirror.ForgetAssumption(pod.Key(), "uid-" + pod.name);
    CHECK(Describe(*mirror.Publish()) == Describe(*SnapshotOf(after)));
    // The first snapshot has not moved.
    CHECK(Describe(*first) == first_text);
  });
}

// Any change of the world that leaves it sound, our own decisions included.
void ChangeAtRandom(const WorldSpec& world, cache::Mirror& mirror, Rng& rng, CycleResult decided) {
  for (const auto& [pod, node] : decided.binds) {
    if (rng.Chance(0.6)) mirror.AssumeBinding(pod, "uid-" + pod.substr(3), node).IgnoreError();
  }
  for (PodSpec pod : world.pods) {
    if (rng.Chance(0.1)) mirror.RemovePod(pod.Key());
    if (!rng.Chance(0.15)) continue;
    if (!pod.node.empty()) pod.status = TaskStatus::kSucceeded;
    pod.priority = static_cast<int32_t>(rng.Below(3));
    Put(pod, mirror);
  }
  for (const JobSpec& job : world.jobs) {
    if (rng.Chance(0.1)) mirror.RemovePodGroup(job.name);
    if (rng.Chance(0.1)) Put(job, mirror);
  }
  for (const NodeSpec& node : world.nodes) {
    if (rng.Chance(0.1)) mirror.RemoveNode(node.name);
    if (rng.Chance(0.1)) Put(node, mirror);
  }
  for (QueueSpec queue : world.queues) {
    if (rng.Chance(0.05)) mirror.RemoveQueue(queue.name);
    if (rng.Chance(0.1)) {
      queue.weight = static_cast<int32_t>(1 + rng.Below(3));
      Put(queue, mirror);
    }
  }
}

TEST_CASE("cycle: a policy that lived through changes decides and tells as a fresh one",
          "[framework][property]") {
  ForEachWorld(400, [](Rng& rng) {
    const WorldSpec world = RandomWorld(rng);
    const ManualClock clock(absl::FromUnixSeconds(1'000'000));
    cache::Mirror mirror(clock, {});
    Feed(world, mirror, rng.Next() | 1);
    PolicyBed old(kFullConf);
    for (int round = 0; round < 6; ++round) {
      INFO("round " << round);
      const auto snapshot = mirror.Publish();
      const CycleResult lived = old.RunFully(snapshot);
      const CycleResult fresh = RunCycle(snapshot, kFullConf);
      CHECK(lived.violations.empty());
      CHECK(FirstContradiction(lived, fresh) == "");
      ChangeAtRandom(world, mirror, rng, lived);
    }
  });
}

}  // namespace
}  // namespace bth::test
