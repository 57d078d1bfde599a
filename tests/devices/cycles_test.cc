// Whole cycles with virtual GPUs: who gets which card, and what counts until the watch tells.
#include <set>

#include "metrics/scheduler_metrics.h"
#include "tests/devices/device_cluster.h"

namespace bth::devices {
namespace {

using testing::DeviceCluster;
using testing::Vgpu;
using Binds = std::map<std::string, std::string>;

constexpr char kOneCard[] = "G0,10,1000,NVIDIA-A,true,hami-core:";
constexpr char kTwoCards[] =
    "G0,10,1000,NVIDIA-A,true,hami-core:G1,10,1000,NVIDIA-A,true,hami-core:";

TEST_CASE("deviceshare: no card is given away twice in one cycle", "[devices]") {
  DeviceCluster cluster("");
  cluster.Node("n", kTwoCards);
  cluster.Group("g");
  for (const char* name : {"a", "b", "c"}) cluster.Pod(name, "g", {Vgpu(1, 600)});
  CHECK(cluster.Run() == Binds{{"a", "n G1,NVIDIA,600,0:"}, {"b", "n G0,NVIDIA,600,0:"}});
  CHECK(cluster.MessageOf("c") == "0/1 nodes are unavailable: 1 hami-vgpuDeviceSharing error.");
}

TEST_CASE("deviceshare: what was given counts before the watch shows it", "[devices]") {
  DeviceCluster cluster("");
  cluster.Node("n", kOneCard);
  cluster.Group("g");
  cluster.Pod("a", "g", {Vgpu(1, 600)});
  CHECK(cluster.Run() == Binds{{"a", "n G0,NVIDIA,600,0:"}});
  cluster.Pod("b", "g", {Vgpu(1, 600)});
  CHECK(cluster.Run().empty());
  // An update of the pod that shows nothing new changes nothing;
  cluster.Put(cluster.pods.at("a"));
  CHECK(cluster.Run().empty());
  // nor one that shows its node but no devices.
  cluster.Put(cluster.Bound("a", "n", ""));
  CHECK(cluster.Run().empty());
  cluster.Put(cluster.Bound("a", "n", "G0,NVIDIA,600,0:"));
  CHECK(cluster.Run().empty());
  // What its object says counts from then on.
  cluster.Put(cluster.Bound("a", "n", "G0,NVIDIA,400,0:"));
  CHECK(cluster.Run() == Binds{{"b", "n G0,NVIDIA,600,0:"}});
}

TEST_CASE("deviceshare: a binding that fails gives its devices back", "[devices]") {
  DeviceCluster cluster("");
  cluster.Node("n", kOneCard);
  cluster.Group("g");
  cluster.Pod("a", "g", {Vgpu(1, 600)});
  CHECK(cluster.Run().size() == 1);
  cluster.mirror.ForgetAssumption("ns/a", "u-a");
  cluster.mirror.RemovePod("ns/a");
  cluster.Pod("b", "g", {Vgpu(1, 600)});
  CHECK(cluster.Run() == Binds{{"b", "n G0,NVIDIA,600,0:"}});
}

TEST_CASE("deviceshare: what is assumed outlives a change of the pod's own words", "[devices]") {
  DeviceCluster cluster("");
  cluster.Node("n", kOneCard);
  cluster.Group("g");
  cluster.Pod("a", "g", {Vgpu(1, 600)});
  CHECK(cluster.Run().size() == 1);
  types::Pod& pod = cluster.pods.at("a");
  pod.meta.labels.Set("new", "label");
  cluster.Put(pod);
  cluster.Pod("b", "g", {Vgpu(1, 600)});
  CHECK(cluster.Run().empty());
  REQUIRE(cluster.mirror.Check().ok());
}

TEST_CASE("deviceshare: after a restart annotations tell who holds what", "[devices]") {
  DeviceCluster cluster("");
  cluster.Node("n", kOneCard);
  cluster.Group("g");
  cluster.Pod("a", "g", {Vgpu(1, 600)});
  cluster.Put(cluster.Bound("a", "n", "G0,NVIDIA,600,0:"));
  // Announced, and not bound: whoever did that has not come to an end, and it holds nothing.
  cluster.Pod(
      "b", "g", {Vgpu(1, 300)},
      R"(,"volcano.sh/vgpu-ids-new":"G0,NVIDIA,300,0:","volcano.sh/bind-phase":"allocating")");
  cluster.Pod("c", "g", {Vgpu(1, 600)});
  CHECK(cluster.Run() == Binds{{"b", "n G0,NVIDIA,300,0:"}});
}

TEST_CASE("deviceshare: a batch that comes too late is dropped", "[devices]") {
  DeviceCluster cluster("");
  cluster.Node("n", kOneCard);
  cluster.Group("g");
  cluster.Pod("a", "g", {Vgpu(1, 600)});
  cluster.Pod("other", "g", {Vgpu(1, 600)});
  auto& session = cluster.Open();
  model::DevicePlan plan;
  plan.held = std::make_shared<const model::PodDevices>(
      model::PodDevices{.held = {{.devices = {{.id = "G0", .memory = 600}}}}});
  REQUIRE(session.base().nodes_by_name->size() == 1);
  // Another scheduler was faster.
  cluster.Put(cluster.Bound("other", "n", "G0,NVIDIA,600,0:"));
  const absl::Status late = cluster.mirror.AssumeBinding("ns/a", "u-a", "n", &plan);
  CHECK(late.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(late.message() == "node n for pod ns/a: device G0 was given away");
  CHECK(cluster.mirror.Pod("ns/a")->status == model::TaskStatus::kPending);
  plan.held = nullptr;
  CHECK(cluster.mirror.AssumeBinding("ns/a", "u-a", "n", &plan).message() ==
        "node n for pod ns/a: it cannot have the devices it needs");
  REQUIRE(cluster.mirror.Check().ok());
}

TEST_CASE("deviceshare: a card that is given away twice is found at the end of the cycle",
          "[devices]") {
  DeviceCluster cluster("");
  cluster.Node("n", kOneCard);
  cluster.Group("g");
  cluster.Pod("a", "g", {Vgpu(1, 600)});
  cluster.Pod("b", "g", {Vgpu(1, 600)});
  const auto& session = cluster.Open();
  framework::EffectBatch batch{.snapshot = session.context().snapshot};
  const auto bind = [&](int64_t memory) {
    auto plan = std::make_shared<model::DevicePlan>();
    plan->held = std::make_shared<const model::PodDevices>(
        model::PodDevices{.held = {{.devices = {{.id = "G0", .memory = memory}}}}});
    const auto task = model::TaskId::FromIndex(batch.binds.size());
    batch.binds.push_back(
        {.task = task, .node = session.base().nodes_by_name->front(), .devices = plan});
  };
  const auto found = [&] {
    std::string out;
    for (const auto& violation : framework::CheckEffects(session, {&batch, 1})) {
      if (violation.invariant == "device_twice") out += violation.detail;
    }
    return out;
  };
  bind(600);
  CHECK(found().empty());
  bind(600);
  CHECK(found() == "node n: pod b: device G0 was given away");
}

TEST_CASE("deviceshare: a pod that leaves holds its card until it is gone", "[devices]") {
  DeviceCluster cluster("");
  cluster.Node("n", kOneCard);
  cluster.Group("g");
  cluster.Pod("a", "g", {Vgpu(1, 600)});
  types::Pod leaving = cluster.Bound("a", "n", "G0,NVIDIA,600,0:");
  leaving.meta.deletion_time = cluster.clock.Now() + absl::Seconds(30);
  cluster.Put(leaving);
  cluster.Pod("b", "g", {Vgpu(1, 600)});
  CHECK(cluster.Run().empty());
  // It is pipelined to the card, and not refused.
  const auto& session = cluster.cycle().session();
  for (model::TaskId task : session.base().tasks.ids()) {
    if (session.task(task).names->name == "b") {
      CHECK(session.state(task).status == model::TaskStatus::kPipelined);
    }
  }
  cluster.mirror.RemovePod("ns/a");
  CHECK(cluster.Run() == Binds{{"b", "n G0,NVIDIA,600,0:"}});
}

TEST_CASE("deviceshare: victims make room on cards", "[devices]") {
  DeviceCluster cluster("", "enqueue, allocate, preempt");
  cluster.Node("n", kOneCard);
  cluster.Group("low", 0);
  cluster.mirror.PutPriorityClass("high", 10, false);
  cluster.Group("high", 1, "high");
  cluster.Pod("a", "low", {Vgpu(1, 600)});
  cluster.Pod("b", "low", {Vgpu(1, 300)});
  cluster.Put(cluster.Bound("a", "n", "G0,NVIDIA,600,0:"));
  cluster.Put(cluster.Bound("b", "n", "G0,NVIDIA,300,0:"));
  cluster.Pod("c", "high", {Vgpu(1, 500)});
  CHECK(cluster.Run().empty());
  // There are resources enough for all three on the node; what lacks is memory of the card. Actions
  // that evict look for victims where the filter refuses, and "a" alone is enough.
  std::set<std::string> evicted;
  for (const auto& batch : cluster.sink.batches) {
    for (const auto& eviction : batch.evictions) {
      evicted.insert(batch.snapshot->tasks[eviction.victim].names->name);
    }
  }
  CHECK(evicted == std::set<std::string>{"a"});
}

TEST_CASE("deviceshare: binpack rates nodes by weight, spread rates none", "[devices]") {
  const auto node_of = [](const std::string& policy) {
    DeviceCluster cluster(StrCat("      deviceshare.SchedulePolicy: ", policy,
                                 "\n      deviceshare.ScheduleWeight: 10\n"));
    cluster.Node("m", kOneCard);
    cluster.Node("n", kOneCard);
    cluster.Node("o", kOneCard);
    cluster.Group("g");
    cluster.Pod("a", "g", {Vgpu(1, 100)});
    cluster.Pod("b", "g", {Vgpu(1, 100)});
    cluster.Put(cluster.Bound("a", "m", "G0,NVIDIA,100,0:"));
    cluster.Put(cluster.Bound("b", "n", "G0,NVIDIA,300,0:"));
    cluster.Pod("c", "g", {Vgpu(1, 100)});
    return cluster.Run()["c"].substr(0, 1);
  };
  CHECK(node_of("binpack") == "n");
  CHECK(node_of("spread") == "m");  // The first of equal ones.
}

TEST_CASE("deviceshare: nodes that another scheduler or a device plugin has locked", "[devices]") {
  const auto message = [](const std::string& lock, bool enabled) {
    DeviceCluster cluster(enabled ? "      deviceshare.NodeLockEnable: true\n" : std::string());
    cluster.Node("n", kOneCard, StrCat(R"(,"hamivgpu":")", lock, "\""));
    cluster.Group("g");
    cluster.Pod("a", "g", {Vgpu(1, 100)});
    return cluster.Run().empty() ? cluster.MessageOf("a") : "";
  };
  const char kRefused[] =
      "0/1 nodes are unavailable: 1 node(s) had their devices locked within 5 minutes.";
  CHECK(message("2026-01-01T00:01:00Z", true) == kRefused);  // 40 s ago.
  CHECK(message("2026-01-01T00:20:00Z", true) == kRefused);  // In the time to come.
  CHECK(message("no time", true) == kRefused);
  CHECK(message("2025-12-31T23:56:00Z", true).empty());  // 20 min are over.
  CHECK(message("2026-01-01T00:01:00Z", false).empty());
}

TEST_CASE("deviceshare: a pod of another kind of node says why it waits", "[devices]") {
  DeviceCluster cluster("");
  types::Node plain = testing::MakeNode(
      "", StrCat(testing::VgpuNode(), R"(,"cpu":"64","memory":"64Gi","pods":"110")"));
  cluster.Put(plain);
  cluster.Group("g");
  cluster.Pod("a", "g", {Vgpu(1, 100)});
  // The node counts such resources, but its device plugin has named no card.
  CHECK(cluster.Run().empty());
  CHECK(cluster.MessageOf("a") == "0/1 nodes are unavailable: 1 hami-vgpuDeviceSharing error.");
}

TEST_CASE("deviceshare: nodes without Ascend cards and nodes that are full say the same",
          "[devices]") {
  DeviceCluster cluster(testing::ClusterSetup{.family = "AscendHAMiVNPUEnable"});
  cluster.ids_key = "hami.io/Ascend310P-devices-allocated";
  for (const char* name : {"bare", "full"}) {
    types::Node node = testing::MakeNode(
        "", R"("huawei.com/Ascend310P":"7","cpu":"64","memory":"64Gi","pods":"110")");
    node.meta.name = name;
    if (node.meta.name == "full") {
      node.meta.annotations.Set(
          "hami.io/node-register-Ascend310P",
          R"([{"id":"a","count":7,"devmem":21527,"devcore":8,"type":"Ascend310P"}])");
    }
    cluster.Put(node);
  }
  cluster.Group("g");
  const std::string one = R"("huawei.com/Ascend310P":"1")";
  cluster.Pod("p", "g", {one});
  cluster.Put(cluster.Bound("p", "full", "a,Ascend310P,21527,0:;"));
  cluster.Pod("q", "g", {one});
  CHECK(cluster.Run().empty());
  CHECK(cluster.MessageOf("q") == "0/2 nodes are unavailable: 2 no ascend device available.");
}

TEST_CASE("deviceshare: gauges of devices follow the nodes", "[devices]") {
  metrics::Registry registry;
  metrics::SchedulerMetrics metrics(registry);
  DeviceCluster cluster("");
  cluster.metrics = &metrics;
  cluster.Node("n", kTwoCards);
  cluster.Group("g");
  cluster.Pod("a", "g", {Vgpu(1, 600, 20)});
  cluster.Put(cluster.Bound("a", "n", "G0,NVIDIA,600,20:"));
  cluster.Run();
  const auto shows = [&](const std::string& line) {
    return registry.RenderText().find(line) != std::string::npos;
  };
  CHECK(shows(R"(volcano_vgpu_device_shared_number{NodeName="n",devID="G0"} 1)"));
  CHECK(shows(R"(volcano_vgpu_device_shared_number{NodeName="n",devID="G1"} 0)"));
  CHECK(shows(R"(volcano_vgpu_device_allocated_memory{NodeName="n",devID="G0"} 600)"));
  CHECK(shows(R"(volcano_vgpu_device_allocated_cores{NodeName="n",devID="G0"} 20)"));
  CHECK(shows(R"(volcano_vgpu_device_memory_limit{NodeName="n",devID="G1"} 1000)"));
  CHECK(shows(
      R"(volcano_vgpu_device_memory_allocation_for_a_certain_pod{NodeName="n",devID="G0",podName="a"} 600)"));
  CHECK(shows(
      R"(volcano_vgpu_device_core_allocation_for_a_certain_pod{NodeName="n",devID="G0",podName="a"} 20)"));
  cluster.mirror.RemovePod("ns/a");
  cluster.Run();
  CHECK(shows(R"(volcano_vgpu_device_shared_number{NodeName="n",devID="G0"} 0)"));
  CHECK_FALSE(shows("podName=\"a\""));
  cluster.mirror.RemoveNode("n");
  cluster.Run();
  CHECK_FALSE(shows("devID="));
}

}  // namespace
}  // namespace bth::devices
