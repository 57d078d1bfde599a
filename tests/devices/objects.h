// Nodes and pods with shared devices, in short.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/device_settings.h"
#include "api/types/codec.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "base/strings.h"
#include "devices/family.h"
#include "devices/read.h"
#include "tests/support/catch.h"

namespace bth::devices::testing {

template <typename T>
T Read(const std::string& json) {
  absl::StatusOr<T> object = types::Decode<T>(std::string_view(json));
  INFO(json);
  REQUIRE(object.status().ToString() == "OK");
  return *std::move(object);
}

// `annotations` and `allocatable` are the insides of maps; capacity is the same as allocatable.
inline types::Node MakeNode(const std::string& annotations, const std::string& allocatable) {
  return Read<types::Node>(StrCat(
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","annotations":{)", annotations,
      R"(}},"status":{"allocatable":{)", allocatable, R"(},"capacity":{)", allocatable, "}}}"));
}

inline std::string VgpuNode() {
  return R"("volcano.sh/vgpu-number":"40","volcano.sh/vgpu-memory":"65536","volcano.sh/vgpu-cores":"400")";
}

// Containers by their limits, each the inside of a map.
inline types::Pod MakePod(const std::vector<std::string>& limits,
                          const std::string& annotations = "", const std::string& labels = "") {
  std::string containers;
  for (const std::string& limit : limits) {
    StrAppend(&containers, containers.empty() ? "" : ",",
              R"({"name":"c","image":"i","resources":{"limits":{)", limit, "}}}");
  }
  return Read<types::Pod>(StrCat(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"p","labels":{)",
      labels, R"(},"annotations":{)", annotations, R"(}},"spec":{"containers":[)", containers,
      "]}}"));
}

inline std::string Vgpu(int64_t count, int64_t memory = -1, int64_t cores = -1) {
  std::string out = StrCat(R"("volcano.sh/vgpu-number":")", count, "\"");
  if (memory >= 0) StrAppend(&out, R"(,"volcano.sh/vgpu-memory":")", memory, "\"");
  if (cores >= 0) StrAppend(&out, R"(,"volcano.sh/vgpu-cores":")", cores, "\"");
  return out;
}

inline model::DeviceSettings Vgpus() {
  model::DeviceSettings settings;
  settings.vgpu = true;
  return settings;
}

inline model::Device Card(const std::string& id, int64_t memory, int32_t slots = 10,
                          const std::string& type = "NVIDIA-A100") {
  return {.id = id, .type = type, .slots = slots, .memory = memory, .cores = 100};
}

// One pool, who holds what of it, and questions to its family.
struct PoolBed {
  model::DeviceSettings settings = Vgpus();
  model::NodeDevices node;
  Policy policy = Policy::kNone;
  std::vector<std::shared_ptr<const model::PodDevices>> held;
  std::unique_ptr<NodeUse> use;
  uint32_t tasks = 0;

  explicit PoolBed(std::vector<model::Device> cards,
                   std::shared_ptr<const model::MigGeometry> geometry = nullptr) {
    node.pools.push_back({.kind = {model::DeviceFamily::kVgpu, 0},
                          .geometry = std::move(geometry),
                          .devices = std::move(cards)});
    use = std::make_unique<NodeUse>(node, nullptr);
  }
  const model::DevicePool& pool() const { return node.pools.front(); }
  const PoolUse& pool_use() const { return use->pools().front(); }

  model::TaskId Hold(model::PodDevices pod, bool leaving = false) {
    const model::TaskId task = model::TaskId::FromIndex(tasks++);
    held.push_back(std::make_shared<const model::PodDevices>(std::move(pod)));
    use->Add(task, *held.back(), leaving);
    return task;
  }
  model::TaskId Hold(const std::string& id, int64_t memory, int32_t cores = 0,
                     const std::string& group = "", uint64_t rules = 0) {
    return Hold(
        {.held = {{.kind = pool().kind, .devices = {{.id = id, .memory = memory, .cores = cores}}}},
         .group = group,
         .rules = rules});
  }
  // Ids by container, "a b|c"; "-" when the pod cannot be served.
  std::string Ask(const types::Pod& pod, double* score = nullptr, bool future = false) {
    const auto asked = ReadRequests(pod, settings);
    REQUIRE(asked != nullptr);
    const model::PodDeviceRequest& request = asked->requests.front();
    const Family& family = FamilyOf(request.kind.family);
    Choice choice;
    const Question question{.use = pool_use(),
                            .future = future,
                            .request = request,
                            .rules = asked->rules,
                            .policy = policy,
                            .settings = settings};
    if (!family.Choose(question, &choice)) return "-";
    if (score != nullptr) *score = choice.score;
    std::string out;
    int32_t container = 0;
    const model::HeldDevices named = family.Name(question, choice);
    for (const model::HeldDevice& device : named.devices) {
      if (!out.empty()) out += device.container == container ? " " : "|";
      container = device.container;
      out += device.id;
    }
    return out;
  }
  // The same, and the pod holds them from then on.
  std::string Place(const types::Pod& pod) {
    const auto asked = ReadRequests(pod, settings);
    Choice choice;
    const model::PodDeviceRequest& request = asked->requests.front();
    const Family& family = FamilyOf(request.kind.family);
    std::string out = Ask(pod);
    if (out == "-") return out;
    const Question question{.use = pool_use(),
                            .request = request,
                            .rules = asked->rules,
                            .policy = policy,
                            .settings = settings};
    REQUIRE(family.Choose(question, &choice));
    Hold({.held = {family.Name(question, choice)},
          .group = GroupOf(pod.meta),
          .rules = asked->rules});
    return out;
  }
};

}  // namespace bth::devices::testing
