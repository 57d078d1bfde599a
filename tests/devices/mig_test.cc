// Cards that are cut.
#include "devices/vgpu/mig.h"

#include "devices/vgpu/vgpu.h"
#include "tests/devices/objects.h"

namespace bth::devices {
namespace {

using model::MigGeometry;
using testing::Card;
using testing::MakeNode;
using testing::MakePod;
using testing::PoolBed;
using testing::Vgpu;
using testing::VgpuNode;
using vgpu::FindSlot;
using vgpu::Slot;

std::shared_ptr<const MigGeometry> Made(MigGeometry geometry) {
  return std::make_shared<const MigGeometry>(std::move(geometry));
}

TEST_CASE("mig: the smallest instance that does", "[devices]") {
  const MigGeometry ten = {{"default", {{"1g.10gb", 10240, 2}}}};
  const auto find = [](const MigGeometry& geometry, const std::vector<Slot>& taken,
                       int64_t memory) -> std::string {
    const auto slot = FindSlot(geometry, taken, memory);
    return slot ? StrCat(vgpu::InstanceId(geometry, "gpu-1234", *slot), " ", slot->memory) : "-";
  };
  CHECK(find(ten, {}, 10) == "gpu-1234[default-0] 10240");
  CHECK(find(ten, {}, 20000) == "-");
  CHECK(find({}, {}, 10) == "-");
  CHECK(find({{"default", {{"1g.10gb", 10240, 1}}}}, {{0, 0, 10240}}, 10) == "-");
  CHECK(find(ten, {{0, 0, 10240}}, 10) == "gpu-1234[default-1] 10240");
  CHECK(find({{"group1", {{"a", 10, 1}}}, {"group2", {{"b", 24, 1}}}}, {}, 20) ==
        "gpu-1234[group2-0] 24");
  CHECK(find({{"default", {{"a", 10, 1}}}}, {}, 5) == "gpu-1234[default-0] 10");
  // By memory, whatever their order; positions count all instances of the group.
  const MigGeometry mixed = {{"g", {{"big", 40, 1}, {"small", 10, 2}}}};
  CHECK(find(mixed, {}, 5) == "gpu-1234[g-1] 10");
  CHECK(find(mixed, {{0, 1, 10}}, 5) == "gpu-1234[g-2] 10");
  CHECK(find(mixed, {{0, 1, 10}, {0, 2, 10}}, 5) == "gpu-1234[g-0] 40");
  // A kind of instance that nobody uses yet is there all the same.
  CHECK(find(mixed, {{0, 1, 10}}, 20) == "gpu-1234[g-0] 40");
  // While one group is in use, the card is cut that way.
  const MigGeometry two = {{"one", {{"a", 10, 1}}}, {"other", {{"b", 10, 5}}}};
  CHECK(find(two, {{0, 0, 10}}, 5) == "-");
  CHECK(find(two, {{1, 0, 10}}, 5) == "gpu-1234[other-1] 10");
  CHECK(find(two, {{1, 0, 10}, {0, 0, 10}}, 5) == "-");
}

TEST_CASE("mig: places and back", "[devices]") {
  const MigGeometry geometry = {
      {"group1", {{"1g.10gb", 10240, 2}, {"2g.20gb", 20480, 3}, {"3g.30gb", 30720, 1}}},
      {"with-dash", {{"a", 5, 1}}}};
  CHECK(vgpu::MemoryAt(geometry, 0, 1) == 10240);
  CHECK(vgpu::MemoryAt(geometry, 0, 2) == 20480);
  CHECK(vgpu::MemoryAt(geometry, 0, 4) == 20480);
  CHECK(vgpu::MemoryAt(geometry, 0, 5) == 30720);
  CHECK(vgpu::MemoryAt(geometry, 0, 6) == 0);
  CHECK(vgpu::MemoryAt(geometry, 2, 0) == 0);
  const auto locate = [&](std::string_view id) {
    Holder holder;
    vgpu::LocateInstance(geometry, id, &holder);
    return StrCat(holder.mig_group, ",", holder.mig_position);
  };
  CHECK(locate("u[group1-4]") == "0,4");
  CHECK(locate("u[with-dash-0]") == "1,0");
  for (const char* unknown : {"u[other-0]", "u[group1-6]", "u[group1--1]", "u[group1-x]",
                              "u[group1]", "u", "u[", "u[group1-0"}) {
    CAPTURE(unknown);
    CHECK(locate(unknown) == "-2,0");
  }
}

TEST_CASE("mig: pods on a card that is cut", "[devices]") {
  const auto geometry = Made({{"group1", {{"1g.10gb", 10240, 2}, {"2g.20gb", 20480, 1}}}});
  PoolBed bed({Card("gpu-1234", 40960)}, geometry);
  CHECK(bed.Ask(MakePod({Vgpu(1, 5000)}, R"("volcano.sh/vgpu-mode":"hami-core")")) == "-");
  CHECK(bed.Place(MakePod({Vgpu(1, 5000)}, R"("volcano.sh/vgpu-mode":"mig")")) ==
        "gpu-1234[group1-0]");
  CHECK(bed.pool_use().Columns(false)[0] == DeviceUse{1, 10240, 0});
  // Two containers never get the same instance.
  CHECK(bed.Ask(MakePod({Vgpu(1, 5000), Vgpu(1, 5000)})) ==
        "gpu-1234[group1-1]|gpu-1234[group1-2]");
  CHECK(bed.Place(MakePod({Vgpu(1, 20000)})) == "gpu-1234[group1-2]");
  CHECK(bed.Place(MakePod({Vgpu(1, 5000)})) == "gpu-1234[group1-1]");
  CHECK(bed.Ask(MakePod({Vgpu(1, 1)})) == "-");
  // The last one that leaves gives the card back as it was.
  for (uint32_t task = 0; task < 3; ++task) bed.use->Remove(model::TaskId::FromIndex(task));
  CHECK(bed.pool_use().Columns(false)[0] == DeviceUse{});
  CHECK(bed.Ask(MakePod({Vgpu(1, 1)})) == "gpu-1234[group1-0]");
  // An instance that the settings do not know keeps others off: nobody knows what is left.
  bed.Hold("gpu-1234[other-0]", 10);
  CHECK(bed.Ask(MakePod({Vgpu(1, 1)})) == "-");
}

TEST_CASE("mig: a card that will be cut in another way takes nobody in between", "[devices]") {
  const auto geometry = Made({{"even", {{"half", 20480, 2}}}, {"whole", {{"all", 40960, 1}}}});
  PoolBed bed({Card("gpu-1234", 81920)}, geometry);
  bed.Hold({.held = {{.kind = bed.pool().kind,
                      .devices = {{.id = "gpu-1234[even-0]", .memory = 20480}}}}},
           /*leaving=*/true);
  const types::Pod small = MakePod({Vgpu(1, 5000)});
  CHECK(bed.Ask(small) == "gpu-1234[even-1]");
  bed.Hold("gpu-1234[whole-0]", 40960);  // Of a pipelined pod.
  CHECK(bed.Ask(small) == "-");
  CHECK(bed.Ask(small, nullptr, /*future=*/true) == "-");
}

TEST_CASE("mig: memory in other units", "[devices]") {
  const auto geometry = Made({{"group1", {{"1g.10gb", 10240, 2}, {"2g.20gb", 20480, 1}}}});
  const auto holds = [&](int64_t factor, int64_t need) {
    PoolBed bed({Card("gpu-1234", 40960)}, geometry);
    bed.settings.vgpus.memory_factor = factor;
    const std::string id = bed.Place(MakePod({Vgpu(1, need)}));
    return StrCat(id, " ", bed.pool_use().Columns(false)[0].memory);
  };
  CHECK(holds(1, 10) == "gpu-1234[group1-0] 10240");
  CHECK(holds(2, 10) == "gpu-1234[group1-0] 5120");
  CHECK(holds(2, 6144) == "gpu-1234[group1-2] 10240");
}

TEST_CASE("mig: which cards of a node are cut", "[devices]") {
  model::DeviceSettings settings = testing::Vgpus();
  settings.vgpus.geometries = {{{"A30"}, Made({{"a", {{"x", 1, 1}}}})},
                               {{"A100-40GB", "A100-80GB"}, Made({{"b", {{"y", 1, 1}}}})}};
  const auto group = [&](const std::string& mode, const std::string& type) -> std::string {
    const auto node = ReadNode(
        MakeNode(StrCat(R"("volcano.sh/node-vgpu-register":"u,1,1,)", type, ",true,", mode, ":\""),
                 VgpuNode()),
        settings);
    const auto& geometry = node->pools[0].geometry;
    return geometry == nullptr ? "" : geometry->front().name;
  };
  CHECK(group("mig", "NVIDIA-NVIDIA A30") == "a");
  CHECK(group("mig", "NVIDIA-A100-80GB-PCIe") == "b");
  CHECK(group("mig", "NVIDIA-T4").empty());  // Shared by software then.
  CHECK(group("hami-core", "NVIDIA-A30").empty());
  CHECK(group("other", "NVIDIA-A30").empty());
}

}  // namespace
}  // namespace bth::devices
