// Controllers and an API server in one process, on virtual time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "base/strings.h"
#include "client/event_recorder.h"
#include "controllers/core/controller.h"
#include "metrics/registry.h"
#include "tests/support/api_bed.h"

namespace bth::test {

// Nothing schedules and nothing runs pods: tests set their states themselves (SetPod), or let
// simulated nodes do it.
class ControllerBed : public ApiBed {
 public:
  using Make = std::function<std::unique_ptr<controllers::Controller>(
      const controllers::ControllerContext&)>;

  using ApiBed::ApiBed;
  ~ControllerBed() { Kill(); }

  // One process of controllers, from its start until all have synced and begun. Once more after
  // Kill: a process that starts anew.
  void Start(const std::vector<Make>& makers) {
    process_ = std::make_unique<Process>(*this);
    for (const Make& make : makers) process_->controllers.push_back(make(process_->context));
    process_->watches.StartAll();
    REQUIRE(executor.RunUntil([this] { return process_->watches.AllSynced(); }, absl::Minutes(2)));
    for (const auto& controller : process_->controllers) controller->Start();
    Settle();
  }
  // From the next Start on, watches of that kind ("jobs") tell everything so much later.
  void TellLate(const std::string& plural, absl::Duration delay) {
    line->script = [plural, delay](const net::Request& request) -> std::optional<Fault> {
      const std::string path = request.target.substr(0, request.target.find('?'));
      if (!absl::StrContains(request.target, "watch=") || !absl::EndsWith(path, "/" + plural)) {
        return std::nullopt;
      }
      Fault fault;
      fault.piece_delay = delay;
      return fault;
    };
  }
  // As kill -9 does: nothing is finished, nothing said.
  void Kill() { process_.reset(); }
  // Runs what is to be done now; what waits for a time goes on waiting.
  void Settle() {
    REQUIRE(executor.RunUntilIdle());
    executor.Advance(absl::Milliseconds(200));
    REQUIRE(executor.RunUntilIdle());
  }
  void Wait(absl::Duration time) {
    executor.Advance(time);
    Settle();
  }

  // Merge patches.
  Json Patch(const std::string& target, const std::string& body) {
    const Answer answer = Call("PATCH", target, body, "application/merge-patch+json");
    INFO(answer.text);
    REQUIRE(answer.code == 200);
    return answer.json;
  }
  // The namespace of the controllers' own ConfigMaps.
  void MakeSystemNamespace() {
    Create("/api/v1/namespaces",
           R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"volcano-system"}})");
  }
  // Makes or replaces a ConfigMap there, with one key.
  void PutConfig(const std::string& name, const std::string& key, const std::string& text) {
    const std::string maps = "/api/v1/namespaces/volcano-system/configmaps";
    Json map = Json::MakeObject({{"apiVersion", "v1"}, {"kind", "ConfigMap"}});
    map.MutableAt({"metadata", "name"}) = name;
    map.MutableAt({"data", key}) = text;
    if (Call("GET", StrCat(maps, "/", name)).code == 404) {
      Create(maps, map.Dump());
    } else {
      REQUIRE(Call("PUT", StrCat(maps, "/", name), map.Dump()).code == 200);
    }
    Wait(absl::Seconds(1));
  }
  static std::string PodPath(const std::string& name) {
    return "/api/v1/namespaces/default/pods/" + name;
  }
  // Merges into the status of a pod, as its kubelet would.
  void SetPod(const std::string& name, const std::string& status) {
    Patch(PodPath(name) + "/status", StrCat(R"({"status":)", status, "}"));
    Settle();
  }
  void SetPodPhase(const std::string& name, const std::string& phase) {
    SetPod(name, StrCat(R"({"phase":")", phase, R"("})"));
  }
  // Names of what a collection holds, in order.
  std::vector<std::string> Names(const std::string& collection) {
    std::vector<std::string> names;
    const Json list = Get(collection);
    for (const Json& item : list["items"].items()) {
      names.emplace_back(item.At({"metadata", "name"}).AsString());
    }
    return names;
  }
  std::vector<std::string> Pods() { return Names("/api/v1/namespaces/default/pods"); }
  // "type reason message" of each event about an object of that name, in order of their first
  // times.
  std::vector<std::string> Events(const std::string& name) {
    std::vector<std::string> texts;
    const Json list = Get("/api/v1/namespaces/default/events");
    for (const Json& event : list["items"].items()) {
      if (event.At({"involvedObject", "name"}).AsString() != name) continue;
      texts.push_back(StrCat(std::string(event["type"].AsString()), " ",
                             std::string(event["reason"].AsString()), " ",
                             std::string(event["message"].AsString())));
    }
    return texts;
  }

  controllers::ManagerOptions options;
  metrics::Registry metric_registry;
  metrics::ControllerMetrics metrics{metric_registry};

 private:
  struct Process {
    explicit Process(ControllerBed& bed)
        : watches(*bed.api, rng, bed.metrics.client()),
          events(*bed.api, rng, EventOptions()),
          context{*bed.api, watches, events, bed.metrics, rng, bed.options} {}
    static client::EventRecorderOptions EventOptions() {
      client::EventRecorderOptions made;
      made.component = "vc-controller-manager";
      return made;
    }
    Rng rng{1};
    controllers::Watches watches;
    client::EventRecorder events;
    controllers::ControllerContext context;
    std::vector<std::unique_ptr<controllers::Controller>> controllers;
  };

  std::unique_ptr<Process> process_;
};

}  // namespace bth::test
