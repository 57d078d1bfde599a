#include "nodesim/device_plugin.h"

#include <array>
#include <string_view>
#include <utility>

#include "api/types/node.h"
#include "base/strings.h"
#include "client/patch.h"
#include "client/typed_client.h"

namespace bth::nodesim {
namespace {

using DeviceKeys = std::array<std::string_view, 2>;
constexpr DeviceKeys kPhases = {"volcano.sh/bind-phase", "hami.io/bind-phase"};
constexpr std::array<std::string_view, 3> kLocks = {"gpu", "hamivgpu", "hami.io/mutex.lock"};
constexpr std::string_view kChips = "huawei.com/npu-core";
constexpr std::string_view kRealChips = "huawei.com/AscendReal";

// Of "0,1" the chips, of "0-vir02" the part that was cut off chip 0.
std::string RealChips(std::string_view told) {
  std::string out;
  for (const absl::string_view item : SplitText(told, ',')) {
    const std::string_view chip = ToStd(item);
    const size_t dash = chip.find('-');
    StrAppend(&out, out.empty() ? "" : ",", "Ascend310P-");
    if (dash != chip.npos) StrAppend(&out, chip.substr(dash + 1), "-100-");
    StrAppend(&out, chip.substr(0, dash));
  }
  return out;
}

}  // namespace

DeviceOrder DeviceOrderOf(const types::Pod& pod) {
  DeviceOrder out;
  for (const std::string_view key : kPhases) {
    if (pod.meta.Annotation(key) == "allocating") out.phases.emplace_back(key);
  }
  const std::string_view chips = pod.meta.Annotation(kChips);
  if (!chips.empty() && pod.meta.Annotation(kRealChips).empty()) out.chips = RealChips(chips);
  // Cards by memory have no phase.
  const bool by_memory = !pod.meta.Annotation("volcano.sh/gpu-index").empty();
  out.locked = !out.phases.empty() || (by_memory && pod.status.phase == "Pending");
  return out;
}

net::Awaitable<absl::Status> HandOutDevices(client::ApiClient& api, types::ObjectMeta pod,
                                            DeviceOrder order) {
  client::MergePatch patch;
  patch.RequireUid(pod.uid);
  for (const std::string& key : order.phases) {
    patch.Set({"metadata", "annotations", key}, types::Json("success"));
  }
  if (!order.chips.empty()) {
    patch.Set({"metadata", "annotations", std::string(kRealChips)}, types::Json(order.chips));
  }
  client::ApiPath path = client::PathOf<types::Pod>(pod.ns, pod.name);
  const client::ApiClient::Text text = co_await api.Patch(std::move(path), patch.Build());
  co_return text.status();
}

net::Awaitable<absl::Status> UnlockNode(client::ApiClient& api, std::string node) {
  const auto object = co_await client::GetObject<types::Node>(api, std::string(), node);
  if (absl::IsNotFound(object.status())) co_return absl::OkStatus();
  if (!object.ok()) co_return object.status();
  client::MergePatch patch;
  patch.RequireResourceVersion(object->meta.resource_version);
  for (const std::string_view key : kLocks) {
    if (object->meta.annotations.Contains(key)) patch.Remove({"metadata", "annotations", key});
  }
  if (patch.empty()) co_return absl::OkStatus();
  client::ApiPath path = client::PathOf<types::Node>("", node);
  const client::ApiClient::Text text = co_await api.Patch(std::move(path), patch.Build());
  co_return text.status();
}

}  // namespace bth::nodesim
