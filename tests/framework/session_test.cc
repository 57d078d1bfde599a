#include "framework/session/session.h"

#include <memory>
#include <vector>

#include "algo/gang_rules.h"
#include "framework/report/condition_texts.h"
#include "framework/report/report.h"
#include "framework/session/invariants.h"
#include "framework/session/statement.h"
#include "tests/framework/session_parts.h"
#include "tests/support/catch.h"
#include "tests/support/plugin_bed.h"
#include "tests/support/recording_sink.h"

namespace bth::framework {
namespace {

using model::PodGroupPhase;
using model::TaskStatus;
using test::MakeWorld;
using test::World;

// A session without plugins on a sink that can refuse.
class SessionBed {
 public:
  explicit SessionBed(const World& of) : world(of), session(parts_.Context(world.snapshot, sink)) {
    session.hooks().on_place.Add({0, "test", 0}, [this](const TaskMove& move) {
      moves.push_back(move);
      ++placed;
    });
    session.hooks().on_remove.Add({0, "test", 1}, [this](const TaskMove& move) {
      moves.push_back(move);
      ++removed;
    });
    session.Freeze();
  }
  model::TaskId task(std::string_view name) const { return world.task(name); }
  model::NodeId node(std::string_view name) const { return world.node(name); }
  TaskStatus status(std::string_view name) const { return session.state(task(name)).status; }

  World world;
  test::RecordingSink sink;
  int placed = 0;
  int removed = 0;
  std::vector<TaskMove> moves;

 private:
  SessionParts parts_;

 public:
  Session session;  // Last: it borrows the rest.
};

const char kWorld[] = R"(
  node n1 cpu=4 mem=8Gi
  node n2 cpu=4 mem=8Gi
  job j min=2 tasks=2 cpu=1 mem=1Gi
  job old min=1 phase=running
  task v job=old node=n1 cpu=2 mem=1Gi
)";

TEST_CASE("session: a move tells where the task was and is, and its undoing the same backwards",
          "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  {
    Statement statement(bed.session, "allocate");
    statement.Evict(bed.task("v"), bed.task("j-0"));
    statement.Pipeline(bed.task("j-0"), bed.node("n1"), true);
  }
  REQUIRE(bed.moves.size() == 4);
  CHECK(bed.moves[0].task == bed.task("v"));
  CHECK(bed.moves[0].before.status == TaskStatus::kRunning);
  CHECK(bed.moves[0].before.node == bed.node("n1"));
  CHECK(bed.moves[0].after.status == TaskStatus::kReleasing);
  CHECK(bed.moves[1].task == bed.task("j-0"));
  CHECK(bed.moves[1].before == model::TaskState());
  CHECK(bed.moves[1].after.status == TaskStatus::kPipelined);
  CHECK(bed.moves[1].after.node == bed.node("n1"));
  for (size_t i = 0; i < 2; ++i) {
    CHECK(bed.moves[3 - i].task == bed.moves[i].task);
    CHECK(bed.moves[3 - i].before == bed.moves[i].after);
    CHECK(bed.moves[3 - i].after == bed.moves[i].before);
  }
}

TEST_CASE("session: what a plugin keeps for it goes with it", "[framework]") {
  auto alive = std::make_shared<int>(7);
  {
    SessionBed bed(MakeWorld(kWorld));
    CHECK(*bed.session.Keep<std::shared_ptr<int>>(alive) == 7);
    CHECK(alive.use_count() == 2);
  }
  CHECK(alive.use_count() == 1);
}

TEST_CASE("statement: rollback brings back every sum and the version", "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  const uint64_t digest = bed.session.placements().Digest();
  const uint64_t version = bed.session.placements().version();
  {
    Statement statement(bed.session, "allocate");
    statement.Allocate(bed.task("j-0"), bed.node("n1"));
    const Statement::Mark mark = statement.Checkpoint();
    const uint64_t middle = bed.session.placements().Digest();
    statement.Evict(bed.task("v"), bed.task("j-1"));
    statement.Pipeline(bed.task("j-1"), bed.node("n1"), true);
    CHECK(statement.HasEvictions());
    CHECK(bed.placed == 2);
    CHECK(bed.removed == 1);
    CHECK(bed.session.placements().Digest() != middle);
    statement.RollbackTo(mark);
    CHECK(bed.session.placements().Digest() == middle);
    CHECK_FALSE(statement.HasEvictions());
    CHECK(bed.status("v") == TaskStatus::kRunning);
  }
  CHECK(bed.session.placements().Digest() == digest);
  CHECK(bed.session.placements().version() == version);
  CHECK(bed.placed == bed.removed);
  CHECK(bed.sink.batches.empty());
  CHECK(CheckInvariants(bed.session).empty());
}

TEST_CASE("statement: a commit hands over the net change, each task once", "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  Statement statement(bed.session, "preempt");
  statement.Pipeline(bed.task("j-0"), bed.node("n1"), false);
  statement.Unpipeline(bed.task("j-0"));
  statement.Allocate(bed.task("j-0"), bed.node("n2"));
  statement.Evict(bed.task("v"), bed.task("j-1"));
  statement.Pipeline(bed.task("j-1"), bed.node("n1"), true);
  REQUIRE(statement.Commit().ok());
  REQUIRE(bed.sink.batches.size() == 1);
  const EffectBatch& batch = bed.sink.batches[0];
  CHECK(batch.action == "preempt");
  CHECK(batch.snapshot == bed.world.snapshot);
  REQUIRE(batch.binds.size() == 1);
  CHECK(batch.binds[0].task == bed.task("j-0"));
  CHECK(batch.binds[0].node == bed.node("n2"));
  REQUIRE(batch.evictions.size() == 1);
  CHECK(batch.evictions[0].victim == bed.task("v"));
  CHECK(batch.evictions[0].beneficiary == bed.task("j-1"));
  CHECK(batch.evictions[0].action == "preempt");
  CHECK(bed.status("j-0") == TaskStatus::kBinding);
  CHECK(bed.status("j-1") == TaskStatus::kPipelined);
  CHECK(bed.status("v") == TaskStatus::kReleasing);
  CHECK(statement.empty());
}

TEST_CASE("statement: a refusing sink undoes everything", "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  const uint64_t digest = bed.session.placements().Digest();
  bed.sink.answer = absl::ResourceExhaustedError("too much is under way");
  Statement statement(bed.session, "allocate");
  statement.Allocate(bed.task("j-0"), bed.node("n1"));
  statement.Allocate(bed.task("j-1"), bed.node("n2"));
  CHECK(absl::IsResourceExhausted(statement.Commit()));
  CHECK(bed.session.placements().Digest() == digest);
  CHECK(bed.status("j-0") == TaskStatus::kPending);
  CHECK(statement.empty());
}

TEST_CASE("statement: nothing placed means nothing sent, pipelined tasks alone neither",
          "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  Statement statement(bed.session, "allocate");
  CHECK(statement.Commit().ok());
  statement.Pipeline(bed.task("j-0"), bed.node("n1"), false);
  CHECK(statement.Commit().ok());
  CHECK(bed.sink.batches.empty());
  CHECK(bed.status("j-0") == TaskStatus::kPipelined);
}

TEST_CASE("statement: a discard remembers the plan, a commit forgets it", "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  {
    Statement statement(bed.session, "allocate");
    statement.Allocate(bed.task("j-0"), bed.node("n1"));
    statement.Discard();
  }
  CHECK(bed.status("j-0") == TaskStatus::kPending);
  REQUIRE(bed.session.notes().PlanOf(bed.task("j-0")) != nullptr);
  CHECK(bed.session.notes().PlanOf(bed.task("j-0"))->node == bed.node("n1"));
  const TaskWord word = DescribeTask(bed.session, bed.task("j-0"));
  CHECK(word.reason == "Schedulable");
  CHECK(word.message ==
        "Pod ns/j-0 can possibly be assigned to n1, once minAvailable is satisfied");
  Statement again(bed.session, "allocate");
  again.Allocate(bed.task("j-0"), bed.node("n2"));
  REQUIRE(again.Commit().ok());
  CHECK(bed.session.notes().PlanOf(bed.task("j-0")) == nullptr);
}

TEST_CASE("session: words of a pipelined task name the node only when room was made",
          "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  for (bool evicts : {false, true}) {
    Statement statement(bed.session, "preempt");
    statement.Pipeline(bed.task("j-0"), bed.node("n1"), evicts);
    const TaskWord word = DescribeTask(bed.session, bed.task("j-0"));
    CHECK(word.reason == "Unschedulable");
    CHECK(word.message ==
          "Pod ns/j-0 can possibly be assigned to n1, once resource is "
          "released and minAvailable is satisfied");
    CHECK(word.nominated_node.valid() == evicts);
  }
}

TEST_CASE("session: tasks with an index in their names go by it, others by age and UID",
          "[framework]") {
  // Written in an order that ages them the other way round.
  SessionBed bed(MakeWorld(R"(
    job a-b min=1
    task a-b-10 job=a-b
    task a-b-9 job=a-b
    task a-b-x job=a-b
    task p-1 job=a-b
    task p-0 job=a-b
  )"));
  struct Case {
    const char* first;
    const char* second;
  };
  for (const Case& c : {Case{"a-b-9", "a-b-10"},  // By number, not by text or age.
                        Case{"a-b-10", "a-b-x"},  // One has no number: by age.
                        Case{"p-1", "p-0"},       // Two parts make no index: by age.
                        Case{"a-b-10", "p-0"}}) {
    INFO(c.first << " before " << c.second);
    CHECK(bed.session.votes().CompareTasks(bed.task(c.first), bed.task(c.second)) < 0);
    CHECK(bed.session.votes().CompareTasks(bed.task(c.second), bed.task(c.first)) > 0);
  }
}

TEST_CASE("session: the job message counts, names reasons and the origin", "[framework]") {
  SessionBed bed(MakeWorld(R"(
    node n1 cpu=1
    job j min=6
    task task-1 job=j cpu=1
    task task-2 job=j cpu=1
    task task-3 job=j cpu=1
    task task-4 job=j cpu=1
    task task-5 job=j cpu=1
    task task-6 job=j cpu=1
  )"));
  Statement tried(bed.session, "allocate");
  for (const char* name : {"task-1", "task-2", "task-3"}) {
    tried.Allocate(bed.task(name), bed.node("n1"));
  }
  tried.Discard();
  TaskFit fit;
  fit.nodes_refused = 3;
  fit.counts = {{"node(s) resource fit failed", 2}, {"node(s) pod number exceeded", 1}};
  bed.session.notes().RecordFit(bed.task("task-6"), std::make_shared<const TaskFit>(fit));
  CHECK(JobMessage(bed.session, bed.world.job("j")) ==
        "pod group is not ready, 6 Pending, 6 minAvailable; Pending: 3 Schedulable, "
        "3 Unschedulable. Origin reason is task-6: 0/3 nodes are unavailable: "
        "1 node(s) pod number exceeded, 2 node(s) resource fit failed.");
  bed.session.notes().HoldAt(bed.world.job("j"), Gate::kQueueOverused, "proportion",
                             "queue is full");
  CHECK(JobMessage(bed.session, bed.world.job("j")) ==
        "pod group is not ready, 6 Pending, 6 minAvailable; Pending: 3 Schedulable, "
        "3 Unschedulable. Origin reason is: queue is full");
}

TEST_CASE("session: the lowest gate said stays", "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  const model::JobId job = bed.world.job("j");
  CHECK(bed.session.notes().HoldOf(job) == nullptr);
  bed.session.notes().HoldAt(job, Gate::kQuota, "capacity", "quota");
  bed.session.notes().HoldAt(job, Gate::kFilters, "", "filters");
  CHECK(bed.session.notes().HoldOf(job)->message == "quota");
  bed.session.notes().HoldAt(job, Gate::kQueueClosed, "", "closed");
  CHECK(bed.session.notes().HoldOf(job)->message == "closed");
  CHECK(ExplainJob(bed.session, job).gate == Gate::kQueueClosed);
}

TEST_CASE("session: what no node could take is said before the queue's share", "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  const model::JobId job = bed.world.job("j");
  bed.session.notes().HoldAt(job, Gate::kQuota, "proportion", "quota");
  CHECK(ExplainJob(bed.session, job).gate == Gate::kQuota);
  CHECK(JobMessage(bed.session, job).ends_with("Origin reason is: quota"));
  auto fit = std::make_shared<TaskFit>();
  fit->exemplar = bed.session.job(job).tasks->front();
  fit->nodes_refused = 3;
  bed.session.notes().RecordFit(fit->exemplar, fit);
  CHECK(ExplainJob(bed.session, job).gate == Gate::kFilters);
  CHECK(JobMessage(bed.session, job).ends_with(": 0/3 nodes are unavailable"));
  bed.session.notes().HoldAt(job, Gate::kFilters, "", "filters");
  CHECK(JobMessage(bed.session, job).ends_with("Origin reason is: filters"));
}

TEST_CASE("session: why nobody was evicted is told beside any gate, until the job is placed",
          "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  const model::JobId job = bed.world.job("j");
  const model::TaskId task = bed.session.job(job).tasks->front();
  auto fit = std::make_shared<TaskFit>();
  fit->exemplar = task;
  fit->nodes_refused = 3;
  fit->preset = "0/3 nodes are unavailable: 3 full.";
  bed.session.notes().RecordFit(task, fit);
  const std::string words = "preempt: 3 candidates on 1 node; protected: 2 by drf, 1 by gang";
  bed.session.notes().NoteVictimSearch(job, {.action = "preempt", .task = task, .preset = "old"});
  bed.session.notes().NoteVictimSearch(job, {.action = "preempt",
                                             .task = task,
                                             .candidates = 3,
                                             .candidate_nodes = 1,
                                             .by_plugin = {{"gang", 1}, {"drf", 2}}});
  CHECK(DescribeTask(bed.session, task).message == "0/3 nodes are unavailable: 3 full. " + words);
  CHECK(JobMessage(bed.session, job).ends_with("3 full. " + words));
  CHECK(ExplainJob(bed.session, job).gate == Gate::kFilters);
  bed.session.notes().HoldAt(job, Gate::kQueueOverused, "proportion", "queue is full");
  CHECK(JobMessage(bed.session, job).ends_with("Origin reason is: queue is full; " + words));
  REQUIRE(ExplainJob(bed.session, job).victim_searches.size() == 1);
  CHECK(ExplainJob(bed.session, job).victim_searches[0].by_plugin.at("drf") == 2);
  const model::NodeId node = bed.session.base().nodes_by_name->front();
  {
    Statement undone(bed.session, "allocate");
    undone.Pipeline(task, node, false);
  }
  CHECK(ExplainJob(bed.session, job).victim_searches.size() == 1);
  Statement kept(bed.session, "allocate");
  kept.Pipeline(task, node, false);
  kept.Keep();
  CHECK(ExplainJob(bed.session, job).victim_searches.empty());
}

TEST_CASE("session: a condition replaces the one of its type", "[framework]") {
  SessionBed bed(MakeWorld(kWorld));
  const model::JobId job = bed.world.job("j");
  bed.session.notes().SetCondition(job, {"Unschedulable", "True", "NotEnoughTasks", "a"});
  bed.session.notes().SetCondition(job, {"Scheduled", "True", "r", "b"});
  bed.session.notes().SetCondition(job, {"Unschedulable", "True", "NotEnoughResources", "c"});
  CHECK(bed.session.notes().ConditionsOf(job).size() == 2);
  CHECK(bed.session.notes().FindCondition(job, "Unschedulable")->message == "c");
  CHECK(bed.session.notes().FindCondition(job, "Other") == nullptr);
}

TEST_CASE("report: phases from counts", "[framework]") {
  using S = TaskStatus;
  struct Case {
    const char* what;
    std::vector<std::pair<S, int>> counts;
    int releasing_on_node;
    int32_t min;
    bool unschedulable;
    PodGroupPhase before;
    PodGroupPhase after;
  };
  using P = PodGroupPhase;
  const Case cases[] = {
      {"all run", {{S::kRunning, 2}}, 0, 2, false, P::kInqueue, P::kRunning},
      {"one runs, one cannot",
       {{S::kRunning, 1}, {S::kPending, 1}},
       0,
       2,
       true,
       P::kRunning,
       P::kUnknown},
      {"an earlier session's condition",
       {{S::kRunning, 1}, {S::kPending, 1}},
       0,
       2,
       false,
       P::kRunning,
       P::kPending},
      {"all succeeded", {{S::kSucceeded, 2}}, 0, 2, false, P::kRunning, P::kCompleted},
      {"succeeded and failed",
       {{S::kSucceeded, 1}, {S::kFailed, 1}},
       0,
       2,
       false,
       P::kRunning,
       P::kCompleted},
      {"one still runs",
       {{S::kSucceeded, 2}, {S::kRunning, 1}},
       0,
       2,
       false,
       P::kRunning,
       P::kRunning},
      {"in line stays in line", {{S::kPending, 2}}, 0, 2, false, P::kInqueue, P::kInqueue},
      {"pending stays pending", {{S::kPending, 2}}, 0, 2, false, P::kPending, P::kPending},
      {"new", {{S::kPending, 2}}, 0, 2, false, P::kNone, P::kPending},
      {"releasing on their nodes", {{S::kReleasing, 2}}, 2, 2, false, P::kRunning, P::kRunning},
      {"decided is not yet scheduled",
       {{S::kBinding, 1}, {S::kAllocated, 1}, {S::kPipelined, 1}},
       0,
       2,
       false,
       P::kInqueue,
       P::kInqueue},
      {"bound counts", {{S::kBound, 2}}, 0, 2, false, P::kInqueue, P::kRunning},
      {"nothing asked, nothing there", {}, 0, 0, false, P::kNone, P::kCompleted},
      {"nothing there", {}, 0, 1, false, P::kInqueue, P::kInqueue},
  };
  for (const Case& c : cases) {
    INFO(c.what);
    model::JobCounts counts;
    counts.phase = c.before;
    for (const auto& [status, n] : c.counts) counts.by_status[static_cast<size_t>(status)] = n;
    counts.releasing_on_node = c.releasing_on_node;
    CHECK(model::PhaseName(algo::DerivePhase(counts, c.min, c.unschedulable)) ==
          model::PhaseName(c.after));
  }
}

}  // namespace
}  // namespace bth::framework
