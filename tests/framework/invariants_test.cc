#include "framework/session/invariants.h"

#include <functional>

#include "algo/hyper_node_tree.h"
#include "framework/report/report.h"
#include "framework/session/statement.h"
#include "framework/topology/topology.h"
#include "tests/framework/session_parts.h"
#include "tests/support/catch.h"
#include "tests/support/numa_text.h"
#include "tests/support/plugin_bed.h"

namespace bth::framework {
namespace {

using test::MakeWorld;
using test::World;

const char kSoundWorld[] = R"(
  node n1 cpu=4 mem=8Gi
  node n2 cpu=4 mem=8Gi
  queue root
  queue q
  job j queue=q min=2 tasks=2 cpu=1 mem=1Gi
  job old queue=q min=1 phase=running
  task v job=old node=n1 cpu=2 mem=1Gi
)";

using Spoil = std::function<void(const World&, model::Snapshot&)>;

// A session without plugins on a world whose snapshot was spoiled.
class InvariantBed {
 public:
  explicit InvariantBed(const Spoil& spoil = {})
      : world(MakeWorld(kSoundWorld)), session(Context(spoil)) {
    session.Freeze();
  }
  std::vector<std::string> Broken() const {
    std::vector<std::string> out;
    for (const Violation& violation : CheckInvariants(session)) {
      out.push_back(violation.invariant + ": " + violation.detail);
    }
    return out;
  }
  model::TaskId task(std::string_view name) const { return world.task(name); }
  model::NodeId node(std::string_view name) const { return world.node(name); }

  World world;
  test::RecordingSink sink;

 private:
  SessionContext Context(const Spoil& spoil) {
    auto snapshot = std::make_shared<model::Snapshot>(*world.snapshot);
    if (spoil) spoil(world, *snapshot);
    return parts_.Context(std::move(snapshot), sink);
  }
  SessionParts parts_;

 public:
  Session session;  // Last: it borrows the rest.
};

CycleReport ReportOf(const Session& session) {
  QueueUse use;
  use.Advance(session);
  return MakeReport(session, use);
}

using Words = std::vector<std::string>;

TEST_CASE("invariants: a sound session breaks none", "[framework]") {
  InvariantBed bed;
  Statement statement(bed.session, "allocate");
  statement.Allocate(bed.task("j-0"), bed.node("n1"));
  statement.Allocate(bed.task("j-1"), bed.node("n2"));
  REQUIRE(statement.Commit().ok());
  CHECK(bed.Broken().empty());
  CHECK(CheckEffects(bed.session, bed.sink.batches).empty());
  CHECK(CheckReport(bed.session, ReportOf(bed.session)).empty());
}

TEST_CASE("invariants: every sum that strays is named with its owner", "[framework]") {
  struct Case {
    std::string told;
    Spoil spoil;
  };
  const Case cases[] = {
      {"node_sums: node n1: its sums differ from the tasks on it",
       [](const World& world, model::Snapshot& s) { s.usage.idle.Mutable(world.node("n1"))[0]++; }},
      {"node_sums: node n2: its sums differ from the tasks on it",
       [](const World& world, model::Snapshot& s) {
         s.usage.nonzero.Mutable(world.node("n2")).cpu_milli += 100;
       }},
      {"job_sums: job ns/old: its sums differ from its tasks",
       [](const World& world, model::Snapshot& s) {
         s.usage.jobs.Mutable(s.tasks[world.task("v")].job).allocated[1]--;
       }},
      {"sub_job_sums: job ns/j: the sums of a sub-job differ from its tasks",
       [](const World& world, model::Snapshot& s) {
         s.usage.sub_jobs.Mutable(s.tasks[world.task("j-0")].sub_job).pending_best_effort++;
       }},
  };
  for (const Case& c : cases) {
    INFO(c.told);
    InvariantBed bed(c.spoil);
    CHECK(bed.Broken() == Words{c.told});
    const std::vector<Violation> found = CheckInvariants(bed.session);
    REQUIRE(found.size() == 1);
    CHECK(found[0].node.valid() != found[0].queue.valid());
  }
}

TEST_CASE("invariants: sums that are kept of HyperNodes are those of their nodes",
          "[framework][topology]") {
  model::Snapshot* snapshot = nullptr;
  InvariantBed bed([&snapshot](const World& world, model::Snapshot& s) {
    const std::vector<model::NodeId> nodes = {world.node("n2")};
    const std::vector<algo::HyperNodeInput> inputs = {
        {.name = "rack", .tier = 1, .tier_name = "", .members = {}, .nodes = nodes}};
    s.hyper_nodes = algo::BuildHyperNodes(inputs, *s.nodes_by_name).tree;
    snapshot = &s;
  });
  bed.session.topology().sums().Of(snapshot->hyper_nodes->root());
  Statement statement(bed.session, "allocate");
  statement.Allocate(bed.task("j-0"), bed.node("n2"));
  CHECK(bed.Broken().empty());
  // Nobody hears of it.
  snapshot->allocatable.Mutable(bed.node("n2"))[model::kCpu] += 1;
  CHECK(
      bed.Broken() ==
      Words{"node_sums: node n2: its sums differ from the tasks on it",
            "hyper_node_sums: HyperNode rack: its sums differ from its nodes",
            "hyper_node_sums: HyperNode <cluster-top-hypernode>: its sums differ from its nodes"});
}

TEST_CASE("invariants: more on a node than it has", "[framework]") {
  InvariantBed bed;
  Statement statement(bed.session, "allocate");
  statement.Allocate(bed.task("j-0"), bed.node("n1"));
  CHECK(bed.Broken().empty());
  InvariantBed full([](const World& world, model::Snapshot& s) {
    const model::NodeId node = world.node("n1");
    s.allocatable.Mutable(node)[model::kCpu] = 2500;
    s.usage.idle.Mutable(node)[model::kCpu] = 500;
  });
  CHECK(full.Broken().empty());
  Statement more(full.session, "allocate");
  more.Allocate(full.task("j-0"), full.node("n1"));
  CHECK(full.Broken() == Words{"node_over_allocatable: node n1: lacks 500 of cpu"});
}

TEST_CASE("invariants: effects that the session does not bear out", "[framework]") {
  InvariantBed bed;
  EffectBatch batch{.snapshot = bed.session.context().snapshot, .action = "preempt"};
  batch.evictions.push_back({bed.task("v"), model::TaskId(), "preempt"});
  std::vector<Violation> found = CheckEffects(bed.session, {batch});
  REQUIRE(found.size() == 1);
  CHECK(found[0].invariant == "eviction_for_nobody");
  CHECK(found[0].node == bed.node("n1"));
  batch.evictions[0].action = "shuffle";  // Moves it for its own sake.
  CHECK(CheckEffects(bed.session, {batch}).empty());
  batch.evictions.clear();
  batch.binds.push_back({bed.task("j-0"), bed.node("n2")});
  found = CheckEffects(bed.session, {batch});
  REQUIRE(found.size() == 1);
  CHECK(found[0].invariant == "bound_elsewhere");
  Statement statement(bed.session, "allocate");
  statement.Allocate(bed.task("j-0"), bed.node("n2"));
  REQUIRE(statement.Commit().ok());
  CHECK(CheckEffects(bed.session, {batch}).empty());
  found = CheckEffects(bed.session, {batch, batch});
  REQUIRE(found.size() == 1);
  CHECK(found[0].invariant == "bound_twice");
}

TEST_CASE("invariants: a binding outside of a hard shard", "[framework]") {
  const auto mode =
      GENERATE(model::ShardMode::kNone, model::ShardMode::kSoft, model::ShardMode::kHard);
  InvariantBed bed([mode](const World& world, model::Snapshot& s) {
    s.shard_mode = mode;
    s.nodes.Mutable(world.node("n2")).outside_shard = mode != model::ShardMode::kNone;
  });
  Statement statement(bed.session, "allocate");
  statement.Allocate(bed.task("j-0"), bed.node("n2"));
  REQUIRE(statement.Commit().ok());
  EffectBatch batch{.snapshot = bed.session.context().snapshot, .action = "allocate"};
  batch.binds.push_back({bed.task("j-0"), bed.node("n2")});
  const std::vector<Violation> found = CheckEffects(bed.session, {batch});
  REQUIRE(found.size() == (mode == model::ShardMode::kHard ? 1 : 0));
  if (!found.empty()) CHECK(found[0].invariant == "bound_outside_shard");
}

TEST_CASE("invariants: no volume is given to two claims", "[framework]") {
  InvariantBed bed;
  const auto given = [](const std::string& claim, const std::string& volume) {
    auto plan = std::make_shared<model::VolumePlan>();
    plan->choices.resize(1);
    plan->choices[0].claim = claim;
    plan->choices[0].volume = volume;
    return plan;
  };
  const auto check = [&](const std::shared_ptr<model::VolumePlan>& second) {
    EffectBatch batch{.snapshot = bed.session.context().snapshot, .action = "allocate"};
    batch.binds.push_back({bed.task("j-0"), bed.node("n2"), given("ns/a", "v")});
    batch.binds.push_back({bed.task("j-0"), bed.node("n2"), second});
    Words found;
    for (const Violation& violation : CheckEffects(bed.session, {batch})) {
      if (violation.invariant == "volume_twice") found.push_back(violation.detail);
    }
    return found;
  };
  CHECK(check(given("ns/b", "v")) == Words{"node n2: volume v is given to ns/a and to ns/b"});
  CHECK(check(given("ns/a", "v")).empty());  // Two pods may share a claim.
  CHECK(check(given("ns/b", "w")).empty());
  CHECK(check(given("ns/b", "")).empty());
}

TEST_CASE("invariants: no CPU is given to two pods, nor one that is taken", "[framework]") {
  const InvariantBed bed([](const World& world, model::Snapshot& snapshot) {
    const auto words = test::ParseStatements("node n1 numa=restricted layout=4 free=0-2");
    snapshot.nodes.Mutable(world.node("n1")).numa = test::ReadNuma(words[0]);
  });
  const auto check = [&](const char* node, int first, int second) {
    EffectBatch batch{.snapshot = bed.session.context().snapshot, .action = "allocate"};
    for (const int cpu : {first, second}) {
      auto cpus = std::make_shared<model::CpuSet>();
      cpus->Add(cpu);
      batch.binds.push_back({.task = bed.task("j-0"), .node = bed.node(node), .cpus = cpus});
    }
    Words found;
    for (const Violation& violation : CheckEffects(bed.session, {batch})) {
      if (violation.invariant == "cpu_twice") found.push_back(violation.detail);
    }
    return found;
  };
  CHECK(check("n1", 0, 1).empty());
  CHECK(check("n1", 1, 1) == Words{"node n1: pod j-0 is given CPUs that are not free"});
  CHECK(check("n1", 0, 3) == Words{"node n1: pod j-0 is given CPUs that are not free"});
  CHECK(check("n2", 0, 1).size() == 2);
}

TEST_CASE("invariants: a queue shows what its tasks and children use", "[framework]") {
  InvariantBed bed;
  CycleReport report = ReportOf(bed.session);
  REQUIRE_FALSE(report.queues.empty());
  CHECK(CheckReport(bed.session, report).empty());
  for (QueueReport& queue : report.queues) {
    if (*bed.session.queue(queue.queue).name != "q") continue;
    queue.allocated[model::kCpu] += 1;
  }
  std::vector<std::string> queues;
  for (const Violation& violation : CheckReport(bed.session, report)) {
    CHECK(violation.invariant == "queue_sums");
    queues.push_back(*bed.session.queue(violation.queue).name);
  }
  // The child is wrong, and the parent does not show what the child does.
  CHECK(queues == Words{"q", "root"});
}

}  // namespace
}  // namespace bth::framework
