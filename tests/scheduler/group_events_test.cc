// What is told on PodGroups in the course of an ordinary life.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/bed.h"

namespace bth::scheduler::testing {
namespace {

struct Life : Bed {
  std::string Phase() {
    return std::string(Get(GroupPath("g")).At({"status", "phase"}).AsString());
  }
  // "type reason count" of each event on the PodGroup.
  std::vector<std::string> Told() {
    std::vector<std::string> texts;
    const Json list = Get("/api/v1/namespaces/default/events");
    for (const Json& event : list["items"].items()) {
      if (event.At({"involvedObject", "name"}).AsString() != "g") continue;
      texts.push_back(absl::StrCat(std::string(event["type"].AsString()), " ",
                                   std::string(event["reason"].AsString()), " ",
                                   event["count"].AsInt()));
    }
    return texts;
  }
  void SetPodPhase(const std::string& phase) {
    const Answer answer = Call("PATCH", "/api/v1/namespaces/default/pods/p/status",
                               absl::StrCat(R"({"status":{"phase":")", phase, R"("}})"),
                               "application/merge-patch+json");
    REQUIRE(answer.code == 200);
    Settle();
  }
};

TEST_CASE("group events: nothing before there are pods, and readiness once", "[scheduler]") {
  Life bed;
  bed.Node("n1", 4);
  bed.Start();
  bed.Group("g", 1);
  bed.Settle();
  CHECK(bed.Phase() == "Inqueue");
  CHECK(bed.Told().empty());
  bed.Pod("p", "g", 1);
  bed.Settle();
  CHECK(bed.Phase() == "Running");
  const std::vector<std::string> once = {"Normal Scheduled 1"};
  CHECK(bed.Told() == once);
  bed.SetPodPhase("Running");
  bed.SetPodPhase("Succeeded");
  CHECK(bed.Phase() == "Completed");
  CHECK(bed.Told() == once);
}

TEST_CASE("group events: a PodGroup without pods that is not admitted is told why", "[scheduler]") {
  Life bed;
  bed.Node("n1", 4);
  bed.Start();
  bed.Create("/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
             R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",)"
             R"("metadata":{"name":"g"},"spec":{"minMember":1,"queue":"default",)"
             R"("minResources":{"cpu":"400"}}})");
  bed.Settle();
  CHECK(bed.Phase() == "Pending");
  const std::vector<std::string> told = bed.Told();
  CHECK(std::any_of(told.begin(), told.end(), [](const std::string& text) {
    return absl::StartsWith(text, "Warning Unschedulable ");
  }));
}

TEST_CASE("group events: pods of a gang that still comes are not called unschedulable",
          "[scheduler]") {
  Life bed;
  bed.Node("n1", 16);
  bed.Start();
  bed.Group("g", 8);
  bed.Settle();
  for (int i = 0; i < 5; ++i) {
    bed.Pod(absl::StrCat("p", i), "g", 1);
    bed.executor.Advance(absl::Milliseconds(1500));
    CHECK(bed.PodCondition("p0").empty());
  }
  // Nobody comes any more.
  bed.executor.Advance(absl::Milliseconds(1500));
  CHECK(absl::StartsWith(bed.PodCondition("p0"), "False Unschedulable: "));
  CHECK(absl::StartsWith(bed.PodCondition("p4"), "False Unschedulable: "));
  for (int i = 5; i < 8; ++i) bed.Pod(absl::StrCat("p", i), "g", 1);
  bed.Settle();
  CHECK(bed.NodeOf("p0") == "n1");
}

}  // namespace
}  // namespace bth::scheduler::testing
