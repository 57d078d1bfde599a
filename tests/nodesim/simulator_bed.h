// The simulator against the embedded API server, in process and on virtual time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/types/lease.h"
#include "apiserver/api_server.h"
#include "base/strings.h"
#include "client/patch.h"
#include "client/typed_client.h"
#include "net/virtual_executor.h"
#include "nodesim/node_maker.h"
#include "nodesim/simulator.h"
#include "tests/support/catch.h"

namespace bth::nodesim::testing {

using types::Json;

struct Bed {
  Bed() {
    apiserver::Options server_options;
    server_options.seed = 1;
    auto made = apiserver::ApiServer::Create(executor, std::move(server_options));
    REQUIRE(made.ok());
    server = *std::move(made);
    client::ApiClientOptions api_options;
    api_options.qps = 0;
    api = std::make_unique<client::ApiClient>(
        executor,
        std::shared_ptr<net::Transport>(net::MakeInProcessTransport(
            executor, [this](net::Request request) { return Serve(std::move(request)); })),
        api_options);
    StartSimulator();
  }

  net::Awaitable<net::Response> Serve(net::Request request) {
    const absl::Duration late = lateness ? lateness(request) : absl::ZeroDuration();
    net::Response response = co_await server->handler()(std::move(request));
    if (late > absl::ZeroDuration()) co_await net::Sleep(executor, late);
    co_return std::move(response);
  }

  void StartSimulator() {
    simulator.reset();
    SimulatorOptions options;
    options.timing.start_delay = absl::Milliseconds(500);
    options.timing.stop_delay = absl::Seconds(2);
    options.heartbeat = heartbeat;
    simulator = std::make_unique<Simulator>(*api, rng, options);
    simulator->Start();
    REQUIRE(executor.RunUntil([this] { return simulator->HasSynced(); }, absl::Seconds(5)));
  }

  // Runs a coroutine to its end within a second of virtual time.
  template <typename T>
  T Do(net::Awaitable<T> work) {
    std::optional<T> result;
    auto run = [](net::Awaitable<T> inner, std::optional<T>* out) -> net::Awaitable<void> {
      *out = co_await std::move(inner);
    };
    net::Spawn(executor, run(std::move(work), &result));
    REQUIRE(executor.RunUntil([&result] { return result.has_value(); }, absl::Seconds(1)));
    return *std::move(result);
  }

  void MakeNodes(int64_t count) {
    NodeTemplate nodes;
    nodes.count = count;
    REQUIRE(Do(EnsureNodes(*api, nodes, absl::Seconds(1))).ok());
  }
  // A pod of one container on a node.
  void MakePod(const std::string& name, const std::string& script, const std::string& policy,
               const std::string& node = "node-0001", int64_t grace = 30) {
    types::Pod pod;
    pod.meta.name = name;
    pod.meta.ns = "default";
    pod.spec.restart_policy = policy;
    pod.spec.termination_grace_period_seconds = grace;
    pod.spec.containers.emplace_back();
    pod.spec.containers[0].name = "main";
    pod.spec.containers[0].image = "image";
    if (!script.empty()) pod.spec.containers[0].command = {"sh", "-c", script};
    REQUIRE(Do(client::CreateObject(*api, pod)).status().ToString() == "OK");
    client::BindRequest bind;
    bind.namespace_name = "default";
    bind.pod = name;
    bind.node = node;
    REQUIRE(Do(api->Bind(bind)).ToString() == "OK");
  }
  absl::StatusOr<types::Pod> ReadPod(const std::string& name) {
    return Do(client::GetObject<types::Pod>(*api, "default", name));
  }
  std::string PhaseOf(const std::string& name) {
    const auto pod = ReadPod(name);
    return pod.ok() ? pod->status.phase
                    : std::string(absl::StatusCodeToString(pod.status().code()));
  }
  std::string ReadyOf(const std::string& node) {
    const auto read = Do(client::GetObject<types::Node>(*api, "", node));
    REQUIRE(read.ok());
    const types::Condition* ready = types::FindCondition(read->status.conditions, "Ready");
    return ready == nullptr ? "" : ready->status;
  }
  void Annotate(const std::string& node, const char* value) {
    client::MergePatch patch;
    patch.Set({"metadata", "annotations", kDownAnnotation},
              value == nullptr ? Json() : Json(value));
    REQUIRE(Do(api->Patch(client::PathOf<types::Node>("", node), patch.Build())).ok());
  }
  void Delete(const std::string& name) {
    REQUIRE(Do(api->Delete(client::PathOf<types::Pod>("default", name), {})).ok());
  }

  // "holder duration renewal", the last in seconds of Unix; "NOT_FOUND" without one.
  std::string LeaseOf(const std::string& node) {
    const auto read = Do(client::GetObject<types::Lease>(*api, "kube-node-lease", node));
    if (!read.ok()) return std::string(absl::StatusCodeToString(read.status().code()));
    return StrCat(read->spec.holder_identity, " ", read->spec.lease_duration_seconds.value_or(0),
                  " ", absl::ToUnixSeconds(read->spec.renew_time->time));
  }
  // "key:effect", of those that others set "key=value:effect".
  std::vector<std::string> TaintsOf(const std::string& node) {
    const auto read = Do(client::GetObject<types::Node>(*api, "", node));
    REQUIRE(read.ok());
    std::vector<std::string> out;
    for (const types::Taint& taint : read->spec.taints) {
      out.push_back(
          StrCat(taint.key, taint.value.empty() ? "" : "=", taint.value, ":", taint.effect));
    }
    return out;
  }
  void PatchNode(const std::string& node, const std::string& body) {
    client::Patch patch;
    patch.kind = client::PatchKind::kMerge;
    patch.body = body;
    REQUIRE(Do(api->Patch(client::PathOf<types::Node>("", node), patch)).ok());
    executor.Advance(absl::Milliseconds(100));
  }
  // "type status heartbeat transition" of each, times in seconds of Unix.
  std::vector<std::string> ConditionsOf(const std::string& node) {
    const auto read = Do(client::GetObject<types::Node>(*api, "", node));
    REQUIRE(read.ok());
    std::vector<std::string> out;
    const auto seconds = [](const std::optional<absl::Time>& at) {
      return at.has_value() ? absl::ToUnixSeconds(*at) : 0;
    };
    for (const types::Condition& one : read->status.conditions) {
      out.push_back(StrCat(one.type, " ", one.status, " ", seconds(one.last_heartbeat_time), " ",
                           seconds(one.last_transition_time)));
    }
    return out;
  }

  absl::Duration heartbeat;
  // How late the answer to a request comes; null: none does.
  std::function<absl::Duration(const net::Request&)> lateness;
  net::VirtualExecutor executor{absl::FromUnixSeconds(1'700'000'000)};
  Rng rng{1};
  std::unique_ptr<apiserver::ApiServer> server;
  std::unique_ptr<client::ApiClient> api;
  std::unique_ptr<Simulator> simulator;
};

}  // namespace bth::nodesim::testing
