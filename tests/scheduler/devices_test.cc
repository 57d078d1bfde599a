// Shared devices from end to end: bindings with annotations, restarts, the ConfigMap.
#include "tests/scheduler/short_bed.h"

namespace bth::scheduler {
namespace {

using testing::ShortBed;
using types::Json;

constexpr char kConf[] = R"(
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: deviceshare
    arguments:
      deviceshare.VGPUEnable: true
)";

constexpr char kNode[] =
    "node n cpu=8 mem=8Gi res.volcano.sh/vgpu-number=10 res.volcano.sh/vgpu-memory=1000 "
    "res.volcano.sh/vgpu-cores=100 "
    "annotation.volcano.sh/node-vgpu-register=GPU-a,10,1000,NVIDIA-A,true,hami-core:";

std::string PodWith(const std::string& name, int memory) {
  return StrCat("pod ", name, " job=j cpu=1 res.volcano.sh/vgpu-number=1 ",
                "res.volcano.sh/vgpu-memory=", memory);
}

std::string Said(ShortBed& bed, const std::string& pod, std::string_view key) {
  return std::string(bed.Get("/api/v1/namespaces/default/pods/" + pod)
                         .At({"metadata", "annotations", key})
                         .AsString());
}

TEST_CASE("devices: a binding says which, and a new scheduler goes by that", "[scheduler]") {
  ShortBed bed;
  bed.Given({kNode, "job j min=1", PodWith("a", 600)});
  bed.Begin(kConf);
  CHECK(bed.NodeOf("a") == "n");
  CHECK(Said(bed, "a", "volcano.sh/vgpu-ids-new") == "GPU-a,NVIDIA,600,0:");
  CHECK(Said(bed, "a", "volcano.sh/devices-to-allocate") == "GPU-a,NVIDIA,600,0:");
  CHECK(Said(bed, "a", "volcano.sh/vgpu-node") == "n");
  CHECK(Said(bed, "a", "volcano.sh/bind-phase") == "allocating");
  // There is room of every resource, and none on the card.
  bed.Given({PodWith("b", 400), PodWith("c", 200)});
  bed.Settle();
  CHECK(bed.Bound("b"));
  CHECK_FALSE(bed.Bound("c"));
  bed.scheduler.reset();
  bed.Begin(kConf);
  CHECK_FALSE(bed.Bound("c"));
  bed.Delete("/api/v1/namespaces/default/pods/b");
  bed.Settle();
  CHECK(Said(bed, "c", "volcano.sh/vgpu-ids-new") == "GPU-a,NVIDIA,200,0:");
}

TEST_CASE("devices: locks of nodes go with the bindings", "[scheduler]") {
  ShortBed bed;
  bed.Given({kNode, "job j min=1", PodWith("a", 600)});
  bed.Begin(StrCat(kConf, "      deviceshare.NodeLockEnable: true\n"));
  CHECK(bed.NodeOf("a") == "n");
  const auto lock = [&bed] {
    return std::string(
        bed.Get("/api/v1/nodes/n").At({"metadata", "annotations", "hamivgpu"}).AsString());
  };
  CHECK_FALSE(lock().empty());
  // Nobody hands devices out here: the next one waits until the lock has run out.
  bed.Given({PodWith("b", 100)});
  bed.executor.Advance(absl::Minutes(3));
  CHECK_FALSE(bed.Bound("b"));
  // It holds nobody up who has nothing to do with it.
  bed.Given({"node m cpu=8 mem=8Gi", "job k min=1", "pod c job=k cpu=1"});
  bed.Settle();
  CHECK(bed.Bound("c"));
  bed.executor.Advance(absl::Minutes(3));
  CHECK(bed.Bound("b"));
}

TEST_CASE("devices: the ConfigMap says what they are called, before anything is placed",
          "[scheduler]") {
  ShortBed bed;
  bed.Create("/api/v1/namespaces", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":)"
                                   R"("devices"}})");
  bed.Create("/api/v1/namespaces/devices/configmaps",
             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"names"},"data":{)"
             R"("device-config.yaml":"nvidia: {resourceCountName: x.io/gpu, resourceMemoryName: )"
             R"(x.io/memory, resourceCoreName: x.io/cores}"}})");
  bed.Given(
      {"node n cpu=8 mem=8Gi res.x.io/gpu=10 res.x.io/memory=1000 res.x.io/cores=100 "
       "annotation.volcano.sh/node-vgpu-register=GPU-a,10,1000,NVIDIA-A,true,hami-core:",
       "job j min=1", "pod a job=j cpu=1 res.x.io/gpu=1 res.x.io/memory=600"});
  bed.Begin(StrCat(kConf, "      deviceshare.KnownGeometriesCMNamespace: devices\n",
                   "      deviceshare.KnownGeometriesCMName: names\n"));
  CHECK(Said(bed, "a", "volcano.sh/vgpu-ids-new") == "GPU-a,NVIDIA,600,0:");
}

TEST_CASE("devices: nothing is decided while the server does not say what they are called",
          "[scheduler]") {
  ShortBed bed;
  bed.Given({kNode, "job j min=1", PodWith("a", 600)});
  bool away = true;
  bed.line->script = [&away](const net::Request& request) -> std::optional<test::Fault> {
    if (!away || !absl::StrContains(request.target, "/configmaps/")) return std::nullopt;
    return test::Fault{.unsent = true};
  };
  bed.Begin(kConf);
  CHECK_FALSE(bed.Bound("a"));
  away = false;
  bed.Settle();
  CHECK(bed.Bound("a"));
}

constexpr char kChipConf[] = R"(
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: deviceshare
    arguments:
      deviceshare.AscendMindClusterVNPUEnable: true
)";
constexpr char kChipNode[] =
    "node n cpu=8 mem=8Gi res.huawei.com/npu-core=16 label.accelerator=huawei-Ascend310P "
    "label.servertype=Ascend310P-8 label.node.kubernetes.io/npu.chip.name=310P3";

std::string ChipPod(const std::string& name, int cores) {
  return StrCat("pod ", name, " job=j cpu=1 res.huawei.com/npu-core=", cores,
                " label.ring-controller.atlas=ascend-310P");
}

// The API server as MindCluster's daemons fill it.
struct ChipServer : ShortBed {
  void Namespace(const std::string& name) {
    Create("/api/v1/namespaces",
           StrCat(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")", name, "\"}}"));
  }
  void Map(const std::string& ns, const std::string& name, const std::string& label,
           const std::string& key, const std::string& text) {
    Json map = Json::MakeObject({{"apiVersion", "v1"}, {"kind", "ConfigMap"}});
    map["metadata"]["name"] = name;
    map["metadata"]["labels"][label] = "true";
    map["data"][key] = text;
    Create(StrCat("/api/v1/namespaces/", ns, "/configmaps"), map.Dump());
  }
  void Change(const std::string& path, const std::string& patch) {
    REQUIRE(Call("PATCH", path, patch, "application/merge-patch+json").code == 200);
  }
};

std::string Chips(const std::string& free) {
  return StrCat(R"({"mindx-dl-deviceinfo-n":{"DeviceList":{"huawei.com/Ascend310P":")", free,
                R"("},"UpdateTime":1}})");
}

TEST_CASE("devices: chips are those that ClusterD tells of", "[scheduler]") {
  ChipServer bed;
  bed.Namespace("mindx-dl");
  bed.Given({kChipNode, "job j min=1", ChipPod("a", 8)});
  // Without the label nobody finds it.
  bed.Map("mindx-dl", "cluster-info-device-1", "other", "cluster-info-device-1",
          Chips("Ascend310P-0"));
  bed.Begin(kChipConf);
  CHECK_FALSE(bed.Bound("a"));
  bed.Map("mindx-dl", "cluster-info-device-0", "mx-consumer-volcano", "cluster-info-device-0",
          Chips("Ascend310P-1"));
  bed.Settle();
  CHECK(bed.NodeOf("a") == "n");
  CHECK(Said(bed, "a", "huawei.com/npu-core") == "1");
  CHECK_FALSE(Said(bed, "a", "predicate-time").empty());
  bed.Given({ChipPod("b", 4)});
  bed.Settle();
  CHECK_FALSE(bed.Bound("b"));
  Json patch = Json::MakeObject();
  patch["data"]["cluster-info-device-0"] = Chips("Ascend310P-0");
  bed.Change("/api/v1/namespaces/mindx-dl/configmaps/cluster-info-device-0", patch.Dump());
  bed.Settle();
  CHECK(Said(bed, "b", "huawei.com/npu-core") == "0-vir04_3c");
  // A scheduler that begins anew knows both.
  bed.scheduler.reset();
  bed.Begin(kChipConf);
  bed.Given({ChipPod("c", 8), ChipPod("d", 1)});
  bed.Settle();
  CHECK_FALSE(bed.Bound("c"));
  CHECK_FALSE(bed.Bound("d"));  // The device plugin has not cut b's part yet.
  bed.Change(
      "/api/v1/namespaces/default/pods/b",
      R"({"metadata":{"annotations":{"huawei.com/AscendReal":"Ascend310P-4c.3cpu-100-0"}}})");
  bed.Settle();
  CHECK_FALSE(bed.Bound("c"));
  CHECK(Said(bed, "d", "huawei.com/npu-core") == "0-vir01");
}

TEST_CASE("devices: without ClusterD chips are those that each node's plugin tells of",
          "[scheduler]") {
  ChipServer bed;
  bed.Namespace("mindx-dl");
  bed.Given({kChipNode, "job j min=1", ChipPod("a", 8)});
  bed.Map("mindx-dl", "cluster-info-device-0", "mx-consumer-volcano", "cluster-info-device-0",
          Chips("Ascend310P-0"));
  bed.Map("kube-system", "mindx-dl-deviceinfo-n", "mx-consumer-cim", "DeviceInfoCfg",
          R"({"DeviceInfo":{"DeviceList":{"huawei.com/Ascend310P":"Ascend310P-1"},)"
          R"("UpdateTime":1},"CheckCode":""})");
  bed.Map("mindx-dl", "mindx-dl-nodeinfo-n", "mx-consumer-cim", "NodeInfo",
          R"({"NodeInfo":{"NodeStatus":"PreSeparate"}})");
  bed.Begin(StrCat(kChipConf,
                   "configurations:\n- name: init-params\n  arguments: {useClusterInfoManager: "
                   "\"false\"}\n"));
  CHECK_FALSE(bed.Bound("a"));
  bed.Delete("/api/v1/namespaces/mindx-dl/configmaps/mindx-dl-nodeinfo-n");
  bed.Settle();
  CHECK(Said(bed, "a", "huawei.com/npu-core") == "1");
}

TEST_CASE("devices: a ConfigMap that cannot be read leaves what was known", "[scheduler]") {
  ChipServer bed;
  bed.Namespace("mindx-dl");
  bed.Given({kChipNode, "job j min=1"});
  bed.Map("mindx-dl", "cluster-info-device-0", "mx-consumer-volcano", "cluster-info-device-0",
          Chips("Ascend310P-0"));
  bed.Begin(kChipConf);
  Json patch = Json::MakeObject();
  patch["data"]["cluster-info-device-0"] = "{";
  bed.Change("/api/v1/namespaces/mindx-dl/configmaps/cluster-info-device-0", patch.Dump());
  bed.Settle();
  bed.Given({ChipPod("a", 8)});
  bed.Settle();
  CHECK(Said(bed, "a", "huawei.com/npu-core") == "0");
}

}  // namespace
}  // namespace bth::scheduler
