// A scheduler and its NodeShard: which nodes it uses, and what the status says of it.
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "tests/scheduler/bed.h"

namespace bth::scheduler {
namespace {

using test::Fault;
using testing::Bed;
using types::Json;

constexpr char kShards[] = "/apis/shard.volcano.sh/v1alpha1/nodeshards";

SchedulerOptions Sharing(model::ShardMode mode, const std::string& name = "volcano") {
  SchedulerOptions options;
  options.scheduler_names = {name};
  options.shard = {.mode = mode, .name = name};
  return options;
}

void MakeShard(Bed& bed, const std::string& name, const std::string& nodes) {
  bed.Create(kShards,
             StrCat(R"({"apiVersion":"shard.volcano.sh/v1alpha1","kind":"NodeShard",)",
                    R"("metadata":{"name":")", name, R"("},"spec":{"nodesDesired":)", nodes, "}}"));
}

void Desire(Bed& bed, const std::string& name, const std::string& nodes) {
  REQUIRE(bed.Call("PATCH", StrCat(kShards, "/", name),
                   StrCat(R"({"spec":{"nodesDesired":)", nodes, "}}"),
                   "application/merge-patch+json")
              .code == 200);
}

std::string NamesIn(const Json& list) {
  std::string names;
  for (const Json& name : list.items()) {
    StrAppend(&names, names.empty() ? "" : " ", std::string(name.AsString()));
  }
  return names;
}

// "in use; to add; to remove" of the status.
std::string UseOf(Bed& bed, const std::string& name) {
  const Json status = bed.Get(StrCat(kShards, "/", name))["status"];
  return StrCat(NamesIn(status["nodesInUse"]), "; ", NamesIn(status["nodesToAdd"]), "; ",
                NamesIn(status["nodesToRemove"]));
}

TEST_CASE("sharding: hard, pods go to nodes of the shard, whose status says so once",
          "[scheduler][sharding]") {
  Bed bed;
  for (const char* node : {"n1", "n2", "n3"}) bed.Node(node, 2);
  MakeShard(bed, "volcano", R"(["n3","n2"])");
  bed.Start(Sharing(model::ShardMode::kHard));
  CHECK(UseOf(bed, "volcano") == "n3 n2; ; ");
  CHECK(bed.Metric("batholith_shard_nodes") == 2);
  CHECK(bed.Metric("batholith_shard_missing") == 0);
  bed.Group("g", 1);
  for (const char* pod : {"a", "b"}) bed.Pod(pod, "g", 2);
  bed.executor.Advance(absl::Seconds(1));
  bed.Pod("c", "g", 2);
  bed.Settle();
  for (const char* pod : {"a", "b"}) {
    CHECK_FALSE(bed.NodeOf(pod).empty());
    CHECK(bed.NodeOf(pod) != "n1");
  }
  CHECK(bed.NodeOf("c").empty());
  CHECK_THAT(bed.PodCondition("c"), Catch::Contains("1 node isn't in scheduler node shard") &&
                                        Catch::Contains("2 Insufficient cpu"));
  const size_t writes = bed.writes;
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.writes == writes);
  // A node that comes into the shard takes who waits.
  Desire(bed, "volcano", R"(["n1","n2","n3"])");
  bed.Settle();
  CHECK(bed.NodeOf("c") == "n1");
  CHECK(UseOf(bed, "volcano") == "n1 n2 n3; ; ");
}

TEST_CASE("sharding: none, NodeShards are neither read nor written", "[scheduler][sharding]") {
  Bed bed;
  bed.Node("n1", 2);
  MakeShard(bed, "volcano", "[]");
  std::vector<std::string> asked;
  bed.line->on_request = [&asked](const net::Request& request) { asked.push_back(request.target); };
  bed.Start();
  bed.Group("g", 1);
  bed.Pod("a", "g", 2);
  bed.Settle();
  CHECK(bed.NodeOf("a") == "n1");
  for (const std::string& target : asked) CHECK_FALSE(absl::StrContains(target, "nodeshards"));
}

TEST_CASE("sharding: a node changes hands when the other has let go of it",
          "[scheduler][sharding]") {
  Bed bed;
  for (const char* node : {"n1", "n2"}) bed.Node(node, 2);
  MakeShard(bed, "volcano", R"(["n1","n2"])");
  MakeShard(bed, "other", R"(["n2"])");
  REQUIRE(bed.Call("PATCH", StrCat(kShards, "/other/status"), R"({"status":{"nodesInUse":["n2"]}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Start(Sharing(model::ShardMode::kHard));
  CHECK(UseOf(bed, "volcano") == "n1; n2; ");
  REQUIRE(bed.Call("PATCH", StrCat(kShards, "/other/status"), R"({"status":{"nodesInUse":[]}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(UseOf(bed, "volcano") == "n1 n2; ; ");
}

// Keeps cycles until it is told to let them run.
class KeptRunner final : public CycleRunner {
 public:
  explicit KeptRunner(net::Executor& executor) : executor_(executor) {}
  void Run(Work work) override {
    held_.push_back(std::move(work));
    if (!hold) LetGo();
  }
  void LetGo() {
    for (Work& work : std::exchange(held_, {})) executor_.Post(std::move(work));
  }
  size_t held() const { return held_.size(); }

  bool hold = false;

 private:
  net::Executor& executor_;
  std::deque<Work> held_;
};

TEST_CASE("sharding: a node stays in use until the cycle that may use it has ended",
          "[scheduler][sharding]") {
  Bed bed;
  KeptRunner runner(bed.executor);
  bed.Node("n1", 1);
  bed.Node("n2", 2);
  bed.Group("g", 1);
  MakeShard(bed, "volcano", R"(["n1","n2"])");
  bed.scheduler = std::make_unique<Scheduler>(
      SchedulerContext{bed.executor, *bed.api, bed.registry, runner, bed.clock, &bed.metrics},
      Sharing(model::ShardMode::kHard));
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  bed.scheduler->StartCache();
  bed.scheduler->Lead();
  bed.Settle();
  REQUIRE(UseOf(bed, "volcano") == "n1 n2; ; ");
  runner.hold = true;
  bed.Pod("a", "g", 2);
  bed.executor.Advance(absl::Seconds(1));
  REQUIRE(runner.held() == 1);
  Desire(bed, "volcano", R"(["n1"])");
  bed.executor.Advance(absl::Seconds(10));
  CHECK(UseOf(bed, "volcano") == "n1 n2; ; ");
  // It binds to n2: the pod is on its way there, and the node is told to be left.
  bed.line->script = [](const net::Request& request) -> std::optional<Fault> {
    if (!absl::StrContains(request.target, "/binding")) return std::nullopt;
    return Fault{.delay = absl::Seconds(5)};
  };
  runner.hold = false;
  runner.LetGo();
  bed.executor.Advance(absl::Seconds(1));
  CHECK(UseOf(bed, "volcano") == "n1 n2; ; n2");
  bed.Settle();
  CHECK(bed.NodeOf("a") == "n2");
  CHECK(UseOf(bed, "volcano") == "n1; ; ");
  bed.scheduler.reset();
}

TEST_CASE("sharding: without its NodeShard a scheduler says so and uses nothing",
          "[scheduler][sharding]") {
  Bed bed;
  bed.Node("n1", 2);
  bed.Group("g", 1);
  bed.Pod("a", "g", 1);
  bed.Start(Sharing(model::ShardMode::kHard));
  CHECK(bed.NodeOf("a").empty());
  CHECK(bed.Metric("batholith_shard_missing") == 1);
  CHECK_THAT(bed.PodCondition("a"), Catch::Contains("node isn't in scheduler node shard"));
  MakeShard(bed, "volcano", R"(["n1"])");
  bed.Settle();
  CHECK(bed.NodeOf("a") == "n1");
  CHECK(bed.Metric("batholith_shard_missing") == 0);
  // When it goes, the shard stays as it was; when it comes again, its status is made anew.
  REQUIRE(bed.Call("DELETE", StrCat(kShards, "/volcano")).code == 200);
  bed.Settle();
  CHECK(bed.Metric("batholith_shard_missing") == 1);
  bed.Pod("b", "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("b") == "n1");
  MakeShard(bed, "volcano", R"(["n1"])");
  bed.Settle();
  CHECK(UseOf(bed, "volcano") == "n1; ; ");
}

TEST_CASE("sharding: a status that cannot be written is written later", "[scheduler][sharding]") {
  Bed bed;
  bed.Node("n1", 2);
  MakeShard(bed, "volcano", R"(["n1"])");
  int refused = 0;
  bed.line->script = [&refused](const net::Request& request) -> std::optional<Fault> {
    if (request.method != "PATCH" || !absl::StrContains(request.target, "nodeshards")) {
      return std::nullopt;
    }
    if (++refused > 3) return std::nullopt;
    return Fault{.code = refused == 1 ? 409 : 403,
                 .reason = refused == 1 ? "Conflict" : "Forbidden"};
  };
  bed.Start(Sharing(model::ShardMode::kSoft));
  CHECK(UseOf(bed, "volcano") == "n1; ; ");
  CHECK(refused == 4);
  // What somebody else makes of it is set right.
  REQUIRE(bed.Call("PATCH", StrCat(kShards, "/volcano/status"),
                   R"({"status":{"nodesInUse":["n7"]}})", "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(UseOf(bed, "volcano") == "n1; ; ");
}

TEST_CASE("sharding: a standby writes nothing", "[scheduler][sharding]") {
  Bed bed;
  bed.Node("n1", 2);
  MakeShard(bed, "volcano", R"(["n1"])");
  bed.MakeScheduler(Sharing(model::ShardMode::kHard));
  REQUIRE(bed.scheduler->LoadPolicy().ok());
  bed.scheduler->StartCache();
  bed.Settle();
  CHECK(bed.writes == 0);
  bed.scheduler->Lead();
  bed.Settle();
  CHECK(UseOf(bed, "volcano") == "n1; ; ");
}

// One of several schedulers on the server of a bed.
struct Sharer {
  Sharer(Bed& bed, const std::string& name, uint64_t seed) {
    client::ApiClientOptions client;
    client.qps = 0;
    api = std::make_unique<client::ApiClient>(
        bed.executor, net::MakeInProcessTransport(bed.executor, bed.server->handler()), client);
    SchedulerOptions options = Sharing(model::ShardMode::kHard, name);
    options.check_invariants_every = 1;
    options.seed = seed;
    scheduler = std::make_unique<Scheduler>(
        SchedulerContext{bed.executor, *api, bed.registry, bed.runner, bed.clock, nullptr},
        options);
    REQUIRE(scheduler->LoadPolicy().ok());
    scheduler->StartCache();
    scheduler->Lead();
  }
  std::unique_ptr<client::ApiClient> api;
  std::unique_ptr<Scheduler> scheduler;
};

TEST_CASE("sharding: two schedulers never use one node at a time, however nodes move",
          "[scheduler][sharding][property]") {
  Bed bed;
  constexpr int kNodes = 6;
  for (int i = 0; i < kNodes; ++i) bed.Node(StrCat("n", i), 4);
  MakeShard(bed, "volcano", "[]");
  MakeShard(bed, "second", "[]");
  Sharer first(bed, "volcano", 1);
  Sharer second(bed, "second", 2);
  bed.Settle();
  Rng rng(7);
  for (int round = 0; round < 40; ++round) {
    std::string lists[2];
    for (int i = 0; i < kNodes; ++i) {
      std::string& list = lists[rng.Below(2)];
      StrAppend(&list, list.empty() ? "" : ",", "\"n", i, "\"");
    }
    Desire(bed, "volcano", StrCat("[", lists[0], "]"));
    Desire(bed, "second", StrCat("[", lists[1], "]"));
    for (const char* owner : {"volcano", "second"}) {
      const std::string name = StrCat(owner, "-", round);
      bed.Group(name, 1);
      bed.Pod(name, name, 1, owner);
    }
    for (int step = 0; step < 20; ++step) {
      bed.executor.Advance(absl::Microseconds(200 + rng.Below(500)));
      const std::string mine = StrCat(
          " ", NamesIn(bed.Get(StrCat(kShards, "/volcano")).At({"status", "nodesInUse"})), " ");
      const std::string others =
          NamesIn(bed.Get(StrCat(kShards, "/second")).At({"status", "nodesInUse"}));
      for (const absl::string_view node : SplitText(others, ' ')) {
        INFO("round " << round << ": volcano uses" << mine << "and second " << others);
        CHECK_FALSE((!node.empty() && absl::StrContains(mine, StrCat(" ", node, " "))));
      }
    }
  }
  bed.Settle();
  int bound = 0;
  for (int round = 0; round < 40; ++round) {
    for (const char* owner : {"volcano", "second"}) {
      bound += bed.NodeOf(StrCat(owner, "-", round)).empty() ? 0 : 1;
    }
  }
  CHECK(bound > 10);
}

}  // namespace
}  // namespace bth::scheduler
