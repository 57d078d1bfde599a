// Kubelets of all nodes of an API server, simulated by one object.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/types/json.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "base/rng.h"
#include "client/api_client.h"
#include "client/background.h"
#include "client/informer.h"
#include "client/work_queue.h"
#include "nodesim/address_pool.h"
#include "nodesim/device_plugin.h"
#include "nodesim/pod_life.h"

namespace bth::nodesim {

// A Node with this annotation set to "true" falls silent: it turns NotReady, gets the taint
// node.kubernetes.io/unreachable, and its pods report nothing, until the annotation goes.
inline constexpr std::string_view kDownAnnotation = "batholith.io/simulated-down";

struct SimulatorOptions {
  Timing timing;
  int lanes = 16;  // Requests in flight.
  absl::Duration retry_initial = absl::Milliseconds(100);
  absl::Duration retry_max = absl::Seconds(30);
  absl::Duration heartbeat;  // Between two of a node; zero: none is written.
};

struct SimulatorCounters {
  uint64_t pod_statuses = 0;  // Written.
  uint64_t pod_removals = 0;
  uint64_t node_writes = 0;
  uint64_t heartbeats = 0;
  uint64_t leases = 0;
  uint64_t failures = 0;  // Requests to be tried again.
};

// Pods bound to a Node start, run as their commands say, end, restart, and go when deleted; Nodes
// turn Ready. A status is written when it changes; beside that each Node's conditions say once in
// `heartbeat` that they still hold, at a moment that follows from its name, and its Lease is
// renewed then. All state is in the API: a simulator that starts anew goes on where the former one
// ended (times have the API's resolution of a second). Pods on Nodes that do not exist wait for the
// Node; deleted ones go when their grace is over. Lifetime: `api` and `rng` outlive it. Thread: the
// executor's.
class Simulator final {
 public:
  Simulator(client::ApiClient& api, Rng& rng, SimulatorOptions options);
  ~Simulator();
  Simulator(const Simulator&) = delete;

  void Start();
  bool HasSynced() const { return informers_.AllSynced(); }
  // Nothing is to be written at this moment.
  bool idle() const { return queue_.depth() == 0 && queue_.in_work() == 0; }
  const SimulatorCounters& counters() const { return counters_; }
  size_t pods() const { return pods_.size(); }
  size_t nodes() const { return nodes_.size(); }

 private:
  class PodHandler;
  class NodeHandler;
  struct PodRecord {
    std::string uid;
    std::string node;
    PodLife life;
    uint32_t address = 0;
    bool unsent = false;
    // Of the object, as the watch showed it last: its version, and whether it has ended.
    uint64_t shown_as = 0;
    bool shows_end = false;
    uint64_t written_as = 0;  // The version that the last status gave it, of a pod that is over.
    DeviceOrder devices;
    // An earlier status of ours came to the server after the last one.
    bool IsSetBack() const {
      return life.over() && !life.ended_by_others() && !shows_end && written_as > 0 &&
             shown_as > written_as;
    }
  };
  struct NodeRecord {
    std::string uid;
    bool down = false;
    bool unschedulable = false;
    std::string ready;                    // Status of the condition as the API has it; empty: none.
    std::vector<std::string> conditions;  // Types of those that a kubelet keeps.
    std::string address;
    std::string resource_version;
    std::vector<types::Taint> taints;
  };

  void Put(const types::Pod& pod);
  void RemovePod(const std::string& key);
  // The status is sent again where an earlier one came to the server after the last one.
  void TellAgainIfSetBack(const std::string& key, PodRecord* record);
  void Put(const types::Node& node);
  void RemoveNode(const std::string& name);
  void WakePodsOf(const std::string& node);
  void AwaitHeartbeat(const std::string& node);

  net::Awaitable<void> Lane();
  net::Awaitable<absl::Status> Work(std::string key);
  net::Awaitable<absl::Status> WorkOnPod(std::string key);
  net::Awaitable<absl::Status> WorkOnNode(std::string name);
  net::Awaitable<absl::Status> SendStatus(std::string key);
  net::Awaitable<absl::Status> HandOut(std::string key, std::string uid);
  net::Awaitable<absl::Status> RemoveFromApi(std::string key);
  net::Awaitable<absl::Status> WorkOnHeartbeat(std::string name);
  net::Awaitable<absl::Status> SendReady(std::string name);
  net::Awaitable<absl::Status> SendHeartbeat(std::string name);
  net::Awaitable<absl::Status> SendConditions(std::string name, std::string uid,
                                              types::Json conditions);
  net::Awaitable<absl::Status> SendLease(std::string name);
  net::Awaitable<absl::Status> SendTaints(std::string name, std::vector<types::Taint> taints);
  PodRecord* FindPod(const std::string& key, const std::string& uid);

  client::ApiClient& api_;
  const SimulatorOptions options_;
  client::WorkQueue queue_;  // Of "pod/NAMESPACE/NAME", "node/NAME", "beat/NAME" and "lease/NAME".
  absl::flat_hash_map<std::string, std::unique_ptr<PodRecord>> pods_;
  absl::flat_hash_map<std::string, std::set<std::string>> pods_of_;  // By node.
  absl::flat_hash_map<std::string, NodeRecord> nodes_;
  AddressPool addresses_;
  SimulatorCounters counters_;
  std::unique_ptr<PodHandler> pod_handler_;
  std::unique_ptr<NodeHandler> node_handler_;
  std::unique_ptr<client::Informer<types::Pod>> pod_informer_;
  std::unique_ptr<client::Informer<types::Node>> node_informer_;
  client::InformerSet informers_;
  std::vector<std::unique_ptr<client::Background>> lanes_;
};

}  // namespace bth::nodesim
