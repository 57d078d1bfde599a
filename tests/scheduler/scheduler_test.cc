#include "scheduler/scheduler.h"

#include <set>

#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using testing::Bed;
using types::Json;

TEST_CASE("scheduler: the standing queues are made", "[scheduler]") {
  Bed bed;
  bed.Start();
  CHECK(bed.scheduler->ready());
  const std::string queues = "/apis/scheduling.volcano.sh/v1beta1/queues/";
  CHECK(bed.Get(queues + "root").At({"spec", "reclaimable"}) == types::Json(false));
  CHECK(bed.Get(queues + "default").At({"spec", "reclaimable"}) == types::Json(true));
}

TEST_CASE("scheduler: a gang that fits is bound whole", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Node("n2", 2);
  bed.Start();
  bed.Group("g", 3);
  for (const char* pod : {"a", "b", "c"}) bed.Pod(pod, "g", 1);
  bed.Settle();
  std::map<std::string, int> on;
  for (const char* pod : {"a", "b", "c"}) ++on[bed.NodeOf(pod)];
  CHECK(on.size() == 2);
  CHECK(on["n1"] + on["n2"] == 3);
  CHECK(bed.scheduler->idle());
  CHECK(bed.Get(Bed::GroupPath("g")).At({"status", "phase"}).AsString() == "Running");
}

TEST_CASE("scheduler: a group made anew under its name is admitted anew", "[scheduler]") {
  // As the Job controller makes it when a job is restarted or resumed.
  Bed bed;
  bed.Node("n1", 2);
  bed.Start();
  for (int life = 0; life < 3; ++life) {
    CAPTURE(life);
    bed.Group("g", 2);
    bed.Settle();
    CHECK(bed.Get(Bed::GroupPath("g")).At({"status", "phase"}).AsString() == "Inqueue");
    REQUIRE(bed.Call("DELETE", Bed::GroupPath("g")).code == 200);
  }
}

TEST_CASE("scheduler: after a rest a new pod does not wait for others", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 4);
  bed.Start();
  bed.Group("g", 1);
  bed.Settle();
  const absl::Time start = bed.executor.Now();
  bed.Pod("first", "g", 1);
  bed.executor.Advance(absl::ZeroDuration());
  CHECK(bed.NodeOf("first") == "n1");
  // The next one comes on its heels.
  bed.Pod("second", "g", 1);
  bed.executor.Advance(absl::Milliseconds(1));
  CHECK(bed.NodeOf("second") == "n1");
  CHECK(bed.executor.Now() - start == absl::Milliseconds(1));
}

TEST_CASE("scheduler: a gang that does not fit is left whole and told why", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 3);  // Enough cores in all, but in the wrong places.
  bed.Node("n2", 1);
  bed.Start();
  bed.Group("g", 2);
  for (const char* pod : {"a", "b"}) bed.Pod(pod, "g", 2);
  bed.Settle();
  for (const char* pod : {"a", "b"}) {
    CHECK(bed.NodeOf(pod).empty());
    CHECK(absl::StartsWith(bed.PodCondition(pod), "False "));
  }
  const std::string condition = bed.Condition(Bed::GroupPath("g"), "Unschedulable");
  INFO(condition);
  CHECK(absl::StartsWith(condition, "True NotEnoughResources: 1/2 tasks in gang unschedulable: "));
  CHECK(absl::StrContains(condition, "0/2 nodes are unavailable: 2 Insufficient cpu."));
  // Room for the rest lets the whole gang go.
  bed.Node("n3", 2);
  bed.Settle();
  for (const char* pod : {"a", "b"}) CHECK_FALSE(bed.NodeOf(pod).empty());
}

TEST_CASE("scheduler: a pod that no PodGroup claims is told so", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Start();
  bed.Pod("alone", "", 1);
  bed.Pod("early", "later", 1);
  bed.Settle();
  CHECK(bed.PodCondition("alone") == "False Unschedulable: " + GrouplessMessage(""));
  CHECK(bed.PodCondition("early") == "False Unschedulable: " + GrouplessMessage("default/later"));
  bed.Group("later", 1);
  bed.Settle();
  CHECK(bed.NodeOf("early") == "n1");
  CHECK(bed.NodeOf("alone").empty());
}

TEST_CASE("scheduler: nothing is written and no cycle runs while nothing changes", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Start();
  bed.Group("fits", 1);
  bed.Pod("a", "fits", 1);
  bed.Group("waits", 3);  // More than the node holds, whatever goes first.
  for (const char* pod : {"b", "c", "d"}) bed.Pod(pod, "waits", 1);
  bed.Pod("alone", "", 1);
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.NodeOf("a") == "n1");
  const size_t writes = bed.writes;
  const uint64_t cycles = bed.scheduler->cycles();
  CHECK(writes > 0);
  bed.executor.Advance(absl::Minutes(10));
  CHECK(bed.writes == writes);
  CHECK(bed.scheduler->cycles() == cycles);
}

TEST_CASE("scheduler: nothing is decided before it leads, nor afterwards", "[scheduler]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.MakeScheduler();
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  bed.scheduler->StartCache();
  bed.Group("g", 1);
  bed.Pod("a", "g", 1);
  bed.Settle();
  CHECK(bed.scheduler->ready());
  CHECK(bed.scheduler->cycles() == 0);
  CHECK(bed.writes == 0);
  bed.scheduler->Lead();
  bed.Settle();
  CHECK(bed.NodeOf("a") == "n1");
  bed.scheduler->StopLeading();
  const uint64_t cycles = bed.scheduler->cycles();
  bed.Group("h", 1);
  bed.Pod("b", "h", 1);
  bed.Settle();
  CHECK(bed.scheduler->cycles() == cycles);
  CHECK(bed.NodeOf("b").empty());
}

TEST_CASE("scheduler: a lease that ran out unnoticed ends its decisions", "[scheduler]") {
  Bed bed;
  bool leads = true;
  SchedulerOptions options;
  options.may_lead = [&leads] { return leads; };
  bed.Node("n1", 2);
  bed.Start(options);
  bed.Group("g", 1);
  bed.Pod("a", "g", 1);
  bed.Settle();
  REQUIRE(bed.NodeOf("a") == "n1");
  leads = false;  // As after a long sleep: nobody has called StopLeading.
  const uint64_t cycles = bed.scheduler->cycles();
  bed.Group("h", 1);
  bed.Pod("b", "h", 1);
  bed.Settle();
  CHECK(bed.scheduler->leading());
  CHECK(bed.scheduler->cycles() == cycles);
  CHECK(bed.NodeOf("b").empty());
}

TEST_CASE("scheduler: only nodes with a chosen label are used", "[scheduler]") {
  Bed bed;
  bed.Node("foreign", 100);
  bed.Node("first", 8);
  bed.Node("second", 8);
  const auto label = [&bed](const std::string& node, const std::string& labels) {
    types::Json object = bed.Get("/api/v1/nodes/" + node);
    object["metadata"].Set("labels", *types::Json::Parse(labels));
    REQUIRE(bed.Call("PUT", "/api/v1/nodes/" + node, object.Dump()).code == 200);
  };
  label("first", R"({"pool":"batch"})");
  label("second", R"({"pool":"other","batch":"yes"})");
  SchedulerOptions options;
  options.node_labels = {{"pool", "batch"}, {"batch", "yes"}};
  // A pod of ours that somebody put on a node that is not.
  bed.Group("g", 1);
  bed.Pod("placed", "g", 1);
  REQUIRE(bed.Call("POST", "/api/v1/namespaces/default/pods/placed/binding",
                   R"({"metadata":{"name":"placed"},"target":{"kind":"Node","name":"foreign"}})")
              .code == 201);
  bed.Start(options);
  for (const char* pod : {"a", "b", "c"}) bed.Pod(pod, "g", 5);  // One on each node.
  bed.Settle();
  std::set<std::string> used = {bed.NodeOf("a"), bed.NodeOf("b"), bed.NodeOf("c")};
  CHECK(used == std::set<std::string>{"", "first", "second"});
  CHECK(bed.NodeOf("placed") == "foreign");
  // A node may become ours, and cease to be.
  label("foreign", R"({"pool":"batch"})");
  bed.Settle();
  CHECK(std::set<std::string>{bed.NodeOf("a"), bed.NodeOf("b"), bed.NodeOf("c")} ==
        std::set<std::string>{"first", "foreign", "second"});
  label("foreign", "{}");
  bed.Pod("d", "g", 5);
  bed.Settle();
  CHECK(bed.NodeOf("d").empty());
}

// Lets tasks be placed when the clock has passed a time, and tells nobody that it did.
class Curfew final : public framework::Plugin {
 public:
  explicit Curfew(absl::Time end) : end_(end) {}
  std::string_view name() const override { return "curfew"; }
  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    const bool open = session.context().clock->Now() >= end_;
    hooks.Allocatable([open](model::QueueId, model::TaskId) { return open; });
    return absl::OkStatus();
  }
  bool follows_clock() const override { return true; }

 private:
  const absl::Time end_;
};

TEST_CASE("scheduler: under a policy that follows the clock, the period bounds the pause",
          "[scheduler]") {
  Bed bed;
  const absl::Time end = bed.executor.Now() + absl::Minutes(10);
  bed.registry.plugins["curfew"] = [end](const conf::Arguments&) {
    return absl::StatusOr<std::unique_ptr<framework::Plugin>>(std::make_unique<Curfew>(end));
  };
  test::TempFolder folder;
  const std::string conf = folder.Write("scheduler.conf",
                                        "actions: \"enqueue, allocate\"\n"
                                        "tiers:\n"
                                        "- plugins:\n"
                                        "  - name: gang\n"
                                        "  - name: curfew\n"
                                        "  - name: predicates\n");
  SchedulerOptions options;
  options.policy.path = conf;
  options.period = absl::Seconds(5);
  bed.Node("n1", 2);
  bed.Start(options);
  const uint64_t idle = bed.scheduler->cycles();
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.scheduler->cycles() == idle);  // Nobody waits.
  bed.Group("g", 1);
  bed.Pod("a", "g", 1);
  bed.Settle();
  const uint64_t waiting = bed.scheduler->cycles();
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.scheduler->cycles() - waiting == 12);
  CHECK(bed.NodeOf("a").empty());
  bed.executor.Advance(end - bed.executor.Now() + absl::Seconds(6));
  CHECK(bed.NodeOf("a") == "n1");
}

// Comes to an answer in its third session.
class SlowSearch final : public framework::Plugin {
 public:
  std::string_view name() const override { return "slow-search"; }
  absl::Status OnSessionOpen(framework::Session& session,
                             framework::HookRegistrar& hooks) override {
    const bool waits = !session.active_jobs().empty();
    const bool found = waits && ++sessions_ >= 3;
    if (waits && !found) session.NoteCutShort();
    hooks.Allocatable([found](model::QueueId, model::TaskId) { return found; });
    return absl::OkStatus();
  }

 private:
  int sessions_ = 0;
};

TEST_CASE("scheduler: what a cycle did not come to the next one goes on with", "[scheduler]") {
  Bed bed;
  bed.registry.plugins["slow-search"] = [](const conf::Arguments&) {
    return absl::StatusOr<std::unique_ptr<framework::Plugin>>(std::make_unique<SlowSearch>());
  };
  test::TempFolder folder;
  SchedulerOptions options;
  options.policy.path = folder.Write("scheduler.conf",
                                     "actions: \"enqueue, allocate\"\n"
                                     "tiers:\n"
                                     "- plugins:\n"
                                     "  - name: gang\n"
                                     "  - name: slow-search\n"
                                     "  - name: predicates\n");
  options.period = absl::Seconds(5);
  bed.Node("n1", 2);
  bed.Start(options);
  bed.Group("g", 1);
  bed.Pod("a", "g", 1);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.NodeOf("a").empty());
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.NodeOf("a") == "n1");
}

TEST_CASE("scheduler: with shuffle such a policy has cycles though nobody waits", "[scheduler]") {
  Bed bed;
  test::TempFolder folder;
  SchedulerOptions options;
  options.policy.path = folder.Write("scheduler.conf",
                                     "actions: shuffle\n"
                                     "tiers:\n"
                                     "- plugins:\n"
                                     "  - name: tdm\n");
  options.period = absl::Seconds(5);
  bed.Start(options);
  const uint64_t idle = bed.scheduler->cycles();
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.scheduler->cycles() - idle == 12);
}

}  // namespace
}  // namespace bth::scheduler
