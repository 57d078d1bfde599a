#include "absl/strings/match.h"
#include "base/rng.h"
#include "framework/session/statement.h"
#include "plugins/proportion/queue_ledger.h"
#include "tests/plugins/fixtures.h"

namespace bth::test {
namespace {

using framework::Gate;
using framework::Vote;

constexpr int64_t kG = 1'000'000'000;

// Two queues with limits; q1 holds 1 core and 2G, q2 2 cores and 1G.
constexpr std::string_view kTwoQueues = R"(
  node n1 cpu=2 mem=2G pods=10
  node n2 cpu=2 mem=2G pods=10
  queue q1 cap.cpu=2 cap.mem=2G
  queue q2 cap.cpu=3 cap.mem=3G
  queue q3 state=closed
  job pg1 queue=q1 phase=running minres.cpu=1 minres.mem=2G
  task pod1 job=pg1 cpu=1 mem=2G node=n1
  job pg2 queue=q2 phase=running minres.cpu=2 minres.mem=1G
  task pod2 job=pg2 cpu=2 mem=1G node=n2
)";

TEST_CASE("proportion: only asked dimensions must be free", "[plugins][proportion][cycle]") {
  struct Case {
    std::string name, actions, tiers, job, node;
  };
  const std::string both = "enqueue,allocate";
  const Case c = GENERATE_COPY(values<Case>({
      {"memory is all deserved, cpu is asked", both, "gang,proportion;predicates",
       "job pg3 queue=q1 phase=pending minres.cpu=1; task p job=pg3 cpu=1", "n1"},
      {"cpu is all deserved, memory is asked", both, "gang,proportion;predicates",
       "job pg4 queue=q2 phase=pending minres.mem=1G; task p job=pg4 mem=1G", "n2"},
      {"refused when it wants to get in line", both,
       "gang,proportion!enabledAllocatable;predicates",
       "job pg5 queue=q1 phase=pending minres.cpu=1 minres.mem=1G; task p job=pg5 cpu=1 mem=1G",
       ""},
      {"refused when it wants to be placed", both, "gang,proportion!enableJobEnqueued;predicates",
       "job pg5 queue=q1 phase=pending minres.cpu=1 minres.mem=1G; task p job=pg5 cpu=1 mem=1G",
       ""},
      {"the queue is closed", both, "gang,proportion;predicates",
       "job pg6 queue=q3 phase=pending minres.cpu=1; task p job=pg6 cpu=1", ""},
  }));
  CAPTURE(c.name);
  const CycleOutcome outcome = Run(c.actions, c.tiers, std::string(kTwoQueues) + c.job);
  std::map<std::string, std::string> expected;
  if (!c.node.empty()) expected["p"] = c.node;
  CHECK(outcome.binds == expected);
}

TEST_CASE("proportion: what queues deserve", "[plugins][proportion]") {
  plugins::proportion::QueueLedger ledger;
  const World world = MakeWorld(std::string(kTwoQueues) + "job pg3 queue=q1; task p job=pg3 cpu=1");
  ledger.Open(*world.snapshot);
  const auto deserved = [&](std::string_view queue, int dim) {
    return ledger[world.queue(queue)].deserved[dim];
  };
  CHECK(deserved("q1", model::kCpu) == 2000);
  CHECK(deserved("q1", model::kMemory) == 2 * kG);
  CHECK(deserved("q1", model::kPods) == 2);
  CHECK(deserved("q2", model::kCpu) == 2000);
  CHECK(deserved("q2", model::kMemory) == kG);
  CHECK(deserved("q2", model::kPods) == 1);
  CHECK_FALSE(ledger[world.queue("q3")].has_jobs);
}

TEST_CASE("proportion: refusals say why", "[plugins][proportion]") {
  PluginBed bed =
      Bed("proportion", std::string(kTwoQueues) +
                            "job big queue=q1 phase=pending minres.cpu=1 minres.mem=1G;"
                            "task p job=big cpu=1 mem=1G;"
                            "job shut queue=q3 phase=pending minres.cpu=1; task s job=shut cpu=1");
  framework::Session& session = bed.session();
  const World& w = bed.world();
  CHECK_FALSE(session.votes().JobEnqueueable(w.job("big")));
  REQUIRE(session.notes().EventsOf(w.job("big")).size() == 1);
  CHECK(session.notes().EventsOf(w.job("big"))[0].reason == "Unschedulable");
  CHECK(session.notes().EventsOf(w.job("big"))[0].message ==
        "queue resource quota insufficient: insufficient memory: asks for 1G memory; queue q1 "
        "has too little left (as of this writing: 2G of 2G memory used or promised)");
  CHECK(session.notes().HoldOf(w.job("big"))->gate == Gate::kNotEnqueued);
  CHECK_FALSE(session.votes().Allocatable(w.queue("q1"), w.task("p")));
  CHECK(session.notes().HoldOf(w.job("big"))->gate == Gate::kNotEnqueued);
  CHECK_FALSE(session.votes().JobEnqueueable(w.job("shut")));
  CHECK_FALSE(session.votes().Allocatable(w.queue("q3"), w.task("s")));
  CHECK(session.notes().HoldOf(w.job("shut"))->gate == Gate::kQueueClosed);
  CHECK(session.notes().EventsOf(w.job("shut")).empty());
  const std::vector<model::TaskId> two = bed.TasksNamed({"p", "s"});
  const auto& preemptive = session.hooks().preemptive[0].fn;
  CHECK_FALSE(preemptive(w.queue("q1"), two));
  CHECK_FALSE(preemptive(w.queue("q3"), {}));
  CHECK(preemptive(w.queue("q1"), {}));
}

TEST_CASE("proportion: a refused admission tells what the queue may hold, and whether it can end",
          "[plugins][proportion]") {
  struct Case {
    std::string name, minimum, text;
  };
  const std::string start = "queue resource quota insufficient: insufficient cpu: asks for ";
  const Case c = GENERATE_COPY(values<Case>({
      {"it may fit later", "minres.cpu=2500m",
       start + "2500m cpu; queue q has too little left (as of this writing: 6 of 8 cpu used or "
               "promised)"},
      {"beyond its capability", "minres.cpu=9",
       start + "9 cpu; queue q may hold 8 cpu (spec.capability), so it can never be admitted"},
      {"one of two resources is beyond", "minres.cpu=3 minres.mem=128Gi",
       "queue resource quota insufficient: insufficient cpu, insufficient memory: asks for 128Gi "
       "memory; queue q can never hold that (as of this writing: at most 64Gi memory) unless the "
       "cluster grows"},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("proportion",
                      "node n cpu=16 mem=64Gi; queue q cap.cpu=8;"
                      "job old queue=q minres.cpu=6; task o job=old cpu=6 mem=1Gi node=n;"
                      "job a queue=q phase=pending " +
                          c.minimum);
  const model::JobId job = bed.world().job("a");
  CHECK_FALSE(bed.session().votes().JobEnqueueable(job));
  CHECK(bed.session().notes().EventsOf(job).at(0).message == c.text);
  CHECK(bed.session().notes().HoldOf(job)->message == c.text);
}

TEST_CASE("proportion: where the policy evicts, a refused admission tells for whom",
          "[plugins][proportion]") {
  PluginBed bed(Builtins(), MakePolicy("enqueue,allocate,preempt,reclaim", "proportion"),
                MakeWorld("node n cpu=16 mem=64Gi; queue q cap.cpu=8;"
                          "job old queue=q minres.cpu=6; task o job=old cpu=6 node=n;"
                          "job a queue=q phase=pending minres.cpu=3;"
                          "job never queue=q phase=pending minres.cpu=9"));
  const auto refusal = [&bed](const char* name) {
    const model::JobId job = bed.world().job(name);
    CHECK_FALSE(bed.session().votes().JobEnqueueable(job));
    return bed.session().notes().HoldOf(job)->message;
  };
  CHECK(absl::EndsWith(refusal("a"),
                       " used or promised); evictions (preempt) are only for admitted "
                       "jobs: take enqueue out of the policy's actions"));
  CHECK(absl::EndsWith(refusal("never"), "so it can never be admitted"));
}

TEST_CASE("proportion: the queue with the highest priority, then the smallest share",
          "[plugins][proportion][cycle]") {
  const CycleOutcome outcome =
      Run("enqueue,allocate", "gang,proportion!enabledAllocatable;predicates,nodeorder", R"(
    node n1 cpu=2 mem=4Gi pods=10
    node n2 cpu=2 mem=4Gi pods=10
    queue q1 prio=5 cap.cpu=2 cap.mem=4Gi
    queue q2 prio=1 cap.cpu=2 cap.mem=4Gi
    queue q3 prio=10 cap.cpu=2 cap.mem=4Gi
    job pg1 queue=q1 phase=running; task p1 job=pg1 cpu=2 mem=4Gi node=n1
    job pg2 queue=q2; task p2 job=pg2 cpu=2 mem=4Gi
    job pg3 queue=q3; task p3 job=pg3 cpu=2 mem=4Gi)");
  CHECK(outcome.binds == std::map<std::string, std::string>{{"p3", "n2"}});
  PluginBed bed = Bed("proportion",
                      "node n cpu=10; queue a; queue b; job x queue=a; task x1 job=x cpu=3 node=n;"
                      "task x2 job=x cpu=7; job y queue=b; task y1 job=y cpu=4 node=n;"
                      "task y2 job=y cpu=6");
  const auto& order = bed.session().hooks().queue_order[0].fn;
  const World& w = bed.world();
  CHECK(order(w.queue("a"), w.queue("b")) < 0);
  framework::Statement statement(bed.session(), "test");
  statement.Allocate(w.task("x2"), w.node("n"));
  CHECK(order(w.queue("a"), w.queue("b")) > 0);
  statement.RollbackTo({});
  CHECK(order(w.queue("a"), w.queue("b")) < 0);
}

TEST_CASE("proportion: what a job holds does not count again", "[plugins][proportion]") {
  // 3 of 4 cores are bound for a job whose minimum they are: one core can still be admitted for.
  PluginBed bed = Bed("proportion", R"(
    node n cpu=4 mem=8Gi pods=10
    queue q1 cap.cpu=4 cap.mem=8Gi
    job pga queue=q1 min=3 minres.cpu=3 minres.mem=3Gi
    task a1 job=pga cpu=1 mem=1Gi node=n status=binding
    task a2 job=pga cpu=1 mem=1Gi node=n status=binding
    task a3 job=pga cpu=1 mem=1Gi node=n status=binding
    job pgb queue=q1 phase=pending minres.cpu=1 minres.mem=1Gi; task b job=pgb cpu=1 mem=1Gi
    job pgc queue=q1 phase=pending minres.cpu=1 minres.mem=1Gi; task c job=pgc cpu=1 mem=1Gi)");
  CHECK(bed.session().votes().JobEnqueueable(bed.world().job("pgb")));
  bed.session().votes().JobEnqueued(bed.world().job("pgb"));
  CHECK_FALSE(bed.session().votes().JobEnqueueable(bed.world().job("pgc")));
}

TEST_CASE("proportion: a job that others refuse counts nothing", "[plugins][proportion][cycle]") {
  // The second plugin refuses pga, whose minimum the cluster cannot hold.
  const CycleOutcome outcome = Run("enqueue", "proportion,overcommit", R"(
    node n cpu=1 mem=4G pods=10
    queue q1
    job pga queue=q1 phase=pending minres.cpu=1 minres.mem=4G; task a job=pga cpu=1 mem=4G
    task foreign node=n mem=3G
    job pgb queue=q1 phase=pending minres.cpu=1 minres.mem=1G; task b job=pgb cpu=1 mem=1G)",
                                   {{"overcommit", "overcommit-factor: 1"}});
  CHECK(outcome.phases.at("pga") == model::PodGroupPhase::kPending);
  CHECK(outcome.phases.at("pgb") == model::PodGroupPhase::kInqueue);
}

TEST_CASE("proportion: a queue is overused when all it deserves is in use",
          "[plugins][proportion]") {
  PluginBed bed = Bed("proportion", R"(
    node n cpu=10 mem=10 pods=100
    queue full; job f queue=full; task f1 job=f cpu=2 mem=2 node=n
    queue half; job h queue=half; task h1 job=h cpu=2 node=n; task h2 job=h mem=1
    queue none weight=0; job z queue=none; task z1 job=z cpu=1
    queue idle)");
  const World& w = bed.world();
  CHECK(bed.session().votes().Overused(w.queue("full")));
  CHECK_FALSE(bed.session().votes().Overused(w.queue("half")));
  CHECK(bed.session().votes().Overused(w.queue("none")));
  CHECK_FALSE(bed.session().votes().Overused(w.queue("idle")));
}

TEST_CASE("proportion: a queue gives what it has beyond its part", "[plugins][proportion]") {
  PluginBed bed = Bed("proportion", R"(
    node n cpu=6 pods=100
    queue a; job x queue=a
    task x1 job=x cpu=2 node=n; task x2 job=x cpu=2 node=n; task x3 job=x cpu=2 node=n
    queue b; job y queue=b; task y1 job=y cpu=3
    task foreign node=n)");
  const auto& hooks = bed.session().hooks().reclaimable;
  // a deserves 3 of 6: it gives until it holds no more than that.
  CHECK(VictimsOf(bed, hooks, bed.world().task("y1"), {"x2", "foreign", "x1", "x3"}) ==
        Names{"x2", "x1"});
}

// Sums kept by what changed equal sums made anew.
TEST_CASE("proportion: incremental accounts equal fresh ones", "[plugins][proportion][property]") {
  std::string text =
      "node n1 cpu=40 mem=40Gi; node n2 cpu=40 mem=40Gi; queue q0; queue q1 weight=3;"
      "queue q2 cap.cpu=9;";
  for (int job = 0; job < 300; ++job) {
    const std::string name = "j" + std::to_string(job);
    text += "job " + name + " queue=q" + std::to_string(job % 3) + " tasks=2 cpu=1 mem=1Gi" +
            (job % 2 == 0 ? " minres.cpu=2;" : ";");
  }
  World world = MakeWorld(text);
  plugins::proportion::QueueLedger ledger;
  Rng rng(11);
  for (int step = 0; step < 60; ++step) {
    auto next = std::make_shared<model::Snapshot>(*world.snapshot);
    ++next->generation;
    for (int change = 0; change < 3; ++change) {
      const model::TaskId task = model::TaskId::FromIndex(rng.Below(next->tasks.size()));
      const model::TaskRow& row = next->tasks[task];
      const bool place = next->usage.tasks[task].status == model::TaskStatus::kPending;
      next->usage.Move(
          task, row, next->shapes[row.shape],
          place ? model::TaskState{.status = model::TaskStatus::kRunning, .node = model::NodeId(0)}
                : model::TaskState());
      const model::JobId job = model::JobId::FromIndex(rng.Below(next->jobs.size()));
      next->jobs.Mutable(job).queue = model::QueueId::FromIndex(rng.Below(3));
      next->usage.jobs.Mutable(job).phase =
          rng.Chance(0.5) ? model::PodGroupPhase::kRunning : model::PodGroupPhase::kInqueue;
      next->jobs.Mutable(model::JobId::FromIndex(rng.Below(next->jobs.size()))).has_pod_group =
          rng.Chance(0.7);
    }
    if (step % 20 == 19) {
      next->dims = std::make_shared<const model::DimensionTable>(*next->dims);
    }
    world.snapshot = next;
    ledger.Open(*next);
    plugins::proportion::QueueLedger fresh;
    fresh.Open(*next);
    for (const auto& [name, id] : world.queues) {
      CAPTURE(step, name);
      CHECK(ledger[id].has_jobs == fresh[id].has_jobs);
      CHECK(ledger[id].allocated == fresh[id].allocated);
      CHECK(ledger[id].request == fresh[id].request);
      CHECK(ledger[id].elastic == fresh[id].elastic);
      CHECK(ledger[id].inqueue == fresh[id].inqueue);
      CHECK(ledger[id].deserved == fresh[id].deserved);
      CHECK(ledger.InqueueAtOpen(id) == fresh.InqueueAtOpen(id));
    }
  }
}

}  // namespace
}  // namespace bth::test
