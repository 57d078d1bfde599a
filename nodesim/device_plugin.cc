#include "nodesim/device_plugin.h"

#include <array>
#include <string_view>
#include <utility>

#include "api/types/node.h"
#include "client/patch.h"
#include "client/typed_client.h"

namespace bth::nodesim {
namespace {

using DeviceKeys = std::array<std::string_view, 2>;
constexpr DeviceKeys kPhases = {"volcano.sh/bind-phase", "hami.io/bind-phase"};
constexpr std::array<std::string_view, 3> kLocks = {"gpu", "hamivgpu", "hami.io/mutex.lock"};

}  // namespace

DeviceOrder DeviceOrderOf(const types::Pod& pod) {
  DeviceOrder out;
  for (const std::string_view key : kPhases) {
    if (pod.meta.Annotation(key) == "allocating") out.phases.emplace_back(key);
  }
  // Cards by memory have no phase.
  const bool by_memory = !pod.meta.Annotation("volcano.sh/gpu-index").empty();
  out.locked = !out.phases.empty() || (by_memory && pod.status.phase == "Pending");
  return out;
}

net::Awaitable<absl::Status> HandOutDevices(client::ApiClient& api, types::ObjectMeta pod,
                                            std::vector<std::string> phases) {
  client::MergePatch patch;
  patch.RequireUid(pod.uid);
  for (const std::string& key : phases) {
    patch.Set({"metadata", "annotations", key}, types::Json("success"));
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
