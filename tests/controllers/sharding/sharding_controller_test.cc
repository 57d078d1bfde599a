#include "controllers/sharding/sharding_controller.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "base/strings.h"
#include "cmd/common/controller_flags.h"
#include "tests/controllers/controller_bed.h"
#include "tests/support/catch.h"

namespace bth::controllers {
namespace {

using types::Json;
using Texts = std::vector<std::string>;

constexpr const char* kShards = "/apis/shard.volcano.sh/v1alpha1/nodeshards";
constexpr const char* kShardingConfigMap =
    "/api/v1/namespaces/volcano-system/configmaps/volcano-sharding-configmap";

class ShardingBed : public test::ControllerBed {
 public:
  ShardingBed() { MakeSystemNamespace(); }
  ~ShardingBed() { Kill(); }

  void StartSharding() {
    Start({[](const ControllerContext& context) {
      return std::make_unique<ShardingController>(context);
    }});
    Wait(absl::Seconds(1));
  }
  // Eight cores, of which pods ask for `milli`.
  void MakeNode(const std::string& name, int milli = 0) {
    Create("/api/v1/nodes",
           StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", name,
                  R"("},"status":{"capacity":{"cpu":"8",)", R"("memory":"32Gi"}}})"));
    if (milli > 0) MakePod(StrCat("load-", name), name, milli);
    Wait(absl::Seconds(1));
  }
  void MakePod(const std::string& name, const std::string& node, int milli) {
    Create("/api/v1/namespaces/default/pods",
           StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                  R"("},"spec":{"nodeName":")", node,
                  R"(","containers":[{"name":"c","image":"i","resources":{"requests":)",
                  R"({"cpu":")", milli, R"(m"}}}]}})"));
  }
  void Configure(const std::string& text, const std::string& key = "sharding.yaml") {
    PutConfig("volcano-sharding-configmap", key, text);
  }
  Texts Shards() { return Names(kShards); }
  Texts Nodes(const std::string& shard) { return List(shard, {"spec", "nodesDesired"}); }
  Texts ToAdd(const std::string& shard) { return List(shard, {"status", "nodesToAdd"}); }
  Texts ToRemove(const std::string& shard) { return List(shard, {"status", "nodesToRemove"}); }
  static std::string Path(const std::string& shard) { return StrCat(kShards, "/", shard); }

 private:
  Texts List(const std::string& shard, std::initializer_list<std::string_view> path) {
    Texts names;
    const Json object = Get(Path(shard));
    for (const Json& name : object.At(path).items()) names.emplace_back(name.AsString());
    return names;
  }
};

constexpr const char* kThree =
    "schedulerConfigs: [{name: a, maxNodes: 1}, {name: b, maxNodes: 1}, {name: c}]\n";

TEST_CASE("sharding: a shard that somebody deletes again and again is made anew with pauses",
          "[controllers][sharding]") {
  ShardingBed bed;
  bed.Configure(kThree);
  bed.StartSharding();
  bed.Wait(absl::Seconds(2));
  REQUIRE(bed.Shards() == Texts{"a", "b", "c"});
  bed.Call("DELETE", ShardingBed::Path("a"));
  CHECK(bed.Shards() == Texts{"a", "b", "c"});
  bed.Call("DELETE", ShardingBed::Path("a"));
  CHECK(bed.Shards() == Texts{"a", "b", "c"});
  bed.Call("DELETE", ShardingBed::Path("a"));
  CHECK(bed.Shards() == Texts{"b", "c"});
  bed.Wait(absl::Milliseconds(10));
  CHECK(bed.Shards() == Texts{"a", "b", "c"});
}

TEST_CASE("sharding: nodes go to schedulers by what is used of them", "[controllers][sharding]") {
  ShardingBed bed;
  bed.MakeNode("busy", 6000);
  bed.MakeNode("calm", 1500);
  bed.StartSharding();
  CHECK(bed.Shards() == Texts{"agent-scheduler", "volcano"});
  CHECK(bed.Nodes("agent-scheduler") == Texts{"busy"});
  CHECK(bed.Nodes("volcano") == Texts{"calm"});
  CHECK(bed.ToAdd("volcano") == Texts{"calm"});
  CHECK(bed.ToRemove("volcano").empty());
  CHECK_FALSE(bed.Get(ShardingBed::Path("volcano")).At({"status", "lastUpdateTime"}).is_null());
}

TEST_CASE("sharding: an empty cluster has empty shards, until a node comes",
          "[controllers][sharding]") {
  ShardingBed bed;
  bed.StartSharding();
  CHECK(bed.Shards() == Texts{"agent-scheduler", "volcano"});
  CHECK(bed.Nodes("volcano").empty());
  bed.MakeNode("half", 4000);
  CHECK(bed.Nodes("volcano") == Texts{"half"});
  CHECK(bed.Nodes("agent-scheduler").empty());
}

TEST_CASE("sharding: a bound between two schedulers", "[controllers][sharding]") {
  ShardingBed bed;
  bed.Configure(
      "schedulerConfigs: [{name: low, cpuUtilizationMax: 0.49}, {name: high, cpuUtilizationMin: "
      "0.5}]");
  bed.MakeNode("half", 4000);
  bed.MakeNode("less", 3900);
  bed.MakeNode("more", 4100);
  bed.StartSharding();
  CHECK(bed.Nodes("low") == Texts{"less"});
  CHECK(bed.Nodes("high") == Texts{"more", "half"});
}

TEST_CASE("sharding: nothing is written when nothing changed", "[controllers][sharding]") {
  ShardingBed bed;
  bed.MakeNode("busy", 6000);
  bed.MakeNode("calm", 1500);
  bed.StartSharding();
  bed.Kill();
  const size_t writes = bed.writes;
  bed.StartSharding();
  bed.MakePod("small", "calm", 100);
  bed.Wait(absl::Hours(1));
  CHECK(bed.writes == writes);
}

TEST_CASE("sharding: a shard without nodes whose maker died gets its status from the next",
          "[controllers][sharding]") {
  ShardingBed bed;
  bed.Create(kShards, R"({"apiVersion":"shard.volcano.sh/v1alpha1","kind":"NodeShard",)"
                      R"("metadata":{"name":"volcano"},"spec":{"nodesDesired":[]}})");
  bed.StartSharding();
  const Json status = bed.Get(ShardingBed::Path("volcano"))["status"];
  CHECK_FALSE(status["lastUpdateTime"].is_null());
  CHECK(status["nodesToAdd"].is_array());
  // Once written it stays as it is.
  bed.Kill();
  const size_t writes = bed.writes;
  bed.StartSharding();
  bed.Wait(absl::Hours(1));
  CHECK(bed.writes == writes);
}

TEST_CASE("sharding: a node that is gone leaves its shard at once", "[controllers][sharding]") {
  ShardingBed bed;
  bed.MakeNode("a", 1000);
  bed.MakeNode("b", 1000);
  bed.StartSharding();
  REQUIRE(bed.Nodes("volcano").size() == 2);
  bed.Patch(StrCat(ShardingBed::Path("volcano"), "/status"),
            R"({"status":{"nodesInUse":["a","b"]}})");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.ToAdd("volcano").empty());
  bed.Call("DELETE", "/api/v1/nodes/a");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Nodes("volcano") == Texts{"b"});
  CHECK(bed.ToRemove("volcano") == Texts{"a"});
  bed.Patch(StrCat(ShardingBed::Path("volcano"), "/status"), R"({"status":{"nodesInUse":["b"]}})");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.ToRemove("volcano").empty());
}

TEST_CASE("sharding: a great change of use does not wait for the period",
          "[controllers][sharding]") {
  const bool trigger = GENERATE(true, false);
  ShardingBed bed;
  bed.options.enable_node_event_trigger = trigger;
  bed.MakeNode("n");
  bed.StartSharding();
  bed.MakePod("small", "n", 4000);
  bed.Wait(absl::Seconds(1));
  bed.MakePod("large", "n", 3000);
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Nodes("agent-scheduler") == (trigger ? Texts{"n"} : Texts{}));
  CHECK(bed.Nodes("volcano") == (trigger ? Texts{} : Texts{"n"}));
  bed.Wait(absl::Seconds(60));
  CHECK(bed.Nodes("agent-scheduler") == Texts{"n"});
}

TEST_CASE("sharding: small changes wait for the period", "[controllers][sharding]") {
  ShardingBed bed;
  bed.options.shard_sync_period = absl::Minutes(5);
  bed.MakeNode("n", 4000);
  bed.StartSharding();
  bed.MakePod("more", "n", 2000);
  bed.Wait(absl::Minutes(4));
  CHECK(bed.Nodes("volcano") == Texts{"n"});
  bed.Wait(absl::Minutes(1));
  CHECK(bed.Nodes("agent-scheduler") == Texts{"n"});
}

TEST_CASE("sharding: schedulers come and go with the ConfigMap", "[controllers][sharding]") {
  ShardingBed bed;
  for (const char* node : {"n1", "n2", "n3", "n4"}) bed.MakeNode(node);
  bed.StartSharding();
  CHECK(bed.Shards() == Texts{"agent-scheduler", "volcano"});
  bed.Configure(kThree);
  CHECK(bed.Shards() == Texts{"a", "b", "c"});
  CHECK(bed.Nodes("a") == Texts{"n1"});
  CHECK(bed.Nodes("b") == Texts{"n2"});
  CHECK(bed.Nodes("c") == Texts{"n3", "n4"});
  bed.Configure("schedulerConfigs: [{name: c}, {name: d}]");
  CHECK(bed.Shards() == Texts{"c", "d"});
  CHECK(bed.Nodes("c").size() == 4);
  // A ConfigMap that is deleted stays in force.
  bed.Call("DELETE", kShardingConfigMap);
  bed.Wait(absl::Minutes(5));
  CHECK(bed.Shards() == Texts{"c", "d"});
}

TEST_CASE("sharding: a bad ConfigMap changes nothing", "[controllers][sharding]") {
  const auto [text, key] =
      GENERATE(table<std::string, std::string>({{"schedulerConfigs: [", "sharding.yaml"},
                                                {"schedulerConfigs: []", "sharding.yaml"},
                                                {"schedulerConfigs: [{name: z}]", "another-key"}}));
  CAPTURE(text);
  ShardingBed bed;
  bed.MakeNode("n1");
  bed.Configure(kThree);
  bed.StartSharding();
  REQUIRE(bed.Shards() == Texts{"a", "b", "c"});
  bed.Configure(text, key);
  bed.Wait(absl::Minutes(3));
  CHECK(bed.Shards() == Texts{"a", "b", "c"});
  // At start the flags count then.
  bed.Kill();
  bed.StartSharding();
  CHECK(bed.Shards() == Texts{"agent-scheduler", "volcano"});
}

TEST_CASE("sharding: period and trigger follow the ConfigMap", "[controllers][sharding]") {
  ShardingBed bed;
  bed.MakeNode("n1");
  bed.StartSharding();
  bed.Configure(
      "schedulerConfigs: [{name: a}]\nshardSyncPeriod: 30s\nenableNodeEventTrigger: "
      "false\n");
  bed.Wait(absl::Seconds(1));
  bed.MakeNode("n2");
  CHECK(bed.Nodes("a") == Texts{"n1"});
  bed.Wait(absl::Seconds(30));
  CHECK(bed.Nodes("a") == Texts{"n1", "n2"});
}

TEST_CASE("sharding: shards are kept as they should be", "[controllers][sharding]") {
  ShardingBed bed;
  bed.MakeNode("n1");
  bed.StartSharding();
  bed.Patch(ShardingBed::Path("volcano"), R"({"spec":{"nodesDesired":["x"]}})");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Nodes("volcano") == Texts{"n1"});
  bed.Call("DELETE", ShardingBed::Path("volcano"));
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Nodes("volcano") == Texts{"n1"});
  bed.Create(kShards, R"({"apiVersion":"shard.volcano.sh/v1alpha1","kind":"NodeShard",)"
                      R"("metadata":{"name":"nobody"},"spec":{"nodesDesired":[]}})");
  bed.Wait(absl::Seconds(1));
  CHECK(bed.Shards() == Texts{"agent-scheduler", "volcano"});
}

TEST_CASE("sharding: writes that fail or whose answers are lost are made good",
          "[controllers][sharding]") {
  ShardingBed bed;
  bed.MakeNode("n1");
  int failures = 8;
  bed.line->script = [&failures](const net::Request& request) -> std::optional<test::Fault> {
    if (request.method == "GET" || failures == 0) return std::nullopt;
    return failures-- % 2 == 0 ? test::Fault{.answer_lost = true} : test::Fault{.code = 500};
  };
  bed.StartSharding();
  bed.Wait(absl::Minutes(5));
  CHECK(failures < 8);  // What a lost answer wrote needs no second write.
  CHECK(bed.Nodes("volcano") == Texts{"n1"});
  CHECK(bed.ToAdd("volcano") == Texts{"n1"});
  CHECK(bed.Shards().size() == 2);
}

TEST_CASE("sharding: a hundred nodes and a thousand pods", "[controllers][sharding]") {
  ShardingBed bed;
  for (int i = 0; i < 100; ++i) {
    const std::string node = StrCat("n", i);
    bed.Create("/api/v1/nodes",
               StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", node,
                      R"("},"status":{"capacity":{"cpu":"8","memory":"32Gi"}}})"));
    for (int pod = 0; pod < 10; ++pod) {
      bed.MakePod(StrCat("p", i, "-", pod), node, i < 50 ? 100 : 700);
    }
  }
  bed.StartSharding();
  CHECK(bed.Nodes("volcano").size() == 50);
  CHECK(bed.Nodes("agent-scheduler").size() == 50);
  // Small changes of each node cost no write.
  const size_t writes = bed.writes;
  for (int i = 0; i < 100; ++i) bed.MakePod(StrCat("q", i), StrCat("n", i), 50);
  bed.Wait(absl::Minutes(3));
  CHECK(bed.writes == writes);
}

TEST_CASE("sharding: the process refuses a malformed flag", "[controllers][sharding]") {
  cmd::ControllerFlags flags;
  CHECK(flags.Check().ok());
  flags.options.scheduler_configs = {"volcano:0.0:0.6"};
  const std::string message(flags.Check().message());
  CHECK(absl::StrContains(message, "scheduler-configs"));
  CHECK(absl::StrContains(message, "expected 7 colon-separated parts"));
}

}  // namespace
}  // namespace bth::controllers
