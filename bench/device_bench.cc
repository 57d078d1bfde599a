// Cycles that give pods devices: virtual GPUs by annotations, and claims of dynamic resource
// allocation.
#include <benchmark/benchmark.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "api/types/codec.h"
#include "base/strings.h"
#include "bench/cluster.h"
#include "cache/routing/router.h"
#include "devices/config.h"

namespace bth::bench {
namespace {

constexpr int64_t kNodes = 1'000;
constexpr int64_t kCards = 8;  // Of each node.

constexpr char kVgpuConf[] = R"(
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: drf
  - name: predicates
  - name: deviceshare
    arguments: {deviceshare.VGPUEnable: true, deviceshare.SchedulePolicy: binpack, deviceshare.ScheduleWeight: 10}
  - name: proportion
  - name: nodeorder
)";

std::string NodeName(int64_t i) {
  return StrCat("node-", absl::Dec(i, absl::kZeroPad6));
}

// Fed with objects as the API has them.
class DeviceCluster {
 public:
  DeviceCluster() {
    auto settings = std::make_shared<model::DeviceSettings>();
    devices::UseBuiltinConfig(settings.get());
    settings->vgpu = true;
    responsibility_.devices = settings;
    cluster_.mirror().CountDevices(settings);
  }

  template <typename T>
  void Put(const std::string& json) {
    const auto object = types::Decode<T>(std::string_view(json));
    if (!object.ok()) throw std::runtime_error(object.status().ToString());
    const absl::Status put = cache::Router(cluster_.mirror(), responsibility_).Put(*object);
    if (!put.ok()) throw std::runtime_error(put.ToString());
  }
  void AddNode(int64_t i, const std::string& annotations, const std::string& resources) {
    const std::string amounts = StrCat(R"("cpu":"64","memory":"256Gi","pods":"250")", resources);
    Put<types::Node>(StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")", NodeName(i),
                            R"(","annotations":{)", annotations, R"(}},"status":{"capacity":{)",
                            amounts, R"(},"allocatable":{)", amounts, "}}}"));
  }
  void AddGroup(const std::string& name, int64_t min) {
    Put<types::PodGroup>(StrCat(
        R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":)",
        R"({"namespace":"ns","name":")", name, R"(","uid":"u-)", name,
        R"("},"spec":{"queue":"default","minMember":)", min, R"(},"status":{"phase":"Inqueue"}})"));
  }
  // `limits`: members of the container's; `spec`: more members of the pod's, with a comma.
  void AddPod(int64_t i, const std::string& group, const std::string& limits,
              const std::string& spec) {
    const std::string requests = StrCat(R"("cpu":"500m","memory":"1Gi")", limits);
    Put<types::Pod>(
        StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"pod-)", i,
               R"(","uid":"u-pod-)", i, R"(","creationTimestamp":"2026-01-01T00:00:00Z",)",
               R"("annotations":{"scheduling.k8s.io/group-name":")", group,
               R"("}},"spec":{"schedulerName":"volcano",)", spec,
               R"("containers":[{"name":"c","image":"i","resources":{"requests":{)", requests,
               R"(},"limits":{)", requests, R"(}}}]},"status":{"phase":"Pending"}})"));
  }
  Cluster& cluster() { return cluster_; }

 private:
  Cluster cluster_;
  cache::Responsibility responsibility_;
};

void AddCardNodes(DeviceCluster& devices) {
  for (int64_t i = 0; i < kNodes; ++i) {
    std::string cards;
    for (int64_t card = 0; card < kCards; ++card) {
      StrAppend(&cards, "GPU-", i, "-", card, ",10,40960,NVIDIA-A100,true,hami-core:");
    }
    devices.AddNode(
        i, StrCat(R"("volcano.sh/node-vgpu-register":")", cards, "\""),
        R"(,"volcano.sh/vgpu-number":"80","volcano.sh/vgpu-memory":"327680","volcano.sh/vgpu-cores":"800")");
  }
}

// Gangs of 10 whose pods ask for one card each; `shapes` different amounts of memory.
void BM_VirtualGpus(benchmark::State& state) {
  constexpr int64_t kPods = 4'000;
  constexpr int64_t kGang = 10;
  DeviceCluster devices;
  AddCardNodes(devices);
  for (int64_t i = 0; i < kPods; ++i) {
    const int64_t gang = i / kGang;
    if (i % kGang == 0) devices.AddGroup(StrCat("gang-", gang), kGang);
    devices.AddPod(i, StrCat("gang-", gang),
                   StrCat(R"(,"volcano.sh/vgpu-number":"1","volcano.sh/vgpu-memory":")",
                          4'096 + gang % state.range(0), R"(","volcano.sh/vgpu-cores":"10")"),
                   "");
  }
  RunCycles(
      state, devices.cluster(), [] {}, kVgpuConf);
  if (state.counters["binds"] != kPods) state.SkipWithError("not all pods were bound");
}
BENCHMARK(BM_VirtualGpus)
    ->ArgName("shapes")
    ->Arg(1)
    ->Arg(40)
    ->Arg(400)
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1);

void AddSlices(DeviceCluster& devices) {
  devices.Put<types::DeviceClass>(
      R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu"},)"
      R"("spec":{"selectors":[{"cel":{"expression":"device.driver == 'x.io'"}}]}})");
  for (int64_t i = 0; i < kNodes; ++i) {
    const std::string node = NodeName(i);
    devices.AddNode(i, "", "");
    std::string list;
    for (int64_t d = 0; d < kCards; ++d) {
      StrAppend(&list, d == 0 ? "" : ",", R"({"name":"gpu-)", d,
                R"(","attributes":{"model":{"string":"a100"},"index":{"int":)", d,
                R"(}},"capacity":{"memory":{"value":"40Gi"}}})");
    }
    devices.Put<types::ResourceSlice>(
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":")",
               node, R"("},"spec":{"driver":"x.io","nodeName":")", node, R"(","pool":{"name":")",
               node, R"(","generation":1,"resourceSliceCount":1},"devices":[)", list, "]}}"));
  }
}

// Pods that wait for a claim of their own, as templates make them; gangs of 10.
void AddClaimants(DeviceCluster& devices, int64_t pods, const std::string& expression) {
  constexpr int64_t kGang = 10;
  for (int64_t i = 0; i < pods; ++i) {
    const int64_t gang = i / kGang;
    if (i % kGang == 0) devices.AddGroup(StrCat("gang-", gang), kGang);
    devices.Put<types::ResourceClaim>(StrCat(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c-)", i,
        R"(","namespace":"ns","uid":"u-c-)", i,
        R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu",)",
        R"("allocationMode":"ExactCount","count":1,"selectors":[{"cel":{"expression":")",
        expression, R"("}}]}}]}}})"));
    devices.AddPod(i, StrCat("gang-", gang), "",
                   StrCat(R"("resourceClaims":[{"name":"d","resourceClaimName":"c-)", i, "\"}],"));
  }
}

constexpr char kAnyModel[] = "device.attributes['x.io'].model == 'a100'";
constexpr char kNoModel[] = "device.attributes['x.io'].model == 'h200'";

// `remembered`: selectors were asked about these devices in an earlier cycle.
void BM_Claims(benchmark::State& state, bool remembered) {
  constexpr int64_t kClaims = 1'000;
  DeviceCluster devices;
  AddSlices(devices);
  AddClaimants(devices, kClaims, kAnyModel);
  auto bed = std::make_unique<PolicyBed>(kConf);
  size_t binds = bed->RunOnce(devices.cluster().mirror().Publish());
  for (auto _ : state) {
    if (!remembered) {
      state.PauseTiming();
      bed = std::make_unique<PolicyBed>(kConf);
      state.ResumeTiming();
    }
    binds = bed->RunOnce(devices.cluster().mirror().Publish());
  }
  if (binds != kClaims) state.SkipWithError("not all pods were bound");
}
BENCHMARK_CAPTURE(BM_Claims, first_cycle, false)->Unit(benchmark::kMillisecond)->MinTime(1);
BENCHMARK_CAPTURE(BM_Claims, later_cycle, true)->Unit(benchmark::kMillisecond)->MinTime(1);

// Gangs that claim devices which nobody has, while pods come and go that have nothing to do with
// them: they are left alone.
void BM_NewPodBesideWaitingClaims(benchmark::State& state) {
  DeviceCluster devices;
  AddSlices(devices);
  if (state.range(0) > 0) AddClaimants(devices, state.range(0), kNoModel);
  bool first = true;
  RunCycles(state, devices.cluster(), [&] {
    if (!first) devices.cluster().mirror().RemovePod("ns/new");
    first = false;
    test::Put(JobSpec{.name = "ns/new", .queue = "default", .min = 1}, devices.cluster().mirror());
    test::Put(PodSpec{.name = "new", .job = "ns/new", .cpu_milli = 500, .memory_bytes = kGi},
              devices.cluster().mirror());
  });
  if (state.counters["binds"] != 1) state.SkipWithError("the new pod was not bound");
  if (state.counters["jobs"] != 1) state.SkipWithError("gangs that wait were looked at");
}
BENCHMARK(BM_NewPodBesideWaitingClaims)
    ->Arg(0)
    ->Arg(1'000)
    ->Unit(benchmark::kMicrosecond)
    ->MinTime(1);

}  // namespace
}  // namespace bth::bench

BENCHMARK_MAIN();
