// What single plugins read of pods and nodes, and node loads.
#include "api/types/json.h"
#include "api/types/pod_requests.h"
#include "base/strings.h"
#include "cache/cluster/mirror.h"
#include "cache/intake/compile_extras.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using testing::MakeGroup;
using testing::MakeNode;
using testing::MakePod;
using testing::MakeQueue;
using testing::PodText;
using testing::Read;

constexpr int64_t kGi = int64_t{1} << 30;

// A pod of these containers and init containers, as JSON lists.
types::Pod PodOf(const std::string& containers, const std::string& init = "[]",
                 const std::string& more_spec = "") {
  return Read<types::Pod>(
      StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{)", more_spec,
             R"("containers":)", containers, R"(,"initContainers":)", init, "}}"));
}

std::string Container(const std::string& requests, const std::string& limits,
                      const std::string& more = "") {
  return StrCat(R"({"name":"c",)", more, R"("resources":{"requests":)", requests, R"(,"limits":)",
                limits, "}}");
}

TEST_CASE("extras: sums of requests and limits", "[cache]") {
  struct Case {
    std::string name;
    types::Pod pod;
    int64_t cpu, cpu_limit, memory, memory_limit;
  };
  const std::string main = Container(R"({"cpu":"500m","memory":"1Gi"})", "{}");
  const std::vector<Case> cases = {
      {"one container",
       PodOf("[" + Container(R"({"cpu":"500m","memory":"1Gi"})", R"({"cpu":"1","memory":"2Gi"})") +
             "]"),
       500, 1000, kGi, 2 * kGi},
      {"two containers",
       PodOf(
           "[" + Container(R"({"cpu":"200m","memory":"1Gi"})", R"({"cpu":"500m","memory":"2Gi"})") +
           "," + Container(R"({"cpu":"300m","memory":"2Gi"})", R"({"cpu":"700m","memory":"3Gi"})") +
           "]"),
       500, 1200, 3 * kGi, 5 * kGi},
      {"an init container that needs more",
       PodOf(
           "[" + main + "]",
           "[" + Container(R"({"cpu":"2","memory":"4Gi"})", R"({"cpu":"3","memory":"5Gi"})") + "]"),
       2000, 3000, 4 * kGi, 5 * kGi},
      {"a sidecar",
       PodOf(
           "[" + Container(R"({"cpu":"1","memory":"2Gi"})", R"({"cpu":"2","memory":"3Gi"})") + "]",
           "[" +
               Container(R"({"cpu":"1","memory":"1Gi"})", R"({"cpu":"2","memory":"2Gi"})",
                         R"("restartPolicy":"Always",)") +
               "]"),
       2000, 4000, 3 * kGi, 5 * kGi},
      {"overhead only where there is a limit",
       PodOf("[" + Container("{}", R"({"cpu":"1"})") + "]", "[]",
             R"("overhead":{"cpu":"100m","memory":"1Gi"},)"),
       100, 1100, kGi, 0},
      {"nothing", PodOf("[" + Container("{}", "{}") + "]"), 0, 0, 0, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto extras = CompileExtras(c.pod);
    CHECK(extras->cpu_limit_milli == c.cpu_limit);
    CHECK(extras->memory_limit_bytes == c.memory_limit);
    const auto requests = CountedAmounts(*types::PodRequests(c.pod));
    REQUIRE(requests.ok());
    int64_t cpu = 0;
    int64_t memory = 0;
    for (const auto& [name, amount] : *requests) {
      if (name == "cpu") cpu = amount;
      if (name == "memory") memory = amount;
    }
    CHECK(cpu == c.cpu);
    CHECK(memory == c.memory);
  }
}

TEST_CASE("extras: how Kubernetes treats a pod", "[cache]") {
  const auto qos = [](const std::string& containers) {
    return CompileExtras(PodOf("[" + containers + "]"))->qos;
  };
  const std::string full = R"({"cpu":"1","memory":"1Gi"})";
  CHECK(qos(Container("{}", "{}")) == model::QosClass::kBestEffort);
  CHECK(qos(Container(R"({"cpu":"0"})", "{}")) == model::QosClass::kBestEffort);
  CHECK(qos(Container(R"({"cpu":"1"})", "{}")) == model::QosClass::kBurstable);
  CHECK(qos(Container(full, R"({"cpu":"2","memory":"1Gi"})")) == model::QosClass::kBurstable);
  CHECK(qos(Container(full, full)) == model::QosClass::kGuaranteed);
  CHECK(qos(Container("{}", full)) == model::QosClass::kGuaranteed);
  CHECK(qos(Container(full, full) + "," + Container("{}", "{}")) == model::QosClass::kBurstable);
  types::Pod told = PodOf("[" + Container("{}", "{}") + "]");
  told.status.qos_class = "Guaranteed";
  CHECK(CompileExtras(told)->qos == model::QosClass::kGuaranteed);
}

TEST_CASE("extras: which resources containers name", "[cache]") {
  const auto named = [](const types::Pod& pod) { return CompileExtras(pod)->named_resources; };
  using Names = std::vector<std::string>;
  CHECK(named(PodOf("[]")).empty());
  CHECK(named(PodOf("[" + Container("{}", "{}") + "]")).empty());
  CHECK(named(PodOf("[" + Container(R"({"cpu":"1"})", R"({"nvidia.com/gpu":"1"})") + "," +
                    Container(R"({"amd.com/gpu":"0","cpu":"1"})", "{}") + "]")) ==
        Names{"amd.com/gpu", "cpu", "nvidia.com/gpu"});
  CHECK(named(PodOf("[]", "[" + Container(R"({"memory":"1"})", "{}") + "]")) == Names{"memory"});
}

TEST_CASE("extras: a pod's own strategy", "[cache]") {
  const auto extras = [](const std::string& annotations) {
    types::Pod pod = PodOf("[]");
    if (!annotations.empty()) {
      pod.meta.annotations.Set("volcano.sh/resource-strategy-scoring-type", "LeastAllocated");
      pod.meta.annotations.Set("volcano.sh/resource-strategy-weight", annotations);
    }
    return CompileExtras(pod);
  };
  using Weights = std::vector<std::pair<std::string, int64_t>>;
  CHECK(extras("")->strategy.empty());
  CHECK(extras(R"({"memory":1,"cpu":2})")->strategy == "LeastAllocated");
  CHECK(extras(R"({"memory":1,"cpu":2})")->strategy_weights == Weights{{"cpu", 2}, {"memory", 1}});
  for (const char* bad : {"{", "[1]", R"({"cpu":"2"})", R"({"cpu":1.5})", "null"}) {
    CAPTURE(bad);
    CHECK(extras(bad)->strategy == "LeastAllocated");
    CHECK(extras(bad)->strategy_weights.empty());
  }
}

TEST_CASE("extras: devices may serve what schedulers call extended resources", "[cache]") {
  const auto c = GENERATE(table<std::string, bool>({
      {"example.com/gpu", true},
      {"a/b", true},
      {"deviceclass.resource.kubernetes.io/gpu", true},
      {"deviceclass.resource.kubernetes.io/", false},
      {"kubernetes.io/gpu", false},
      {"x.kubernetes.io/gpu", false},
      {"xkubernetes.io/gpu", false},  // Whatever stands before it.
      {"kubernetes.io.example.com/gpu", true},
      {"requests.example.com/gpu", false},
      {"hugepages-2Mi", false},
      {"cpu", false},
      {"/gpu", false},
      {"example.com/", false},
      {"Example.com/gpu", false},
      {"example.com/-gpu", false},
      {"a/b/c", false},
  }));
  CAPTURE(std::get<0>(c));
  const types::Pod pod =
      PodOf("[" + Container(StrCat("{\"", std::get<0>(c), "\":\"1\"}"), "{}") + "]");
  const auto requests = CompileExtras(pod, PodPart::kAll)->requests;
  CHECK((requests.size() == 1 && requests[0].extended.size() == 1) == std::get<1>(c));
}

TEST_CASE("extras: different extras, different keys", "[cache]") {
  const model::PodExtras base;
  std::vector<model::PodExtras> others(10);
  others[1].cpu_limit_milli = 1;
  others[2].memory_limit_bytes = 1;
  others[3].qos = model::QosClass::kBurstable;
  others[4].named_resources = {"cpu"};
  others[5].strategy = "x";
  others[6].strategy_weights = {{"cpu", 1}};
  const std::vector<std::string> names = {"x.io/a", "x.io/b"};
  others[7].requests = {{.name = "c", .names = names, .extended = {{"x.io/a", 1}}}};
  others[8].requests = {{.name = "c", .names = names, .extended = {{"x.io/b", 1}}}};
  others[9].requests = {{.name = "c", .names = names, .extended = {{"x.io/a", 2}}}};
  std::set<std::string> keys;
  for (const model::PodExtras& extras : others) keys.insert(KeyOf(extras));
  CHECK(keys.size() == others.size());
  CHECK(keys.contains(KeyOf(base)));
}

TEST_CASE("extras: a node's document leaves heartbeats out", "[cache]") {
  const auto document = [](const std::string& time, const std::string& status) {
    return *DocumentOf(Read<types::Node>(StrCat(
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","resourceVersion":")", time,
        R"(","annotations":{"k":"v"}},"status":{"conditions":[{"type":"Ready","status":")", status,
        R"(","lastHeartbeatTime":"2026-01-01T00:00:0)", time, R"(Z"}]}})")));
  };
  CHECK(document("1", "True") == document("2", "True"));
  CHECK(document("1", "True") != document("1", "False"));
  CHECK((*types::Json::Parse(document("1", "True")))["metadata"]["annotations"]["k"].AsString() ==
        "v");
}

struct ExtrasBed {
  ManualClock clock{absl::FromUnixSeconds(1'767'225'600)};
  Mirror mirror{clock, {}};

  Interner& symbols() { return mirror.vocabulary().symbols(); }
  void Put(const PodText& text, std::shared_ptr<const std::string> document = nullptr) {
    CompiledPod pod = MakePod(text, symbols());
    pod.document = std::move(document);
    mirror.PutPod(std::move(pod));
  }
  model::TaskRow Row(const std::string& pod) {
    const auto snapshot = mirror.Publish();
    for (model::TaskId task : snapshot->tasks.ids()) {
      const model::TaskRow& row = snapshot->tasks[task];
      if (row.names != nullptr && row.names->name == pod) return row;
    }
    return {};
  }
};

TEST_CASE("mirror: start, priority and document of a pod follow its object", "[cache]") {
  ExtrasBed bed;
  bed.mirror.PutNode(MakeNode("n", R"({"cpu":"4"})", bed.symbols()));
  bed.Put({.name = "p", .spec = R"("nodeName":"n",)"});
  CHECK(bed.Row("p").started_us == 0);
  CHECK_FALSE(bed.Row("p").pod_priority.has_value());
  CHECK(bed.Row("p").document == nullptr);
  bed.Put({.name = "p",
           .spec = R"("nodeName":"n","priority":7,)",
           .status = R"("phase":"Running","startTime":"2026-01-01T00:00:05Z",)"},
          std::make_shared<const std::string>("{}"));
  CHECK(bed.Row("p").started_us == 1'767'225'605'000'000);
  CHECK(bed.Row("p").pod_priority == 7);
  REQUIRE(bed.Row("p").document != nullptr);
  CHECK(*bed.Row("p").document == "{}");
}

TEST_CASE("mirror: capacity and document of a node follow its object", "[cache]") {
  ExtrasBed bed;
  const auto put = [&bed](const std::string& capacity, const char* document) {
    auto node =
        Compile(Read<types::Node>(
                    StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"status":{)",
                           R"("allocatable":{"cpu":"1"},"capacity":)", capacity, "}}")),
                bed.symbols());
    REQUIRE(node.ok());
    node->facts->document = std::make_shared<const std::string>(document);
    bed.mirror.PutNode(*std::move(node));
    const auto snapshot = bed.mirror.Publish();
    return snapshot->node_facts(snapshot->nodes_by_name->front());
  };
  CHECK(put(R"({"cpu":"2","memory":"1Gi"})", "a").capacity_cpu_milli == 2000);
  CHECK(put(R"({"cpu":"2","memory":"2Gi"})", "a").capacity_memory_bytes == 2 * kGi);
  CHECK(*put(R"({"cpu":"2","memory":"2Gi"})", "b").document == "b");
}

TEST_CASE("mirror: new loads matter to jobs that wait, and only to them", "[cache]") {
  ExtrasBed bed;
  const auto loads = std::make_shared<const model::NodeLoads>(model::NodeLoads{{"n", {1, 2, 3}}});
  bed.mirror.PutNode(MakeNode("n", R"({"cpu":"4"})", bed.symbols()));
  bed.mirror.PutQueue(MakeQueue("default"));
  bed.mirror.Publish();
  bed.mirror.PutLoads(loads);
  CHECK_FALSE(bed.mirror.changed());
  CHECK_FALSE(bed.mirror.statuses_changed());
  CHECK(bed.mirror.Publish()->loads == loads);
  bed.mirror.PutPodGroup(MakeGroup("g", 1));
  bed.Put({.name = "p"});
  bed.mirror.Publish();
  CHECK_FALSE(bed.mirror.changed());
  bed.mirror.PutLoads(loads);
  CHECK(bed.mirror.changed());
  bed.mirror.StartOver();
  CHECK(bed.mirror.Publish()->loads == loads);
  bed.mirror.PutLoads(nullptr);
  CHECK(bed.mirror.Publish()->loads == nullptr);
}

TEST_CASE("mirror: resources can count though no pod asks for them", "[cache]") {
  ExtrasBed bed;
  bed.mirror.PutNode(MakeNode("n", R"({"cpu":"4","a.com/x":"2"})", bed.symbols()));
  CHECK_FALSE(bed.mirror.Publish()->dims->Find("a.com/x").has_value());
  CHECK_FALSE(bed.mirror.CountResources({"a.com/x", "cpu", "count/pods"}).has_value());
  const auto snapshot = bed.mirror.Publish();
  const auto dim = snapshot->dims->Find("a.com/x");
  REQUIRE(dim.has_value());
  CHECK(snapshot->allocatable[snapshot->nodes_by_name->front()][*dim] == 2000);
  CHECK_FALSE(snapshot->dims->Find("count/pods").has_value());
  std::vector<std::string> many;
  for (int i = 0; i < 40; ++i) many.push_back(StrCat("a.com/y", i));
  CHECK(bed.mirror.CountResources(many).has_value());
}

TEST_CASE("mirror: ready nodes by name", "[cache]") {
  ExtrasBed bed;
  for (const char* name : {"b", "a", "c"}) {
    bed.mirror.PutNode(MakeNode(name, R"({"cpu":"4"})", bed.symbols()));
  }
  bed.Put({.name = "p", .spec = R"("nodeName":"unknown",)"});
  bed.mirror.RemoveNode("c");
  CHECK(bed.mirror.ReadyNodes() == std::vector<std::string>{"a", "b"});
}

}  // namespace
}  // namespace bth::cache
