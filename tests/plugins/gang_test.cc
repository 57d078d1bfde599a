#include "algo/gang_rules.h"
#include "framework/session/statement.h"
#include "tests/plugins/cycles.h"
#include "tests/plugins/snapshot_changes.h"

namespace bth::test {
namespace {

using framework::EvictionContext;
using framework::JobValidity;

TEST_CASE("gang: a job waits for replacements of leaving pods", "[plugins][gang]") {
  struct Case {
    std::string name, world;
    bool expected;
  };
  const Case c = GENERATE(values<Case>({
      {"enough with the leaving one",
       "node n1; node n2; job a min=2; task t1 job=a node=n1;"
       "task t2 job=a node=n2 status=releasing",
       true},
      {"a replacement is pending",
       "node n1; node n2; job a min=2; task t1 job=a node=n1;"
       "task t2 job=a node=n2 status=releasing; task t3 job=a cpu=1",
       false},
      {"a replacement is pipelined",
       "node n1; node n2; job a min=2; task t1 job=a node=n1;"
       "task t2 job=a node=n2 status=releasing; task t3 job=a node=n2 status=pipelined",
       false},
      {"the leaving one has no node", "node n1; job a min=1; task t1 job=a status=releasing",
       false},
      {"too few even so",
       "node n1; node n2; job a min=3; task t1 job=a node=n1;"
       "task t2 job=a node=n2 status=releasing",
       false},
  }));
  CAPTURE(c.name);
  const World world = MakeWorld(c.world);
  const model::JobId job = world.job("a");
  CHECK(algo::WaitsForReplacements(world.snapshot->jobs[job].min_available,
                                   world.snapshot->usage.jobs[job]) == c.expected);
  PluginBed bed(Builtins(), MakePolicy("", "gang"), world);
  bed.Close();
  CHECK((bed.session().notes().FindCondition(job, "Unschedulable") == nullptr) == c.expected);
}

TEST_CASE("gang: a job is valid with enough pods", "[plugins][gang]") {
  struct Case {
    std::string name, world, reason, message;
  };
  const Case c = GENERATE(values<Case>({
      {"enough", "node n1; job a min=3 tasks=2; task x job=a node=n1", "", ""},
      {"too few", "job a min=3 tasks=2", "NotEnoughTasks",
       "Not enough valid tasks for gang-scheduling, valid: 2, min: 3"},
      {"failed, leaving and unknown ones do not count",
       "node n1; job a min=2 tasks=1; task f job=a status=failed; task r job=a node=n1"
       " status=releasing; task u job=a node=n1 status=unknown",
       "NotEnoughTasks", "Not enough valid tasks for gang-scheduling, valid: 1, min: 2"},
      {"succeeded ones count", "job a min=2 tasks=1; task s job=a status=succeeded", "", ""},
      {"a role is short",
       "job a min=2 roles=ps:1,worker:1; task x job=a role=worker;"
       "task y job=a role=worker",
       "NotEnoughPodsOfTask", "Not enough valid pods of each task for gang-scheduling"},
      {"roles bind only up to the minimum of the job",
       "job a min=1 roles=ps:1,worker:1; task x job=a role=worker", "", ""},
      {"a group lacks sub-jobs", "job a min=1 group.g=1:2; task x job=a sub=g/0",
       "NotEnoughPodsOfTask", "Not enough valid subGroups of each task for gang-scheduling"},
      {"a group has its sub-jobs",
       "job a min=1 group.g=1:2; task x job=a sub=g/0; task y job=a sub=g/1", "", ""},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("gang", c.world);
  const JobValidity validity = bed.session().votes().ValidateJob(bed.world().job("a"));
  CHECK(validity.valid == c.reason.empty());
  CHECK(validity.reason == c.reason);
  CHECK(validity.message == c.message);
}

TEST_CASE("gang: ready, pipelined and starving", "[plugins][gang]") {
  struct Case {
    std::string name, world;
    bool ready, pipelined, starving;
  };
  const Case c = GENERATE(values<Case>({
      {"nothing placed", "job a min=1 tasks=1 cpu=1", false, false, true},
      {"minimum running", "node n1; job a min=1 tasks=1 cpu=1; task x job=a node=n1 cpu=1", true,
       true, false},
      {"waiting best-effort pods count no more than others", "job a min=2 tasks=2", false, false,
       true},
      {"placed best-effort pods count", "node n1; job a min=1; task x job=a node=n1", true, true,
       false},
      {"pipelined", "node n1; job a min=1; task x job=a cpu=1 node=n1 status=pipelined", false,
       true, false},
      {"no minimum", "job a min=0 tasks=1 cpu=1", true, true, false},
      {"a role is short",
       "node n1; job a min=2 roles=ps:1,worker:1; task x job=a role=worker cpu=1 node=n1;"
       "task y job=a role=worker cpu=1 node=n1; task z job=a role=ps cpu=1",
       false, false, false},
      {"a role is pipelined",
       "node n1; job a min=2 roles=ps:1,worker:1; task x job=a role=worker cpu=1 node=n1;"
       "task z job=a role=ps cpu=1 node=n1 status=pipelined",
       false, true, false},
      {"one of two sub-jobs stands",
       "node n1; job a min=1 group.g=1:2; task x job=a sub=g/0 cpu=1 node=n1;"
       "task y job=a sub=g/1 cpu=1",
       false, false, false},
      {"the second sub-job is pipelined",
       "node n1; job a min=1 group.g=1:2; task x job=a sub=g/0 cpu=1 node=n1;"
       "task y job=a sub=g/1 cpu=1 node=n1 status=pipelined",
       false, true, false},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("gang", c.world);
  const model::JobId job = bed.world().job("a");
  CHECK(bed.session().votes().JobReady(job) == c.ready);
  CHECK(bed.session().votes().JobPipelined(job) == c.pipelined);
  CHECK(bed.session().hooks().job_starving(job) == c.starving);
}

TEST_CASE("gang: jobs that are not ready come first", "[plugins][gang]") {
  PluginBed bed = Bed("gang",
                      "node n1; job done min=1; task d job=done node=n1 cpu=1;"
                      "job waits min=1 tasks=1 cpu=1; job other min=1 tasks=1 cpu=1");
  const auto& order = bed.session().hooks().job_order[0].fn;
  const World& w = bed.world();
  CHECK(order(w.job("done"), w.job("waits")) > 0);
  CHECK(order(w.job("waits"), w.job("done")) < 0);
  CHECK(order(w.job("waits"), w.job("other")) == 0);
}

TEST_CASE("gang: in its order waiting best-effort pods count as placed", "[plugins][gang]") {
  PluginBed bed = Bed("gang",
                      "job light min=1 tasks=1; job heavy min=1 tasks=1 cpu=1;"
                      "job g min=2 group.g=1:2; task x job=g sub=g/0; task y job=g sub=g/1 cpu=1");
  const World& w = bed.world();
  CHECK(bed.session().hooks().job_order[0].fn(w.job("light"), w.job("heavy")) > 0);
  const auto sub_job = [&](std::string_view task) {
    return bed.session().task(w.task(task)).sub_job;
  };
  CHECK(bed.session().hooks().sub_job_order[0].fn(sub_job("x"), sub_job("y")) > 0);
}

TEST_CASE("gang: a job gives only what it has beyond its minimum", "[plugins][gang]") {
  struct Case {
    std::string name, world;
    Names candidates, expected;
  };
  const Case c = GENERATE(values<Case>({
      {"two of four",
       "node n1; job a min=2; task t1 job=a node=n1; task t2 job=a node=n1;"
       "task t3 job=a node=n1; task t4 job=a node=n1",
       {"t3", "t1", "t2", "t4"},
       {"t3", "t1"}},
      {"a single pod", "node n1; job a min=1; task t1 job=a node=n1", {"t1"}, {}},
      {"a finished pod enlarges the budget",
       "node n1; job a min=1; task t1 job=a node=n1; task t2 job=a status=succeeded",
       {"t1"},
       {"t1"}},
      {"each job on its own",
       "node n1; job a min=1; task a1 job=a node=n1; task a2 job=a node=n1; job b min=1;"
       "task b1 job=b node=n1; task b2 job=b node=n1",
       {"a1", "b1", "a2", "b2"},
       {"a1", "b1"}},
      {"pods outside of sessions are skipped",
       "node n1; task foreign node=n1; job g nogroup min=0; task g1 job=g node=n1",
       {"foreign", "g1"},
       {}},
  }));
  CAPTURE(c.name);
  PluginBed bed = Bed("gang", c.world);
  const framework::HookTable& hooks = bed.session().hooks();
  CHECK(VictimsOf(bed, hooks.preemptable, model::TaskId(0), c.candidates) == c.expected);
  CHECK(VictimsOf(bed, hooks.reclaimable, model::TaskId(0), c.candidates) == c.expected);
  CHECK(VictimsOf(bed, hooks.unified_evictable, EvictionContext(), c.candidates) == c.candidates);
}

TEST_CASE("gang: conditions say whether the gang stands", "[plugins][gang]") {
  PluginBed bed =
      Bed("gang",
          "node n1 cpu=4; job ready min=1 phase=inqueue; task r job=ready cpu=1 node=n1;"
          "job short min=3 tasks=3 cpu=2; job empty min=1");
  framework::Session& session = bed.session();
  const World& w = bed.world();
  {
    framework::Statement statement(session, "allocate");
    statement.Allocate(w.task("short-0"), w.node("n1"));
    statement.Discard();
  }
  bed.Close();
  const framework::ConditionReport* ready =
      session.notes().FindCondition(w.job("ready"), "Scheduled");
  REQUIRE(ready != nullptr);
  CHECK(ready->status == "True");
  CHECK(ready->reason == "tasks in gang are ready to be scheduled");
  CHECK(ready->message.empty());
  const framework::ConditionReport* lacks =
      session.notes().FindCondition(w.job("short"), "Unschedulable");
  REQUIRE(lacks != nullptr);
  CHECK(lacks->reason == "NotEnoughResources");
  // One of three could have been placed.
  CHECK(lacks->message.starts_with(
      "2/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable"));
  CHECK(session.notes().ConditionsOf(w.job("empty")).empty());
}

TEST_CASE("gang: a job whose queue does not exist is counted in no cycle",
          "[plugins][gang][cycle]") {
  using Jobs = std::vector<model::JobId>;
  World world = MakeWorld("node n cpu=1; job lost tasks=1 cpu=1; job waits tasks=1 cpu=4");
  const model::JobId lost = world.job("lost");
  const model::JobId waits = world.job("waits");
  world = Changed(world, [&](model::Snapshot& snapshot) {
    snapshot.jobs.Mutable(lost).queue = model::QueueId();
    snapshot.all_jobs = snapshot.active_jobs = std::make_shared<const Jobs>(Jobs{waits});
    snapshot.jobs_without_queue = std::make_shared<const Jobs>(Jobs{lost});
  });
  Cycles cycles(MakePolicy("allocate", "gang,predicates"));
  for (int cycle = 0; cycle < 3; ++cycle) {
    CAPTURE(cycle);
    // It is looked at once, and left alone.
    CHECK(cycles.Run(world) == (cycle == 0 ? Jobs{waits} : Jobs()));
    CHECK(cycles.Value("volcano_unschedule_job_count") == "1");
    world = Changed(world, [](model::Snapshot& snapshot) {
      ++snapshot.generation;
      snapshot.changed_jobs = std::make_shared<const Jobs>();
    });
  }
}

TEST_CASE("gang: flags take its hooks out", "[plugins][gang]") {
  PluginBed bed = Bed("gang!enablePreemptable!enableJobReady", "job a min=5 tasks=1 cpu=1");
  CHECK(bed.session().hooks().preemptable.empty());
  CHECK(bed.session().votes().JobReady(bed.world().job("a")));
  CHECK_FALSE(bed.session().hooks().reclaimable.empty());
  CHECK_FALSE(bed.session().hooks().job_valid.empty());
}

TEST_CASE("gang: a gang is bound whole or not at all", "[plugins][gang][cycle]") {
  struct Case {
    std::string name, world;
    size_t binds;
  };
  const Case c = GENERATE(values<Case>({
      {"fits", "node n1 cpu=4 mem=1Gi; job a min=2 tasks=2 cpu=1", 2},
      {"one short", "node n1 cpu=1 mem=1Gi; job a min=2 tasks=2 cpu=1", 0},
      {"third optional", "node n1 cpu=2 mem=1Gi; job a min=2 tasks=3 cpu=1", 2},
  }));
  CAPTURE(c.name);
  CHECK(Run("allocate", "priority,gang;predicates,nodeorder", c.world).binds.size() == c.binds);
}

}  // namespace
}  // namespace bth::test
