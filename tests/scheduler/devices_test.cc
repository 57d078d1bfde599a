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

}  // namespace
}  // namespace bth::scheduler
