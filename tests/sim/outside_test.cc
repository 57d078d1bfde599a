// What vc-sim does with policies that ask servers outside the cluster.
#include <sstream>

#include "absl/strings/match.h"
#include "api/types/json.h"
#include "base/strings.h"
#include "sim/run.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::sim {
namespace {

constexpr std::string_view kManifests = R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: g, namespace: demo}
spec: {minMember: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: demo, annotations: {scheduling.k8s.io/group-name: g}}
spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
)";

struct Placed {
  int code = 0;
  std::string node;  // Of the pod.
  std::string err;
};

Placed RunWithPlugin(const test::TempFolder& folder, const std::string& plugin_and_more) {
  RunOptions options{.output = "json"};
  options.paths = {"-"};
  options.conf =
      folder.Write("scheduler.conf",
                   StrCat("actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n"
                          "  - name: predicates\n",
                          plugin_and_more));
  std::istringstream in{std::string(kManifests)};
  std::ostringstream out;
  std::ostringstream err;
  const int code = RunManifests(options, in, out, err);
  const auto json = types::Json::Parse(out.str());
  std::string node;
  if (json.ok()) node = std::string((*json)["cycles"][0]["binds"]["demo/p"].AsString());
  return {code, node, err.str()};
}

TEST_CASE("vc-sim: a mandatory extender is refused, an ignorable one left out", "[sim][extender]") {
  const test::TempFolder folder;
  const std::string extender =
      "  - name: extender\n    arguments:\n      extender.urlPrefix: http://localhost:1\n"
      "      extender.predicateVerb: predicate\n";
  const Placed refused = RunWithPlugin(folder, extender);
  CHECK(refused.code == kExitInput);
  CHECK(absl::StrContains(refused.err, "no extender can be asked here"));
  const Placed without = RunWithPlugin(folder, extender + "      extender.ignorable: true\n");
  CHECK(without.code == kExitRan);
  CHECK(without.node == "n1");
}

TEST_CASE("vc-sim: loads of nodes come from a file", "[sim][load]") {
  const test::TempFolder folder;
  const std::string loads =
      folder.Write("loads.json", R"({"n1":{"cpu":95,"memory":10},"n2":{"cpu":10,"memory":10}})");
  const auto conf = [](const std::string& type, const std::string& address) {
    return StrCat("  - name: usage\nmetrics: {type: ", type, ", address: '", address, "'}\n");
  };
  CHECK(RunWithPlugin(folder, conf("local", loads)).node == "n2");
  CHECK(RunWithPlugin(folder, "  - name: usage\n").node == "n1");
  const Placed other = RunWithPlugin(folder, conf("prometheus", "http://x"));
  CHECK(other.node == "n1");
  CHECK(absl::StrContains(other.err, "no prometheus is asked in a simulation"));
  CHECK(RunWithPlugin(folder, conf("local", "/nonexistent/loads.json")).code == kExitInput);
  const std::string absurd = folder.Write("absurd.json", R"({"n1":{"cpu":500,"memory":1}})");
  const Placed refused = RunWithPlugin(folder, conf("local", absurd));
  CHECK(refused.code == kExitInput);
  CHECK(absl::StrContains(refused.err, "0 to 100 percent"));
}

}  // namespace
}  // namespace bth::sim
