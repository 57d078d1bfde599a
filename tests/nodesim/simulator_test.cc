#include "nodesim/simulator.h"

#include "api/types/time.h"
#include "nodesim/heartbeat.h"
#include "tests/nodesim/simulator_bed.h"

namespace bth::nodesim {
namespace {

using testing::Bed;
using types::Json;

TEST_CASE("simulator: nodes are made once and are ready", "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(3);
  bed.MakeNodes(3);
  CHECK(bed.simulator->nodes() == 3);
  CHECK(bed.ReadyOf("node-0003") == "True");
  const auto node = bed.Do(client::GetObject<types::Node>(*bed.api, "", "node-0003"));
  REQUIRE(node.ok());
  CHECK(node->status.allocatable.Find("cpu")->Value() == 8);
  for (const types::Taint& taint : node->spec.taints) {
    CHECK(taint.key.find("not-ready") == std::string::npos);
  }
}

TEST_CASE("simulator: nodes are registered as they are told, those that exist too",
          "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(1);
  NodeTemplate nodes;
  nodes.count = 2;
  nodes.labels = {"rack=r1"};
  nodes.annotations = {"example.com/cards={node}-0,10=a:{node}-1"};
  REQUIRE(bed.Do(EnsureNodes(*bed.api, nodes, absl::Seconds(1))).ok());
  for (const std::string name : {"node-0001", "node-0002"}) {
    const auto node = bed.Do(client::GetObject<types::Node>(*bed.api, "", name));
    REQUIRE(node.ok());
    CHECK(node->meta.Label("rack") == "r1");
    CHECK(node->meta.Label("kubernetes.io/hostname") == name);
    CHECK(node->meta.Annotation("example.com/cards") == name + "-0,10=a:" + name + "-1");
  }
  nodes.annotations = {"cards"};
  const absl::Status refused = CheckTemplate(nodes);
  CHECK(refused.message() == "--node-annotation: \"cards\" is not of the form key=value");
}

TEST_CASE("simulator: conditions of a node are as old as it is", "[nodesim][component]") {
  Bed bed;
  bed.executor.Advance(absl::Hours(1));
  const std::string now = types::FormatTimestamp(bed.executor.Now());
  bed.MakeNodes(1);
  client::ApiPath path = client::PathOf<types::Node>("", "node-0001");
  const client::ApiClient::Text text = bed.Do(bed.api->Get(std::move(path)));
  REQUIRE(text.ok());
  const Json node = *Json::Parse(*text);
  CHECK(node["status"]["conditions"].size() == 4);
  for (const Json& condition : node["status"]["conditions"].items()) {
    CAPTURE(condition.Dump());
    CHECK(condition["lastHeartbeatTime"].AsString() == now);
    CHECK(condition["lastTransitionTime"].AsString() == now);
    CHECK_FALSE(condition["message"].AsString().empty());
  }
}

TEST_CASE("simulator: a pod starts, runs and ends, each told once", "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(1);
  bed.MakePod("task", "sleep 5; exit 3", "Never");
  CHECK(bed.PhaseOf("task") == "Pending");
  bed.executor.Advance(absl::Seconds(1));
  const auto running = bed.ReadPod("task");
  REQUIRE(running.ok());
  CHECK(running->status.phase == "Running");
  CHECK(running->status.pod_ip.substr(0, 3) == "10.");
  CHECK(running->status.host_ip == "172.16.0.1");
  CHECK(types::FindCondition(running->status.conditions, "Ready")->status == "True");
  bed.executor.Advance(absl::Seconds(60));
  const auto ended = bed.ReadPod("task");
  REQUIRE(ended.ok());
  CHECK(ended->status.phase == "Failed");
  CHECK(ended->status.container_statuses.at(0).state.terminated->exit_code == 3);
  // PodScheduled is the binding's, and stays.
  CHECK(types::FindCondition(ended->status.conditions, "PodScheduled") != nullptr);
  CHECK(bed.simulator->counters().pod_statuses == 2);
}

TEST_CASE("simulator: a status that comes late does not bring an ended pod back",
          "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(1);
  bed.MakePod("task", "sleep 5", "Never");
  const bool is_answered = GENERATE(true, false);
  // The answer to the last status comes after the late one has come.
  bed.lateness = [&](const net::Request& request) {
    const bool is_last = absl::StrContains(request.body, "Succeeded");
    return is_last && !is_answered ? absl::Seconds(20) : absl::ZeroDuration();
  };
  bed.executor.Advance(absl::Seconds(15));
  CHECK(bed.PhaseOf("task") == "Succeeded");
  client::Patch late;
  late.kind = client::PatchKind::kMerge;
  late.body = R"({"status":{"phase":"Running"}})";
  REQUIRE(bed.Do(bed.api->PatchStatus(client::PathOf<types::Pod>("default", "task"), late)).ok());
  bed.executor.Advance(is_answered ? absl::Seconds(1) : absl::Seconds(40));
  CHECK(bed.PhaseOf("task") == "Succeeded");
  CHECK(bed.simulator->counters().pod_statuses == 3);
}

TEST_CASE("simulator: an idle cluster is not written to", "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(5);
  for (int i = 0; i < 20; ++i) bed.MakePod(StrCat("server-", i), "", "Always");
  bed.executor.Advance(absl::Seconds(10));
  const SimulatorCounters before = bed.simulator->counters();
  CHECK(before.pod_statuses == 20);
  CHECK(bed.LeaseOf("node-0001") == "NOT_FOUND");  // Heartbeats are off here.
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.simulator->counters().pod_statuses == before.pod_statuses);
  CHECK(bed.simulator->counters().node_writes == before.node_writes);
}

TEST_CASE("simulator: conditions are confirmed once in a period, at the turn of the node",
          "[nodesim][component]") {
  constexpr absl::Duration kPeriod = absl::Minutes(5);
  Bed bed;
  bed.heartbeat = kPeriod;
  bed.StartSimulator();
  const absl::Time made = bed.executor.Now();
  bed.MakeNodes(1);
  const auto at = [&](const std::string& type, absl::Time beat) {
    return StrCat(type, " ", type == "Ready" ? "True" : "False", " ", absl::ToUnixSeconds(beat),
                  " ", absl::ToUnixSeconds(made));
  };
  const auto all = [&](absl::Time beat) {
    return std::vector<std::string>{at("MemoryPressure", beat), at("DiskPressure", beat),
                                    at("PIDPressure", beat), at("Ready", beat)};
  };
  CHECK(bed.ConditionsOf("node-0001") == all(made));
  const auto lease = [](absl::Time renewed) {
    return StrCat("node-0001 1200 ", absl::ToUnixSeconds(renewed));
  };
  CHECK(bed.LeaseOf("node-0001") == lease(made));
  absl::Time due = NextHeartbeat("node-0001", kPeriod, made);
  bed.executor.Advance(due - bed.executor.Now() + absl::Milliseconds(10));
  CHECK(bed.ConditionsOf("node-0001") == all(due));
  CHECK(bed.LeaseOf("node-0001") == lease(due));
  CHECK(bed.simulator->counters().heartbeats == 1);
  CHECK(bed.simulator->counters().leases == 2);
  CHECK(bed.simulator->counters().node_writes == 0);
  SECTION("again and again, and a new simulator keeps the turns") {
    bed.executor.Advance(10 * kPeriod);
    CHECK(bed.simulator->counters().heartbeats == 11);
    CHECK(bed.simulator->counters().leases == 12);
    CHECK(bed.ConditionsOf("node-0001") == all(due + 10 * kPeriod));
    bed.executor.Advance(absl::Minutes(1));
    bed.StartSimulator();
    bed.executor.Advance(kPeriod - absl::Minutes(1));
    CHECK(bed.simulator->counters().heartbeats == 1);
    CHECK(bed.ConditionsOf("node-0001") == all(due + 11 * kPeriod));
  }
  SECTION("one that is down is silent until it is up") {
    bed.Annotate("node-0001", "true");
    bed.executor.Advance(absl::Hours(1));
    CHECK(bed.simulator->counters().heartbeats == 1);
    CHECK(bed.LeaseOf("node-0001") == lease(due));
    CHECK(bed.ReadyOf("node-0001") == "Unknown");
    bed.Annotate("node-0001", nullptr);
    bed.executor.Advance(kPeriod);
    CHECK(bed.simulator->counters().heartbeats == 2);
  }
  SECTION("conditions of others are theirs") {
    client::Patch patch;
    patch.kind = client::PatchKind::kStrategic;
    patch.body = R"({"status":{"conditions":[{"type":"Own","status":"True"}]}})";
    REQUIRE(bed.Do(bed.api->PatchStatus(client::PathOf<types::Node>("", "node-0001"), patch)).ok());
    bed.executor.Advance(kPeriod);
    std::vector<std::string> left = bed.ConditionsOf("node-0001");
    REQUIRE(left.size() == 5);
    CHECK(std::erase(left, "Own True 0 0") == 1);
    CHECK(left == all(due + kPeriod));
  }
  SECTION("one that is gone is not waited for") {
    REQUIRE(bed.Do(bed.api->Delete(client::PathOf<types::Node>("", "node-0001"), {})).ok());
    bed.executor.Advance(absl::Hours(1));
    CHECK(bed.simulator->counters().heartbeats == 1);
    CHECK(bed.simulator->counters().failures == 0);
    CHECK(bed.LeaseOf("node-0001") == "NOT_FOUND");
    CHECK(bed.executor.RunUntilIdle());
  }
}

TEST_CASE("simulator: what is down or cordoned has a taint as long as it is",
          "[nodesim][component]") {
  using Taints = std::vector<std::string>;
  const Taints down = {"node.kubernetes.io/unreachable:NoSchedule",
                       "node.kubernetes.io/unreachable:NoExecute"};
  const std::string own = "team=a:NoSchedule";
  const std::string cordoned = "node.kubernetes.io/unschedulable:NoSchedule";
  Bed bed;
  bed.MakeNodes(1);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.TaintsOf("node-0001").empty());
  bed.PatchNode("node-0001",
                R"({"spec":{"taints":[{"key":"team","value":"a","effect":"NoSchedule"}]}})");
  bed.PatchNode("node-0001", R"({"spec":{"unschedulable":true}})");
  CHECK(bed.TaintsOf("node-0001") == Taints{own, cordoned});
  bed.Annotate("node-0001", "true");
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.ReadyOf("node-0001") == "Unknown");
  CHECK(bed.TaintsOf("node-0001") == Taints{own, cordoned, down[0], down[1]});
  bed.PatchNode("node-0001", R"({"spec":{"unschedulable":null}})");
  CHECK(bed.TaintsOf("node-0001") == Taints{own, down[0], down[1]});
  const uint64_t writes = bed.simulator->counters().node_writes;
  bed.executor.Advance(absl::Hours(1));
  bed.StartSimulator();
  bed.executor.Advance(absl::Hours(1));
  CHECK(bed.simulator->counters().node_writes == 0);
  CHECK(writes > 0);
  bed.Annotate("node-0001", nullptr);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.ReadyOf("node-0001") == "True");
  CHECK(bed.TaintsOf("node-0001") == Taints{own});
}

TEST_CASE("heartbeats: the turns of nodes are spread evenly", "[nodesim]") {
  constexpr absl::Duration kPeriod = absl::Minutes(5);
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  std::vector<int> tenths(10);
  for (int i = 0; i < 10'000; ++i) {
    const absl::Time at = NextHeartbeat(StrCat("node-", i), kPeriod, now);
    REQUIRE(at > now);
    REQUIRE(at <= now + kPeriod);
    REQUIRE(NextHeartbeat(StrCat("node-", i), kPeriod, at) == at + kPeriod);
    const auto tenth = static_cast<size_t>((at - now - absl::Nanoseconds(1)) / (kPeriod / 10));
    ++tenths[tenth];
  }
  for (const int count : tenths) {
    CHECK(count > 900);
    CHECK(count < 1100);
  }
}

TEST_CASE("simulator: a deleted pod ends and goes", "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(1);
  bed.MakePod("server", "", "Always");
  bed.executor.Advance(absl::Seconds(5));
  bed.Delete("server");
  bed.executor.Advance(absl::Seconds(1));
  const auto ending = bed.ReadPod("server");
  REQUIRE(ending.ok());
  CHECK(ending->meta.deletion_time.has_value());
  bed.executor.Advance(absl::Seconds(2));
  CHECK(bed.PhaseOf("server") == "NOT_FOUND");
  CHECK(bed.simulator->pods() == 0);
}

// Whoever frees what a pod held waits for its end, and a finalizer may wait for them.
TEST_CASE("simulator: no deleted pod goes without having ended", "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(1);
  bed.MakePod("early", "", "Always");
  bed.MakePod("lost", "", "Always", "nowhere");
  for (const char* name : {"early", "lost"}) {
    client::MergePatch patch;
    patch.Set({"metadata", "finalizers"}, Json::MakeArray({"example.com/waits"}));
    const auto path = client::PathOf<types::Pod>("default", name);
    REQUIRE(bed.Do(bed.api->Patch(path, patch.Build())).ok());
    bed.Delete(name);
  }
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.PhaseOf("early") == "Failed");
  const auto early = bed.ReadPod("early");
  REQUIRE(early.ok());
  CHECK_FALSE(early->status.start_time.has_value());
  CHECK(types::FindCondition(early->status.conditions, "PodReadyToStartContainers")->status ==
        "False");
  CHECK(bed.PhaseOf("lost") == "Pending");
  bed.executor.Advance(absl::Seconds(30));
  CHECK(bed.PhaseOf("lost") == "Failed");
}

TEST_CASE("simulator: a pod made anew under the same name starts its own life",
          "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(1);
  bed.MakePod("again", "sleep 1", "Never", "node-0001", 0);
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.PhaseOf("again") == "Succeeded");
  bed.Delete("again");
  bed.executor.Advance(absl::Seconds(1));
  bed.MakePod("again", "", "Always");
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.PhaseOf("again") == "Running");
}

TEST_CASE("simulator: a node that is down is silent until it is up again", "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(1);
  bed.MakePod("task", "sleep 5", "Never");
  bed.MakePod("server", "", "Always");
  bed.executor.Advance(absl::Seconds(2));
  bed.Annotate("node-0001", "true");
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.ReadyOf("node-0001") == "Unknown");
  bed.Delete("server");
  bed.executor.Advance(absl::Seconds(60));
  CHECK(bed.PhaseOf("task") == "Running");
  CHECK(bed.PhaseOf("server") == "Running");
  bed.Annotate("node-0001", nullptr);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.ReadyOf("node-0001") == "True");
  CHECK(bed.PhaseOf("task") == "Succeeded");
  CHECK(bed.PhaseOf("server") == "NOT_FOUND");
}

TEST_CASE("simulator: pods on a node that does not exist wait for it", "[nodesim][component]") {
  Bed bed;
  bed.MakePod("early", "", "Always", "node-0001");
  bed.MakePod("lost", "", "Always", "nowhere");
  bed.executor.Advance(absl::Seconds(10));
  CHECK(bed.PhaseOf("early") == "Pending");
  bed.MakeNodes(1);
  bed.executor.Advance(absl::Seconds(1));
  CHECK(bed.PhaseOf("early") == "Running");
  CHECK(bed.PhaseOf("lost") == "Pending");
  bed.Delete("lost");
  bed.executor.Advance(absl::Seconds(28));
  CHECK(bed.PhaseOf("lost") == "Pending");  // Its grace period of 30 s is not over.
  bed.executor.Advance(absl::Seconds(3));
  CHECK(bed.PhaseOf("lost") == "NOT_FOUND");
}

TEST_CASE("simulator: a new one goes on where the former ended", "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(1);
  bed.MakePod("task", "sleep 20; exit 1", "OnFailure");
  bed.MakePod("server", "", "Always");
  bed.executor.Advance(absl::Seconds(25));
  const auto before = bed.ReadPod("task");
  REQUIRE(before.ok());
  CHECK(before->status.container_statuses.at(0).restart_count == 1);
  bed.StartSimulator();
  bed.executor.Advance(absl::Seconds(5));
  CHECK(bed.simulator->counters().pod_statuses == 0);
  CHECK(bed.ReadPod("server")->status.pod_ip != bed.ReadPod("task")->status.pod_ip);
  bed.executor.Advance(absl::Seconds(50));
  const auto after = bed.ReadPod("task");
  REQUIRE(after.ok());
  CHECK(after->status.container_statuses.at(0).restart_count == 2);
}

TEST_CASE("simulator: devices of a pod are handed out, and its node is unlocked",
          "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(1);
  const auto lock = [&](const char* key) {
    client::MergePatch patch;
    patch.Set({"metadata", "annotations", key}, types::Json("2026-01-01T00:00:00Z"));
    client::ApiPath path = client::PathOf<types::Node>("", "node-0001");
    REQUIRE(bed.Do(bed.api->Patch(std::move(path), patch.Build())).ok());
  };
  const auto bind = [&](const std::string& name,
                        std::vector<std::pair<std::string, std::string>> annotations) {
    types::Pod pod;
    pod.meta.name = name;
    pod.meta.ns = "default";
    pod.spec.containers.emplace_back();
    pod.spec.containers[0].name = "main";
    pod.spec.containers[0].image = "image";
    REQUIRE(bed.Do(client::CreateObject(*bed.api, pod)).status().ToString() == "OK");
    client::BindRequest request;
    request.namespace_name = "default";
    request.pod = name;
    request.node = "node-0001";
    request.annotations = std::move(annotations);
    REQUIRE(bed.Do(bed.api->Bind(std::move(request))).ToString() == "OK");
    bed.executor.Advance(absl::Seconds(2));
    CHECK(bed.PhaseOf(name) == "Running");
  };
  const auto node = [&] {
    return *bed.Do(client::GetObject<types::Node>(*bed.api, "", "node-0001"));
  };
  lock("hamivgpu");
  lock("other");
  bind("vgpu", {{"volcano.sh/bind-phase", "allocating"}});
  CHECK(bed.ReadPod("vgpu")->meta.Annotation("volcano.sh/bind-phase") == "success");
  CHECK_FALSE(node().meta.annotations.Contains("hamivgpu"));
  CHECK(node().meta.annotations.Contains("other"));
  lock("gpu");
  bind("plain", {});
  CHECK(node().meta.annotations.Contains("gpu"));
  bind("memory", {{"volcano.sh/gpu-index", "0"}});
  CHECK_FALSE(node().meta.annotations.Contains("gpu"));
}

TEST_CASE("simulator: many pods at once all start, within the lanes", "[nodesim][component]") {
  Bed bed;
  bed.MakeNodes(10);
  for (int i = 0; i < 300; ++i) {
    bed.MakePod(StrCat("p-", i), "sleep 5", "Never", StrCat("node-000", 1 + i % 9));
  }
  bed.executor.Advance(absl::Seconds(30));
  for (int i = 0; i < 300; ++i) CHECK(bed.PhaseOf(StrCat("p-", i)) == "Succeeded");
  CHECK(bed.simulator->idle());
}

}  // namespace
}  // namespace bth::nodesim
