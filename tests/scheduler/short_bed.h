// A scheduler beside an API server, with objects in short.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "scheduler/explain.h"
#include "sim/short_form.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler::testing {

class ShortBed : public Bed {
 public:
  // Lines of sim/short_form.h, and objects as JSON.
  void Given(const std::vector<std::string>& lines) {
    for (const std::string& text : lines) {
      CAPTURE(text);
      if (text.front() == '{') {
        const auto object = Json::Parse(text);
        REQUIRE(object.ok());
        Post(*object);
        continue;
      }
      const auto objects = sim::ExpandShortForm(text);
      REQUIRE(objects.status().ToString() == "OK");
      for (const Json& object : *objects) Post(object);
    }
  }
  // `conf`: the text of scheduler.conf; empty: the built-in policy.
  void Begin(const std::string& conf = "") {
    SchedulerOptions options;
    if (!conf.empty()) options.policy.path = folder_.Write("scheduler.conf", conf);
    Start(options);
  }
  void Delete(const std::string& target) {
    REQUIRE(Call("DELETE", target + "?gracePeriodSeconds=0").code == 200);
  }
  bool Bound(const std::string& pod) { return !NodeOf(pod).empty(); }
  // Of events with that reason: "Kind/name xTimes", sorted.
  std::vector<std::string> Events(const std::string& reason) {
    std::vector<std::string> out;
    EachEvent(reason, [&out](const Json& event) {
      out.push_back(StrCat(std::string(event.At({"involvedObject", "kind"}).AsString()), "/",
                           std::string(event.At({"involvedObject", "name"}).AsString()), " x",
                           event["count"].AsInt()));
    });
    std::sort(out.begin(), out.end());
    return out;
  }
  // The message of the one on the object of that name.
  std::string EventMessage(const std::string& reason, std::string_view name) {
    std::string out;
    EachEvent(reason, [&](const Json& event) {
      if (event.At({"involvedObject", "name"}).AsString() == name) {
        out = std::string(event["message"].AsString());
      }
    });
    return out;
  }
  // What /debug/explain says of the job "default/<name>".
  Json Explain(const std::string& job) {
    std::string page;
    scheduler->Inspect(
        [&job](const framework::Cycle* cycle) {
          return ExplainJobPage(*cycle, "default/" + job).Dump();
        },
        [&page](std::string text) { page = std::move(text); });
    executor.RunUntilIdle();
    const auto json = Json::Parse(page);
    REQUIRE(json.ok());
    return *json;
  }

 private:
  void Post(Json object) {
    static const auto& kFolders = *new std::map<std::string, std::string, std::less<>>{
        {"CSINode", "csinodes"},
        {"HyperNode", "hypernodes"},
        {"Node", "nodes"},
        {"PersistentVolume", "persistentvolumes"},
        {"PersistentVolumeClaim", "persistentvolumeclaims"},
        {"Pod", "pods"},
        {"PodDisruptionBudget", "poddisruptionbudgets"},
        {"PodGroup", "podgroups"},
        {"PriorityClass", "priorityclasses"},
        {"Queue", "queues"}};
    const std::string version(object["apiVersion"].AsString());
    const auto plural = kFolders.find(object["kind"].AsString());
    REQUIRE(plural != kFolders.end());
    const bool namespaced = plural->first == "Pod" || plural->first == "PodGroup" ||
                            plural->first == "PersistentVolumeClaim" ||
                            plural->first == "PodDisruptionBudget";
    if (namespaced && object.At({"metadata", "namespace"}).AsString().empty()) {
      object["metadata"].Set("namespace", Json("default"));
    }
    if (plural->first == "Pod") {
      for (Json& container : object["spec"]["containers"].MutableItems()) {
        if (container["image"].AsString().empty()) container.Set("image", Json("i"));
        LimitDevices(container["resources"]);
      }
    }
    const std::string ns(object.At({"metadata", "namespace"}).AsString());
    Create(StrCat(version == "v1" ? "/api/" : "/apis/", version,
                  ns.empty() ? "" : "/namespaces/" + ns, "/", plural->second),
           object.Dump());
  }
  // What is no CPU and no memory is asked for and limited in one.
  static void LimitDevices(Json& resources) {
    const Json requests = std::as_const(resources)["requests"];
    for (const auto& [name, amount] : requests.members()) {
      if (name.find('/') != name.npos) resources["limits"].Set(name, amount);
    }
  }
  template <typename Visit>
  void EachEvent(const std::string& reason, const Visit& visit) {
    const Json events = Get("/api/v1/namespaces/default/events");
    for (const Json& event : events["items"].items()) {
      if (event["reason"].AsString() == reason) visit(event);
    }
  }

  test::TempFolder folder_;
};

}  // namespace bth::scheduler::testing
