// What feature gates and flags leave out of the scheduler's view.
#include <set>

#include "base/strings.h"
#include "tests/scheduler/short_bed.h"

namespace bth::scheduler {
namespace {

using testing::ShortBed;

constexpr const char* kWorkloads[] = {"/replicationcontrollers", "/replicasets", "/statefulsets"};
constexpr const char* kCapacities[] = {"/csidrivers", "/csistoragecapacities"};

TEST_CASE("features: what is not to be read is not asked for", "[scheduler]") {
  for (const bool wanted : {true, false}) {
    CAPTURE(wanted);
    ShortBed bed;
    std::string asked;
    bed.line->on_request = [&asked](const net::Request& request) { asked += request.target + " "; };
    SchedulerOptions options;
    options.workloads = wanted;
    options.storage_capacity = wanted;
    bed.Start(options);
    CHECK(bed.scheduler->ready());
    CHECK(absl::StrContains(asked, "/services?"));
    for (const char* kind : kWorkloads) CHECK(absl::StrContains(asked, kind) == wanted);
    for (const char* kind : kCapacities) CHECK(absl::StrContains(asked, kind) == wanted);
  }
}

TEST_CASE("features: requests of the pod as a whole count with PodLevelResources", "[scheduler]") {
  for (const bool counted : {true, false}) {
    CAPTURE(counted);
    ShortBed bed;
    bed.Given({"node n1 cpu=4 mem=8Gi", "job j min=1",
               R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",)"
               R"("annotations":{"scheduling.k8s.io/group-name":"j"}},)"
               R"("spec":{"schedulerName":"volcano","resources":{"requests":{"cpu":"8"}},)"
               R"("containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}})"});
    SchedulerOptions options;
    options.pod_level_resources = counted;
    bed.Start(options);
    CHECK(bed.Bound("p") != counted);
  }
}

TEST_CASE("features: a spread goes by the pod's own labels with its feature", "[scheduler]") {
  const auto pod = [](const std::string& name, const std::string& version) {
    return StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                  R"(","labels":{"app":"x","version":")", version,
                  R"("},"annotations":{"scheduling.k8s.io/group-name":"j"}},"spec":{)",
                  R"("schedulerName":"volcano","topologySpreadConstraints":[{"maxSkew":1,)",
                  R"("topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule",)",
                  R"("labelSelector":{"matchLabels":{"app":"x"}},"matchLabelKeys":["version"]}],)",
                  R"("containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}})");
  };
  for (const bool by_own_labels : {true, false}) {
    CAPTURE(by_own_labels);
    ShortBed bed;
    bed.Given({"node n1 cpu=4 mem=8Gi label.kubernetes.io/hostname=n1",
               "node n2 cpu=0 mem=8Gi label.kubernetes.io/hostname=n2", "job j min=1",
               pod("old", "1")});
    SchedulerOptions options;
    options.spread_by_own_labels = by_own_labels;
    bed.Start(options);
    REQUIRE(bed.NodeOf("old") == "n1");
    bed.Given({pod("new", "2")});
    bed.Settle();
    CHECK(bed.Bound("new") == by_own_labels);
  }
}

}  // namespace
}  // namespace bth::scheduler
