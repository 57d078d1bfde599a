#include "nodesim/node_maker.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "api/types/node.h"
#include "api/types/quantity.h"
#include "api/types/time.h"
#include "base/status.h"
#include "base/strings.h"
#include "client/background.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "nodesim/device_maker.h"

namespace bth::nodesim {
namespace {

using types::Json;

// The key and value of "key=value".
std::pair<std::string_view, std::string_view> KeyAndValue(std::string_view entry) {
  const size_t equals = entry.find('=');
  return {entry.substr(0, equals), entry.substr(equals + 1)};
}

Json Resources(const NodeTemplate& nodes) {
  Json out = Json::MakeObject();
  out.Set("cpu", nodes.cpu);
  out.Set("memory", nodes.memory);
  out.Set("pods", StrCat(nodes.pods));
  for (const std::string& one : nodes.extended) {
    const auto [name, amount] = KeyAndValue(one);
    out.Set(std::string(name), std::string(amount));
  }
  return out;
}

// A finding of the simulated kubelet, made when its node was.
struct Finding {
  const char* type;
  const char* status;
  const char* reason;
  const char* message;
};
constexpr Finding kFindings[] = {
    {"MemoryPressure", "False", "KubeletHasSufficientMemory", "simulated memory suffices"},
    {"DiskPressure", "False", "KubeletHasNoDiskPressure", "simulated disks suffice"},
    {"PIDPressure", "False", "KubeletHasSufficientPID", "simulated process ids suffice"},
    {"Ready", "True", "KubeletReady", "simulated kubelet is posting ready status"},
};

Json Conditions(absl::Time now) {
  const std::string time = types::FormatTimestamp(now);
  Json out = Json::MakeArray();
  for (const Finding& finding : kFindings) {
    out.MutableItems().push_back(Json::MakeObject({{"type", finding.type},
                                                   {"status", finding.status},
                                                   {"reason", finding.reason},
                                                   {"message", finding.message},
                                                   {"lastHeartbeatTime", time},
                                                   {"lastTransitionTime", time}}));
  }
  return out;
}

// 172.16.0.0/12 has room for a million.
std::string NodeAddress(int64_t index) {
  return StrCat("172.", 16 + ((index >> 16) & 15), ".", (index >> 8) & 255, ".", index & 255);
}

struct NewNode {
  int64_t index = 0;
  std::string name;
  absl::Time now;
};

Json StatusOf(const NodeTemplate& nodes, const NewNode& node) {
  Json status = Json::MakeObject();
  status.Set("capacity", Resources(nodes));
  status.Set("allocatable", Resources(nodes));
  status.Set("conditions", Conditions(node.now));
  Json ip = Json::MakeObject({{"type", "InternalIP"}, {"address", NodeAddress(node.index)}});
  Json host = Json::MakeObject({{"type", "Hostname"}, {"address", node.name}});
  status.Set("addresses", Json::MakeArray({std::move(ip), std::move(host)}));
  Json system = Json::MakeObject();
  for (const char* field :
       {"machineID", "systemUUID", "bootID", "kernelVersion", "kubeProxyVersion"}) {
    system.Set(field, "");
  }
  system.Set("osImage", "simulated");
  system.Set("containerRuntimeVersion", "simulated://1");
  system.Set("kubeletVersion", "v1.36.0-simulated");
  system.Set("operatingSystem", "linux");
  system.Set("architecture", "amd64");
  status.Set("nodeInfo", std::move(system));
  return status;
}

absl::Status CheckQuantity(const std::string& field, const std::string& text) {
  const auto parsed = types::Quantity::Parse(text);
  if (!parsed.ok()) return Annotate(parsed.status(), field);
  if (parsed->is_negative()) {
    return absl::InvalidArgumentError(StrCat(field, ": must not be negative"));
  }
  return absl::OkStatus();
}

Json EntriesFor(const std::vector<std::string>& entries, std::string_view node) {
  Json out = Json::MakeObject();
  for (const std::string& entry : entries) {
    const auto [key, value] = KeyAndValue(entry);
    out.Set(std::string(key), absl::StrReplaceAll(std::string(value), {{"{node}", ToAbsl(node)}}));
  }
  return out;
}

// `example`: what each entry is to look like.
absl::Status CheckEntries(std::string_view flag, std::string_view example,
                          const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    if (equals != std::string::npos && equals > 0) continue;
    return absl::InvalidArgumentError(
        StrCat(flag, ": \"", entry, "\" is not of the form ", example));
  }
  return absl::OkStatus();
}

// What the template asks of a node that is there already: kOk when that is nothing.
net::Awaitable<absl::Status> Register(client::ApiClient& api, const NodeTemplate& nodes,
                                      std::string name) {
  client::MergePatch patch;
  if (!nodes.labels.empty()) patch.Set({"metadata", "labels"}, EntriesFor(nodes.labels, name));
  if (!nodes.annotations.empty()) {
    patch.Set({"metadata", "annotations"}, EntriesFor(nodes.annotations, name));
  }
  if (patch.empty()) co_return absl::OkStatus();
  client::ApiPath path = client::PathOf<types::Node>("", name);
  const client::ApiClient::Text text = co_await api.Patch(std::move(path), patch.Build());
  co_return text.status();
}

// Tries once.
net::Awaitable<absl::Status> EnsureNode(client::ApiClient& api, const NodeTemplate& nodes,
                                        int64_t index) {
  Json node = MakeNode(nodes, index, api.executor().Now());
  client::ApiPath path = client::PathOf<types::Node>();
  const std::string name(node.At({"metadata", "name"}).AsString());
  const client::ApiClient::Text made = co_await api.Create(std::move(path), node.Dump());
  if (made.ok()) co_return co_await EnsureSlices(api, nodes.devices, name);
  if (!absl::IsAlreadyExists(made.status())) co_return made.status();
  client::MergePatch patch;
  patch.Set({"status", "capacity"}, Resources(nodes));
  patch.Set({"status", "allocatable"}, Resources(nodes));
  client::ApiPath one = client::PathOf<types::Node>("", name);
  const client::ApiClient::Text set = co_await api.PatchStatus(std::move(one), patch.Build());
  if (!set.ok()) co_return set.status();
  const absl::Status registered = co_await Register(api, nodes, name);
  if (!registered.ok()) co_return registered;
  co_return co_await EnsureSlices(api, nodes.devices, name);
}

// What the lanes of one EnsureNodes share.
struct Work {
  Work(client::ApiClient& client, NodeTemplate wanted, absl::Duration patience)
      : api(client),
        nodes(std::move(wanted)),
        end(client.executor().Monotonic() + patience),
        done(client.executor()) {}

  client::ApiClient& api;
  const NodeTemplate nodes;
  const absl::Duration end;
  net::Promised<bool> done;
  int64_t next = 1;
  int lanes = 0;  // Still at work.
  absl::Status failure;
};

net::Awaitable<absl::Status> TryNode(std::shared_ptr<Work> work, int64_t index) {
  try {
    co_return co_await EnsureNode(work->api, work->nodes, index);
  } catch (...) {
    work->api.executor().barrier().Caught("nodesim.node", net::Consequence::kFailed);
  }
  co_return absl::InternalError("making the node ended with an exception");
}

net::Awaitable<void> Lane(std::shared_ptr<Work> work) {
  absl::Duration pause = absl::Milliseconds(20);
  while (work->failure.ok() && work->next <= work->nodes.count) {
    const int64_t index = work->next++;
    absl::Status status = co_await TryNode(work, index);
    while (!status.ok() && work->failure.ok()) {
      if (absl::IsInvalidArgument(status) || work->api.executor().Monotonic() > work->end) {
        work->failure = status;
        break;
      }
      co_await net::Sleep(work->api.executor(), pause);
      pause = std::min(2 * pause, absl::Seconds(2));
      status = co_await TryNode(work, index);
    }
  }
  if (--work->lanes == 0) work->done.Set(true);
}

}  // namespace

absl::Status CheckTemplate(const NodeTemplate& nodes) {
  if (nodes.count < 0 || nodes.count > kNodesMax) {
    return absl::InvalidArgumentError(StrCat("--nodes: must be between 0 and ", kNodesMax));
  }
  if (nodes.pods < 0) return absl::InvalidArgumentError("--node-pods: must not be negative");
  BTH_RETURN_IF_ERROR(CheckQuantity("--node-cpu", nodes.cpu));
  BTH_RETURN_IF_ERROR(CheckQuantity("--node-memory", nodes.memory));
  BTH_RETURN_IF_ERROR(CheckEntries("--node-resource", "nvidia.com/gpu=8", nodes.extended));
  for (const std::string& one : nodes.extended) {
    BTH_RETURN_IF_ERROR(CheckQuantity("--node-resource", std::string(KeyAndValue(one).second)));
  }
  for (const std::string& one : nodes.devices) {
    BTH_RETURN_IF_ERROR(Annotate(ParseDeviceOffer(one).status(), "--node-device"));
  }
  BTH_RETURN_IF_ERROR(CheckEntries("--node-label", "key=value", nodes.labels));
  BTH_RETURN_IF_ERROR(CheckEntries("--node-annotation", "key=value", nodes.annotations));
  return absl::OkStatus();
}

Json MakeNode(const NodeTemplate& nodes, int64_t index, absl::Time now) {
  const std::string name = absl::StrFormat("%s%04d", nodes.prefix, index);
  Json node = Json::MakeObject();
  node.Set("apiVersion", "v1");
  node.Set("kind", "Node");
  Json labels = EntriesFor(nodes.labels, name);
  labels.Set("kubernetes.io/hostname", name);
  labels.Set("kubernetes.io/os", "linux");
  labels.Set("kubernetes.io/arch", "amd64");
  Json metadata = Json::MakeObject({{"name", name}, {"labels", std::move(labels)}});
  if (!nodes.annotations.empty()) {
    metadata.Set("annotations", EntriesFor(nodes.annotations, name));
  }
  node.Set("metadata", std::move(metadata));
  node.Set("status", StatusOf(nodes, {index, name, now}));
  return node;
}

net::Awaitable<absl::Status> EnsureNodes(client::ApiClient& api, NodeTemplate nodes,
                                         absl::Duration patience) {
  auto work = std::make_shared<Work>(api, std::move(nodes), patience);
  // Several at a time: a server that writes to disk answers them together.
  constexpr int kLanes = 16;
  work->lanes = kLanes;
  std::vector<std::unique_ptr<client::Background>> lanes;
  for (int i = 0; i < kLanes; ++i) {
    lanes.push_back(std::make_unique<client::Background>());
    lanes.back()->Start(api.executor(), Lane(work));
  }
  const net::Promised<bool> done = work->done;
  co_await done.Wait();
  // By now the server is there.
  if (work->failure.ok()) {
    work->failure = co_await EnsureDeviceClasses(work->api, work->nodes.devices);
  }
  if (work->failure.ok()) co_return absl::OkStatus();
  co_return client::WithContext(work->failure, "create simulated nodes");
}

}  // namespace bth::nodesim
