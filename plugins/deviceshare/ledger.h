// Shared devices as the session goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/model/devices.h"
#include "base/ids.h"
#include "devices/family.h"
#include "framework/session/session.h"
#include "plugins/deviceshare/arguments.h"

namespace bth::plugins::deviceshare {

// What the nodes' devices are used for at the opening of sessions; what did not change is counted
// once. Lives as long as the policy. Thread: scheduling.
class NodeUses {
 public:
  // Null: the node has no devices that count. Valid until the next snapshot is asked about.
  const devices::NodeUse* Get(const model::Snapshot& base, model::NodeId node);

 private:
  struct Entry {
    std::shared_ptr<const model::NodeDevices> devices;
    std::shared_ptr<const model::DeviceHolders> holders;
    std::shared_ptr<const devices::NodeUse> use;  // Copied only while the list grows.
  };
  IdVector<model::NodeId, Entry> entries_;
};

// Which devices pods placed in this session are given; what one holds, no other gets. Starts from
// the snapshot and has a copy only of nodes that changed. An undone move leaves no trace. Lives for
// one session. Thread: scheduling.
class DeviceLedger {
 public:
  // All of them outlive it; the snapshot has settings of devices.
  DeviceLedger(const framework::Session& session, const Options& options, NodeUses& uses)
      : session_(session), settings_(*session.base().devices), options_(options), uses_(uses) {}

  // A request that a node cannot serve, and which of its family's reasons says why.
  struct Unserved {
    const model::PodDeviceRequest* request = nullptr;
    size_t refusal = 0;
  };
  // Now or, with `future`, once those that leave have left; nothing: it serves all.
  std::optional<Unserved> FirstUnserved(const model::PodDeviceRequests& asked, model::NodeId node,
                                        bool future) const;
  // Some pod on it holds devices and is leaving.
  bool AnyLeaves(model::NodeId node) const;
  // By the policy, weights included.
  double ScoreOf(const model::PodDeviceRequests& asked, model::NodeId node) const;
  // The node would give less than the pod would like. Requires that it serves the pod in the end.
  bool WouldLower(const model::PodDeviceRequest& request, model::NodeId node) const;
  // A device plugin, or a scheduler, has taken its turn on the node, a short while ago.
  bool IsLocked(const model::PodDeviceRequests& asked, model::NodeId node) const;

  void OnPlace(const framework::TaskMove& move);
  void OnRemove(const framework::TaskMove& move);
  // Null: the task asks for no devices.
  std::shared_ptr<const model::DevicePlan> PlanOf(model::TaskId task) const;

 private:
  // Moves are undone last first: then a node is again what it was before, and has its number again.
  struct Node {
    devices::NodeUse use;
    uint64_t version = 0;
  };
  struct Step {
    uint64_t before = 0;  // Versions of the node.
    uint64_t after = 0;
  };
  struct Given {
    model::NodeId node;
    bool pipelined = false;
    std::shared_ptr<const model::PodDevices> devices;  // Null: none were to be had.
    Step step;
  };
  struct TakenBack {
    Given given;
    Step step;
  };

  const model::PodDeviceRequests* RequestsOf(model::TaskId task) const;
  const devices::NodeUse* UseOf(model::NodeId node) const;
  devices::Question Ask(const devices::PoolUse& pool, const model::PodDeviceRequests& asked,
                        const model::PodDeviceRequest& request, bool future) const;
  Node* Own(model::NodeId node);
  Step Advance(Node& node);
  static bool Undo(Node& node, const Step& step);
  std::shared_ptr<const model::PodDevices> Choose(model::TaskId task, model::NodeId node,
                                                  bool future) const;
  void Give(model::TaskId task, model::NodeId node, bool pipelined);
  void TakeBack(model::TaskId task, Given given);
  // A pod that the snapshot has on the node: it leaves, or stays after all.
  void SetLeaving(model::TaskId task, model::NodeId node, bool leaving);

  const framework::Session& session_;
  const model::DeviceSettings& settings_;  // By which objects were read.
  const Options& options_;
  NodeUses& uses_;
  uint64_t last_version_ = 0;
  absl::flat_hash_map<model::NodeId, std::unique_ptr<Node>> changed_;
  absl::flat_hash_map<model::TaskId, Given> given_;
  // The last of a task last: it may be taken from one node, given to another, and both be undone.
  absl::flat_hash_map<model::TaskId, std::vector<TakenBack>> taken_back_;
  absl::flat_hash_map<model::TaskId, Step> leaving_;
};

}  // namespace bth::plugins::deviceshare
