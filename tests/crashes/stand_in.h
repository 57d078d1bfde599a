// What scheduler and kubelets would do, in a few lines: pods are admitted, bound, run and end.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/strings.h"
#include "tests/controllers/controller_bed.h"

namespace bth::test {

// The annotation of a pod that says after how many seconds of running it has succeeded.
inline constexpr const char* kRunsFor = "test/runs-for";

// Admits each pod group, binds pods of admitted groups, lets them run, and removes those that are
// deleted. What it does follows from the objects alone. Thread: the test's.
class StandIn {
 public:
  using Json = types::Json;

  explicit StandIn(ControllerBed& bed) : bed_(bed) {
    bed_.Create("/api/v1/nodes", R"({"metadata":{"name":"n1"}})");
  }
  StandIn(const StandIn&) = delete;

  // What is due now; nothing to do costs nothing.
  void Act() {
    const int64_t revision = bed_.server->store().revision();
    if (revision == seen_ && bed_.executor.Now() < next_end_) return;
    seen_ = revision;
    next_end_ = absl::InfiniteFuture();
    const std::vector<Json> pods = Objects("pods");
    for (const Json& pod : pods) ActOnPod(pod);
    for (const Json& group : Objects("podgroups.scheduling.volcano.sh")) ActOnGroup(group, pods);
  }
  std::vector<Json> Objects(const std::string& collection) const {
    std::vector<Json> objects;
    apiserver::Collection* const found = bed_.server->store().Find(collection);
    REQUIRE(found != nullptr);
    for (const apiserver::ObjectPtr& object : found->All("")) {
      objects.push_back(apiserver::ParseStored(*object));
    }
    return objects;
  }

 private:
  static std::string Text(const Json& object, std::initializer_list<std::string_view> path) {
    return std::string(object.At(path).AsString());
  }
  static std::string GroupOf(const Json& pod) {
    return Text(pod, {"metadata", "annotations", "scheduling.k8s.io/group-name"});
  }

  void ActOnPod(const Json& pod) {
    const std::string phase = Text(pod, {"status", "phase"});
    if (!pod.At({"metadata", "deletionTimestamp"}).is_null()) {
      bed_.Call("DELETE", PathOf(pod) + "?gracePeriodSeconds=0");
    } else if (pod.At({"spec", "nodeName"}).is_null()) {
      if (IsAdmitted(GroupOf(pod))) Bind(pod);
    } else if (phase == "Pending") {
      SetPhase(pod, "Running");
    } else if (phase == "Running") {
      EndInTime(pod);
    }
  }
  void EndInTime(const Json& pod) {
    int seconds = 0;
    if (!absl::SimpleAtoi(Text(pod, {"metadata", "annotations", kRunsFor}), &seconds)) return;
    const std::string uid = Text(pod, {"metadata", "uid"});
    const absl::Time now = bed_.executor.Now();
    const absl::Time end =
        running_since_.try_emplace(uid, now).first->second + absl::Seconds(seconds);
    if (now >= end) {
      SetPhase(pod, "Succeeded");
    } else {
      next_end_ = std::min(next_end_, end);
    }
  }
  // Controllers act between two of our requests: what fails is of a pod that has changed, and is
  // looked at again.
  void Bind(const Json& pod) {
    const std::string name = Text(pod, {"metadata", "name"});
    bed_.Call(
        "POST", PathOf(pod) + "/binding",
        StrCat(R"({"metadata":{"name":")", name, R"("},"target":{"kind":"Node","name":"n1"}})"));
  }
  void SetPhase(const Json& pod, const std::string& phase) {
    bed_.Call("PATCH", PathOf(pod) + "/status",
              StrCat(R"({"metadata":{"uid":")", Text(pod, {"metadata", "uid"}),
                     R"("},"status":{"phase":")", phase, R"("}})"),
              "application/merge-patch+json");
  }
  static std::string PathOf(const Json& pod) {
    return ControllerBed::PodPath(Text(pod, {"metadata", "name"}));
  }

  static std::string GroupPath(const std::string& name) {
    return "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups/" + name;
  }
  bool IsAdmitted(const std::string& group) {
    if (group.empty()) return false;
    const ControllerBed::Answer answer = bed_.Call("GET", GroupPath(group));
    const std::string phase = Text(answer.json, {"status", "phase"});
    return answer.code == 200 && !phase.empty() && phase != "Pending";
  }
  void ActOnGroup(const Json& group, const std::vector<Json>& pods) {
    const std::string name = Text(group, {"metadata", "name"});
    const std::string before = Text(group, {"status", "phase"});
    int64_t running = 0;
    int64_t ended = 0;
    for (const Json& pod : pods) {
      if (GroupOf(pod) != name) continue;
      running += Text(pod, {"status", "phase"}) == "Running" ? 1 : 0;
      ended += Text(pod, {"status", "phase"}) == "Succeeded" ? 1 : 0;
    }
    std::string phase = "Inqueue";
    if (running + ended > 0 && running + ended >= group.At({"spec", "minMember"}).AsInt()) {
      phase = running > 0 ? "Running" : "Completed";
    }
    if (phase == before || !group.At({"metadata", "deletionTimestamp"}).is_null()) return;
    // It may be gone by now.
    bed_.Call("PATCH", GroupPath(name), StrCat(R"({"status":{"phase":")", phase, R"("}})"),
              "application/merge-patch+json");
  }

  ControllerBed& bed_;
  int64_t seen_ = 0;
  absl::Time next_end_ = absl::InfiniteFuture();
  std::map<std::string, absl::Time> running_since_;  // By uid of the pod.
};

}  // namespace bth::test
