// What schedulers see of a node's device plugin: it takes note of the devices of a pod that starts,
// and of the turn that was taken for it.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/types/pod.h"
#include "client/api_client.h"

namespace bth::nodesim {

// Devices that a pod's binding announced and nobody has handed out yet.
struct DeviceOrder {
  std::vector<std::string> phases;  // Annotations that say "allocating".
  std::string chips;                // What of Ascend chips is made for it, as the pod is to say.
  bool locked = false;              // Its node may be locked for it.
  bool untold() const { return !phases.empty() || !chips.empty(); }
  bool empty() const { return !untold() && !locked; }
};
DeviceOrder DeviceOrderOf(const types::Pod& pod);

// Says in the pod that its devices are handed out.
net::Awaitable<absl::Status> HandOutDevices(client::ApiClient& api, types::ObjectMeta pod,
                                            DeviceOrder order);
// Takes the locks off the node, if it has some. kAborted: somebody else wrote to it; try again.
net::Awaitable<absl::Status> UnlockNode(client::ApiClient& api, std::string node);

}  // namespace bth::nodesim
