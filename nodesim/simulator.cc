#include "nodesim/simulator.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "api/types/lease.h"
#include "api/types/time.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "nodesim/heartbeat.h"
#include "nodesim/node_taints.h"
#include "nodesim/pod_status.h"

namespace bth::nodesim {
namespace {

using types::Json;

// The namespace of the nodes' Leases.
constexpr const char* kLeases = "kube-node-lease";

// What a kubelet finds out about its node; other conditions are somebody else's.
constexpr std::string_view kKubeletConditions[] = {"Ready", "MemoryPressure", "DiskPressure",
                                                   "PIDPressure"};

bool IsOfKubelet(const types::Condition& condition) {
  return std::find(std::begin(kKubeletConditions), std::end(kKubeletConditions), condition.type) !=
         std::end(kKubeletConditions);
}

// Two texts of "NAMESPACE/NAME".
std::pair<std::string, std::string> Split(const std::string& key) {
  const size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

// Versions count up (KEP-5504); 0: not known.
uint64_t VersionOf(const types::Pod& pod) {
  uint64_t version = 0;
  return SimpleAtoi(pod.meta.resource_version, &version) ? version : 0;
}

client::WorkQueueOptions PodQueueOptions(const SimulatorOptions& options) {
  client::WorkQueueOptions out;
  out.backoff_initial = options.retry_initial;
  out.backoff_max = options.retry_max;
  out.retry_qps = 0;
  out.keys_max = 10'000'000;
  return out;
}

}  // namespace

class Simulator::PodHandler final : public client::InformerHandler<types::Pod> {
 public:
  explicit PodHandler(Simulator& simulator) : simulator_(simulator) {}
  void OnAdd(types::Pod&& pod) override { simulator_.Put(pod); }
  void OnUpdate(types::Pod&& pod) override { simulator_.Put(pod); }
  void OnDelete(const client::ObjectKey& key) override {
    simulator_.RemovePod(StrCat(key.namespace_name, "/", key.name));
  }

 private:
  Simulator& simulator_;
};

class Simulator::NodeHandler final : public client::InformerHandler<types::Node> {
 public:
  explicit NodeHandler(Simulator& simulator) : simulator_(simulator) {}
  void OnAdd(types::Node&& node) override { simulator_.Put(node); }
  void OnUpdate(types::Node&& node) override { simulator_.Put(node); }
  void OnDelete(const client::ObjectKey& key) override { simulator_.RemoveNode(key.name); }

 private:
  Simulator& simulator_;
};

Simulator::Simulator(client::ApiClient& api, Rng& rng, SimulatorOptions options)
    : api_(api),
      options_(options),
      queue_(api.executor(), PodQueueOptions(options)),
      pod_handler_(std::make_unique<PodHandler>(*this)),
      node_handler_(std::make_unique<NodeHandler>(*this)),
      informers_(api.executor()) {
  const auto on_error = [](const absl::Status& status) {
    Log(LogLevel::kWarning, "nodesim.watch_failed", {{"status", status}});
  };
  client::InformerOptions nodes;
  nodes.reflector.on_error = on_error;
  client::InformerOptions pods;
  pods.reflector.on_error = on_error;
  pods.reflector.field_selector = "spec.nodeName!=";
  node_informer_ =
      std::make_unique<client::Informer<types::Node>>(api, rng, *node_handler_, std::move(nodes));
  pod_informer_ =
      std::make_unique<client::Informer<types::Pod>>(api, rng, *pod_handler_, std::move(pods));
  informers_.Add(*node_informer_);
  informers_.Add(*pod_informer_);
}

Simulator::~Simulator() {
  informers_.StopAll();
  lanes_.clear();
}

void Simulator::Start() {
  informers_.StartAll();
  for (int i = 0; i < options_.lanes; ++i) {
    lanes_.push_back(std::make_unique<client::Background>());
    lanes_.back()->Keep(api_.executor(), "nodesim.lane", [this] { return Lane(); });
  }
}

// --- What the API tells ------------------------------------------------------------------------

void Simulator::Put(const types::Pod& pod) {
  const std::string key = pod.meta.Key();
  if (FindPod(key, pod.meta.uid) == nullptr) RemovePod(key);
  std::unique_ptr<PodRecord>& record = pods_[key];
  bool news = false;
  if (record == nullptr) {
    record = std::make_unique<PodRecord>(
        PodRecord{pod.meta.uid, pod.spec.node_name,
                  PodLife(pod, options_.timing, api_.executor().Now()), addresses_.Take(pod)});
    pods_of_[pod.spec.node_name].insert(key);
    record->devices = DeviceOrderOf(pod);
    news = true;
  }
  PodLife& life = record->life;
  if (pod.meta.deletion_time) {
    const absl::Duration grace = absl::Seconds(pod.meta.deletion_grace_seconds.value_or(0));
    news |= life.Terminate(*pod.meta.deletion_time, grace, api_.executor().Now());
  }
  const bool ended = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  if (ended && !life.over()) {
    life.EndedByOthers();
    record->unsent = false;
    news = true;
  }
  record->shown_as = VersionOf(pod);
  record->shows_end = ended;
  if (news) queue_.Add(StrCat("pod/", key));
  TellAgainIfSetBack(key, record.get());
}

void Simulator::TellAgainIfSetBack(const std::string& key, PodRecord* record) {
  if (!record->IsSetBack() || std::exchange(record->unsent, true)) return;
  queue_.Add(StrCat("pod/", key));
}

void Simulator::RemovePod(const std::string& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  addresses_.GiveBack(found->second->address);
  const auto on_node = pods_of_.find(found->second->node);
  on_node->second.erase(key);
  if (on_node->second.empty()) pods_of_.erase(on_node);
  pods_.erase(found);
  queue_.Drop(StrCat("pod/", key));
}

void Simulator::Put(const types::Node& node) {
  const auto [at, is_new] = nodes_.try_emplace(node.meta.name);
  NodeRecord& record = at->second;
  record.uid = node.meta.uid;
  const bool was_down = std::exchange(record.down, node.meta.Annotation(kDownAnnotation) == "true");
  const types::Condition* ready = types::FindCondition(node.status.conditions, "Ready");
  record.ready = ready == nullptr ? "" : ready->status;
  record.conditions.clear();
  for (const types::Condition& condition : node.status.conditions) {
    if (IsOfKubelet(condition)) record.conditions.push_back(condition.type);
  }
  record.resource_version = node.meta.resource_version;
  record.unschedulable = node.spec.unschedulable;
  record.taints = node.spec.taints;
  record.address.clear();
  for (const types::NodeAddress& address : node.status.addresses) {
    if (address.type == "InternalIP" && record.address.empty()) record.address = address.address;
  }
  queue_.Add(StrCat("node/", node.meta.name));
  if (is_new && options_.heartbeat > absl::ZeroDuration()) {
    queue_.Add(StrCat("lease/", node.meta.name));
    AwaitHeartbeat(node.meta.name);
  }
  if (is_new || (was_down && !record.down)) WakePodsOf(node.meta.name);
}

void Simulator::RemoveNode(const std::string& name) {
  nodes_.erase(name);
  queue_.Drop(StrCat("beat/", name));
  queue_.Drop(StrCat("lease/", name));
  WakePodsOf(name);
}

void Simulator::AwaitHeartbeat(const std::string& node) {
  const absl::Time now = api_.executor().Now();
  queue_.AddAfter(StrCat("beat/", node), NextHeartbeat(node, options_.heartbeat, now) - now);
}

void Simulator::WakePodsOf(const std::string& node) {
  const auto found = pods_of_.find(node);
  if (found == pods_of_.end()) return;
  for (const std::string& key : found->second) queue_.Add(StrCat("pod/", key));
}

// --- What is written ----------------------------------------------------------------------------

net::Awaitable<void> Simulator::Lane() {
  for (;;) {
    const std::optional<std::string> key = co_await queue_.Next();
    if (!key) co_return;
    const absl::Status status = co_await Work(*key);
    if (status.ok()) {
      queue_.Forget(*key);
    } else {
      ++counters_.failures;
      Log(LogLevel::kDebug, "nodesim.failed", {{"key", *key}, {"status", status}});
      queue_.AddRateLimited(*key, client::RetryAfter(status).value_or(absl::ZeroDuration()));
    }
    queue_.Done(*key);
  }
}

net::Awaitable<absl::Status> Simulator::Work(std::string key) {
  const auto [kind, name] = Split(key);
  if (kind == "node") co_return co_await WorkOnNode(name);
  if (kind == "beat") co_return co_await WorkOnHeartbeat(name);
  if (kind == "lease") co_return co_await SendLease(name);
  co_return co_await WorkOnPod(name);
}

Simulator::PodRecord* Simulator::FindPod(const std::string& key, const std::string& uid) {
  const auto found = pods_.find(key);
  if (found == pods_.end() || found->second->uid != uid) return nullptr;
  return found->second.get();
}

net::Awaitable<absl::Status> Simulator::WorkOnPod(std::string key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) co_return absl::OkStatus();
  const std::string uid = found->second->uid;
  PodRecord* record = found->second.get();
  const auto node = nodes_.find(record->node);
  const bool has_node = node != nodes_.end();
  if (has_node && node->second.down) co_return absl::OkStatus();  // Woken when it is up again.
  if (!has_node) {
    if (!record->life.terminating() || !node_informer_->HasSynced()) co_return absl::OkStatus();
    // Nobody but us can say that it is gone; until its grace is over, the node may come back.
    const absl::Duration left = record->life.latest() - api_.executor().Now();
    if (left > absl::ZeroDuration()) {
      queue_.AddAfter(StrCat("pod/", key), left);
      co_return absl::OkStatus();
    }
  }
  record->unsent |= record->life.Advance(api_.executor().Now());
  // One that ends before it began is told as well: its claims may be what keeps it from going.
  if (record->unsent && (record->life.started() || record->life.over())) {
    const absl::Status sent = co_await SendStatus(key);
    if (absl::IsNotFound(sent)) co_return absl::OkStatus();
    if (!sent.ok()) co_return sent;
    record = FindPod(key, uid);
    if (record == nullptr) co_return absl::OkStatus();
  }
  if (has_node && !record->devices.empty() && record->life.started()) {
    const absl::Status handed = co_await HandOut(key, uid);
    if (!handed.ok() && !absl::IsNotFound(handed)) co_return handed;
    record = FindPod(key, uid);
    if (record == nullptr) co_return absl::OkStatus();
  }
  if (record->life.removable()) co_return co_await RemoveFromApi(key);
  if (const absl::Time next = record->life.next(); next != absl::InfiniteFuture()) {
    const absl::Duration wait = next - api_.executor().Now();
    queue_.AddAfter(StrCat("pod/", key), std::max(wait, absl::ZeroDuration()));
  }
  co_return absl::OkStatus();
}

// As the device plugin of the node does when containers ask for their devices.
net::Awaitable<absl::Status> Simulator::HandOut(std::string key, std::string uid) {
  const PodRecord& known = *FindPod(key, uid);
  const DeviceOrder order = known.devices;
  const std::string node = known.node;
  if (order.untold()) {
    types::ObjectMeta pod;
    std::tie(pod.ns, pod.name) = Split(key);
    pod.uid = uid;
    const absl::Status said = co_await HandOutDevices(api_, std::move(pod), order);
    if (!said.ok()) co_return said;
    if (PodRecord* record = FindPod(key, uid)) record->devices = {.locked = order.locked};
  }
  if (order.locked) {
    const absl::Status unlocked = co_await UnlockNode(api_, node);
    if (!unlocked.ok()) co_return unlocked;
    if (PodRecord* record = FindPod(key, uid)) record->devices.locked = false;
  }
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> Simulator::SendStatus(std::string key) {
  PodRecord& record = *pods_.find(key)->second;
  const std::string uid = record.uid;
  const auto node = nodes_.find(record.node);
  PodAddresses addresses;
  addresses.pod_ip = AddressPool::Text(record.address);
  if (node != nodes_.end()) addresses.host_ip = node->second.address;
  Json body = Json::MakeObject();
  body.MutableAt({"metadata", "uid"}) = uid;
  body.Set("status", StatusOf(record.life, addresses));
  record.unsent = false;
  client::Patch patch;
  patch.kind = client::PatchKind::kStrategic;
  patch.body = body.Dump();
  const auto [ns, name] = Split(key);
  client::ApiPath path = client::PathOf<types::Pod>(ns, name);
  const client::ApiClient::Text answer =
      co_await api_.PatchStatus(std::move(path), std::move(patch));
  if (answer.ok()) {
    ++counters_.pod_statuses;
    PodRecord* const known = FindPod(key, uid);
    if (known == nullptr || !known->life.over()) co_return absl::OkStatus();
    const absl::StatusOr<types::Pod> now = types::Decode<types::Pod>(std::string_view(*answer));
    if (now.ok()) known->written_as = VersionOf(*now);
    TellAgainIfSetBack(key, known);  // The watch may have been faster than the answer.
  } else if (PodRecord* again = FindPod(key, uid); again != nullptr) {
    again->unsent = !again->life.ended_by_others();
  }
  co_return answer.status();
}

net::Awaitable<absl::Status> Simulator::RemoveFromApi(std::string key) {
  client::DeleteOptions options;
  options.uid = pods_.find(key)->second->uid;
  options.grace_period_seconds = 0;
  const auto [ns, name] = Split(key);
  client::ApiPath path = client::PathOf<types::Pod>(ns, name);
  const client::ApiClient::Text answer = co_await api_.Delete(std::move(path), std::move(options));
  if (absl::IsNotFound(answer.status())) co_return absl::OkStatus();
  if (answer.ok()) ++counters_.pod_removals;
  co_return answer.status();
}

net::Awaitable<absl::Status> Simulator::WorkOnNode(std::string name) {
  auto found = nodes_.find(name);
  if (found == nodes_.end()) co_return absl::OkStatus();
  const bool up = !found->second.down;
  if (found->second.ready != (up ? "True" : "Unknown")) {
    const absl::Status sent = co_await SendReady(name);
    if (!sent.ok() && !absl::IsNotFound(sent)) co_return sent;
    found = nodes_.find(name);
    if (found == nodes_.end()) co_return absl::OkStatus();
  }
  const NodeState state{found->second.down, found->second.unschedulable};
  std::vector<types::Taint> taints = TaintsFor(state, found->second.taints, api_.executor().Now());
  if (taints == found->second.taints) co_return absl::OkStatus();
  const absl::Status sent = co_await SendTaints(name, std::move(taints));
  // Somebody was faster: the watch brings what they wrote, and with it another turn.
  if (absl::IsAborted(sent) || absl::IsNotFound(sent)) co_return absl::OkStatus();
  co_return sent;
}

net::Awaitable<absl::Status> Simulator::SendReady(std::string name) {
  const std::string uid = nodes_.find(name)->second.uid;
  const bool up = !nodes_.find(name)->second.down;
  const std::string now = types::FormatTimestamp(api_.executor().Now());
  Json ready = Json::MakeObject();
  ready.Set("type", "Ready");
  ready.Set("status", up ? "True" : "Unknown");
  ready.Set("reason", up ? "KubeletReady" : "NodeStatusUnknown");
  ready.Set("message", up ? "simulated kubelet is posting ready status"
                          : "simulated kubelet stopped posting node status");
  ready.Set("lastHeartbeatTime", now);
  ready.Set("lastTransitionTime", now);
  Json conditions = Json::MakeArray({std::move(ready)});
  const absl::Status sent = co_await SendConditions(name, uid, std::move(conditions));
  if (sent.ok()) {
    ++counters_.node_writes;
    // Another node may have its name by now: of that one nothing was said.
    const auto found = nodes_.find(name);
    if (found != nodes_.end() && found->second.uid == uid) {
      found->second.ready = up ? "True" : "Unknown";
    }
  }
  co_return sent;
}

// Of the node with that uid, and of none that has its name by now.
net::Awaitable<absl::Status> Simulator::SendConditions(std::string name, std::string uid,
                                                       Json conditions) {
  Json body = Json::MakeObject();
  body.MutableAt({"metadata", "uid"}) = uid;
  body.MutableAt({"status", "conditions"}) = std::move(conditions);
  client::Patch patch;
  patch.kind = client::PatchKind::kStrategic;
  patch.body = body.Dump();
  client::ApiPath path = client::PathOf<types::Node>("", name);
  const client::ApiClient::Text answer =
      co_await api_.PatchStatus(std::move(path), std::move(patch));
  co_return answer.status();
}

net::Awaitable<absl::Status> Simulator::WorkOnHeartbeat(std::string name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) co_return absl::OkStatus();
  if (!found->second.down && !found->second.conditions.empty()) {
    const absl::Status sent = co_await SendHeartbeat(name);
    if (!sent.ok() && !absl::IsNotFound(sent)) co_return sent;
  }
  const absl::Status renewed = co_await SendLease(name);
  if (!renewed.ok()) co_return renewed;
  if (nodes_.contains(name)) AwaitHeartbeat(name);
  co_return absl::OkStatus();
}

net::Awaitable<absl::Status> Simulator::SendHeartbeat(std::string name) {
  const NodeRecord& record = nodes_.find(name)->second;
  const std::string now = types::FormatTimestamp(api_.executor().Now());
  Json conditions = Json::MakeArray();
  for (const std::string& type : record.conditions) {
    conditions.MutableItems().push_back(
        Json::MakeObject({{"type", type}, {"lastHeartbeatTime", now}}));
  }
  const std::string uid = record.uid;
  const absl::Status sent = co_await SendConditions(name, uid, std::move(conditions));
  if (sent.ok()) ++counters_.heartbeats;
  // A node that is another one by now has a turn of its own.
  if (absl::IsAborted(sent)) co_return absl::OkStatus();
  co_return sent;
}

// It lasts four turns, as a kubelet's lasts four renewals.
net::Awaitable<absl::Status> Simulator::SendLease(std::string name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || found->second.down) co_return absl::OkStatus();
  const types::ResourceType& type = types::ResourceTraits<types::Lease>::type();
  Json owner = Json::MakeObject({{"apiVersion", "v1"}, {"kind", "Node"}, {"name", name}});
  owner.Set("uid", found->second.uid);
  Json body = Json::MakeObject({{"apiVersion", type.ApiVersion()}, {"kind", type.kind}});
  body.MutableAt({"metadata", "name"}) = name;
  body.MutableAt({"metadata", "ownerReferences"}) = Json::MakeArray({std::move(owner)});
  body.MutableAt({"spec", "holderIdentity"}) = name;
  body.MutableAt({"spec", "leaseDurationSeconds"}) = absl::ToInt64Seconds(4 * options_.heartbeat);
  body.MutableAt({"spec", "renewTime"}) = types::FormatMicroTimestamp(api_.executor().Now());
  client::Patch patch;
  patch.kind = client::PatchKind::kApply;
  patch.body = body.Dump();
  patch.field_manager = "kubelet";
  patch.force = true;
  client::ApiPath path = client::PathOf<types::Lease>(kLeases, name);
  const client::ApiClient::Text answer = co_await api_.Patch(std::move(path), std::move(patch));
  if (answer.ok()) ++counters_.leases;
  // A server without that namespace keeps no leases of nodes.
  if (absl::IsNotFound(answer.status())) co_return absl::OkStatus();
  co_return answer.status();
}

// What a node controller does when a node has reported, or not.
net::Awaitable<absl::Status> Simulator::SendTaints(std::string name,
                                                   std::vector<types::Taint> taints) {
  const NodeRecord& record = nodes_.find(name)->second;
  Json kept = Json::MakeArray();
  for (const types::Taint& taint : taints) {
    Json one = Json::MakeObject({{"key", taint.key}, {"effect", taint.effect}});
    if (!taint.value.empty()) one.Set("value", taint.value);
    if (taint.time_added) one.Set("timeAdded", types::FormatTimestamp(*taint.time_added));
    kept.MutableItems().push_back(std::move(one));
  }
  client::MergePatch patch;
  patch.Set({"spec", "taints"}, kept.empty() ? Json() : std::move(kept));
  patch.RequireResourceVersion(record.resource_version);
  client::ApiPath path = client::PathOf<types::Node>("", name);
  const client::ApiClient::Text answer = co_await api_.Patch(std::move(path), patch.Build());
  if (answer.ok()) ++counters_.node_writes;
  co_return answer.status();
}

}  // namespace bth::nodesim
