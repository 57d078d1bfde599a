// The ConfigMap that says what devices are called.
#include "devices/config.h"

#include "tests/devices/objects.h"
#include "tests/support/files.h"

namespace bth::devices {
namespace {

using model::DeviceSettings;

// The block of the plugin's page that is a ConfigMap's text.
std::string ShownConfig() {
  const std::string page = test::ReadFile(test::SourceRoot() / "docs/plugins/deviceshare.md");
  const size_t begin = page.find("nvidia:\n");
  return page.substr(begin, page.find("```", begin) - begin);
}

TEST_CASE("device config: what is built in", "[devices]") {
  DeviceSettings settings;
  UseBuiltinConfig(&settings);
  CHECK(settings.vgpus.count == "volcano.sh/vgpu-number");
  CHECK(settings.vgpus.memory == "volcano.sh/vgpu-memory");
  CHECK(settings.vgpus.cores == "volcano.sh/vgpu-cores");
  CHECK(settings.vgpus.percentage.empty());
  CHECK(settings.vgpus.geometries.empty());
  REQUIRE(settings.chips.size() == 1);
  CHECK(settings.chips[0].word == "Ascend310P");
  CHECK(settings.chips[0].templates.size() == 3);
}

TEST_CASE("device config: what the plugin's page shows is read", "[devices]") {
  DeviceSettings settings;
  settings.vgpu = true;
  REQUIRE(UseConfig(ShownConfig(), &settings).ToString() == "OK");
  CHECK(settings.vgpu);  // What is the policy's stays.
  CHECK(settings.vgpus.percentage == "volcano.sh/vgpu-memory-percentage");
  REQUIRE(settings.vgpus.geometries.size() == 1);
  CHECK(settings.vgpus.geometries[0].models == std::vector<std::string>{"A30"});
  CHECK(*settings.vgpus.geometries[0].geometry ==
        model::MigGeometry{{"group1", {{"1g.6gb", 6144, 4}}}, {"group2", {{"2g.12gb", 12288, 2}}}});
  DeviceSettings builtin;
  UseBuiltinConfig(&builtin);
  builtin.chips[0].chip_name = "310P3";
  CHECK(settings.chips == builtin.chips);
}

TEST_CASE("device config: ways to cut cards of several models", "[devices]") {
  DeviceSettings settings;
  REQUIRE(UseConfig(R"(
nvidia:
  knownMigGeometries:
  - models: [A30]
    allowedGeometries:
    - group: group1
      geometries: [{name: 1g.6gb, memory: 6144, count: 4}]
  - models: [A100-SXM4-40GB, A100-40GB-PCIe]
    allowedGeometries:
    - group: group1
      geometries: [{name: 1g.5gb, memory: 5120, count: 7}]
    - group: group2
      geometries:
      - {name: 2g.10gb, memory: 10240, count: 3}
      - {name: 1g.5gb, memory: 5120, count: 1}
    - group: group3
      geometries: [{name: 3g.20gb, memory: 20480, count: 2}]
    - group: group4
      geometries: [{name: 7g.40gb, memory: 40960, count: 1}]
  - models: [A100-SXM4-80GB, A100-80GB-PCIe]
    allowedGeometries:
    - group: group1
      geometries: [{name: 1g.10gb, memory: 10240, count: 7}]
    - group: group2
      geometries:
      - {name: 2g.20gb, memory: 20480, count: 3}
      - {name: 1g.10gb, memory: 10240, count: 1}
)",
                    &settings)
              .ToString() == "OK");
  REQUIRE(settings.vgpus.geometries.size() == 3);
  const auto& forty = settings.vgpus.geometries[1];
  CHECK(forty.models == std::vector<std::string>{"A100-SXM4-40GB", "A100-40GB-PCIe"});
  CHECK(*forty.geometry ==
        model::MigGeometry{{"group1", {{"1g.5gb", 5120, 7}}},
                           {"group2", {{"2g.10gb", 10240, 3}, {"1g.5gb", 5120, 1}}},
                           {"group3", {{"3g.20gb", 20480, 2}}},
                           {"group4", {{"7g.40gb", 40960, 1}}}});
  const auto& eighty = settings.vgpus.geometries[2];
  CHECK(eighty.models == std::vector<std::string>{"A100-SXM4-80GB", "A100-80GB-PCIe"});
  CHECK(*eighty.geometry ==
        model::MigGeometry{{"group1", {{"1g.10gb", 10240, 7}}},
                           {"group2", {{"2g.20gb", 20480, 3}, {"1g.10gb", 10240, 1}}}});
  // A card is cut by what is known of its own model.
  settings.vgpu = true;
  const auto cut_as = [&settings](const std::string& type) {
    const auto node =
        ReadNode(testing::MakeNode(
                     StrCat(R"("volcano.sh/node-vgpu-register":"u,7,40960,)", type, ",true,mig:\""),
                     testing::VgpuNode()),
                 settings);
    return node->pools[0].geometry;
  };
  CHECK(cut_as("NVIDIA-NVIDIA A100-SXM4-40GB") == forty.geometry);
  CHECK(cut_as("NVIDIA-A100-80GB-PCIe") == eighty.geometry);
  CHECK(cut_as("NVIDIA-A100-PCIe") == nullptr);
}

TEST_CASE("device config: chips as a list, templates in any order, other names", "[devices]") {
  DeviceSettings settings;
  REQUIRE(UseConfig(R"(
nvidia: {resourceCountName: x.io/gpu, gpuMemoryFactor: 10, defaultMemory: 0, overwriteEnv: true}
vnpus:
- commonWord: A
  resourceName: x.io/a
  templates: [{name: big, memory: 9}, {name: small, memory: 3}]
- {commonWord: B, resourceName: x.io/b}
)",
                    &settings)
              .ToString() == "OK");
  CHECK(settings.vgpus.count == "x.io/gpu");
  CHECK(settings.vgpus.memory == "volcano.sh/vgpu-memory");
  CHECK(settings.vgpus.memory_factor == 10);
  REQUIRE(settings.chips.size() == 2);
  CHECK(settings.chips[0].templates[0].name == "small");
  CHECK(settings.chips[1].word == "B");
  CHECK_FALSE(settings.soft_slicing);
  REQUIRE(UseConfig("vnpus: {hamiVnpuCore: true, configs: []}", &settings).ok());
  CHECK(settings.soft_slicing);
  CHECK(settings.chips.empty());
}

TEST_CASE("device config: what is wrong is named, and changes nothing", "[devices]") {
  struct Row {
    const char* yaml;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{
           {"[]", "device-config.yaml: expected a map"},
           {"nvidia: 5", "nvidia: expected a map"},
           {"nvidia: {resourceCountName: 5}", "nvidia.resourceCountName: expected a text"},
           {"nvidia: {gpuMemoryFactor: -1}",
            "nvidia.gpuMemoryFactor: expected a whole number from 0 to 1048576"},
           {"nvidia: {knownMigGeometries: {}}", "nvidia.knownMigGeometries: expected a list"},
           {"nvidia: {knownMigGeometries: [{models: ['']}]}",
            "nvidia.knownMigGeometries[0].models[0]: expected the name of a model"},
           {"nvidia: {knownMigGeometries: [{allowedGeometries: [{group: a}, {group: a}]}]}",
            "nvidia.knownMigGeometries[0].allowedGeometries[1].group: \"a\" is there twice"},
           {"nvidia: {knownMigGeometries: [{allowedGeometries: [{geometries: [{count: 1000}]}]}]}",
            "nvidia.knownMigGeometries[0].allowedGeometries[0].geometries[0].count: expected a "
            "whole "
            "number from 0 to 128"},
           {"vnpus: 5", "vnpus: expected a map"},
           {"vnpus: [{}]", "vnpus[0]: needs commonWord and resourceName"},
           {"vnpus: [{commonWord: A, resourceName: a}, {commonWord: A, resourceName: b}]",
            "vnpus[1]: commonWord \"A\" is there twice"},
           {"vnpus: {hamiVnpuCore: 5}", "vnpus.hamiVnpuCore: expected true or false"},
       }) {
    CAPTURE(row.yaml);
    DeviceSettings settings;
    UseBuiltinConfig(&settings);
    const DeviceSettings before = settings;
    CHECK(UseConfig(row.yaml, &settings).message() == row.says);
    CHECK(settings == before);
  }
  DeviceSettings settings;
  CHECK_FALSE(UseConfig("a: [", &settings).ok());
  CHECK_FALSE(UseConfig(std::string((1 << 20) + 1, 'a'), &settings).ok());
}

}  // namespace
}  // namespace bth::devices
