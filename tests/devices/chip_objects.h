// Nodes, pods and reports with chips that MindCluster lends, in short.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/mindcluster/mindcluster.h"
#include "tests/devices/objects.h"

namespace bth::devices::testing {

inline model::DeviceSettings Chips() {
  model::DeviceSettings settings;
  settings.mind_cluster = true;
  return settings;
}

inline types::Node ChipNode(int64_t cores, const std::string& server = "Ascend310P-8") {
  types::Node node = MakeNode("", StrCat(R"("huawei.com/npu-core":")", cores,
                                         R"(","cpu":"64","memory":"64Gi","pods":"110")"));
  node.meta.labels["accelerator"] = "huawei-Ascend310P";
  node.meta.labels["servertype"] = server;
  node.meta.labels["node.kubernetes.io/npu.chip.name"] = "310P3";
  return node;
}

// `more` are labels, the inside of a map.
inline types::Pod ChipPod(int64_t cores, const std::string& more = "") {
  types::Pod pod =
      MakePod({StrCat(R"("huawei.com/npu-core":")", cores, "\"")}, "",
              StrCat(R"("ring-controller.atlas":"ascend-310P")", more.empty() ? "" : ",", more));
  for (types::Container& container : pod.spec.containers) {
    container.resources.requests = container.resources.limits;
  }
  return pod;
}

// One node, who holds what of its chips, and questions to the family.
struct ChipBed {
  model::DeviceSettings settings = Chips();
  std::shared_ptr<const model::NodeDevices> node;
  std::vector<std::shared_ptr<const model::PodDevices>> held;
  std::unique_ptr<NodeUse> use;
  bool lowered = false;  // Of the last answer.
  std::string why;       // Of the last refusal.
  std::string told;      // The annotation of the last answer.
  uint32_t tasks = 0;

  // Chips 0 … are free.
  explicit ChipBed(int32_t chips, int32_t cores = 8) {
    model::ChipReport report;
    for (int32_t i = 0; i < chips; ++i) report.free.push_back(i);
    Read(ChipNode(int64_t{chips} * cores, StrCat("Ascend310P-", cores)), report);
  }
  ChipBed(const types::Node& object, const model::ChipReport& report, bool closed = false) {
    Read(object, report, closed);
  }
  void Read(const types::Node& object, const model::ChipReport& report, bool closed = false) {
    node = model::WithChips(ReadNode(object, settings), &report, closed);
    REQUIRE(node != nullptr);
    use = std::make_unique<NodeUse>(*node, nullptr);
  }
  const PoolUse& pool_use() const { return *use->Find(model::kMindClusterKind); }

  model::TaskId Hold(std::shared_ptr<const model::PodDevices> pod, bool leaving = false) {
    REQUIRE(pod != nullptr);
    const model::TaskId task = model::TaskId::FromIndex(tasks++);
    held.push_back(std::move(pod));
    use->Add(task, *held.back(), leaving);
    return task;
  }
  // As the annotations of a bound pod say.
  model::TaskId Bound(int64_t cores, const std::string& told_cores,
                      const std::string& real = "Ascend310P-x", bool leaving = false) {
    types::Pod pod = ChipPod(cores);
    pod.meta.annotations["huawei.com/npu-core"] = told_cores;
    if (!real.empty()) pod.meta.annotations["huawei.com/AscendReal"] = real;
    return Hold(ReadHeld(pod, settings), leaving);
  }

  // What the pod's binding would say; "-": it cannot be served.
  std::string Ask(const types::Pod& pod, bool future = false, model::HeldDevices* out = nullptr) {
    const auto asked = ReadRequests(pod, settings);
    REQUIRE(asked != nullptr);
    const model::PodDeviceRequest& request = asked->requests.front();
    const Family& family = FamilyOf(request.kind.family);
    const Question question{
        .use = pool_use(), .future = future, .request = request, .settings = settings};
    Choice choice;
    why.clear();
    if (!family.Choose(question, &choice)) {
      why = family.refusals()[choice.refusal.value()];
      return "-";
    }
    lowered = choice.lowered;
    const model::HeldDevices named = family.Name(question, choice);
    std::vector<std::pair<std::string, std::string>> annotations;
    family.Announce(named, settings, {.node = "n", .now = absl::FromUnixSeconds(7)}, &annotations);
    REQUIRE(annotations.size() == 2);
    CHECK(annotations[0].first == "huawei.com/npu-core");
    CHECK(annotations[1] == std::pair<std::string, std::string>("predicate-time", "7000000000"));
    if (out != nullptr) *out = named;
    return annotations[0].second;
  }
  // The same, and the pod holds it from then on.
  std::string Place(const types::Pod& pod) {
    model::HeldDevices named;
    std::string out = Ask(pod, false, &named);
    if (out != "-") Hold(std::make_shared<model::PodDevices>(model::PodDevices{.held = {named}}));
    return out;
  }
};

}  // namespace bth::devices::testing
