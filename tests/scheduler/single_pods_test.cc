// The agent scheduler: every pod of ours for itself.
#include <set>
#include <stdexcept>

#include "tests/scheduler/agent_bed.h"

namespace bth::scheduler {
namespace {

using testing::AgentBed;
using testing::AgentPod;
using testing::Fault;
using Names = std::vector<std::string>;

std::vector<std::string> TargetsWith(const std::vector<std::string>& targets,
                                     std::string_view part) {
  std::vector<std::string> out;
  for (const std::string& target : targets) {
    if (target.find(part) != target.npos) out.push_back(target);
  }
  return out;
}

TEST_CASE("single pods: one is bound at once, and nothing of groups and queues is read or written",
          "[scheduler][agent]") {
  AgentBed bed;
  std::vector<std::string> targets;
  bed.line->on_request = [&](const net::Request& request) { targets.push_back(request.target); };
  bed.Node("n1", 4);
  bed.BeginAgent();
  const absl::Time start = bed.executor.Now();
  bed.Single("p", {.annotations = R"(,"scheduling.k8s.io/group-name":"a-gang-of-others")"});
  bed.executor.Advance(absl::ZeroDuration());
  CHECK(bed.NodeOf("p") == "n1");
  CHECK(bed.executor.Now() == start);
  bed.Settle();
  CHECK(bed.Events("Scheduled") == Names{"Pod/p x1"});
  CHECK(bed.EventMessage("Scheduled", "p") == "Successfully assigned default/p to n1");
  CHECK(TargetsWith(targets, "volcano.sh").empty());
  CHECK(TargetsWith(targets, "priorityclasses").empty());
  CHECK(bed.scheduler->idle());
  CHECK(bed.scheduler->mirror().Check().ToString() == "OK");
  CHECK(bed.Metric("volcano_worker_scheduling_cycle_duration_milliseconds_count") == 1);
  CHECK(bed.Metric("volcano_update_snapshot_duration_milliseconds_count") >= 1);
}

TEST_CASE("single pods: the urgent come first, then priority, then age", "[scheduler][agent]") {
  AgentBed bed;
  bed.NoteBindings();
  bed.Node("n1", 8);
  // Before the scheduler starts, so that all are decided in one round.
  bed.Single("old");
  bed.executor.Advance(absl::Seconds(1));
  bed.Single("important", {.priority = 7});
  bed.executor.Advance(absl::Seconds(1));
  bed.Single("high", {.urgency = "50"});
  bed.Single("urgent", {.priority = -3, .urgency = "100"});
  bed.Single("nonsense", {.urgency = "1e9"});
  bed.Single("late", {.urgency = "-1"});
  bed.BeginAgent();
  CHECK(bed.bound_in_order == Names{"urgent", "high", "important", "old", "nonsense", "late"});
}

TEST_CASE("single pods: a pod whose urgency grows passes those before it", "[scheduler][agent]") {
  AgentBed bed;
  bed.Node("n1", 1);
  bed.Single("holder");
  bed.BeginAgent();
  REQUIRE(bed.NodeOf("holder") == "n1");
  bed.Single("first");
  bed.Single("second");
  bed.Settle();
  REQUIRE(bed.Call("PATCH", AgentBed::PodPath("second"),
                   R"({"metadata":{"annotations":{"volcano.sh/scheduling-priority":"100"}}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  bed.Delete(AgentBed::PodPath("holder"));
  bed.Settle();
  CHECK(bed.NodeOf("second") == "n1");
  CHECK_FALSE(bed.Bound("first"));
  CHECK(bed.scheduler->mirror().Check().ToString() == "OK");
}

TEST_CASE("single pods: who fits nowhere says why once, and is left alone until room grows",
          "[scheduler][agent]") {
  AgentBed bed;
  bed.Node("n1", 2);
  bed.BeginAgent();
  bed.Single("big", {.cpu = "3"});
  bed.Settle();
  CHECK(bed.PodCondition("big") ==
        "False Unschedulable: 0/1 nodes are unavailable: 1 Insufficient cpu.");
  CHECK(bed.Events("FailedScheduling") == Names{"Pod/big x1"});
  const size_t writes = bed.writes;
  const uint64_t cycles = bed.scheduler->cycles();
  bed.executor.Advance(absl::Minutes(30));
  CHECK(bed.writes == writes);
  CHECK(bed.scheduler->cycles() == cycles);
  // Another pod comes and goes: nothing that could help.
  bed.Single("small");
  bed.Settle();
  bed.Delete(AgentBed::PodPath("small"));
  bed.Settle();
  CHECK(bed.Metric("batholith_pending_jobs{queue=\"unschedulable\"}") == 1);
  CHECK_FALSE(bed.Bound("big"));
  const absl::Time start = bed.executor.Now();
  bed.Node("n2", 3);
  bed.executor.Advance(absl::Milliseconds(50));
  CHECK(bed.NodeOf("big") == "n2");
  CHECK(bed.executor.Now() - start <= absl::Milliseconds(50));
}

TEST_CASE("single pods: what a pod leaves behind goes to whoever waits for it",
          "[scheduler][agent]") {
  AgentBed bed;
  bed.Node("n1", 2);
  bed.BeginAgent();
  bed.Single("a", {.cpu = "2"});
  bed.Settle();
  bed.Single("b", {.cpu = "2"});
  bed.Settle();
  bed.Single("c", {.cpu = "2"});
  bed.Settle();
  REQUIRE(bed.NodeOf("a") == "n1");
  REQUIRE_FALSE(bed.Bound("b"));
  bed.Delete(AgentBed::PodPath("a"));
  bed.Settle();
  CHECK(bed.NodeOf("b") == "n1");
  CHECK_FALSE(bed.Bound("c"));
}

TEST_CASE("single pods: room that is being left is told of, and held for nobody",
          "[scheduler][agent]") {
  AgentBed bed;
  bed.Node("n1", 4);
  bed.BeginAgent();
  bed.Single("leaves", {.cpu = "3"});
  bed.Settle();
  REQUIRE(bed.Call("PATCH", AgentBed::PodPath("leaves") + "/status",
                   R"({"status":{"phase":"Running"}})", "application/merge-patch+json")
              .code == 200);
  REQUIRE(bed.Call("DELETE", AgentBed::PodPath("leaves") + "?gracePeriodSeconds=3600").code == 200);
  bed.Single("waits", {.cpu = "2"});
  bed.Settle();
  CHECK(bed.PodCondition("waits") ==
        "False Unschedulable: Pod default/waits can possibly be assigned to n1, once resource is "
        "released");
  // One core is free now, and nobody is pipelined to it.
  bed.Single("small");
  bed.Settle();
  CHECK(bed.NodeOf("small") == "n1");
  bed.Delete(AgentBed::PodPath("leaves"));
  bed.Settle();
  CHECK(bed.NodeOf("waits") == "n1");
}

TEST_CASE("single pods: a binding that the server refuses is tried again after growing pauses",
          "[scheduler][agent]") {
  AgentBed bed;
  bed.Node("n1", 4);
  bed.BeginAgent();
  bed.NoteBindings();
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!absl::EndsWith(request.target, "/bad/binding") || bed.bound_at.size() > 4)
      return std::nullopt;
    return Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.Single("bad");
  bed.executor.Advance(absl::Seconds(1));
  bed.Single("good");
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.NodeOf("good") == "n1");  // Nobody waits for the one that fails.
  CHECK(absl::StartsWith(bed.PodCondition("bad"), "False SchedulerError: failed to bind to node"));
  bed.executor.Advance(absl::Minutes(10));
  REQUIRE(bed.bound_in_order == Names{"bad", "good", "bad", "bad", "bad"});
  CHECK(bed.bound_at[2] - bed.bound_at[0] >= absl::Seconds(5));
  CHECK(bed.bound_at[3] - bed.bound_at[2] >= absl::Seconds(10));
  CHECK(bed.bound_at[4] - bed.bound_at[3] >= absl::Seconds(20));
  CHECK(bed.NodeOf("bad") == "n1");
}

TEST_CASE("single pods: scheduling gates are waited for", "[scheduler][agent]") {
  AgentBed bed;
  bed.Node("n1", 4);
  bed.BeginAgent();
  bed.Single("gated", {.spec = R"(,"schedulingGates":[{"name":"somebody"}])"});
  bed.Settle();
  CHECK_FALSE(bed.Bound("gated"));
  REQUIRE(bed.Call("PATCH", AgentBed::PodPath("gated"), R"({"spec":{"schedulingGates":null}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(bed.NodeOf("gated") == "n1");
}

TEST_CASE("single pods: pods of others take their room, and nothing else is done about them",
          "[scheduler][agent]") {
  AgentBed bed;
  bed.Node("n1", 3);
  bed.BeginAgent();
  bed.Pod("foreign", "", 1, "volcano");
  bed.Settle();
  CHECK_FALSE(bed.Bound("foreign"));
  CHECK(bed.PodCondition("foreign").empty());
  bed.Create(AgentBed::PodPath("foreign") + "/binding",
             R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"foreign"},)"
             R"("target":{"kind":"Node","name":"n1"}})");
  bed.Single("big", {.cpu = "3"});
  bed.Single("fits", {.cpu = "2"});
  bed.Settle();
  CHECK(bed.NodeOf("fits") == "n1");
  CHECK_FALSE(bed.Bound("big"));
  CHECK(bed.scheduler->mirror().Check().ToString() == "OK");
}

TEST_CASE("single pods: a binding that was under way when the scheduler died is completed once",
          "[scheduler][agent]") {
  // Whether the server had carried it out before or not.
  const bool reached = GENERATE(false, true);
  CAPTURE(reached);
  AgentBed bed;
  bed.Node("n1", 4);
  bed.BeginAgent();
  int bindings = 0;
  bed.line->script = [&](const net::Request& request) -> std::optional<Fault> {
    if (!absl::EndsWith(request.target, "/binding")) return std::nullopt;
    ++bindings;
    if (bindings > 1) return std::nullopt;
    return reached ? Fault{.answer_delay = absl::Seconds(5)} : Fault{.delay = absl::Seconds(5)};
  };
  bed.Single("p");
  bed.executor.Advance(absl::Seconds(1));
  REQUIRE(bindings == 1);
  bed.scheduler.reset();
  bed.executor.Advance(absl::Seconds(10));
  REQUIRE(bed.Bound("p") == reached);
  bed.BeginAgent();
  CHECK(bed.NodeOf("p") == "n1");
  CHECK(bindings == (reached ? 1 : 2));
  bed.Single("next", {.cpu = "3"});
  bed.Settle();
  CHECK(bed.NodeOf("next") == "n1");
}

TEST_CASE("single pods: only nodes of the shard are used, and the status says so",
          "[scheduler][agent]") {
  AgentBed bed;
  bed.Node("n1", 8);
  bed.Node("n2", 2);
  bed.Create("/apis/shard.volcano.sh/v1alpha1/nodeshards",
             R"({"apiVersion":"shard.volcano.sh/v1alpha1","kind":"NodeShard",)"
             R"("metadata":{"name":"agent-scheduler"},"spec":{"nodesDesired":["n2"]}})");
  SchedulerOptions options;
  options.shard = {.mode = model::ShardMode::kHard, .name = "agent-scheduler"};
  bed.BeginAgent(options);
  bed.Single("a");
  bed.Settle();
  bed.Single("b", {.cpu = "2"});
  bed.Settle();
  CHECK(bed.NodeOf("a") == "n2");
  CHECK(bed.PodCondition("b") ==
        "False Unschedulable: 0/2 nodes are unavailable: 1 Insufficient cpu, 1 node isn't in "
        "scheduler node shard.");
  const types::Json shard = bed.Get("/apis/shard.volcano.sh/v1alpha1/nodeshards/agent-scheduler");
  CHECK(shard.At({"status", "nodesInUse"}).Dump() == R"(["n2"])");
}

TEST_CASE("single pods: a policy about gangs is refused, and says why", "[scheduler][agent]") {
  struct Case {
    const char* policy;
    const char* message;
  };
  const Case c = GENERATE(
      values<Case>({{"actions: \"allocate\"\ntiers:\n- plugins: [{name: gang}, {name: predicates}]",
                     "plugin gang: has nothing to say about single pods"},
                    {"actions: \"enqueue, allocate\"\ntiers:\n- plugins: [{name: predicates}]",
                     "action enqueue: is about gangs, queues or evictions"}}));
  AgentBed bed;
  test::TempFolder folder;
  SchedulerOptions options;
  options.policy.path = folder.Write("agent-scheduler.conf", c.policy);
  bed.registry = testing::BuiltinRegistry();
  cmd::ServeSinglePods(1, bed.metric_registry, &bed.registry, &options);
  bed.MakeScheduler(options);
  CHECK_THAT(std::string(bed.scheduler->LoadPolicy().message()), Catch::Contains(c.message));
}

// Fails with pods that are called "bad".
class FailsOnBad final : public framework::Plugin {
 public:
  std::string_view name() const override { return "usage"; }
  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    hooks.PreFilter([&session](model::TaskId task) {
      if (session.task(task).names->name == "bad") throw std::out_of_range("no such row");
      return framework::kFits;
    });
    return absl::OkStatus();
  }
};

TEST_CASE("single pods: the pod that a cycle fails with is left aside, and the others are bound",
          "[scheduler][agent]") {
  const int workers = GENERATE(1, 3);
  CAPTURE(workers);
  AgentBed bed(workers);
  bed.adapt = [](framework::Registry& registry) {
    registry.plugins["usage"] = [](const conf::Arguments&) {
      return absl::StatusOr<std::unique_ptr<framework::Plugin>>(std::make_unique<FailsOnBad>());
    };
  };
  bed.Node("n1", 200);
  test::TempFolder folder;
  SchedulerOptions options;
  options.policy.path = folder.Write("agent-scheduler.conf",
                                     "actions: \"allocate\"\ntiers:\n- plugins:\n"
                                     "  - name: usage\n  - name: predicates\n");
  bed.Single("bad");
  for (int i = 0; i < 60; ++i) bed.Single(StrCat("good-", i));
  bed.BeginAgent(options);
  bed.Settle();
  for (int i = 0; i < 60; ++i) CHECK(bed.Bound(StrCat("good-", i)));
  CHECK_FALSE(bed.Bound("bad"));
  CHECK_THAT(bed.EventMessage("SetAside", "bad"), Catch::Contains("defect of the scheduler"));
  CHECK(bed.scheduler->idle());
}

}  // namespace
}  // namespace bth::scheduler
