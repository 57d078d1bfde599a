// A scheduler, an API server and a gang whose bindings go wrong.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/scheduler/bed.h"

namespace bth::scheduler::testing {

// A gang of three on one node; what happens to the bindings of its pod "c" is up to the test.
struct GangBed : Bed {
  std::vector<absl::Time> tries;  // Of binding "c".

  GangBed() {
    Node("n1", 4);
    Start();
  }
  // The fault of try number `n`, from 0.
  void Submit(std::function<std::optional<Fault>(size_t n)> fault) {
    line->script = [this, fault](const net::Request& request) -> std::optional<Fault> {
      if (!absl::EndsWith(request.target, "/pods/c/binding")) return std::nullopt;
      tries.push_back(executor.Now());
      return fault(tries.size() - 1);
    };
    Group("g", 3);
    for (const char* pod : {"a", "b", "c"}) Pod(pod, "g", 1);
  }
  // As a kubelet does.
  void SetPhase(const std::string& pod, const char* phase) {
    REQUIRE(Call("PATCH", StrCat("/api/v1/namespaces/default/pods/", pod, "/status"),
                 StrCat(R"({"status":{"phase":")", phase, R"("}})"), "application/merge-patch+json")
                .code == 200);
  }
  void LetGo(const std::string& pod) {
    Call("DELETE", "/api/v1/namespaces/default/pods/" + pod + "?gracePeriodSeconds=0");
  }
  std::string Told() { return Condition(GroupPath("g"), "PartiallyBound"); }
  size_t Events(const std::string& reason) {
    const Json list = Get("/api/v1/namespaces/default/events");
    size_t count = 0;
    for (const Json& event : list["items"].items()) {
      count += event["reason"].AsString() == reason ? 1 : 0;
    }
    return count;
  }
};

}  // namespace bth::scheduler::testing
