// Numatopologies: read while a policy needs them, followed, and deleted with their nodes.
#include <string>

#include "scheduler/scheduler.h"
#include "tests/scheduler/bed.h"
#include "tests/support/temp_folder.h"

namespace bth::scheduler {
namespace {

using test::Fault;

constexpr char kReports[] = "/apis/nodeinfo.volcano.sh/v1alpha1/numatopologies";

class NumaBed : public testing::Bed {
 public:
  explicit NumaBed(bool with_plugin, bool allowed = true) {
    options_.numa_reports = allowed;
    options_.policy.path = folder_.Write(
        "scheduler.conf", StrCat("actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n",
                                 "  - name: gang\n  - name: predicates\n",
                                 with_plugin ? "  - name: numa-aware\n" : ""));
    Node("n", 8);
    Start(options_);
  }
  void Restart() {
    scheduler.reset();
    Start(options_);
  }
  // Four CPUs on two NUMA nodes, of which these are allocatable; `pods` is JSON.
  static std::string Report(const std::string& allocatable, const std::string& pods = "[]") {
    return StrCat(R"({"apiVersion": "nodeinfo.volcano.sh/v1alpha1", "kind": "Numatopology",
                      "metadata": {"name": "n"}, "spec": {
                      "policies": {"CPUManagerPolicy": "static",
                                   "TopologyManagerPolicy": "single-numa-node"},
                      "numares": {"cpu": {"allocatable": ")",
                  allocatable, R"(", "capacity": 4}}, "podAllocations": )", pods,
                  R"(, "cpuDetail": {
                      "0": {"numa": 0, "socket": 0, "core": 0},
                      "1": {"numa": 0, "socket": 0, "core": 0},
                      "2": {"numa": 1, "socket": 1, "core": 0},
                      "3": {"numa": 1, "socket": 1, "core": 0}}}})");
  }
  void CreateReport(const std::string& allocatable) { Create(kReports, Report(allocatable)); }
  void Tell(const std::string& allocatable, const std::string& pods = "[]") {
    const Answer answer = Call("PATCH", StrCat(kReports, "/n"), Report(allocatable, pods),
                               "application/merge-patch+json");
    INFO(answer.text);
    REQUIRE(answer.code == 200);
    Settle();
  }
  // With so many CPUs of its own.
  void OwnPod(const std::string& name, int cpu) {
    Group(name, 1);
    const std::string amounts = StrCat(R"({"cpu": ")", cpu, R"(", "memory": "1Gi"})");
    Create("/api/v1/namespaces/default/pods",
           StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name,
                  R"(","annotations":{"scheduling.k8s.io/group-name":")", name,
                  R"(","volcano.sh/numa-topology-policy":"single-numa-node"}},)",
                  R"("spec":{"schedulerName":"volcano","containers":[{"name":"c","image":"i",)",
                  R"("resources":{"requests":)", amounts, R"(,"limits":)", amounts, "}}]}}"));
    Settle();
  }

 private:
  test::TempFolder folder_;
  SchedulerOptions options_;
};

TEST_CASE("numa reports: what is bound counts until the report shows it", "[scheduler][numa]") {
  NumaBed bed(/*with_plugin=*/true);
  bed.OwnPod("early", 2);
  CHECK(bed.NodeOf("early").empty());
  CHECK(absl::StrContains(bed.PodCondition("early"), "numa info is empty"));
  bed.CreateReport("0-3");
  bed.Settle();
  CHECK(bed.NodeOf("early") == "n");
  bed.OwnPod("second", 2);
  CHECK(bed.NodeOf("second") == "n");
  // No report shows any of this.
  bed.OwnPod("third", 1);
  CHECK(bed.NodeOf("third").empty());
  CHECK_THAT(bed.PodCondition("third"), Catch::Contains("cpu allocatable map is empty"));
  // One shows the first, which has left behind a CPU: the kubelet knows better.
  bed.Tell("1", R"([{"uid": "", "name": "early", "namespace": "default"}])");
  CHECK(bed.NodeOf("third") == "n");
}

TEST_CASE("numa reports: a scheduler that starts anew knows what no report shows yet",
          "[scheduler][numa]") {
  NumaBed bed(/*with_plugin=*/true);
  bed.CreateReport("0-3");
  bed.OwnPod("first", 2);
  REQUIRE(bed.NodeOf("first") == "n");
  const types::Json pod = bed.Get("/api/v1/namespaces/default/pods/first");
  const std::string decision(
      pod["metadata"]["annotations"]["volcano.sh/topology-decision"].AsString());
  CHECK(decision == R"({"numa":{"0":{"cpu":"2"}}})");
  bed.Restart();
  bed.OwnPod("second", 2);
  CHECK(bed.NodeOf("second") == "n");
  CHECK(absl::StrContains(bed.Get("/api/v1/namespaces/default/pods/second").Dump(),
                          R"({\"numa\":{\"1\":{\"cpu\":\"2\"}}})"));
  bed.OwnPod("third", 1);
  CHECK(bed.NodeOf("third").empty());
}

TEST_CASE("numa reports: a report that cannot be understood leaves the one before",
          "[scheduler][numa]") {
  NumaBed bed(/*with_plugin=*/true);
  bed.CreateReport("0-3");
  bed.Settle();
  bed.Tell("0-4294967295");
  bed.OwnPod("p", 2);
  CHECK(bed.NodeOf("p") == "n");
  CHECK(bed.Metric("batholith_malformed_objects_total{resource=\"numatopologies\"}") == 1);
}

TEST_CASE("numa reports: they go with their node", "[scheduler][numa]") {
  NumaBed bed(/*with_plugin=*/true);
  bed.CreateReport("0-3");
  bed.Settle();
  REQUIRE(bed.Call("DELETE", "/api/v1/nodes/n").code == 200);
  bed.Settle();
  CHECK(bed.Call("GET", StrCat(kReports, "/n")).code == 404);
}

TEST_CASE("numa reports: who does not lead, or does not read them, deletes none",
          "[scheduler][numa]") {
  const std::string who = GENERATE(values<std::string>({"standby", "without plugin", "gate off"}));
  CAPTURE(who);
  NumaBed bed(/*with_plugin=*/who != "without plugin", /*allowed=*/who != "gate off");
  bed.CreateReport("0-3");
  bed.Settle();
  if (who == "standby") bed.scheduler->StopLeading();
  REQUIRE(bed.Call("DELETE", "/api/v1/nodes/n").code == 200);
  bed.Settle();
  CHECK(bed.Call("GET", StrCat(kReports, "/n")).code == 200);
}

TEST_CASE("numa reports: one whose node is back stays", "[scheduler][numa]") {
  NumaBed bed(/*with_plugin=*/true);
  bed.CreateReport("0-3");
  bed.Settle();
  int refused = 0;
  bed.line->script = [&refused](const net::Request& request) -> std::optional<Fault> {
    if (request.method != "DELETE" || refused > 0) return std::nullopt;
    ++refused;
    return Fault{.code = 503};
  };
  REQUIRE(bed.Call("DELETE", "/api/v1/nodes/n").code == 200);
  bed.executor.RunUntilIdle();
  CHECK(refused == 1);
  bed.Node("n", 8);
  bed.Settle();
  CHECK(bed.Call("GET", StrCat(kReports, "/n")).code == 200);
}

}  // namespace
}  // namespace bth::scheduler
