// When jobs that were refused are looked at again, one by one. The same on random clusters:
// unschedulable_test.cc.
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "framework/report/report.h"
#include "tests/support/catch.h"
#include "tests/worlds/random_world.h"
#include "tests/worlds/watched.h"
#include "tests/worlds/world_cycles.h"

namespace bth::test {
namespace {

TEST_CASE("left alone: a queue that keeps strict order, as a whole", "[framework]") {
  WorldSpec world;
  world.nodes = {{.name = "n0", .cpu_milli = 4000, .memory_bytes = 1}};
  for (const std::string queue : {"p", "q"}) {
    world.queues.push_back({.name = queue, .strict = true});
    for (const std::string job : {"runs", "first", "second"}) {
      const std::string name = StrCat(queue, "-", job);
      const auto rank = static_cast<int64_t>(world.jobs.size());
      world.jobs.push_back(
          {.name = StrCat("ns/", name), .queue = queue, .min = 1, .created_us = rank});
      world.pods.push_back({.name = StrCat(name, "-0"),
                            .job = StrCat("ns/", name),
                            .cpu_milli = job == "first" ? 3000 : 1000});
      if (job != "runs") continue;
      world.pods.back().node = "n0";
      world.pods.back().status = model::TaskStatus::kRunning;
    }
  }
  const bool evicts = GENERATE(true, false);
  Watched watched(world, StrCat("actions: \"enqueue, ", evicts ? "preempt, " : "", R"(allocate"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}]
)"));
  cache::Mirror& mirror = watched.mirror();
  CHECK(watched.Considered({}) == 6);
  CHECK(watched.Considered({}) == 2);
  CHECK(watched.Considered({}) == 2);
  // What changes about a job that runs is nobody's turn.
  PodSpec& runs = world.pods.front();
  runs.peers.labels = {{"a", "b"}};
  Put(runs, mirror);
  const int64_t considered = watched.Considered({});
  if (!evicts) CHECK(considered == 2);
  // Another one that waits in one of them: it is looked at with the two before it.
  Put(JobSpec{.name = "ns/p-third", .queue = "p", .min = 1, .created_us = 9}, mirror);
  Put(PodSpec{.name = "p-third-0", .job = "ns/p-third", .cpu_milli = 1000}, mirror);
  CHECK(watched.Considered({}) >= 5);
  // The first one goes: those behind it are next, in their order.
  mirror.RemovePod("ns/q-first-0");
  mirror.RemovePodGroup("ns/q-first");
  CHECK(watched.Considered({{"ns/q-second-0", "n0"}}) >= 2);
}

// What asks for nothing is placed whatever becomes of the rest of its job.
TEST_CASE("left alone: pods that ask for nothing wait for a node, whatever their queue is",
          "[framework]") {
  const bool closed = GENERATE(true, false);
  WorldSpec world;
  world.queues = {{.name = "q", .strict = !closed, .closed = closed}};
  world.nodes = {{.name = "n0", .cpu_milli = 2000, .memory_bytes = 1, .pods = 1}};
  world.jobs = {{.name = "ns/first", .queue = "q", .min = 1},
                {.name = "ns/a", .queue = "q", .min = 1, .created_us = 1}};
  world.pods = {
      {.name = "first-0", .job = "ns/first", .cpu_milli = 2000},
      {.name = "a-0", .job = "ns/a", .cpu_milli = 1000},
      {.name = "a-1", .job = "ns/a"},
      {.name = "b", .node = "n0", .status = model::TaskStatus::kRunning, .cpu_milli = 1500}};
  Watched watched(world, R"(
actions: "allocate, backfill"
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: proportion}]
)");
  CHECK(watched.Considered({}) == 2);
  CHECK(watched.Considered({}) == 0);
  // One place more, and no more room.
  world.nodes.front().pods = 2;
  Put(PodSpec{.name = "c", .node = "n0", .status = model::TaskStatus::kRunning}, watched.mirror());
  Put(world.nodes.front(), watched.mirror());
  watched.Considered({});
  CHECK(watched.Considered({}) == 0);
  watched.mirror().RemovePod("ns/c");
  CHECK(watched.Considered({{"ns/a-1", "n0"}}) >= 1);
}

TEST_CASE("left alone: a job too large for any node, until some node is another one",
          "[framework]") {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.nodes = {{.name = "n0", .cpu_milli = 2000, .memory_bytes = 1, .cordoned = true},
                 {.name = "n1", .cpu_milli = 1000, .memory_bytes = 1}};
  world.jobs = {{.name = "ns/low", .queue = "q", .min = 0, .priority_class = "low"},
                {.name = "ns/high", .queue = "q", .min = 1, .priority_class = "high"}};
  world.pods = {{.name = "low-0",
                 .job = "ns/low",
                 .node = "n0",
                 .status = model::TaskStatus::kRunning,
                 .cpu_milli = 2000},
                {.name = "high-0", .job = "ns/high", .cpu_milli = 2000}};
  Watched watched(world, R"(
actions: "allocate, preempt"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}]
)");
  watched.Considered({});
  CHECK(watched.last().evictions.empty());
  // One that is too small is no help.
  world.nodes.back().zone = "a";
  Put(world.nodes.back(), watched.mirror());
  CHECK(watched.Considered({}) == 1);
  world.nodes.front().cordoned = false;
  Put(world.nodes.front(), watched.mirror());
  CHECK(watched.Considered({}) == 2);
  CHECK(watched.last().evictions == std::set<std::string>{"ns/low-0"});
}

// Two pods leave. Who waits first is to have room of theirs, and takes the last place that the node
// has for pods; then one of the two stays, and the first one goes.
TEST_CASE("left alone: places for pods come free where room does not", "[framework]") {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.nodes = {{.name = "n0", .cpu_milli = 2000, .memory_bytes = 1, .pods = 3}};
  world.jobs = {{.name = "ns/a", .queue = "q", .min = 1},
                {.name = "ns/b", .queue = "q", .min = 1, .created_us = 1}};
  const PodSpec leaves{
      .name = "c", .node = "n0", .status = model::TaskStatus::kReleasing, .cpu_milli = 1000};
  PodSpec stays = leaves;
  stays.name = "d";
  world.pods = {{.name = "a-0", .job = "ns/a", .cpu_milli = 1000},
                {.name = "b-0", .job = "ns/b", .cpu_milli = 1000},
                leaves,
                stays};
  Watched watched(world, R"(
actions: "allocate"
tiers:
- plugins: [{name: gang}, {name: predicates}]
)");
  CHECK(watched.Considered({}) == 2);
  CHECK(watched.last().words.at("ns/b-0").find("pod number exceeded") != std::string::npos);
  // Its eviction was refused: as much room is to come free as the first one left, and a place more.
  stays.status = model::TaskStatus::kRunning;
  Put(stays, watched.mirror());
  watched.mirror().RemovePod("ns/a-0");
  watched.mirror().RemovePodGroup("ns/a");
  CHECK(watched.Considered({}) == 1);
  CHECK(watched.last().words.at("ns/b-0").find("can possibly be assigned") != std::string::npos);
}

// Of a role, who finds no node keeps those after it from being tried, but not who is refused by the
// queue: less of a share may help.
TEST_CASE("left alone: what was placed after a job was refused may help it", "[framework]") {
  WorldSpec world;
  world.queues = {{.name = "q", .capability_cpu_milli = 3000}};
  world.nodes = {{.name = "n0", .cpu_milli = 4000, .memory_bytes = 1, .zone = "a"}};
  world.jobs = {{.name = "ns/a", .queue = "q", .min = 0, .roles = {{"worker", 0}}},
                {.name = "ns/b", .queue = "q", .min = 1, .created_us = 1}};
  world.pods = {{.name = "a-0", .job = "ns/a", .role = "worker", .cpu_milli = 1500, .zone = "b"},
                {.name = "a-1", .job = "ns/a", .role = "worker", .cpu_milli = 500, .created_us = 1},
                {.name = "b-0",
                 .job = "ns/b",
                 .node = "n0",
                 .status = model::TaskStatus::kRunning,
                 .cpu_milli = 100},
                {.name = "b-1", .job = "ns/b", .cpu_milli = 2000}};
  Watched watched(world, R"(
actions: "allocate"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}, {name: proportion}]
)");
  CHECK(watched.Considered({{"ns/b-1", "n0"}}) == 2);
  PodSpec& placed = world.pods.back();
  placed.node = "n0";
  placed.status = model::TaskStatus::kRunning;
  Put(placed, watched.mirror());
  CHECK(watched.Considered({{"ns/a-1", "n0"}}) >= 1);
}

// The emptier node takes the small pod of a gang, and the large one finds no room; until another
// job comes first and fills it with something else.
TEST_CASE("left alone: a gang of different pods, until somebody is placed before it",
          "[framework]") {
  constexpr int64_t kGi = int64_t{1} << 30;
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.jobs = {{.name = "ns/g", .queue = "q", .min = 2, .created_us = 1}};
  world.pods = {{.name = "g-0", .job = "ns/g", .cpu_milli = 1000, .created_us = 0},
                {.name = "g-1", .job = "ns/g", .cpu_milli = 3000, .created_us = 1}};
  for (const int64_t used : {1000, 2000}) {
    const std::string node = StrCat("n", used / 1000 - 1);
    world.nodes.push_back({.name = node, .cpu_milli = 4000, .memory_bytes = 8 * kGi});
    world.pods.push_back({.name = "on-" + node,
                          .node = node,
                          .status = model::TaskStatus::kRunning,
                          .cpu_milli = used});
  }
  Watched watched(world, R"(
actions: "allocate"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}, {name: nodeorder}]
)");
  CHECK(watched.Considered({}) == 1);
  CHECK(watched.Considered({}) == 0);
  Put(JobSpec{.name = "ns/h", .queue = "q", .min = 1}, watched.mirror());
  Put(PodSpec{.name = "h-0", .job = "ns/h", .memory_bytes = 15 * kGi / 2}, watched.mirror());
  CHECK(watched.Considered({{"ns/h-0", "n0"}, {"ns/g-0", "n1"}, {"ns/g-1", "n0"}}) == 2);
}

// A node on which as much is left, and a gang of a small and a large pod.
WorldSpec SmallAndLarge(int64_t left_milli, int32_t min) {
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.nodes = {{.name = "n0", .cpu_milli = 8000, .memory_bytes = 1}};
  world.jobs = {{.name = "ns/g", .queue = "q", .min = min}};
  world.pods = {{.name = "g-large", .job = "ns/g", .cpu_milli = 4000},
                {.name = "g-small", .job = "ns/g", .cpu_milli = 1000},
                {.name = "b",
                 .node = "n0",
                 .status = model::TaskStatus::kRunning,
                 .cpu_milli = 8000 - left_milli}};
  return world;
}

void LeaveRoom(WorldSpec& world, int64_t left_milli, cache::Mirror& mirror) {
  world.pods.back().cpu_milli = 8000 - left_milli;
  Put(world.pods.back(), mirror);
}

std::string WithGang(std::string_view actions) {
  return StrCat("actions: \"", actions, R"("
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}, {name: nodeorder}]
)");
}

// It comes, is placed before the gang, and goes; nobody else is looked at.
void PlaceAnother(Watched& watched) {
  cache::Mirror& mirror = watched.mirror();
  Put(JobSpec{.name = "ns/h", .queue = "q", .min = 1}, mirror);
  Put(PodSpec{.name = "h-0", .job = "ns/h", .priority = 2, .cpu_milli = 500}, mirror);
  CHECK(watched.Considered({{"ns/h-0", "n0"}}) == 1);
  mirror.RemovePod("ns/h-0");
  mirror.RemovePodGroup("ns/h");
}

// Whatever becomes of the small pod, without the large one the gang is below its minimum.
TEST_CASE("left alone: a gang that cannot start without pods that no node takes", "[framework]") {
  WorldSpec world = SmallAndLarge(1500, 2);
  Watched watched(world, WithGang(GENERATE("allocate", "allocate, preempt, reclaim")));
  cache::Mirror& mirror = watched.mirror();
  CHECK(watched.Considered({}) == 1);
  PlaceAnother(watched);
  // There is no room for the small pod, and there is again; never for the large one.
  LeaveRoom(world, 900, mirror);
  CHECK(watched.Considered({}) == 0);
  LeaveRoom(world, 3900, mirror);
  CHECK(watched.Considered({}) == 0);
  LeaveRoom(world, 5000, mirror);
  CHECK(watched.Considered({{"ns/g-large", "n0"}, {"ns/g-small", "n0"}}) == 1);
}

// The same where nodes take some of the large ones, and too few.
TEST_CASE("left alone: a gang that cannot start without more pods than nodes take", "[framework]") {
  WorldSpec world = SmallAndLarge(5200, 3);
  world.nodes.front().cpu_milli = 12'000;
  world.pods.back().cpu_milli += 4000;
  world.pods.insert(world.pods.begin(), {.name = "g-larger", .job = "ns/g", .cpu_milli = 4000});
  Watched watched(world, WithGang("allocate, backfill"));
  cache::Mirror& mirror = watched.mirror();
  CHECK(watched.Considered({}) == 1);
  PlaceAnother(watched);
  // Less room, and more where one of the large ones has some.
  LeaveRoom(world, 3700 - 4000, mirror);
  CHECK(watched.Considered({}) == 0);
  LeaveRoom(world, 8100 - 4000, mirror);
  CHECK(watched.Considered({}) == 1);
  LeaveRoom(world, 9000 - 4000, mirror);
  CHECK(watched.Considered({{"ns/g-large", "n0"}, {"ns/g-larger", "n0"}, {"ns/g-small", "n0"}}) ==
        1);
}

TEST_CASE("left alone: a gang that can start without pods that no node takes", "[framework]") {
  WorldSpec world = SmallAndLarge(1500, 2);
  world.pods.insert(world.pods.begin(), {.name = "g-other", .job = "ns/g", .cpu_milli = 1000});
  Watched watched(world, WithGang("allocate, backfill"));
  CHECK(watched.Considered({}) == 1);
  LeaveRoom(world, 2000, watched.mirror());
  CHECK(watched.Considered({{"ns/g-other", "n0"}, {"ns/g-small", "n0"}}) == 1);
}

TEST_CASE("left alone: without gang no pod waits for another", "[framework]") {
  WorldSpec world = SmallAndLarge(500, 2);
  Watched watched(world, R"(
actions: "allocate"
tiers:
- plugins: [{name: predicates}]
)");
  CHECK(watched.Considered({}) == 1);
  LeaveRoom(world, 1000, watched.mirror());
  CHECK(watched.Considered({{"ns/g-small", "n0"}}) == 1);
}

// Beside what runs, the queue takes the small pod and not the large one, whatever nodes have.
TEST_CASE("left alone: a gang that cannot start without pods that its queue may not hold",
          "[framework]") {
  WorldSpec world = SmallAndLarge(7000, 2);
  world.queues.front().capability_cpu_milli = 5500;
  world.jobs.push_back({.name = "ns/r", .queue = "q", .min = 1});
  world.pods.insert(world.pods.begin(), {.name = "r-0",
                                         .job = "ns/r",
                                         .node = "n0",
                                         .status = model::TaskStatus::kRunning,
                                         .cpu_milli = 2000});
  Watched watched(world, R"(
actions: "allocate"
tiers:
- plugins: [{name: priority}, {name: gang}, {name: predicates}, {name: proportion}]
)");
  CHECK(watched.Considered({}) == 2);
  LeaveRoom(world, 8000, watched.mirror());
  CHECK(watched.Considered({}) == 1);  // What runs.
  watched.mirror().RemovePod("ns/r-0");
  CHECK(watched.Considered({{"ns/g-large", "n0"}, {"ns/g-small", "n0"}}) >= 1);
}

TEST_CASE("left alone: why nodes refused can be told in later cycles", "[framework]") {
  const ManualClock clock(absl::FromUnixSeconds(1'000'000));
  cache::Mirror mirror(clock, {});
  WorldSpec world;
  world.queues = {{.name = "q"}};
  world.nodes = {
      {.name = "n0", .cpu_milli = 4000, .memory_bytes = 1, .cpus = CpuSpec{.policy = "none"}}};
  world.jobs = {{.name = "ns/a", .queue = "q", .min = 1}};
  world.pods = {{.name = "a-0",
                 .job = "ns/a",
                 .cpu_milli = 1000,
                 .whole_cpus = true,
                 .numa_policy = "single-numa-node"}};
  Feed(world, mirror, 0);
  Bed bed(mirror.Publish(), R"(
actions: "allocate"
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: numa-aware}]
)");
  REQUIRE(bed.cycle().Run().ok());
  const model::JobId job = bed.session().base().active_jobs->front();
  const std::string before = framework::ExplainJob(bed.session(), job).message;
  REQUIRE(before.find("is different with node[none]") != std::string::npos);
  bed.Reopen(mirror.Publish());
  REQUIRE(bed.cycle().Open().ok());
  REQUIRE(bed.session().active_jobs().empty());
  CHECK(framework::ExplainJob(bed.session(), job).message == before);
}

TEST_CASE("left alone: what was said stands beside what is said now", "[framework]") {
  const ManualClock clock(absl::FromUnixSeconds(1'000'000));
  cache::Mirror mirror(clock, {});
  WorldSpec world;
  world.queues = {{.name = "q", .closed = true}};
  world.nodes = {{.name = "n0", .cpu_milli = 2000, .memory_bytes = 1}};
  world.jobs = {{.name = "ns/a", .queue = "q", .min = 1}};
  world.pods = {{.name = "a-0", .job = "ns/a", .cpu_milli = 1000}};
  Feed(world, mirror, 0);
  Bed bed(mirror.Publish(), R"(
actions: "allocate"
tiers:
- plugins: [{name: gang}, {name: predicates}, {name: proportion}]
)");
  REQUIRE(bed.cycle().Run().ok());
  bed.Reopen(mirror.Publish());
  framework::Session& session = bed.session();
  REQUIRE(bed.cycle().Open().ok());
  REQUIRE(session.active_jobs().empty());
  const model::JobId job = session.base().active_jobs->front();
  const std::string before = framework::ExplainJob(session, job).message;
  REQUIRE(before.find("not open") != std::string::npos);
  session.notes().SetCondition(job, {.type = "Told", .status = "True"});
  CHECK(framework::ExplainJob(session, job).message == before);
  CHECK(session.notes().FindCondition(job, "Unschedulable") != nullptr);
  CHECK(session.notes().FindCondition(job, "Told") != nullptr);
}

}  // namespace
}  // namespace bth::test
