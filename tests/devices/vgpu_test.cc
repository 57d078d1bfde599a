// Virtual GPUs by software: what objects say, and which device a container gets.
#include "devices/vgpu/vgpu.h"

#include "devices/encoding.h"
#include "tests/devices/objects.h"

namespace bth::devices {
namespace {

using testing::Card;
using testing::MakeNode;
using testing::MakePod;
using testing::PoolBed;
using testing::Vgpu;
using testing::VgpuNode;
using testing::Vgpus;

constexpr char kTwo[] =
    R"("volcano.sh/node-vgpu-register":"GPU-a,10,16384,NVIDIA-A,false,hami-core:GPU-b,4,8192,NVIDIA-B,true,hami-core:")";

TEST_CASE("vgpu: the register of a node", "[devices]") {
  using vgpu::ReadRegister;
  const auto two =
      ReadRegister("GPU-a,10,16384,NVIDIA-A,true,hami-core,more,fields:GPU-b,x,-5,T,,mig:");
  REQUIRE(two.devices.size() == 2);
  CHECK(two.devices[0] == Card("GPU-a", 16384, 10, "NVIDIA-A"));
  CHECK(two.devices[1] == Card("GPU-b", 0, 0, "T"));  // What is no natural number is zero.
  CHECK(two.mig);                                     // The last device decides.
  CHECK(ReadRegister("").devices.empty());
  CHECK(ReadRegister("GPU-a,10,16384,NVIDIA-A,true,hami-core").devices.empty());  // No ':'.
  // One that is cut off spoils all: its neighbours' numbers would shift.
  CHECK(ReadRegister("GPU-a,10,16384,NVIDIA-A,true,mig:GPU-b,10,16384,NVIDIA-A,true:")
            .devices.empty());
  // A device that is named twice is one device.
  const auto twice = ReadRegister("G,1,10,T,true,x:G,1,10,T,true,x:");
  CHECK(twice.devices.size() == 1);
  CHECK_FALSE(twice.mig);
  std::string many;
  for (size_t i = 0; i <= kDevicesMax; ++i) StrAppend(&many, "g", i, ",1,1,T,true,x:");
  CHECK(ReadRegister(many).devices.empty());
}

TEST_CASE("vgpu: a node has devices when it says so and can hand them out", "[devices]") {
  const auto node = ReadNode(MakeNode(kTwo, VgpuNode()), Vgpus());
  REQUIRE(node != nullptr);
  REQUIRE(node->pools.size() == 1);
  CHECK(node->pools[0].devices.size() == 2);
  CHECK(node->pools[0].geometry == nullptr);
  CHECK(ReadNode(MakeNode("", VgpuNode()), Vgpus()) == nullptr);
  CHECK(ReadNode(MakeNode(kTwo, R"("volcano.sh/vgpu-number":"4")"), Vgpus()) == nullptr);
  CHECK(ReadNode(MakeNode(kTwo, R"("volcano.sh/vgpu-number":"4","volcano.sh/vgpu-memory":"0",)"
                                R"("volcano.sh/vgpu-cores":"100")"),
                 Vgpus()) == nullptr);
  CHECK(ReadNode(MakeNode(kTwo, VgpuNode()), model::DeviceSettings()) == nullptr);
}

TEST_CASE("vgpu: locks of a node, and whether their time can be read", "[devices]") {
  const auto lock = [](const std::string& value) {
    const auto node =
        ReadNode(MakeNode(StrCat(kTwo, R"(,"hamivgpu":")", value, "\""), VgpuNode()), Vgpus());
    return *node->FindLock("hamivgpu");
  };
  CHECK(lock("2026-01-01T00:00:00Z").since_us == int64_t{1'767'225'600'000'000});
  CHECK(lock("2026-01-01T01:00:00+01:00").since_us == int64_t{1'767'225'600'000'000});
  CHECK_FALSE(lock("yesterday").since_us);
  CHECK(ReadNode(MakeNode(kTwo, VgpuNode()), Vgpus())->locks.empty());
}

TEST_CASE("vgpu: what containers ask for", "[devices]") {
  model::DeviceSettings settings = Vgpus();
  const auto asks = [&](const std::vector<std::string>& limits) {
    const auto asked = ReadRequests(MakePod(limits), settings);
    return asked == nullptr ? std::vector<model::ContainerDeviceRequest>()
                            : asked->requests[0].containers;
  };
  CHECK(asks({Vgpu(1, 3000), Vgpu(3, 5000)}) ==
        std::vector<model::ContainerDeviceRequest>{{.count = 1, .memory = 3000},
                                                   {.count = 3, .memory = 5000}});
  CHECK(asks({Vgpu(2, 100, 30), ""}) ==
        std::vector<model::ContainerDeviceRequest>{{.count = 2, .memory = 100, .cores = 30}});
  // Without memory, all of it; by memory alone, one device.
  CHECK(asks({Vgpu(1)}) ==
        std::vector<model::ContainerDeviceRequest>{{.count = 1, .percent = 100}});
  CHECK(asks({R"("volcano.sh/vgpu-memory":"7")"}) ==
        std::vector<model::ContainerDeviceRequest>{{.count = 1, .memory = 7}});
  CHECK(asks({R"("volcano.sh/vgpu-cores":"7")"}).empty());
  CHECK(asks({Vgpu(0)}).empty());
  // A share goes before an amount.
  settings.vgpus.percentage = "volcano.sh/vgpu-memory-percentage";
  CHECK(asks({StrCat(Vgpu(1, 500), R"(,"volcano.sh/vgpu-memory-percentage":"25")")}) ==
        std::vector<model::ContainerDeviceRequest>{{.count = 1, .percent = 25}});
  CHECK(ReadRequests(MakePod({Vgpu(1)}), model::DeviceSettings()) == nullptr);
}

TEST_CASE("vgpu: requests that differ have different keys", "[devices]") {
  const auto key = [](const std::string& annotations, const std::string& labels = "") {
    model::DeviceSettings settings = Vgpus();
    settings.exclusive_rules = {{{"app", "a"}}};
    return KeyOf(*ReadRequests(MakePod({Vgpu(1, 10)}, annotations, labels), settings));
  };
  const std::vector<std::string> keys = {
      key(""),
      key(R"("volcano.sh/vgpu-mode":"mig")"),
      key(R"("volcano.sh/vgpu-mode":"")"),
      key(R"("volcano.sh/vgpu-use-gpuuuid":"a")"),
      key(R"("volcano.sh/vgpu-nouse-gpuuuid":"a")"),
      key(R"("nvidia.com/use-gputype":"A")"),
      key(R"("nvidia.com/nouse-gputype":"A")"),
      key(R"("volcano.sh/vgpu-podgroup-policy":"spread","scheduling.k8s.io/group-name":"g")"),
      key("", R"("app":"a")"),
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < i; ++j) CHECK(keys[i] != keys[j]);
  }
  // The group of a pod that does not keep apart makes no difference.
  CHECK(key(R"("scheduling.k8s.io/group-name":"g")") == key(""));
}

TEST_CASE("vgpu: devices by type", "[devices]") {
  const auto may = [](const std::string& annotation, const std::string& value,
                      const std::string& type = "NVIDIA-NVIDIA A100") {
    const auto asked = ReadRequests(
        MakePod({Vgpu(1)}, StrCat("\"nvidia.com/", annotation, "\":\"", value, "\"")), Vgpus());
    return vgpu::MayUseType(asked->requests[0], type);
  };
  CHECK(may("use-gputype", "NVIDIA"));
  CHECK(may("use-gputype", "nvidia"));
  CHECK(may("use-gputype", "AMD,NVIDIA,INTEL"));
  CHECK_FALSE(may("use-gputype", "AMD,INTEL,MLU"));
  CHECK_FALSE(may("nouse-gputype", "NVIDIA"));
  CHECK_FALSE(may("nouse-gputype", "nvidia"));
  CHECK_FALSE(may("nouse-gputype", "AMD,NVIDIA"));
  CHECK(may("nouse-gputype", "AMD,INTEL"));
  CHECK(may("other", "x"));
  CHECK_FALSE(may("other", "x", "AMD-MI300"));
}

TEST_CASE("vgpu: devices by id", "[devices]") {
  const auto may = [](const std::string& use, const std::string& nouse, const std::string& id) {
    const auto asked = ReadRequests(
        MakePod({Vgpu(1)}, StrCat(R"("volcano.sh/vgpu-use-gpuuuid":")", use,
                                  R"(","volcano.sh/vgpu-nouse-gpuuuid":")", nouse, "\"")),
        Vgpus());
    return vgpu::MayUseId(asked->requests[0], id);
  };
  CHECK(may("", "", "GPU-1"));
  CHECK(may("  ", ", ,", "GPU-1"));
  CHECK(may("GPU-0, GPU-1", "", "GPU-1"));
  CHECK(may("GPU-0,, GPU-1,", "", "GPU-1"));
  CHECK_FALSE(may("GPU-10", "", "GPU-1"));
  CHECK_FALSE(may("GPU-1", "", ""));
  CHECK_FALSE(may("", "GPU-1", ""));
  CHECK_FALSE(may("", "GPU-0,GPU-1", "GPU-1"));
  CHECK_FALSE(may("GPU-1", "GPU-1", "GPU-1"));

  PoolBed bed({Card("A", 1000), Card("B", 1000)});
  const auto pod = [](const std::string& key, const std::string& value) {
    return MakePod({Vgpu(1, 10)}, StrCat("\"volcano.sh/", key, "\":\"", value, "\""));
  };
  CHECK(bed.Ask(pod("vgpu-use-gpuuuid", "A")) == "A");
  CHECK(bed.Ask(pod("vgpu-nouse-gpuuuid", "B")) == "A");
  CHECK(bed.Ask(pod("vgpu-use-gpuuuid", "C")) == "-");
  CHECK(bed.Ask(pod("vgpu-nouse-gpuuuid", "A,B")) == "-");
}

TEST_CASE("vgpu: the group of a pod", "[devices]") {
  CHECK(GroupOf(MakePod({}).meta).empty());
  CHECK(GroupOf(MakePod({}, R"("scheduling.k8s.io/group-name":"a")").meta) == "ns/a");
  CHECK(GroupOf(MakePod({}, R"("scheduling.volcano.sh/group-name":"b")").meta) == "ns/b");
  CHECK(GroupOf(MakePod({}, R"("scheduling.k8s.io/group-name":"a",)"
                            R"("scheduling.volcano.sh/group-name":"b")")
                    .meta) == "ns/a");
}

TEST_CASE("vgpu: the order in which devices are tried", "[devices]") {
  const auto pod = MakePod({Vgpu(1, 4096)});
  PoolBed bed({Card("0", 16384), Card("1", 16384)});
  bed.Hold("0", 4096);
  bed.policy = Policy::kBinpack;
  CHECK(bed.Ask(pod) == "0");
  bed.policy = Policy::kSpread;
  CHECK(bed.Ask(pod) == "1");
  PoolBed idle({Card("0", 16384), Card("1", 16384), Card("2", 16384)});
  CHECK(idle.Ask(pod) == "2");
  idle.policy = Policy::kBinpack;
  CHECK(idle.Place(pod) == "0");
  CHECK(idle.Place(pod) == "0");
  CHECK(idle.Place(pod) == "0");
  idle.policy = Policy::kSpread;
  CHECK(idle.Place(pod) == "1");
  CHECK(idle.Place(pod) == "2");
}

TEST_CASE("vgpu: scores", "[devices]") {
  const auto pod = MakePod({Vgpu(1, 1000)});
  PoolBed bed({Card("0", 30000)});
  bed.Hold("0", 3000);
  double score = -1;
  bed.policy = Policy::kBinpack;
  CHECK(bed.Ask(pod, &score) == "0");
  CHECK(score > 13.3);
  CHECK(score < 13.4);
  bed.policy = Policy::kSpread;
  bed.Ask(pod, &score);
  CHECK(score == 0);
  bed.policy = Policy::kNone;
  bed.Ask(pod, &score);
  CHECK(score == 0);
  PoolBed idle({Card("0", 30000)});
  idle.policy = Policy::kSpread;
  idle.Ask(pod, &score);
  CHECK(score == 0);  // It orders cards, and rates none.
  idle.policy = Policy::kBinpack;
  idle.Ask(MakePod({Vgpu(1)}), &score);
  CHECK(score == 100);  // Full.
  // Three whole cards, each of its own size.
  PoolBed three({Card("a", 30000), Card("b", 20000), Card("c", 30000)});
  CHECK(three.Ask(MakePod({Vgpu(3, -1, 100)})) == "c b a");
}

TEST_CASE("vgpu: what keeps a container off a device", "[devices]") {
  struct Row {
    const char* what;
    int64_t held_memory;
    int32_t held_cores;
    std::string ask;
    const char* gets;
  };
  for (const Row& row : std::vector<Row>{
           {"room", 10, 0, Vgpu(1, 90), "a"},
           {"no memory", 10, 0, Vgpu(1, 91), "-"},
           {"no memory for all of it", 10, 0, Vgpu(1), "-"},
           {"cores", 0, 60, Vgpu(1, 1, 40), "a"},
           {"no cores", 0, 61, Vgpu(1, 1, 40), "-"},
           {"all cores beside another", 0, 0, Vgpu(1, 1, 100), "-"},
           {"no cores beside all", 0, 100, Vgpu(1, 1, 0), "-"},
           {"more than there are", 0, 0, Vgpu(2, 1), "-"},
       }) {
    CAPTURE(row.what);
    PoolBed bed({Card("a", 100)});
    bed.Hold("a", row.held_memory, row.held_cores);
    CHECK(bed.Ask(MakePod({row.ask})) == row.gets);
  }
  PoolBed full({Card("a", 100, 1)});
  full.Hold("a", 0);
  CHECK(full.Ask(MakePod({Vgpu(1, 1)})) == "-");
}

TEST_CASE("vgpu: containers of a pod, one after the other", "[devices]") {
  PoolBed bed({Card("a", 100, 2), Card("b", 100, 2)});
  CHECK(bed.Ask(MakePod({Vgpu(1, 60), Vgpu(1, 60)})) == "b|a");
  CHECK(bed.Ask(MakePod({Vgpu(1, 60), Vgpu(1, 40)})) == "b|b");
  CHECK(bed.Ask(MakePod({Vgpu(2, 60), Vgpu(1, 60)})) == "-");
  CHECK(bed.Ask(MakePod({Vgpu(2, 10), "", Vgpu(2, 10)})) == "b a|b a");
  CHECK(bed.Ask(MakePod({Vgpu(2, 10), Vgpu(2, 10), Vgpu(1, 10)})) == "-");  // Two may share.
}

TEST_CASE("vgpu: a pod that wants another way of sharing", "[devices]") {
  PoolBed bed({Card("a", 100)});
  CHECK(bed.Ask(MakePod({Vgpu(1, 1)}, R"("volcano.sh/vgpu-mode":"hami-core")")) == "a");
  CHECK(bed.Ask(MakePod({Vgpu(1, 1)}, R"("volcano.sh/vgpu-mode":"mig")")) == "-");
}

TEST_CASE("vgpu: pods of one group that keep apart", "[devices]") {
  const auto pod = [](const std::string& group, bool apart) {
    return MakePod({Vgpu(1, 4096, 25)},
                   StrCat(R"("scheduling.k8s.io/group-name":")", group, "\"",
                          apart ? R"(,"volcano.sh/vgpu-podgroup-policy":"spread")" : ""));
  };
  PoolBed two({Card("0", 16384, 4), Card("1", 16384, 4)});
  two.policy = Policy::kBinpack;
  CHECK(two.Place(pod("g", true)) == "0");
  CHECK(two.Place(pod("g", true)) == "1");
  CHECK(two.Ask(pod("g", true)) == "-");
  CHECK(two.Ask(pod("g", false)) == "0");
  PoolBed plain({Card("0", 16384, 4), Card("1", 16384, 4)});
  plain.policy = Policy::kBinpack;
  CHECK(plain.Place(pod("g", false)) == "0");
  CHECK(plain.Place(pod("g", false)) == "0");
  PoolBed one({Card("0", 16384, 4)});
  CHECK(one.Place(pod("g", true)) == "0");
  CHECK(one.Place(pod("h", true)) == "0");
  CHECK(one.Ask(pod("g", true)) == "-");
  CHECK(one.Ask(pod("g", false)) == "0");
  // Somebody who holds nothing of the device is nobody beside whom one is.
  PoolBed unused({Card("0", 16384, 4)});
  unused.Hold("0", 0, 0, "ns/g");
  CHECK(unused.Ask(pod("g", true)) == "0");
}

TEST_CASE("vgpu: exclusive rules", "[devices]") {
  model::DeviceSettings settings = Vgpus();
  settings.exclusive_rules = {{{"app", "training"}, {"team", "ml"}}, {{"workload", "inference"}}};
  const auto rules = [&](const std::string& labels) {
    return RulesOf(MakePod({}, "", labels).meta, settings);
  };
  CHECK(rules(R"("app":"training","team":"ml")") == 1);
  CHECK(rules(R"("app":"training","team":"ml","x":"y")") == 1);
  CHECK(rules(R"("app":"training","team":"ml","workload":"inference")") == 3);
  CHECK(rules(R"("app":"training")") == 0);
  CHECK(rules(R"("app":"training","team":"other")") == 0);
  CHECK(rules("") == 0);

  const auto pod = [](const std::string& labels) { return MakePod({Vgpu(1, 10)}, "", labels); };
  PoolBed bed({Card("0", 1000), Card("1", 1000), Card("2", 1000), Card("3", 1000)});
  bed.settings = settings;
  bed.policy = Policy::kBinpack;
  bed.Hold("0", 100, 0, "", 1);
  bed.Hold("1", 100, 0, "", 2);
  const std::string first = R"("app":"training","team":"ml")";
  const std::string second = R"("workload":"inference")";
  CHECK(bed.Ask(pod(first)) == "1");  // Beside the other rule's, not its own.
  CHECK(bed.Ask(pod(second)) == "0");
  CHECK(bed.Ask(pod(StrCat(first, ",", second))) == "2");
  CHECK(bed.Ask(pod("")) == "0");
  CHECK(bed.Ask(MakePod({Vgpu(4, 10)}, "", first)) == "-");  // Three are left.
  CHECK(bed.Ask(MakePod({Vgpu(3, 10)}, "", first)) == "1 2 3");
  CHECK(bed.Ask(MakePod({Vgpu(1, 10), Vgpu(1, 10)}, "", first)) == "1|1");  // Its own pod.
}

TEST_CASE("vgpu: those that leave hold their devices until they are gone", "[devices]") {
  PoolBed bed({Card("a", 100)});
  const model::TaskId task = bed.Hold("a", 80);
  const auto pod = MakePod({Vgpu(1, 50)});
  CHECK(bed.Ask(pod) == "-");
  CHECK(bed.Ask(pod, nullptr, /*future=*/true) == "-");
  bed.use->SetLeaving(task, true);
  CHECK(bed.Ask(pod) == "-");
  CHECK(bed.Ask(pod, nullptr, /*future=*/true) == "a");
  bed.use->SetLeaving(task, false);
  CHECK(bed.Ask(pod, nullptr, /*future=*/true) == "-");
  bed.use->Remove(task);
  CHECK(bed.Ask(pod) == "a");
}

TEST_CASE("vgpu: what pods hold adds up, once for each pod", "[devices]") {
  PoolBed bed({Card("GPU-1", 16384), Card("GPU-10", 16384)});
  const auto used = [&](size_t device) { return bed.pool_use().Columns(false)[device]; };
  const auto task = bed.Hold("GPU-1", 1000, 25);
  CHECK(used(0) == DeviceUse{1, 1000, 25});
  CHECK(used(1) == DeviceUse{});  // Not one whose name begins alike.
  const auto second = bed.Hold("GPU-1", 1000, 25);
  bed.Hold("GPU-1", 1000, 25);
  CHECK(used(0) == DeviceUse{3, 3000, 75});
  bed.Hold("GPU-unknown", 5, 5);
  CHECK(used(0) == DeviceUse{3, 3000, 75});
  bed.use->Remove(task);
  bed.use->Remove(second);
  CHECK(used(0) == DeviceUse{1, 1000, 25});
  // Two containers of a pod on one device are two shares of it.
  bed.Hold({.held = {{.kind = bed.pool().kind,
                      .devices = {{.id = "GPU-10", .memory = 10, .cores = 1},
                                  {.id = "GPU-10", .container = 1, .memory = 20, .cores = 2}}}}});
  CHECK(used(1) == DeviceUse{2, 30, 3});
}

TEST_CASE("vgpu: what is announced is what is read again", "[devices]") {
  PoolBed bed({Card("a", 1000), Card("b", 1000)});
  const auto asked = ReadRequests(MakePod({Vgpu(2, 10, 5), Vgpu(1, 20)}), bed.settings);
  const Family& family = vgpu::TheFamily();
  Choice choice;
  const Question question{
      .use = bed.pool_use(), .request = asked->requests[0], .settings = bed.settings};
  REQUIRE(family.Choose(question, &choice));
  const model::HeldDevices held = family.Name(question, choice);
  std::vector<std::pair<std::string, std::string>> said;
  family.Announce(held, bed.settings, {.node = "n", .now = absl::FromUnixSeconds(1'767'225'600)},
                  &said);
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"volcano.sh/bind-phase", "allocating"},
      {"volcano.sh/bind-time", "1767225600"},
      {"volcano.sh/devices-to-allocate", "b,NVIDIA,10,5:a,NVIDIA,10,5:;b,NVIDIA,20,0:"},
      {"volcano.sh/vgpu-ids-new", "b,NVIDIA,10,5:a,NVIDIA,10,5:;b,NVIDIA,20,0:"},
      {"volcano.sh/vgpu-node", "n"},
      {"volcano.sh/vgpu-time", "1767225600"}};
  CHECK(said == wanted);
  types::Pod pod = MakePod({Vgpu(2, 10, 5), Vgpu(1, 20)});
  for (const auto& [key, value] : said) pod.meta.annotations.Set(key, value);
  const auto read = ReadHeld(pod, bed.settings);
  REQUIRE(read != nullptr);
  CHECK(read->held == std::vector<model::HeldDevices>{held});
  CHECK(ReadHeld(MakePod({Vgpu(1)}), bed.settings) == nullptr);
}

TEST_CASE("vgpu: damaged records of what a pod holds", "[devices]") {
  const auto ids = [](std::string_view text) {
    std::string out;
    for (const model::HeldDevice& device : DecodeDevices(text)) {
      StrAppend(&out, device.container, ":", device.id, "=", device.memory, "/", device.cores, " ");
    }
    return out;
  };
  CHECK(ids("a,NVIDIA,10,5:b,NVIDIA,20,0:;c,NVIDIA,1,1:") == "0:a=10/5 0:b=20/0 1:c=1/1 ");
  CHECK(ids("a,NVIDIA,-10,5:") == "");
  CHECK(ids("a,NVIDIA,10,-5:") == "");
  CHECK(ids("a,NVIDIA,x,5:b,NVIDIA,1,y:") == "");
  CHECK(ids("a,NVIDIA,10:") == "");
  CHECK(ids("a,NVIDIA,10:b,NVIDIA,20,1:;;c,T,1,1") == "0:b=20/1 2:c=1/1 ");
  CHECK(ids("a,NVIDIA,99999999999999999999,5:") == "");
  CHECK(ids("") == "");
}

}  // namespace
}  // namespace bth::devices
