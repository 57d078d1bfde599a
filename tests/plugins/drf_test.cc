#include "framework/session/statement.h"
#include "tests/plugins/cycles.h"
#include "tests/plugins/snapshot_changes.h"

namespace bth::test {
namespace {

using BindCounts = std::map<std::string, int>;

// Bound tasks by job, for names like "job-3".
BindCounts BindsByJob(const CycleOutcome& outcome) {
  BindCounts binds;
  for (const auto& [task, node] : outcome.binds) ++binds[task.substr(0, task.rfind('-'))];
  return binds;
}

TEST_CASE("drf: jobs with smaller dominant shares come first", "[plugins][drf]") {
  PluginBed bed = Bed("drf",
                      "node n1 cpu=10 mem=10Gi pods=100; job a; task a1 job=a node=n1 cpu=2;"
                      "job b; task b1 job=b node=n1 cpu=1 mem=3Gi; job c; task c1 job=c node=n1;"
                      "job d; task d1 job=d cpu=1; job e; task e1 job=e node=n1 cpu=2");
  const auto& order = bed.session().hooks().job_order[0].fn;
  const World& w = bed.world();
  CHECK(order(w.job("a"), w.job("b")) < 0);
  CHECK(order(w.job("b"), w.job("a")) > 0);
  CHECK(order(w.job("a"), w.job("e")) == 0);
  // Best-effort pods take places for pods.
  CHECK(order(w.job("d"), w.job("c")) < 0);
  framework::Statement statement(bed.session(), "test");
  statement.Pipeline(w.task("d1"), w.node("n1"), false);
  CHECK(order(w.job("d"), w.job("c")) > 0);
  statement.RollbackTo({});
  CHECK(order(w.job("d"), w.job("c")) < 0);
  statement.Evict(w.task("b1"), w.task("d1"));
  CHECK(order(w.job("b"), w.job("a")) < 0);
}

TEST_CASE("drf: victims are of jobs that stay at least as rich", "[plugins][drf]") {
  std::string world =
      "node n1 cpu=10 mem=10Gi pods=100; job poor; task own job=poor node=n1 cpu=2;"
      "task p job=poor cpu=1; job rich;";
  for (int i = 1; i <= 5; ++i) {
    world += "task r" + std::to_string(i) + " job=rich node=n1 cpu=1;";
  }
  PluginBed bed = Bed("drf", world + "task foreign node=n1 cpu=1");
  const auto& hooks = bed.session().hooks();
  CHECK(VictimsOf(bed, hooks.preemptable, bed.world().task("p"),
                  {"r1", "foreign", "r2", "r3", "r4"}) == Names{"r1", "r2"});
  CHECK(VictimsOf(bed, hooks.preemptable, bed.world().task("foreign"), {"r1"}).empty());
  CHECK(hooks.reclaimable.empty());
  CHECK(hooks.queue_order.empty());
}

TEST_CASE("drf: queues share by their hierarchy", "[plugins][drf][cycle]") {
  struct Case {
    std::string name, world;
    BindCounts expected;
  };
  const Case c = GENERATE(values<Case>({
      {"rescaling",
       R"(
         node n cpu=10 mem=10G pods=50
         queue sci hierarchy=root/sci weights=100/50
         queue dev hierarchy=root/eng/dev weights=100/50/50
         queue prod hierarchy=root/eng/prod weights=100/50/50
         job pg1 queue=sci min=0 tasks=10 cpu=1 mem=1G
         job pg21 queue=dev min=0 tasks=10 cpu=1
         job pg22 queue=prod min=0 tasks=10 mem=1G)",
       {{"pg1", 5}, {"pg21", 5}, {"pg22", 5}}},
      {"blocking",
       R"(
         node n cpu=30 mem=30G pods=500
         queue q1 hierarchy=root/pg1 weights=100/25
         queue q2 hierarchy=root/pg2 weights=100/25
         queue q31 hierarchy=root/pg3/pg31 weights=100/25/50
         queue q32 hierarchy=root/pg3/pg32 weights=100/25/50
         queue q4 hierarchy=root/pg4 weights=100/25
         job pg1 queue=q1 min=0 tasks=30 cpu=1
         job pg2 queue=q2 min=0 tasks=30 cpu=1
         job pg31 queue=q31 min=0 tasks=30 cpu=1
         job pg32 queue=q32 min=0 tasks=30 mem=1G
         job pg4 queue=q4 min=0 tasks=30 mem=1G)",
       {{"pg1", 10}, {"pg2", 10}, {"pg31", 10}, {"pg32", 15}, {"pg4", 15}}},
  }));
  CAPTURE(c.name);
  CHECK(BindsByJob(Run("allocate", "drf+enableHierarchy", c.world)) == c.expected);
}

TEST_CASE("drf: the first entry of the name says whether there is a hierarchy", "[plugins][drf]") {
  struct Case {
    const char* tiers;
    bool hierarchy;
  };
  const Case c = GENERATE(values<Case>({
      {"drf", false},
      {"drf+enableHierarchy", true},
      {"drf;drf+enableHierarchy", false},
      {"drf+enableHierarchy;drf", true},
  }));
  CAPTURE(c.tiers);
  PluginBed bed = Bed(c.tiers, "node n cpu=1; queue q");
  const size_t entries = c.hierarchy ? bed.session().hooks().job_order.size() : 0;
  CHECK(bed.session().hooks().queue_order.size() == entries);
  CHECK(bed.session().hooks().reclaimable.size() == entries);
}

TEST_CASE("drf: a share that a job was only to have is told no more in the next cycle",
          "[plugins][drf][cycle]") {
  const World world = MakeWorld(
      "node n cpu=2 pods=10; task leaving node=n cpu=2 status=releasing; job a tasks=1 cpu=1");
  const std::string share = R"(volcano_job_share{job_id="a",job_ns="ns"})";
  Cycles cycles(MakePolicy("allocate", "gang,drf,predicates"));
  cycles.Run(world);
  CHECK(cycles.Value(share) == "0.5");
  // Nothing of the job changed, and it has no node any more.
  cycles.Run(Changed(world, [&](model::Snapshot& snapshot) {
    auto facts = std::make_shared<model::NodeFacts>(*snapshot.nodes[world.node("n")].facts);
    facts->unschedulable = true;
    ++snapshot.generation;
    snapshot.nodes.Mutable(world.node("n")).facts = std::move(facts);
  }));
  CHECK(cycles.Value(share) == "0");
}

TEST_CASE("drf: reclaim asks which queue would come first", "[plugins][drf]") {
  // Cpu is used up, by queue a alone; b wants some.
  PluginBed bed = Bed("drf+enableHierarchy", R"(
    node n1 cpu=10 mem=10G pods=100
    queue a hierarchy=root/a weights=1/1
    queue b hierarchy=root/b weights=1/1
    job rich queue=a; task big job=rich cpu=6 node=n1; task small job=rich cpu=4 node=n1
    task more job=rich cpu=1
    job poor queue=b; task p job=poor cpu=5; task q job=poor cpu=1)");
  const auto& hooks = bed.session().hooks().reclaimable;
  const World& w = bed.world();
  // Without `big` queue a holds 4 and comes before b with 5; without `small` it holds 6.
  CHECK(VictimsOf(bed, hooks, w.task("p"), {"big", "small"}) == Names{"small"});
  CHECK(VictimsOf(bed, hooks, w.task("q"), {"big", "small"}) == Names{"big", "small"});
  CHECK(VictimsOf(bed, hooks, w.task("p"), {"big", "small"}) == Names{"small"});
}

}  // namespace
}  // namespace bth::test
