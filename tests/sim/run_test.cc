#include "sim/run.h"

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "api/types/json.h"
#include "base/strings.h"
#include "sim/scenario.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace bth::sim {
namespace {

using types::Json;

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran Run(std::string_view manifests, RunOptions options = {.output = "json"}) {
  if (options.paths.empty()) options.paths = {"-"};
  std::istringstream in{std::string(manifests)};
  std::ostringstream out;
  std::ostringstream err;
  const int code = RunManifests(options, in, out, err);
  return {code, out.str(), err.str()};
}

Json CycleOf(const Ran& ran, size_t number = 0) {
  INFO(ran.err);
  const auto json = Json::Parse(ran.out);
  REQUIRE(json.ok());
  return (*json)["cycles"][number];
}

constexpr std::string_view kNode = R"(apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
)";

constexpr std::string_view kGang = R"(---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: g}
spec: {minMember: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {scheduling.k8s.io/group-name: g}}
spec:
  schedulerName: volcano
  containers: [{name: c, resources: {limits: {cpu: "1"}}}]
)";

TEST_CASE("run: a pod is bound and everything is reported", "[sim][run]") {
  const Ran ran = Run(std::string(kNode) + std::string(kGang));
  CHECK(ran.code == kExitRan);
  const Json cycle = CycleOf(ran);
  CHECK(cycle["binds"].Dump() == R"({"default/p":"n1"})");
  CHECK(cycle["podgroups"]["default/g"]["phase"].AsString() == "Inqueue");
  // The limit stands for the request that is missing.
  CHECK(cycle["queues"]["default"]["allocated"]["cpu"].AsString() == "1");
  for (const char* member :
       {"cycle", "binds", "pipelined", "evictions", "podgroups", "queues", "pending"}) {
    CHECK(cycle.Find(member) != nullptr);
  }
}

TEST_CASE("run: without apply every cycle sees the same cluster", "[sim][run]") {
  const std::string manifests = std::string(kNode) + std::string(kGang);
  const Ran recorded = Run(manifests, {.cycles = 2, .output = "json"});
  CHECK(CycleOf(recorded, 1)["binds"].size() == 1);
  const Ran applied = Run(manifests, {.cycles = 2, .apply = true, .output = "json"});
  CHECK(CycleOf(applied, 1)["binds"].empty());
  CHECK(CycleOf(applied, 1)["podgroups"]["default/g"]["phase"].AsString() == "Running");
}

TEST_CASE("run: bad input names file, document and path", "[sim][run]") {
  struct Case {
    std::string text, message;
  };
  const std::string node(kNode);
  const Case c = GENERATE_COPY(values<Case>({
      {node + "---\nkind: Pod\n", "standard input: document 2 (line 5): apiVersion: missing"},
      {"apiVersion: v1\n", "document 1 (line 1): kind: missing"},
      {"apiVersion: v1\nkind: Pod\n", "metadata.name: missing"},
      {"apiVersion: v2\nkind: Pod\nmetadata: {name: x}\n", "v2 has no kind Pod; use v1"},
      {"- a\n", "expected an object"},
      {node + "---\n" + node, "Node n1: given twice, first in standard input: document 1"},
      {"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: x}}\n",
       "status.allocatable.cpu"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: 3}\n",
       "spec.containers"},
      {"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]\n",
       "items[0]: metadata.name: missing"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
       "spec: {schedulerName: volcano, priorityClassName: top}\n",
       "Pod default/p: spec.priorityClassName: there is no PriorityClass top"},
      {"a: [1\n", "document 1: line "},
  }));
  CAPTURE(c.text);
  const Ran ran = Run(c.text);
  CHECK(ran.code == kExitInput);
  CHECK(ran.out.empty());
  CAPTURE(ran.err);
  CHECK(ran.err.find(c.message) != std::string::npos);
}

TEST_CASE("run: bad options are refused", "[sim][run]") {
  CHECK(Run(kNode, {.output = "xml"}).code == kExitInput);
  CHECK(Run(kNode, {.cycles = 0, .output = "json"}).code == kExitInput);
  CHECK(Run(kNode, {.conf = "/nowhere/scheduler.conf", .output = "json"}).code == kExitInput);
  const Ran missing = Run("", {.output = "json", .paths = {"/nowhere/at-all"}});
  CHECK(missing.code == kExitInput);
  CHECK(missing.err.find("/nowhere/at-all: no such file or folder") != std::string::npos);
}

TEST_CASE("run: shards count when they are asked for", "[sim][run]") {
  const std::string manifests = StrCat(
      kNode, kGang,
      "---\napiVersion: shard.volcano.sh/v1alpha1\nkind: NodeShard\nmetadata: {name: volcano}\n"
      "spec: {nodesDesired: [n2]}\n",
      "---\napiVersion: shard.volcano.sh/v1alpha1\nkind: NodeShard\nmetadata: {name: mine}\n"
      "spec: {nodesDesired: [n1]}\n");
  const Ran without = Run(manifests);
  CHECK(CycleOf(without)["binds"].size() == 1);
  CHECK(without.err.find("2 of kind NodeShard have no effect without --scheduler-sharding-mode") !=
        std::string::npos);
  const Ran hard = Run(manifests, {.sharding_mode = "hard", .output = "json"});
  CHECK(hard.err.empty());
  CHECK(CycleOf(hard)["binds"].empty());
  CHECK(CycleOf(hard)["pending"]["default/p"]["message"].AsString() ==
        "0/1 nodes are unavailable: 1 node isn't in scheduler node shard.");
  const Ran soft = Run(manifests, {.sharding_mode = "soft", .output = "json"});
  CHECK(CycleOf(soft)["binds"].size() == 1);
  const Ran named =
      Run(manifests, {.sharding_mode = "hard", .sharding_name = "mine", .output = "json"});
  CHECK(CycleOf(named)["binds"].size() == 1);
  const Ran refused = Run(manifests, {.sharding_mode = "firm", .output = "json"});
  CHECK(refused.code == kExitInput);
  CHECK(refused.err.find("--scheduler-sharding-mode: \"firm\" is none of none, hard, soft") !=
        std::string::npos);
}

TEST_CASE("run: folders, lists and the order of files", "[sim][run]") {
  const test::TempFolder one;
  one.Write("a.yaml", kNode);
  one.Write("b.yml", kGang);
  one.Write("notes.txt", "not a manifest");
  const test::TempFolder other;
  other.Write("a.yaml", kGang);
  other.Write("b.json", R"({"apiVersion": "v1", "kind": "NodeList", "items": [{"metadata":
      {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}]})");
  const Ran first = Run("", {.output = "json", .paths = {one.path()}});
  const Ran second = Run("", {.output = "json", .paths = {other.path()}});
  CHECK(first.code == kExitRan);
  CHECK(first.out == second.out);
}

TEST_CASE("run: given names, times and places are honoured", "[sim][run]") {
  const Ran ran = Run(std::string(kNode) + R"(---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: late, creationTimestamp: "2025-01-02T00:00:00Z"}
spec: {minMember: 1}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: old, creationTimestamp: "2025-01-01T00:00:00Z"}
spec: {minMember: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: late, annotations: {scheduling.k8s.io/group-name: late}}
spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: 3}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: old, annotations: {scheduling.k8s.io/group-name: old}}
spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: 3}}}]}
)");
  CHECK(CycleOf(ran)["binds"].Dump() == R"({"default/old":"n1"})");
}

TEST_CASE("run: priorities come from classes, queues from namespaces", "[sim][run]") {
  const Ran ran = Run(std::string(kNode) + R"(---
apiVersion: v1
kind: Namespace
metadata: {name: team, annotations: {scheduling.volcano.sh/queue-name: own}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: own}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: g, namespace: team}
spec: {minMember: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: team, annotations: {scheduling.k8s.io/group-name: g}}
spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: 3}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: team, annotations: {scheduling.k8s.io/group-name: g}}
spec:
  schedulerName: volcano
  priorityClassName: high
  containers: [{name: c, resources: {requests: {cpu: 3}}}]
)");
  const Json cycle = CycleOf(ran);
  CHECK(cycle["binds"].Dump() == R"({"team/b":"n1"})");
  CHECK(cycle["queues"]["own"]["allocated"]["cpu"].AsString() == "3");
}

TEST_CASE("run: kinds without effect are named", "[sim][run]") {
  const Ran ran =
      Run(std::string(kNode) + "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n");
  CHECK(ran.code == kExitRan);
  CHECK(ran.err.find("1 of kind Deployment have no effect here") != std::string::npos);
}

TEST_CASE("run: text output names what happened", "[sim][run]") {
  const Ran ran = Run(std::string(kNode) + std::string(kGang), {.output = "text"});
  CHECK(ran.out.starts_with("cycle 1: 1 bound, 0 pipelined, 0 evicted, 0 pending\n"));
  CHECK(ran.out.find("bind      default/p to n1") != std::string::npos);
}

TEST_CASE("run: the page's example does what the page says", "[sim][docs]") {
  const auto page = ReadText(std::string(BTH_SOURCE) + "/docs/vc-sim.md");
  REQUIRE(page.ok());
  const std::regex fence("```(yaml|text)\n([^`]*)```");
  std::vector<std::string> blocks;
  std::string scenario;  // The last that is YAML.
  for (std::sregex_iterator it(page->begin(), page->end(), fence), end; it != end; ++it) {
    blocks.push_back((*it)[2]);
    if ((*it)[1] == "yaml") scenario = blocks.back();
  }
  REQUIRE(blocks.size() >= 2);
  const Ran ran = Run(blocks[0], {.output = "text"});
  INFO(ran.err);
  CHECK(ran.out == blocks[1]);
  const auto outcomes = RunScenarios(scenario);
  REQUIRE(outcomes.ok());
  CHECK(outcomes->front().failures.empty());
}

constexpr std::string_view kJob = R"(---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, uid: u1}
spec:
  schedulerName: volcano
  minAvailable: 3
  plugins: {env: [], svc: []}
  tasks:
  - name: ps
    replicas: 1
    template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}}
  - name: worker
    replicas: 2
    template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}}
)";

TEST_CASE("run: a batch job becomes its pod group and its pods", "[sim][run]") {
  const Ran ran = Run(std::string(kNode) + std::string(kJob));
  CHECK(ran.err.empty());
  const Json cycle = CycleOf(ran);
  CHECK(
      cycle["binds"].Dump() ==
      R"({"default/train-ps-0":"n1","default/train-worker-0":"n1","default/train-worker-1":"n1"})");
  CHECK(cycle["podgroups"]["default/train-u1"]["phase"].AsString() == "Inqueue");
  // Its gang is what it asks for.
  const std::string larger =
      std::regex_replace(std::string(kJob), std::regex("replicas: 2"), "replicas: 4");
  const std::string all =
      std::regex_replace(larger, std::regex("minAvailable: 3"), "minAvailable: 5");
  const Json waits = CycleOf(Run(std::string(kNode) + all));
  CHECK(waits["binds"].empty());
  CHECK(waits["podgroups"].size() == 1);
}

TEST_CASE("run: what a batch job leaves out is filled in as the controllers do", "[sim][run]") {
  const Json cycle = CycleOf(Run(std::string(kNode) + R"(---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: bare}
spec:
  tasks:
  - replicas: 2
    template: {spec: {containers: [{name: c, resources: {requests: {cpu: "3"}}}]}}
)"));
  CHECK(cycle["binds"].empty());
  CHECK(cycle["pending"].Find("default/bare-default0-0") != nullptr);
  CHECK(cycle["pending"].Find("default/bare-default0-1") != nullptr);
}

TEST_CASE("run: of a batch job only what is missing is made", "[sim][run]") {
  const std::string there = R"(---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: train-u1}
spec: {minMember: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: train-ps-0, annotations: {scheduling.k8s.io/group-name: train-u1}}
spec: {schedulerName: volcano, nodeName: n1, containers: [{name: c}]}
status: {phase: Running}
)";
  const Json first = CycleOf(Run(std::string(kNode) + std::string(kJob) + there));
  CHECK(first["binds"].Dump() ==
        R"({"default/train-worker-0":"n1","default/train-worker-1":"n1"})");
  const Ran other = Run(there.substr(4) + "---\n" + std::string(kNode) + std::string(kJob));
  CHECK(CycleOf(other).Dump() == first.Dump());
}

TEST_CASE("run: pods of a batch job that would not be there are not made", "[sim][run]") {
  const std::string job(kJob);
  const std::string waiting = job + "    dependsOn: {name: [ps]}\n";
  const std::string minimum = std::regex_replace(
      std::regex_replace(waiting, std::regex("name: ps\n"), "name: ps\n    minAvailable: 1\n"),
      std::regex("minAvailable: 3"), "minAvailable: 1");
  CHECK(CycleOf(Run(std::string(kNode) + minimum))["binds"].Dump() ==
        R"({"default/train-ps-0":"n1"})");
  const Json over =
      CycleOf(Run(std::string(kNode) + job + "status: {state: {phase: Completed}}\n"));
  CHECK(over["binds"].empty());
  CHECK(over["podgroups"].empty());
}

TEST_CASE("run: a batch job that cannot be run is bad input", "[sim][run]") {
  const auto [from, to, message] = GENERATE(table<std::string, std::string, std::string>({
      {"minAvailable: 3", "minAvailable: 9", "Job default/train: spec: "},
      {"svc: ", "scv: ", "Job default/train: spec.plugins: "},
      {"image: i,", "image: 5,", "spec.tasks[0].template.spec.containers[0].image"},
      {"v1alpha1", "v2", "apiVersion: batch.volcano.sh/v2 has no kind Job"},
  }));
  const Ran ran =
      Run(std::string(kNode) + std::regex_replace(std::string(kJob), std::regex(from), to));
  CAPTURE(message, ran.err);
  CHECK(ran.code == kExitInput);
  CHECK(ran.err.find(message) != std::string::npos);
  const Ran kubernetes =
      Run(std::string(kNode) + "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\n");
  CHECK(kubernetes.code == kExitRan);
  CHECK(kubernetes.err.find("1 of kind Job have no effect here") != std::string::npos);
}

}  // namespace
}  // namespace bth::sim
