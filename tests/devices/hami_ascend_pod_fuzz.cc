// Any bytes as annotations of a pod with Ascend cards: the first line says how it wants to share,
// the rest what it holds. No crash, what is read is within its bounds and adds up, and others are
// still answered.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "devices/config.h"
#include "devices/encoding.h"
#include "devices/hami_ascend/hami_ascend.h"
#include "devices/read.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  model::DeviceSettings settings;
  devices::UseBuiltinConfig(&settings);
  settings.hami_ascend = true;
  constexpr std::string_view kHeld = "hami.io/Ascend310P-devices-allocated";
  types::Pod pod;
  pod.spec.containers.emplace_back();
  auto& limits = pod.spec.containers[0].resources.limits;
  limits.Set("huawei.com/Ascend310P", types::Quantity::FromValue(1));
  limits.Set("huawei.com/Ascend310P-memory", types::Quantity::FromValue(1000));
  pod.meta.annotations.Set("huawei.com/vnpu-mode", std::string(text.substr(0, end)));
  if (end != std::string_view::npos) {
    pod.meta.annotations.Set(kHeld, std::string(text.substr(end + 1)));
  }

  model::NodeDevices node;
  const model::DeviceKind kind{model::DeviceFamily::kHamiAscend, 0};
  node.pools.push_back({.kind = kind, .soft = true, .devices = {}});
  for (const char* id : {"a", "b"}) {
    node.pools[0].devices.push_back(
        {.id = id, .type = "Ascend310P", .network = "", .slots = 7, .memory = 21527, .cores = 8});
  }
  devices::NodeUse use(node, nullptr);
  const auto held = devices::ReadHeld(pod, settings);
  if (held != nullptr) {
    BTH_CHECK(held->held.size() == 1 && held->held[0].kind == kind);
    BTH_CHECK(held->held[0].devices.size() <= devices::kDevicesMax);
    for (const model::HeldDevice& card : held->held[0].devices) {
      BTH_CHECK(!card.id.empty() && card.cores >= 0);
      BTH_CHECK(card.memory >= 0 && card.memory <= devices::kMemoryMax);
    }
    // What is written is read again.
    types::Pod bound = pod;
    bound.meta.annotations.Set(kHeld, devices::EncodeDevices(held->held[0], "Ascend310P", true));
    const auto again = devices::ReadHeld(bound, settings);
    BTH_CHECK(again != nullptr);
    BTH_CHECK(again->held[0].devices.size() == held->held[0].devices.size());
    for (size_t i = 0; i < again->held[0].devices.size(); ++i) {
      const model::HeldDevice& card = again->held[0].devices[i];
      BTH_CHECK(card.id == held->held[0].devices[i].id);
      BTH_CHECK(card.memory == held->held[0].devices[i].memory);
      BTH_CHECK(card.cores == held->held[0].devices[i].cores);
    }
    use.Add(model::TaskId::FromIndex(0), *held, /*leaving=*/true);
  }

  const auto asked = devices::ReadRequests(pod, settings);
  for (const bool future : {false, true}) {
    devices::Choice choice;
    const devices::Question question{.use = use.pools()[0],
                                     .future = future,
                                     .request = asked->requests[0],
                                     .settings = settings};
    const bool chosen = devices::hami_ascend::ChooseCards(question, &choice);
    // Once it has left, all is free.
    BTH_CHECK(chosen || !future);
    BTH_CHECK(chosen ? choice.devices.size() == 1 : choice.refusal.has_value());
  }
  use.Remove(model::TaskId::FromIndex(0));
  for (const devices::DeviceUse& left : use.pools()[0].Columns(false)) {
    BTH_CHECK(left == devices::DeviceUse());
  }
  return 0;
}
